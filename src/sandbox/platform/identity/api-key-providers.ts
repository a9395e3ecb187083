import { z } from 'zod'
import type { ApiKeyProvider } from '../../state/identity-state'
import type { Operation } from '../operation'
import { partiesOf, secretReply } from './credentials'
import { Changed, type Kind, keptOf, New } from './kind'
import { create, get, list, remove, update } from './resource'

/** Enough of a key to tell it from another: its last four characters, and none of a short one. */
const hintOf = (apiKey: string): string => `****${apiKey.length < 12 ? '' : apiKey.slice(-4)}`

const providers: Kind<ApiKeyProvider> = {
  noun: 'static API-key provider',
  rows: (state) => state.apiKeyProviders,
  withRows: (state, apiKeyProviders) => ({ ...state, apiKeyProviders }),
  view: ({ apiKey, ...rest }) => ({ ...rest, apiKeyHint: hintOf(apiKey) }),
}

const apiKey = z.string().min(1, 'must not be empty')
/** The key is required, because to update is to rotate it (spec, "Endpoints", B). */
const Rotated = Changed.extend({ apiKey })

const retrieveKey: Operation['run'] = (call) => {
  const { provider, agent } = partiesOf(call, providers)
  return secretReply(call, { apiKey: provider.apiKey, providerName: provider.name, agentIdentityName: agent.name })
}

const path = '/outbound-auth/api-key-providers'

/** Static API-key providers: the key is given out by `retrieveKey` only. */
export const apiKeyProviderOperations: readonly Operation[] = [
  {
    id: 'identity.apiKeyProviders.create',
    method: 'POST',
    path,
    run: create(providers, New.extend({ apiKey }), (body, own) => ({ ...keptOf(body), ...own, apiKey: body.apiKey })),
  },
  { id: 'identity.apiKeyProviders.list', method: 'GET', path, run: list(providers) },
  { id: 'identity.apiKeyProviders.get', method: 'GET', path: `${path}/{name}`, run: get(providers) },
  {
    id: 'identity.apiKeyProviders.update',
    method: 'PUT',
    path: `${path}/{name}`,
    run: update(providers, Rotated, (body, own) => ({ ...keptOf(body), ...own, apiKey: body.apiKey })),
  },
  { id: 'identity.apiKeyProviders.delete', method: 'DELETE', path: `${path}/{name}`, run: remove(providers) },
  {
    id: 'identity.apiKeyProviders.retrieveKey',
    method: 'GET',
    path: `${path}/{name}/agent-identities/{agentName}/api-key`,
    run: retrieveKey,
  },
]
