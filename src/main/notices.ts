import type { Words } from './account/reminder-words'

/** What the system shows, and the place of the window that it leads to. */
export interface Notice extends Words {
  readonly path: string
}

const mostSingly = 4
const mostNames = 2

/** A notice of each or, of more than a few, one of all: nobody reads a screen full of them, and each takes the system a while. */
export function noticesOf<T>(
  told: readonly T[],
  { one, all }: { readonly one: (each: T) => Notice; readonly all: (told: readonly T[]) => Notice },
): readonly Notice[] {
  return told.length > mostSingly ? [all(told)] : told.map(one)
}

/** The first of some names, each once, and how many more there are. */
export function namesOf(names: readonly string[], locale: 'en' | 'vi'): string {
  const each = [...new Set(names)]
  const more = each.length - mostNames
  if (more <= 0) return each.join(locale === 'vi' ? ' và ' : ' and ')
  const first = each.slice(0, mostNames).join(', ')
  return locale === 'vi' ? `${first} và ${more} mục khác` : `${first} and ${more} more`
}
