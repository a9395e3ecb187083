import { KeyRound, RotateCw } from 'lucide-react'
import type { FormField, Resource } from '../resources/resource'
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

const keyField: FormField = {
  id: 'apiKey',
  kind: 'secret',
  label: (t) => t('identities:fields.apiKey'),
  isRequired: true,
}

/** Providers that hand out one stored API key (spec, "Access control"); a change of one rotates the key. */
export const apiKeyProviders: Resource = {
  id: 'api-key-providers',
  address: 'identityApiUrl',
  icon: KeyRound,
  at: '/identities/static-providers',
  words: {
    title: (t) => t('identities:static.title'),
    name: (t) => t('identities:fields.name'),
    create: (t) => t('identities:static.create'),
    empty: (t) => t('identities:static.empty'),
    emptyText: (t) => t('identities:static.emptyText'),
  },
  list: { operation: 'identity.apiKeyProviders.list' },
  get: { operation: 'identity.apiKeyProviders.get' },
  identifier: byName,
  naming,
  status: ['status', 'state'],
  columns: [
    descriptionColumn,
    {
      id: 'key',
      header: (t) => t('identities:fields.keyHint'),
      names: ['apiKeyHint', 'keyHint', 'maskedKey', 'apiKey'],
      format: 'code',
      width: '130px',
      from: 560,
    },
    createdColumn,
    updatedColumn,
  ],
  create: {
    operation: 'identity.apiKeyProviders.create',
    title: (t) => t('identities:static.create'),
    text: (t) => t('identities:static.createText'),
    confirm: (t) => t('identities:create'),
    done: (t, of) => t('identities:providerCreated', of),
    fields: [nameField, keyField, descriptionField],
    takesJson: true,
    secretKind: 'providerKey',
  },
  actions: [
    {
      id: 'retrieve',
      operation: 'identity.apiKeyProviders.retrieveKey',
      label: (t) => t('identities:static.retrieve'),
      icon: KeyRound,
      isMain: true,
      title: (t, of) => t('identities:static.retrieveNamed', of),
      text: (t) => t('identities:secretText'),
      confirm: (t) => t('identities:static.retrieve'),
      done: (t, of) => t('identities:static.retrieved', of),
      fields: [agentField],
      showsAnswer: true,
      secretKind: 'providerKey',
    },
    {
      id: 'update',
      operation: 'identity.apiKeyProviders.update',
      label: (t) => t('identities:static.rotate'),
      icon: RotateCw,
      isMain: true,
      title: (t, of) => t('identities:static.rotateNamed', of),
      breaks: [(t, of) => t('identities:static.rotateBreaks', of), (t) => t('identities:static.rotateOld')],
      confirm: (t) => t('identities:static.rotate'),
      done: (t, of) => t('identities:static.rotated', of),
      fields: [keyField, descriptionField],
      takesJson: true,
      replaces: true,
      secretKind: 'providerKey',
    },
    deleteProvider('identity.apiKeyProviders.delete'),
  ],
}
