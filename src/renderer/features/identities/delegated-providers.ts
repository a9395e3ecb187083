import { KeySquare } from 'lucide-react'
import type { Resource } from '../resources/resource'
import { agentField, createdColumn, descriptionColumn, descriptionField, nameField, updatedColumn } from './fields'
import { createProvider, deleteNamed, identityList } from './identity-list'

/** Providers that issue a key on behalf of a person (spec, "Access control"). The platform has no update of them. */
export const delegatedProviders: Resource = {
  ...identityList('delegated', 'identity.delegatedProviders'),
  id: 'delegated-providers',
  icon: KeySquare,
  at: '/identities/delegated-providers',
  columns: [descriptionColumn, createdColumn, updatedColumn],
  create: createProvider('delegated', 'identity.delegatedProviders', [nameField, descriptionField]),
  actions: [
    {
      id: 'request',
      operation: 'identity.delegatedProviders.requestKey',
      label: (t) => t('identities:delegated.request'),
      icon: KeySquare,
      isMain: true,
      title: (t, of) => t('identities:delegated.requestNamed', of),
      text: (t) => t('identities:secretText'),
      confirm: (t) => t('identities:delegated.request'),
      done: (t, of) => t('identities:delegated.requested', of),
      fields: [agentField],
      takesJson: true,
      showsAnswer: true,
      secretKind: 'providerKey',
    },
    deleteNamed('identity.delegatedProviders.delete', 'providerBreaks'),
  ],
}
