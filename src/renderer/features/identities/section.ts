import { Bot, KeyRound, KeySquare, RotateCw, ShieldCheck, UserCheck } from 'lucide-react'
import type { FormField, Resource, ResourceAction } from '../resources/resource'
import { webAddress } from '../resources/rules'
import { type Section, tabOf } from '../resources/section-page'
import { agentIdentities } from './agent-identities'
import { agentField, createdColumn, descriptionColumn, descriptionField, nameField, updatedColumn } from './fields'
import { changeNamed, createProvider, deleteNamed, identityList } from './identity-list'

/** Providers that issue a key on behalf of a person (spec, "Access control"). The platform has no update of them. */
const delegatedProviders: Resource = {
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
const oauth2Providers: Resource = {
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
