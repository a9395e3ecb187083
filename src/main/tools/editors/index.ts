import { ok } from '@shared/failure'
import { maskSecretForms } from '../../core/secret'
import { dotenvEditor } from './dotenv'
import type { Editor, Format } from './editor'
import { jsoncEditor, jsonEditor } from './json'
import { tomlEditor } from './toml'
import { yamlEditor } from './yaml'

/** The text format treats the whole file as the value of a single setting, `content`. */
const textEditor: Editor = {
  parse: (text) => ok(isBlank(text) ? {} : { content: text }),
  edit: (text, edits) =>
    edits.reduce((content, edit) => {
      const value = 'value' in edit ? edit.value : undefined
      return typeof value === 'string' ? value : isBlank(content) ? content : ''
    }, text),
  remove: (text, owned, original) => (owned.length === 0 ? text : (original ?? '')),
  isBlank,
  mask: maskSecretForms,
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

export const editors: Readonly<Record<Format, Editor>> = {
  json: jsonEditor,
  jsonc: jsoncEditor,
  yaml: yamlEditor,
  toml: tomlEditor,
  dotenv: dotenvEditor,
  text: textEditor,
}
