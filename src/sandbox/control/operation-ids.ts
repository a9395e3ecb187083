import { services } from '../platform/services'

/** The gateway's three are fixed by its two standards; the platform's come from its tables. */
const gatewayIds = ['gateway.chatCompletions', 'gateway.messages', 'gateway.countTokens']

/** The ids that a fault can name, in the order of the areas. */
export const operationIds: readonly string[] = [
  ...gatewayIds,
  ...services.flatMap(({ operations }) => operations.map(({ id }) => id)),
]

/** Whether a fault for `operations` (an id, or a beginning with `*` behind it) could ever meet a request. */
export function isKnownOperation(operations: string): boolean {
  if (!operations.endsWith('*')) return operationIds.includes(operations)
  return operationIds.some((id) => id.startsWith(operations.slice(0, -1)))
}
