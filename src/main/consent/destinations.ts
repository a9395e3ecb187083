import { type AddressKey, addressKeys } from '@shared/contract'
import { rootOf } from '../gateway/address'
import type { ConnectionRecord, PlanRecord } from '../settings/settings'
import type { Destination } from './consent'

type Addresses = ConnectionRecord['addresses']

/** Addresses to which a connection sends no secret of its own: a plan's key goes to the plan's gateway alone, and the registry's host is only shown. */
const withoutSecret: readonly AddressKey[] = ['tokenPlanUrl', 'registryHost']

/** The hosts that get the tokens of a connection. */
export const hostsOf = (addresses: Addresses): string[] => [
  ...new Set(secretFields.flatMap((field) => (addresses[field] ? [rootOf(addresses[field])] : []))),
]

const secretFields = addressKeys.filter((field) => !withoutSecret.includes(field))

/** The addresses of a connection that are at a host which gets none of its secrets now. */
export function newDestinations(before: Addresses, after: Addresses): Destination[] {
  const known = hostsOf(before)
  return secretFields.flatMap((field) => {
    const to = after[field]
    return to === undefined || known.includes(rootOf(to)) ? [] : [{ field, from: before[field], to }]
  })
}

/** The gateway of a plan, where it is at another host than before and a key of the plan would go there: one that is kept, or one of its account. */
export function newGateway(
  { gatewayUrl: from, keys, origin }: Pick<PlanRecord, 'gatewayUrl' | 'origin'> & { readonly keys: readonly unknown[] },
  to: string,
): Destination[] {
  const hasKey = keys.length > 0 || origin !== undefined
  return hasKey && rootOf(from) !== rootOf(to) ? [{ field: 'tokenPlanUrl', from, to }] : []
}
