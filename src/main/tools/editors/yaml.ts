import { MASKED, maskSecretForms } from '../../core/secret'
import { maskValue } from '../secret-masking'
import { type Editor, replaceRange, splice, type TextEdit } from './editor'
import type { Entry, ScalarNode, TreeNode } from './tree'
import { createTreeEditor } from './tree-editor'
import { deleteEntries } from './yaml-deletions'
import { parseYamlDocument, type YamlDocument } from './yaml-document'
import { createRoot, insert, replace } from './yaml-insert'

/** Masks secret values as `[secret]`, line by line. Hides all lines of an invalid text. */
function maskYaml(source: string): string {
  const document = parseYamlDocument(source)
  if (!document.ok) return source.replace(/[^\r\n]+/g, MASKED)
  const { bom, text, root, comments } = document.value
  const edits = new Map<number, TextEdit>()
  const addEdit = (edit: TextEdit): void => {
    const { offset, length, content } = edit
    const maskedText = edits.get(offset)?.content ?? text.slice(offset, offset + length)
    const isStricter = !edits.has(offset) || content.length < maskedText.length
    if (content !== maskedText && isStricter) edits.set(offset, edit)
  }
  for (const { start, end } of comments) addEdit(replaceRange(start, end, maskSecretForms(text.slice(start, end))))
  if (root !== undefined) maskNode({ text, keep: addEdit, seen: new Set() }, root, [])
  return bom + splice(text, [...edits.values()])
}

type MaskingContext = Pick<YamlDocument, 'text'> & {
  readonly keep: (edit: TextEdit) => void
  /** Alias targets whose secrets are already masked. */
  readonly seen: Set<TreeNode>
}

function maskNode(masking: MaskingContext, node: TreeNode, names: readonly string[]): void {
  if (node.kind === 'scalar') masking.keep(replaceRange(node.start, node.end, maskedScalar(masking.text, node, names)))
  else if (node.kind === 'list') maskItems(masking, node.entries, names)
  else if (node.kind === 'map')
    for (const { key, value } of node.entries) {
      if (key === undefined) continue
      if (key.node.kind !== 'alias') maskNode(masking, key.node, [])
      maskNode(masking, value, key.isMerge ? names : [...names, key.name])
    }
  else if (node.kind === 'alias' && !masking.seen.has(node)) {
    masking.seen.add(node)
    maskNode(masking, node.target, names)
  }
}

/** In a list of arguments, an element such as `--api-key` is the name of the element after it. */
function maskItems(masking: MaskingContext, items: readonly Entry[], names: readonly string[]): void {
  let flag: string | undefined
  for (const { value } of items) {
    maskNode(masking, value, flag === undefined ? names : [...names, flag])
    const text = value.kind === 'scalar' ? value.value : undefined
    flag = typeof text === 'string' && text.startsWith('-') ? text : undefined
  }
}

function maskedScalar(text: string, { start, end, value, isBlock }: ScalarNode, names: readonly string[]): string {
  const rawText = text.slice(start, end)
  const [firstLine = '', ...continuationLines] = rawText.split(/(?=\r?\n)/)
  const lines = continuationLines.map((line) => line.replace(/\S.*/, MASKED)).join('')
  const quoteCharacter = /^["']/.exec(firstLine)?.[0] ?? ''
  const maskedValue = isBlock ? firstLine + lines : `${quoteCharacter}${MASKED}${quoteCharacter}${lines}`
  const parsedValue = typeof value === 'string' ? value.trim() : typeof value === 'number' ? rawText : value
  return maskValue({ raw: rawText, value: parsedValue, names, whole: maskedValue })
}

/** Editor for YAML with a mapping at the root (core schema, aliases, merge keys). Rewrites only owned settings. */
export const yamlEditor: Editor = {
  ...createTreeEditor({ parse: parseYamlDocument, isNullEmpty: true, createRoot, replace, insert, deleteEntries }),
  mask: maskYaml,
}
