import type { ConnectionDraft, ConnectionTestView, ConnectionView } from '@shared/contract'

/** What stands above the connections of `connection list`. */
export const headings = ['', 'NAME', 'TOKENS FROM', 'SECRET', 'ADDRESSES'] as const

/** A connection as a row; a star marks the active one. */
export function connectionRow({ name, isActive, tokenSource, secret, addresses }: ConnectionView): string[] {
  const places = Object.keys(addresses).map((key) => key.replace(/(Api)?(Url)$/, ''))
  return [isActive ? '*' : ' ', name, tokenSource?.kind ?? '-', secretWords[secret], places.join(', ') || '-']
}

const secretWords: Readonly<Record<ConnectionView['secret'], string>> = {
  keychain: 'in the keychain',
  session: 'until the app quits',
  missing: 'missing',
  none: '-',
}

const provenWords = { used: 'works', reached: 'is there; whether it may be used was not proven' } as const

/** The outcome of one test as one line: what failed, why, and what to do. */
export function testLine(test: ConnectionTestView): string {
  const at = test.requestAddress === undefined ? '' : ` ${test.requestAddress}`
  const took = `${Math.round(test.durationMs)} ms`
  const part = test.part.padEnd('inference'.length)
  if (test.ok) return `ok      ${part} ${provenWords[test.proven]} (${took})${at}`
  return `failed  ${part} ${test.failure.message.replace(/\s+/g, ' ')} (${test.failure.code}, ${took})${at}`
}

/** What was put right in the addresses of a file, one line each. */
export function correctionLines(corrections: ConnectionDraft['corrections']): string[] {
  const lines = corrections.map(({ field, correction }) => `${field} was put right: ${correction}`)
  return [...new Set(lines)]
}
