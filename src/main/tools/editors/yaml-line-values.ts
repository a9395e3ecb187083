import type { YamlEntry, YamlNode, YamlScalar } from './yaml-node'

/** Thrown where a line is more than plain: the library is to read the text then. */
export class NotPlain extends Error {}

/** More brackets than these in one line may be too deep. */
const DEEPEST = /(?:[[{][^[{\n]*){100}/y

const quotedText = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*'/y
const keyText = /(?:[\w./$][\w./$@+-]*|"[^"\\\n]*"|'[^'\n]*')(?=:(?:[ \r\n]|$))/y
const blockPlain = /[\w./$~+(=\u00a0-\ufeff-](?:[^\s#:]|:(?=\S)|(?<=\S)#| +(?=[^\s#]))*/y
const flowPlain = /[\w./$~+(=-](?:[^\s#:,[\]{}"'&*!|>%@`?]|:(?=[^\s,[\]{}])| +(?=[^\s#,[\]{}:]))*/y

/** The key that begins here, followed by its colon; nothing when there is none. */
export function keyAt(text: string, start: number): YamlScalar | undefined {
  const end = endOf(keyText, text, start)
  return end === undefined || end - start > 1000 ? undefined : scalar(text, start, end)
}

/** The value that begins here and ends in this line. Throws `NotPlain` for any other. */
export function valueAt(text: string, start: number): YamlNode {
  const first = text[start]
  if (first === '[' || first === '{') {
    if (endOf(DEEPEST, text, start) !== undefined) throw new NotPlain()
    return collectionAt(text, start)
  }
  if (first === '"' || first === "'") return scalarAt(quotedText, text, start)
  if (first === '-' && /[\s-]/.test(text[start + 1] ?? '\n')) throw new NotPlain()
  return scalarAt(blockPlain, text, start)
}

function collectionAt(text: string, start: number): YamlNode {
  const kind = text[start] === '[' ? 'list' : 'map'
  const close = kind === 'list' ? ']' : '}'
  const entries: YamlEntry[] = []
  let at = pastBlanks(text, start + 1)
  while (text[at] !== close) {
    const entry = kind === 'list' ? itemAt(text, at) : pairAt(text, at)
    entries.push(entry)
    at = pastBlanks(text, entry.end)
    if (text[at] === ',') at = pastBlanks(text, at + 1)
    else if (text[at] !== close) throw new NotPlain()
  }
  return { kind, outer: start, start, end: at + 1, flow: true, entries }
}

function itemAt(text: string, start: number): YamlEntry {
  const value = flowValueAt(text, start)
  return { start, end: value.end, key: undefined, value }
}

function pairAt(text: string, start: number): YamlEntry {
  const node = keyAt(text, start)
  if (node === undefined) throw new NotPlain()
  const colon = node.end + 1
  const value = flowValueAt(text, pastBlanks(text, colon))
  return { start, end: value.end, key: keyOf(text, node, colon), value }
}

function flowValueAt(text: string, start: number): YamlNode {
  const first = text[start]
  if (first === '[' || first === '{') return collectionAt(text, start)
  if (first === '-' && !/[\w.]/.test(text[start + 1] ?? '')) throw new NotPlain()
  return scalarAt(first === '"' || first === "'" ? quotedText : flowPlain, text, start)
}

/** A key with its name: what a plain one is written as, what a quoted one says. */
export function keyOf(text: string, node: YamlScalar, colon: number): YamlEntry['key'] {
  const isQuoted = /["']/.test(text[node.start] ?? '')
  const name = isQuoted ? String(node.value) : text.slice(node.start, node.end)
  return { name, node, colon, isExplicit: false, isMerge: false }
}

/** Where the blanks that begin here end. */
export function pastBlanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ') at += 1
  return at
}

function scalarAt(form: RegExp, text: string, start: number): YamlScalar {
  const end = endOf(form, text, start)
  if (end === undefined) throw new NotPlain()
  return scalar(text, start, end)
}

function endOf(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start
  return form.test(text) ? form.lastIndex : undefined
}

function scalar(text: string, start: number, end: number): YamlScalar {
  return { kind: 'scalar', outer: start, start, end, isBlock: false, value: meaningOf(text.slice(start, end)) }
}

function meaningOf(raw: string): YamlScalar['value'] {
  if (raw.startsWith("'")) return raw.slice(1, -1).replaceAll("''", "'")
  if (!raw.startsWith('"')) return /^[-+.\d~ntf]/i.test(raw) ? coreValue(raw) : raw
  if (!raw.includes('\\')) return raw.slice(1, -1)
  if (!/^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"$/.test(raw)) throw new NotPlain()
  return String(JSON.parse(raw))
}

const words = new Map<string, null | boolean>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** What the core schema takes a plain text for. */
function coreValue(text: string): YamlScalar['value'] {
  const word = words.get(text)
  if (word !== undefined) return word
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+\.\d*|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/.test(text)) return Number.parseFloat(text)
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : text
}
