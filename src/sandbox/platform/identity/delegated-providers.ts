import type { DelegatedProvider } from '../../state/identity-state'
import type { Operation } from '../operation'
import { Asked, issue, lifetimeS, partiesOf, secretReply } from './credentials'
import { type Kind, keptOf, New } from './kind'
import { create, get, list, remove } from './resource'

const providers: Kind<DelegatedProvider> = {
  noun: 'delegated API-key provider',
  rows: (state) => state.delegatedProviders,
  withRows: (state, delegatedProviders) => ({ ...state, delegatedProviders }),
  view: (row) => row,
}

const requestKey: Operation['run'] = async (call) => {
  const { userId } = await call.body(Asked)
  const { provider, agent } = partiesOf(call, providers)
  return secretReply(call, {
    apiKey: issue(call, 'delegated-key', { provider, agent, userId }),
    providerName: provider.name,
    agentIdentityName: agent.name,
    userId,
    expiresAt: new Date(call.store.nowMs() + lifetimeS * 1000).toISOString(),
  })
}

const path = '/outbound-auth/delegated-api-key-providers'

/** Delegated API-key providers, which have no update (spec, "Endpoints", B); each request gives a new key with an end. */
export const delegatedProviderOperations: readonly Operation[] = [
  {
    id: 'identity.delegatedProviders.create',
    method: 'POST',
    path,
    run: create(providers, New, (body, own) => ({ ...keptOf(body), ...own })),
  },
  { id: 'identity.delegatedProviders.list', method: 'GET', path, run: list(providers) },
  { id: 'identity.delegatedProviders.get', method: 'GET', path: `${path}/{name}`, run: get(providers) },
  { id: 'identity.delegatedProviders.delete', method: 'DELETE', path: `${path}/{name}`, run: remove(providers) },
  {
    id: 'identity.delegatedProviders.requestKey',
    method: 'POST',
    path: `${path}/{name}/agent-identities/{agentName}/api-key`,
    run: requestKey,
  },
]
