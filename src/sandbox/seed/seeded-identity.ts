import type { AipState } from '../state/aip-state'
import type { IdentityState } from '../state/identity-state'
import { deriveSecret } from '../state/key-secrets'
import { at, dayMs, hourOf } from './moments'

const since = (nowMs: number, days: number) => {
  const moment = at(hourOf(nowMs) - days * dayMs)
  return { createdAt: moment, updatedAt: moment }
}

/** Agent identities, and the providers that hand them credentials for other services. */
export function seededIdentity(seed: string, nowMs: number): IdentityState {
  const secret = (name: string) => deriveSecret(seed, `provider|${name}`, 'dk-sandbox-')
  const agent = (name: string, description: string, days: number) => ({ name, description, ...since(nowMs, days) })
  return {
    agentIdentities: [
      agent('support-agent', 'Customer support of the online shop', 38),
      agent('travel-planner', 'Plans trips', 31),
      agent('code-reviewer', 'Reviews merge requests', 24),
      agent('invoice-reader', 'Reads invoices from the mailbox', 12),
      agent('nightly-report', 'Writes the report of the day', 5),
    ],
    apiKeyProviders: [
      { name: 'weather-service', description: 'Forecasts', apiKey: secret('weather-service'), ...since(nowMs, 30) },
      { name: 'maps', description: 'Addresses and routes', apiKey: secret('maps'), ...since(nowMs, 29) },
      { name: 'web-search', description: 'Search results', apiKey: secret('web-search'), ...since(nowMs, 9) },
    ],
    delegatedProviders: [{ name: 'code-hosting', description: 'Keys on behalf of a person', ...since(nowMs, 22) }],
    oauth2Providers: [
      {
        name: 'calendar',
        description: 'Free and busy times',
        clientId: 'companion-calendar',
        clientSecret: secret('calendar'),
        tokenUrl: 'https://accounts.example.com/oauth2/token',
        authorizationUrl: 'https://accounts.example.com/oauth2/authorize',
        scopes: ['calendar.read'],
        ...since(nowMs, 18),
      },
      {
        name: 'customer-records',
        description: 'Orders and addresses',
        clientId: 'companion-crm',
        clientSecret: secret('customer-records'),
        tokenUrl: 'https://crm.example.com/oauth2/token',
        scopes: ['orders.read', 'customers.read'],
        ...since(nowMs, 11),
      },
    ],
  }
}

/** Platform API keys, all ready for use. */
export function seededAip(nowMs: number): AipState {
  const key = (name: string, description: string, days: number) => {
    const moments = since(nowMs, days)
    return { name, description, keyId: `api-key-${name}`, readyAt: moments.createdAt, ...moments }
  }
  return {
    apiKeys: [
      key('playground', 'Trying prompts', 36),
      key('nightly-batch', 'Embeddings of the catalogue', 20),
      key('old-prototype', 'No longer in use', 39),
    ],
  }
}
