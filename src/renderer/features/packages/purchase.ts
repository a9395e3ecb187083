import type { AccountView } from '@shared/contract'

const longestName = 50

/** The characters of a name that a plan's name may not have, each once, in their order (spec, "Limits"). */
export const forbiddenIn = (name: string): readonly string[] => [
  ...new Set(name.normalize('NFC').match(/[^a-zA-Z0-9_.-]/gu) ?? []),
]

/** A name that the rule allows and no plan has yet: the type's, or the old plan's, with the next free number. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const plain = wanted
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[đĐ]/g, 'd')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const base = (plain || 'plan').replace(/-\d+$/, '').slice(0, longestName - 4)
  const names = new Set(taken.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!names.has(name)) return name
  }
}

/** Whether a role may buy (spec, "Roles"). */
export const mayBuy = ({ role }: AccountView): boolean => role === 'ROOT' || role === 'ADMIN'

/** VND that the credits lack for a total; 0 when they cover it. */
export const missingCredits = ({ credits }: AccountView, total: number): number => Math.max(0, total - credits)
