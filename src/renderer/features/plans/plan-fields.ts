import { hasHidden } from '@shared/hidden-characters'

const longestName = 50
const longestCode = 200

/** What is wrong with a plan's name as typed; an empty one is not wrong yet. */
export function nameProblem(name: string): 'rule' | 'tooLong' | undefined {
  if (name !== '' && !/^[a-zA-Z0-9_.-]+$/.test(name)) return 'rule'
  return name.length > longestName ? 'tooLong' : undefined
}

/** A name that the rule allows, from a gateway's address: its host. */
export function suggestName(gatewayUrl: string): string {
  if (!URL.canParse(gatewayUrl)) return ''
  const { hostname, port } = new URL(gatewayUrl)
  const host = hostname.replace(/[^a-zA-Z0-9_.-]/g, '')
  return (port === '' ? host : `${host}-${port}`).slice(0, longestName)
}

/** The model codes in what was typed or pasted: one per line or between commas; codes that cannot be are told apart. */
export function readCodes(text: string): { readonly codes: readonly string[]; readonly invalid: readonly string[] } {
  const all = text
    .split(/[\n\r,;]+/)
    .map((code) => code.trim())
    .filter((code) => code !== '')
  const isCode = (code: string): boolean => code.length <= longestCode && !/\s/.test(code) && !hasHidden(code)
  return { codes: all.filter(isCode), invalid: all.filter((code) => !isCode(code)) }
}

/** Adds codes that are not there yet; order is kept, because the first is the one tools are offered. */
export const mergeCodes = (there: readonly string[], added: readonly string[]): readonly string[] => [
  ...new Set([...there, ...added]),
]

/** A context window as typed, in tokens: a number, nothing, or not one. Separators of thousands are fine. */
export function readContext(text: string): number | 'invalid' | undefined {
  const digits = text.replace(/[\s.,_]/g, '')
  if (digits === '') return undefined
  const count = Number(digits)
  return Number.isInteger(count) && count >= 1_000 && count <= 10_000_000 ? count : 'invalid'
}

/** The last moment of a day in the machine's time zone, from the `2026-11-26` of a date field. */
export function endOfDay(day: string): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (!year || !month || !date) return undefined
  const end = new Date(year, month - 1, date, 23, 59, 59)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

/** The day of a moment, for a date field. */
export function dayOf(iso: string | undefined): string {
  if (iso === undefined) return ''
  const date = new Date(iso)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
