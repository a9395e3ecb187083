import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKey } from '../state/aip-state'
import type { Store } from '../state/store'
import { keysIn, secretOf, statusOf } from './aip/api-key'
import { clientOf } from './iam/token'
import type { Caller, Service } from './operation'
import { unauthorized } from './refusals'

function apiKeyOwner(store: Store, secret: string): string | undefined {
  const nowMs = store.nowMs()
  const isIt = (key: ApiKey) => statusOf(key, nowMs) === 'ACTIVE' && secretOf(store, key) === secret
  return keysIn(store).find(isIt)?.name
}

const wanted: Record<Exclude<Service['access'], 'open'>, string> = {
  iam: 'an IAM token',
  'iam-or-api-key': 'an IAM token or an active platform API key',
}

/** Why a credential that does not open a service does not. */
function whyNot(store: Store, credential: string, wants: string): string {
  if (store.keyIdOf(credential) !== undefined) {
    return `This is a subscription key. It opens the token plan gateway only; send ${wants} here.`
  }
  if (apiKeyOwner(store, credential) !== undefined) {
    return `This is a platform API key. It opens inference only; send ${wants} here.`
  }
  return `The token is expired or invalid. Send ${wants}.`
}

/** Who calls a service. Throws 401 with the reason (spec, "Authentication", B: an IAM bearer token with every call). */
export function callerOf(store: Store, access: Service['access'], headers: IncomingHttpHeaders): Caller {
  if (access === 'open') return { id: '' }
  const wants = wanted[access]
  const credential = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (credential === undefined) throw unauthorized(`Send ${wants} as "Authorization: Bearer <token>".`)
  const id = clientOf(store, credential) ?? (access === 'iam' ? undefined : apiKeyOwner(store, credential))
  if (id === undefined) throw unauthorized(whyNot(store, credential, wants))
  return { id }
}
