import type { UsageScope, UsageShare, UsageSplit } from '@shared/contract'
import { tokensOf } from './points'
import type { Wanted } from './wanted'

/** What the parts of a split are measured in: failed requests have few tokens or none. */
const amountOf = (by: UsageSplit, share: UsageShare): number => (by === 'error' ? share.errors : tokensOf(share))

/** What all parts make together. */
export const sharesTotal = (by: UsageSplit, shares: readonly UsageShare[]): number =>
  shares.reduce((total, share) => total + amountOf(by, share), 0)

/** A part of the whole, from 0 to 1. */
export const shareOf = (by: UsageSplit, share: UsageShare, total: number): number =>
  total === 0 ? 0 : amountOf(by, share) / total

const scopesOf: Readonly<Record<string, UsageScope>> = { relay: 'relay', toolLog: 'toolLog', app: 'app' }

/** What to ask for to see the requests of a part; nothing where that cannot be asked. */
export function wantedOf(by: UsageSplit, { id }: UsageShare): Partial<Wanted> | undefined {
  if (id === '') return undefined
  switch (by) {
    case 'model':
      return { modelCode: id }
    case 'tool':
      return { toolId: id }
    case 'key':
      return { keyId: id }
    case 'plan':
      return { planId: id }
    case 'source':
      return scopesOf[id] ? { scope: scopesOf[id] } : undefined
    case 'error':
      return { onlyErrors: true }
  }
}
