import type { Service } from '../operation'
import { agentIdentityOperations } from './agent-identities'
import { apiKeyProviderOperations } from './api-key-providers'
import { delegatedProviderOperations } from './delegated-providers'
import { oauth2ProviderOperations } from './oauth2-providers'

/** Access control (spec, "Endpoints", B). */
export const identity: Service = {
  base: '/identity/api/v1',
  access: 'iam',
  operations: [
    ...agentIdentityOperations,
    ...apiKeyProviderOperations,
    ...delegatedProviderOperations,
    ...oauth2ProviderOperations,
  ],
}
