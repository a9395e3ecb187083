import { dotenvEditor } from './dotenv'
import type { Editor, Format } from './editor'
import { jsoncEditor, jsonEditor } from './json'
import { textEditor } from './text'
import { yamlEditor } from './yaml'

/** The editor of every format. */
export const editors: Readonly<Record<Format, Editor>> = {
  json: jsonEditor,
  jsonc: jsoncEditor,
  yaml: yamlEditor,
  dotenv: dotenvEditor,
  text: textEditor,
}
