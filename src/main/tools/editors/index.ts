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
      requireContent(edit.path)
      if (!('value' in edit) || 'element' in edit) throw new Error('A text file cannot have list settings.')
      if (edit.value !== undefined && typeof edit.value !== 'string') throw new Error('The content must be a string.')
      return edit.value ?? (isBlank(content) ? content : '')
    }, text),
  remove: (text, owned, original) => {
    for (const { path } of owned) requireContent(path)
    return owned.length === 0 ? text : (original ?? '')
  },
  isBlank,
  mask: maskSecretForms,
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function requireContent(path: readonly string[]): void {
  if (path.length !== 1 || path[0] !== 'content') throw new Error(`A text file has no setting ${path.join('.')}.`)
}

export const editors: Readonly<Record<Format, Editor>> = {
  json: jsonEditor,
  jsonc: jsoncEditor,
  yaml: yamlEditor,
  toml: tomlEditor,
  dotenv: dotenvEditor,
  text: textEditor,
}
