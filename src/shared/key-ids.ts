import type { PlanRef } from './contract/common'
import type { Holder, RegisterEntry } from './contract/register'

/** Formats a plan reference: `connection/plan` for a plan of an account, as commands accept it, else the local id. */
export const planRefText = ({ connectionId, planId }: PlanRef): string =>
  connectionId === '' ? planId : `${connectionId}/${planId}`

const getKindAndName = ({ kind, name }: Holder): string =>
  `${kind}:${name.normalize('NFC').toLowerCase()}`.slice(0, 100)

/** Identifies a holder by kind and original name. The first renaming saves both as `id`. */
export const holderId = (holder: Holder): string => holder.id ?? getKindAndName(holder)

/** Compares names in addition to ids, because records of other team members may lack the id of a renamed holder. */
export const isSameHolder = (a: Holder, b: Holder): boolean =>
  holderId(a) === holderId(b) || getKindAndName(a) === getKindAndName(b)

/** Ids of a register entry. Keys that are not saved locally use their account's ids and connection. */
export function registerId({ planId, keyId, origin }: Pick<RegisterEntry, 'planId' | 'keyId' | 'origin'>) {
  const isAccountId = origin?.planId === planId && origin.keyId === keyId
  return { planId, keyId, ...(isAccountId ? { connectionId: origin.connectionId } : {}) }
}
