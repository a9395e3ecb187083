import { MASKED } from '../../core/secret'
import type { Editor } from './editor'
import { maskText } from './masking'
import type { ScalarNode } from './tree'
import { createTreeEditor } from './tree-editor'
import { deleteEntries } from './yaml-deletions'
import { parseYamlDocument } from './yaml-document'
import { createRoot, insert, replace } from './yaml-insert'

/** The value of a scalar and its masked text. A number without quotes may be a password. */
function describeScalar({ value, isBlock }: ScalarNode, raw: string) {
  const [firstLine = '', ...otherLines] = raw.split(/(?=\r?\n)/)
  const lines = otherLines.map((line) => line.replace(/\S.*/, MASKED)).join('')
  const quote = /^["']/.exec(firstLine)?.[0] ?? ''
  return {
    value: typeof value === 'string' ? value.trim() : typeof value === 'number' ? raw : value,
    whole: isBlock ? firstLine + lines : `${quote}${MASKED}${quote}${lines}`,
  }
}

/** Editor for YAML with a mapping at the root (core schema, aliases, merge keys). Rewrites only owned settings. */
export const yamlEditor: Editor = {
  ...createTreeEditor({ parse: parseYamlDocument, isNullEmpty: true, createRoot, replace, insert, deleteEntries }),
  mask: (text) => maskText(text, parseYamlDocument(text), { describe: describeScalar }),
}
