import { stringify } from 'yaml'

/** Readers of YAML 1.1 would take these for more than text, and so would some of 1.2. */
const plainOptions = { lineWidth: 0, compat: 'yaml-1.1' } as const
const special = /^(?:=|<<)$|[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufdff\u{10000}-\u{10ffff}]|[\u2028\u2029]/u
/** Within brackets, older readers take more characters for marks. */
const flowSpecial = /[:,[\]{}#?]/

/** Characters that JSON leaves as they are and readers of YAML 1.1 take for line ends or refuse. */
const unsafe = /[\u007f-\u009f]|[\u2028\u2029]|[\ufeff\ufffe\uffff]/g

/** How a value is written: without quotes where every reader takes it for the same text, else in double quotes. */
export function scalarText(value: null | boolean | number | string, isFlow: boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return nonFinite(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return isPlain(value, isFlow) ? value : quoted(value)
}

const nonFinite = (value: number): string => (Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf')

function isPlain(text: string, isFlow: boolean): boolean {
  if (special.test(text) || (isFlow && flowSpecial.test(text))) return false
  return stringify(text, plainOptions) === `${text}\n`
}

const quoted = (text: string): string =>
  JSON.stringify(text).replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
