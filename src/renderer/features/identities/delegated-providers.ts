import { KeySquare } from 'lucide-react'
import type { Resource } from '../resources/resource'
import { deleteProvider } from './delete-provider'
import {
  agentField,
  byName,
  createdColumn,
  descriptionColumn,
  descriptionField,
  nameField,
  naming,
  updatedColumn,
} from './fields'

/** Providers that issue a key on behalf of a person (spec, "Access control"). The platform has no update of them. */
export const delegatedProviders: Resource = {
  id: 'delegated-providers',
  address: 'identityApiUrl',
  icon: KeySquare,
  at: '/identities/delegated-providers',
  words: {
    title: (t) => t('identities:delegated.title'),
    name: (t) => t('identities:fields.name'),
    create: (t) => t('identities:delegated.create'),
    empty: (t) => t('identities:delegated.empty'),
    emptyText: (t) => t('identities:delegated.emptyText'),
  },
  list: { operation: 'identity.delegatedProviders.list' },
  get: { operation: 'identity.delegatedProviders.get' },
  identifier: byName,
  naming,
  status: ['status', 'state'],
  columns: [descriptionColumn, createdColumn, updatedColumn],
  create: {
    operation: 'identity.delegatedProviders.create',
    title: (t) => t('identities:delegated.create'),
    text: (t) => t('identities:delegated.createText'),
    confirm: (t) => t('identities:create'),
    done: (t, of) => t('identities:providerCreated', of),
    fields: [nameField, descriptionField],
    takesJson: true,
  },
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
    deleteProvider('identity.delegatedProviders.delete'),
  ],
}
