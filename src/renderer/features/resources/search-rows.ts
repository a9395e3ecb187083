import { isObject, textOf } from './lookup'
import type { Json } from './resource'

function words(value: Json): string {
  if (Array.isArray(value)) return value.map(words).join(' ')
  return isObject(value) ? Object.values(value).map(words).join(' ') : textOf(value)
}

/** The rows that have every word of a text in any of their values, in capitals or not. */
export function searchedRows(rows: readonly Json[], text: string): readonly Json[] {
  const wanted = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return rows
  return rows.filter((row) => {
    const all = words(row).toLocaleLowerCase()
    return wanted.every((word) => all.includes(word))
  })
}
