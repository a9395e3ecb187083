import type { MethodInput } from '@shared/contract'
import type { Json } from '../../resources/resource'
import { scoreThreshold, searchLimit } from '../../resources/rules'
import type { OpenMemory } from '../open-memory'

/** What one searches for. */
export interface SearchWish {
  readonly text: string
  readonly limit: number
  readonly threshold: number
}

/** The two searches that can be seen side by side. */
export const sides = ['a', 'b'] as const
export type Side = (typeof sides)[number]

export const usualWish: SearchWish = { text: '', limit: 10, threshold: 0 }

/** What the address says of a search; what breaks a rule counts as not said. */
export function readWish(query: URLSearchParams, side: Side): SearchWish {
  const limit = query.get(`limit-${side}`)
  const threshold = query.get(`min-${side}`)
  return {
    text: query.get(`q-${side}`) ?? '',
    limit: limit !== null && searchLimit.accepts(limit) ? Number(limit) : usualWish.limit,
    threshold: threshold !== null && scoreThreshold.accepts(threshold) ? Number(threshold) : usualWish.threshold,
  }
}

/** The address with a search in it, or without when there is none. */
export function writeWish(query: URLSearchParams, side: Side, wish: SearchWish | undefined): URLSearchParams {
  const next = new URLSearchParams(query)
  const values = { q: wish?.text, limit: wish?.limit, min: wish?.threshold }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') next.delete(`${name}-${side}`)
    else next.set(`${name}-${side}`, String(value))
  }
  return next
}

/** Whether something can be the name of a JSON field that the text is sent as. */
export const isFieldName = (name: string): boolean => /^[A-Za-z_][\w.-]{0,79}$/.test(name)

/** The call of a search; `field` is the name that its text goes by, which the spec does not give. */
export function searchCall(
  { connection, memoryId }: OpenMemory,
  namespace: string,
  { wish, field }: { readonly wish: SearchWish; readonly field: string },
): Omit<MethodInput<'resources.call'>, 'callId'> {
  const body: Json = { [field]: wish.text, limit: wish.limit, scoreThreshold: wish.threshold }
  return {
    connectionId: connection.id,
    operation: 'memory.records.search',
    path: { id: memoryId },
    query: { namespace },
    body,
  }
}
