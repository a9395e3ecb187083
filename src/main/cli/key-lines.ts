import type { KeyView, SubscriptionKeyView } from '@shared/contract'
import { dayOf } from './moment-words'

/** What stands above the keys of a plan. */
export const headings = ['KEY', 'NAME', 'STATUS', 'MADE', 'HERE', 'USED BY', 'ID'] as const

const keptWords: Readonly<Record<KeyView['kept'], string>> = {
  keychain: 'in the keychain',
  session: 'until the app quits',
  missing: 'missing',
}

/** A key of an account as a row, masked. */
export function keyRow({ masked, name, status, createdAt, kept, usedBy, keyId }: SubscriptionKeyView): string[] {
  const here = kept === undefined ? 'no' : keptWords[kept]
  return [masked, name, status.toLowerCase(), dayOf(createdAt), here, usedBy.join(', ') || '-', keyId]
}

/** A key that was handed over as a row, masked: whether it works, and when it was made, only its account knows. */
export function localKeyRow({ masked, name, kept, id }: KeyView): string[] {
  return [masked, name, '-', '-', keptWords[kept], '-', id]
}
