import type { KnownAllowances } from '@shared/contract'

const letters: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

/** Digits with or without marks between groups of three, as they are written here and elsewhere. */
const grouped = /^\d{1,3}([.,\s\u00a0\u202f']\d{3})+$/

/**
 * An amount as people write it: `20000`, `20,000`, `20.000`, `20M`, `1.5M`, `1,5m`. Nothing for an empty text, `undefined` for one
 * that is no whole number.
 */
export function readAmount(text: string): number | 'none' | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return 'none'
  const [, digits = '', letter = ''] = /^(.*?)\s*([kmb]?)$/i.exec(trimmed) ?? []
  const size = letters[letter.toLowerCase()] ?? 1
  const plain = grouped.test(digits) ? digits.replace(/\D/g, '') : digits.replace(',', '.')
  if (!/^\d+(\.\d+)?$/.test(plain)) return undefined
  const amount = Math.round(Number(plain) * size * 1000) / 1000
  return Number.isSafeInteger(amount) ? amount : undefined
}

/** What stands in the fields of one model. */
export interface AmountFields {
  readonly modelCode: string
  readonly tokens: string
  readonly requests: string
}

/** The allowances that the fields say; models without any are left out; `undefined` while one of them is no amount. */
export function readAllowances(rows: readonly AmountFields[]): KnownAllowances | undefined {
  const known: KnownAllowances = []
  for (const { modelCode, tokens, requests } of rows) {
    const [tokenQuota, requestQuota] = [readAmount(tokens), readAmount(requests)]
    if (tokenQuota === undefined || requestQuota === undefined) return undefined
    if (tokenQuota === 'none' && requestQuota === 'none') continue
    known.push({
      modelCode,
      ...(tokenQuota === 'none' ? {} : { tokenQuota }),
      ...(requestQuota === 'none' ? {} : { requestQuota }),
    })
  }
  return known
}
