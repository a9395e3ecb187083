import { lineAt } from './json-document'
import { type Json, sameJson } from './json-value'
import { columnAt } from './yaml-cursor'
import type { YamlDocument } from './yaml-document'
import { jsonOf, type YamlEntry } from './yaml-node'

/** What stood in another text: the key of a pair with its colon, and its value's text; or a whole item of a list. */
type RawParts = {
  readonly key: string | undefined
  readonly text: string
  /** The column of the key or the item, and that of the value. */
  readonly column: number
  readonly valueColumn: number
  /** True when the value begins on a line of its own. */
  readonly isBelow: boolean
  /** True when it stood in brackets. */
  readonly flow: boolean
}

/** A setting as it stood in another text, to be put back to the letter. */
export class RawYaml {
  constructor(
    readonly parts: RawParts,
    readonly value: Json,
  ) {}
}

/** A pair or an item of another text; `flow` says if it stands in brackets. */
export function rawOf({ text }: YamlDocument, entry: YamlEntry, flow: boolean): RawYaml {
  const { key, value, start, end } = entry
  const from = key === undefined ? start : value.outer
  const isBelow = key !== undefined && value.end > value.outer && lineAt(text, value.outer) > lineAt(text, key.node.end)
  const column = columnAt(text, start)
  const parts = { column, valueColumn: columnAt(text, from), isBelow, flow, text: text.slice(from, end) }
  return new RawYaml({ ...parts, key: key && text.slice(start, key.colon ?? key.node.end) }, jsonOf(value))
}

/** True when a pair or an item says what is wanted; what is put back is wanted to the letter. */
export function isSame(document: YamlDocument, { entry, flow }: Standing, wanted: Json | RawYaml): boolean {
  if (!(wanted instanceof RawYaml)) return entry.value.kind !== 'alias' && sameJson(jsonOf(entry.value), wanted)
  const { parts, value } = rawOf(document, entry, flow)
  return sameJson(value, wanted.value) && parts.text === wanted.parts.text
}

/** An entry, and whether it stands in brackets. */
type Standing = { readonly entry: YamlEntry; readonly flow: boolean }

/** Text of several lines, moved so many columns to the right, its first line left where it is. */
export function moved(text: string, columns: number, eol: string): string {
  const [first = '', ...others] = text.split(/\r?\n/)
  const shift = (line: string): string => {
    if (line === '') return line
    return columns >= 0 ? ' '.repeat(columns) + line : line.slice(Math.min(-columns, /^ */.exec(line)?.[0].length ?? 0))
  }
  return [first, ...others.map(shift)].join(eol)
}
