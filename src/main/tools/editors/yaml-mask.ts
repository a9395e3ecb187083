import { MASKED, maskForms, maskValue } from '../secret-words'
import { splice, type TextEdit } from './splice'
import { parseYamlDocument, type YamlDocument } from './yaml-document'
import type { YamlEntry, YamlNode, YamlScalar } from './yaml-node'
import { put } from './yaml-put'

/**
 * A YAML text as it may be shown: values of secret names, and what has the form of a secret anywhere, as `[secret]`, line
 * by line. Of a text that cannot be taken apart nothing is shown but its lines.
 */
export function maskYaml(source: string): string {
  const document = parseYamlDocument(source)
  if (!document.ok) return source.replace(/[^\r\n]+/g, MASKED)
  const { bom, text, root, comments } = document.value
  const edits = new Map<number, TextEdit>()
  const keep = (edit: TextEdit): void => {
    const { offset, length, content } = edit
    const shown = edits.get(offset)?.content ?? text.slice(offset, offset + length)
    const isStricter = !edits.has(offset) || content.length < shown.length
    if (content !== shown && isStricter) edits.set(offset, edit)
  }
  for (const { start, end } of comments) keep(put(start, end, maskForms(text.slice(start, end))))
  if (root !== undefined) maskNode({ text, keep, seen: new Set() }, root, [])
  return bom + splice(text, [...edits.values()])
}

type Masking = Pick<YamlDocument, 'text'> & {
  readonly keep: (edit: TextEdit) => void
  /** The aliases whose values have been masked by the names of the alias too. */
  readonly seen: Set<YamlNode>
}

function maskNode(masking: Masking, node: YamlNode, names: readonly string[]): void {
  if (node.kind === 'scalar') masking.keep(put(node.start, node.end, maskedScalar(masking.text, node, names)))
  else if (node.kind === 'list') maskItems(masking, node.entries, names)
  else if (node.kind === 'map') for (const entry of node.entries) maskPair(masking, entry, names)
  else if (node.kind === 'alias' && !masking.seen.has(node)) {
    masking.seen.add(node)
    maskNode(masking, node.target, names)
  }
}

function maskPair(masking: Masking, { key, value }: YamlEntry, names: readonly string[]): void {
  if (key === undefined) return
  if (key.node.kind !== 'alias') maskNode(masking, key.node, [])
  maskNode(masking, value, key.isMerge ? names : [...names, key.name])
}

/** In a list of arguments, an option speaks for the one behind it. */
function maskItems(masking: Masking, items: readonly YamlEntry[], names: readonly string[]): void {
  let flag: string | undefined
  for (const { value } of items) {
    maskNode(masking, value, flag === undefined ? names : [...names, flag])
    const text = value.kind === 'scalar' ? value.value : undefined
    flag = typeof text === 'string' && text.startsWith('-') ? text : undefined
  }
}

function maskedScalar(text: string, { start, end, value, isBlock }: YamlScalar, names: readonly string[]): string {
  const raw = text.slice(start, end)
  const [first = '', ...others] = raw.split(/(?=\r?\n)/)
  const lines = others.map((line) => line.replace(/\S.*/, MASKED)).join('')
  const quote = /^["']/.exec(first)?.[0] ?? ''
  const whole = isBlock ? first + lines : `${quote}${MASKED}${quote}${lines}`
  const meaning = typeof value === 'string' ? value.trim() : typeof value === 'number' ? raw : value
  return maskValue({ raw, value: meaning, names, whole })
}
