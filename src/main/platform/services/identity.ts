import { springPaged } from '../paging'
import { identityName, named } from '../rules'
import { del, get, list, post, put, service } from '../table'

const ofIdentity = '/agent-identities/{agentName}'

/** Agent identities and the providers of outbound credentials (spec, "Access control"). */
export const identity = service(
  'identity',
  {
    address: 'identityApiUrl',
    paging: springPaged,
    test: { operation: 'agentIdentities.list', query: { size: 1 } },
  },
  {
    'agentIdentities.create': post('/agent-identities', { body: named(identityName) }),
    'agentIdentities.list': list('/agent-identities'),
    'agentIdentities.get': get('/agent-identities/{name}'),
    'agentIdentities.update': put('/agent-identities/{name}'),
    'agentIdentities.delete': del('/agent-identities/{name}'),
    'apiKeyProviders.create': post('/outbound-auth/api-key-providers', { body: named(identityName) }),
    'apiKeyProviders.list': list('/outbound-auth/api-key-providers'),
    'apiKeyProviders.get': get('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.update': put('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.delete': del('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.retrieveKey': get(`/outbound-auth/api-key-providers/{name}${ofIdentity}/api-key`),
    'delegatedProviders.create': post('/outbound-auth/delegated-api-key-providers', { body: named(identityName) }),
    'delegatedProviders.list': list('/outbound-auth/delegated-api-key-providers'),
    'delegatedProviders.get': get('/outbound-auth/delegated-api-key-providers/{name}'),
    'delegatedProviders.delete': del('/outbound-auth/delegated-api-key-providers/{name}'),
    'delegatedProviders.requestKey': post(`/outbound-auth/delegated-api-key-providers/{name}${ofIdentity}/api-key`),
    'oauth2Providers.create': post('/outbound-auth/oauth2-providers', { body: named(identityName) }),
    'oauth2Providers.list': list('/outbound-auth/oauth2-providers'),
    'oauth2Providers.get': get('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.update': put('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.delete': del('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.tokenM2m': post(`/outbound-auth/oauth2-providers/{name}${ofIdentity}/tokens/m2m`),
    'oauth2Providers.token3lo': post(`/outbound-auth/oauth2-providers/{name}${ofIdentity}/tokens/3lo`),
  },
)
