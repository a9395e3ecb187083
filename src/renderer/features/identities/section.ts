import type { Resource } from '../resources/resource'
import { type Section, tabOf } from '../resources/section-page'
import { agentIdentities } from './agent-identities'
import { apiKeyProviders } from './api-key-providers'
import { delegatedProviders } from './delegated-providers'
import { oauth2Providers } from './oauth2-providers'

/** The lists of the identity service, in the order of their tabs. */
export const identityResources: readonly Resource[] = [
  agentIdentities,
  apiKeyProviders,
  delegatedProviders,
  oauth2Providers,
]

export const identitySection: Section = {
  title: (t) => t('identities:title'),
  state: (t) => t('identities:state'),
  label: (t) => t('identities:tabs'),
  tabs: identityResources.map(tabOf),
}
