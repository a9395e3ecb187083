import { Bot, ShieldCheck, UserCheck } from 'lucide-react'
import type { FormField, Resource, ResourceAction } from '../resources/resource'
import { webAddress } from '../resources/rules'
import { agentField, createdColumn, descriptionColumn, descriptionField, nameField, updatedColumn } from './fields'
import { changeNamed, createProvider, deleteNamed, identityList } from './identity-list'

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
  ...identityList('oauth2', 'identity.oauth2Providers'),
  id: 'oauth2-providers',
  icon: ShieldCheck,
  at: '/identities/oauth2-providers',
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
    ...createProvider('oauth2', 'identity.oauth2Providers', [nameField, ...clientFields(true)]),
    secretKind: 'token',
  },
  actions: [
    tokenAction('m2m', Bot),
    tokenAction('3lo', UserCheck),
    { ...changeNamed('identity.oauth2Providers.update', clientFields(false)), secretKind: 'token' },
    deleteNamed('identity.oauth2Providers.delete', 'providerBreaks'),
  ],
}
