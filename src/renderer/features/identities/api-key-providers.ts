import { KeyRound, RotateCw } from 'lucide-react'
import type { FormField, Resource } from '../resources/resource'
import { agentField, createdColumn, descriptionColumn, descriptionField, nameField, updatedColumn } from './fields'
import { createProvider, deleteNamed, identityList } from './identity-list'

const keyField: FormField = {
  id: 'apiKey',
  kind: 'secret',
  label: (t) => t('identities:fields.apiKey'),
  isRequired: true,
}

/** Providers that hand out one stored API key (spec, "Access control"); a change of one rotates the key. */
export const apiKeyProviders: Resource = {
  ...identityList('static', 'identity.apiKeyProviders'),
  id: 'api-key-providers',
  icon: KeyRound,
  at: '/identities/static-providers',
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
    ...createProvider('static', 'identity.apiKeyProviders', [nameField, keyField, descriptionField]),
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
    deleteNamed('identity.apiKeyProviders.delete', 'providerBreaks'),
  ],
}
