import type { IncomingHttpHeaders } from 'node:http'
import type { Store } from '../state/store'
import { clientOf } from './iam/token'
import type { Caller, Service } from './operation'
import { unauthorized } from './refusals'

function apiKeyOwner(store: Store, secret: string): string | undefined {
  const nowMs = store.nowMs()
  const isActive = (key: { readyAt: string; goneAt?: string | undefined }) =>
    Date.parse(key.readyAt) <= nowMs && key.goneAt === undefined
  return store.world().aip.apiKeys.find((key) => isActive(key) && store.secretOf(key.keyId, 'pk-sandbox-') === secret)
    ?.name
}

/** Who calls a service. Throws 401 with the reason (spec, "Authentication", B: an IAM bearer token with every call). */
export function callerOf(store: Store, access: Service['access'], headers: IncomingHttpHeaders): Caller {
  if (access === 'open') return { id: '' }
  const token = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized('Send an IAM token as "Authorization: Bearer <token>".')
  const id = clientOf(store, token) ?? (access === 'iam' ? undefined : apiKeyOwner(store, token))
  if (id !== undefined) return { id }
  if (store.keyIdOf(token) !== undefined) {
    throw unauthorized('This is a subscription key. It opens the token plan gateway only; send an IAM token here.')
  }
  throw unauthorized('The token is expired or invalid. Obtain a new one.')
}
