import { Bot, Pencil, ShieldCheck, UserCheck } from 'lucide-react'
import type { FormField, Resource, ResourceAction } from '../resources/resource'
import { webAddress } from '../resources/rules'
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

const clientFields = (isNew: boolean): readonly FormField[] => [
  { id: 'clientId', kind: 'text', isCode: true, label: (t) => t('identities:fields.clientId') },
  {
    id: 'clientSecret',
    kind: 'secret',
    label: (t) => t('identities:fields.clientSecret'),
    ...(!isNew && { help: (t) => t('identities:oauth2.secretStays') }),
  },
  {
    id: 'tokenUrl',
    kind: 'text',
    isCode: true,
    rule: webAddress,
    placeholder: 'https://accounts.example.com/oauth2/token',
    label: (t) => t('identities:fields.tokenUrl'),
  },
  { id: 'scopes', kind: 'list', isOptional: true, label: (t) => t('identities:fields.scopes') },
  descriptionField,
]

const tokenAction = (id: 'm2m' | '3lo', icon: ResourceAction['icon']): ResourceAction => ({
  id,
  operation: `identity.oauth2Providers.token${id === 'm2m' ? 'M2m' : '3lo'}`,
  label: (t) => t(`identities:oauth2.${id}`),
  icon,
  isMain: true,
  title: (t, of) => t(`identities:oauth2.${id}Named`, of),
  text: (t) => t(`identities:oauth2.${id}Text`),
  confirm: (t) => t('identities:oauth2.getToken'),
  done: (t, of) => t('identities:oauth2.got', of),
  fields: [agentField],
  takesJson: true,
  showsAnswer: true,
  secretKind: 'token',
})

/** Providers of OAuth2 tokens, machine-to-machine and three-legged (spec, "Access control"). */
export const oauth2Providers: Resource = {
  id: 'oauth2-providers',
  address: 'identityApiUrl',
  icon: ShieldCheck,
  at: '/identities/oauth2-providers',
  words: {
    title: (t) => t('identities:oauth2.title'),
    name: (t) => t('identities:fields.name'),
    create: (t) => t('identities:oauth2.create'),
    empty: (t) => t('identities:oauth2.empty'),
    emptyText: (t) => t('identities:oauth2.emptyText'),
  },
  list: { operation: 'identity.oauth2Providers.list' },
  get: { operation: 'identity.oauth2Providers.get' },
  identifier: byName,
  naming,
  status: ['status', 'state'],
  columns: [
    descriptionColumn,
    {
      id: 'client',
      header: (t) => t('identities:fields.clientId'),
      names: ['clientId', 'client_id', 'client'],
      format: 'code',
      width: 'minmax(120px, 1fr)',
    },
    createdColumn,
    updatedColumn,
  ],
  create: {
    operation: 'identity.oauth2Providers.create',
    title: (t) => t('identities:oauth2.create'),
    text: (t) => t('identities:oauth2.createText'),
    confirm: (t) => t('identities:create'),
    done: (t, of) => t('identities:providerCreated', of),
    fields: [nameField, ...clientFields(true)],
    takesJson: true,
    secretKind: 'token',
  },
  actions: [
    tokenAction('m2m', Bot),
    tokenAction('3lo', UserCheck),
    {
      id: 'update',
      operation: 'identity.oauth2Providers.update',
      label: (t) => t('identities:change'),
      icon: Pencil,
      isMain: true,
      title: (t, of) => t('identities:changeNamed', of),
      confirm: (t) => t('common:save'),
      done: (t, of) => t('identities:changed', of),
      fields: clientFields(false),
      takesJson: true,
      replaces: true,
      secretKind: 'token',
    },
    deleteProvider('identity.oauth2Providers.delete'),
  ],
}
