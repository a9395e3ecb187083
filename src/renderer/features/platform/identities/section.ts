import { Bot, IdCard, KeyRound, KeySquare, RotateCw, ShieldCheck, UserCheck } from 'lucide-react'
import {
  actionTexts,
  createdColumn,
  creation,
  deletion,
  descriptionColumn,
  descriptionField,
  edit,
  type FormField,
  identityName,
  nameField,
  type Resource,
  type ResourceAction,
  updatedColumn,
  webAddress,
} from '../resources'

const identityNameField: FormField = { ...nameField, rule: identityName }

/** Form field for the identity that requests a token or key. It is sent in the path. */
const agentField: FormField = {
  id: 'agentName',
  kind: 'select',
  to: 'path',
  label: 'identities:fields.agent',
  help: 'identities:fields.agentHelp',
  isRequired: true,
  rule: identityName,
  options: { operation: 'identity.agentIdentities.list', names: ['name', 'id'] },
}

const columns = [descriptionColumn, { ...createdColumn, from: 620 }, updatedColumn]

/** Declaration that the lists of identities and providers share. `service`: prefix of their operation names. */
const identityList = (part: 'agents' | 'static' | 'delegated' | 'oauth2', service: string) => ({
  address: 'identityApiUrl' as const,
  texts: `identities:${part}.` as const,
  list: { operation: `${service}.list` },
  get: { operation: `${service}.get` },
  // The API identifies identities and providers by their name (spec, "Platform API resources").
  identifier: { names: ['name', 'id', 'uuid'], param: 'name' },
  naming: ['name', 'displayName', 'title'],
})

const deleteProvider = (service: string): ResourceAction =>
  deletion({ operation: `${service}.delete`, breaks: ['identities:providerBreaks'] })

/** Agent identities (spec, "Access control"). */
export const agentIdentities: Resource = {
  ...identityList('agents', 'identity.agentIdentities'),
  icon: IdCard,
  at: '/identities/agents',
  columns,
  create: creation('identities:agents.', {
    operation: 'identity.agentIdentities.create',
    fields: [identityNameField, descriptionField],
  }),
  actions: [
    edit({ operation: 'identity.agentIdentities.update', fields: [descriptionField] }),
    deletion({ operation: 'identity.agentIdentities.delete', breaks: ['identities:agents.breaks'] }),
  ],
}

/** Delegated providers issue a key on behalf of a user (spec, "Access control"). The platform cannot update them. */
const delegatedProviders: Resource = {
  ...identityList('delegated', 'identity.delegatedProviders'),
  icon: KeySquare,
  at: '/identities/delegated-providers',
  columns,
  create: creation('identities:delegated.', {
    operation: 'identity.delegatedProviders.create',
    fields: [identityNameField, descriptionField],
  }),
  actions: [
    {
      operation: 'identity.delegatedProviders.requestKey',
      ...actionTexts('identities:delegated.request'),
      text: 'identities:secretText',
      icon: KeySquare,
      isMain: true,
      fields: [agentField],
      takesJson: true,
      showsAnswer: true,
      secretKind: 'providerKey',
    },
    deleteProvider('identity.delegatedProviders'),
  ],
}

const keyField: FormField = { id: 'apiKey', kind: 'secret', label: 'identities:fields.apiKey', isRequired: true }

/** API key providers hold one stored API key each (spec, "Access control"). An update rotates the key. */
const apiKeyProviders: Resource = {
  ...identityList('static', 'identity.apiKeyProviders'),
  icon: KeyRound,
  at: '/identities/static-providers',
  columns: [
    descriptionColumn,
    {
      header: 'identities:fields.keyHint',
      names: ['apiKeyHint', 'keyHint', 'maskedKey', 'apiKey'],
      format: 'code',
      width: '130px',
      from: 560,
    },
    ...columns.slice(1),
  ],
  create: creation('identities:static.', {
    operation: 'identity.apiKeyProviders.create',
    fields: [identityNameField, keyField, descriptionField],
    secretKind: 'providerKey',
  }),
  actions: [
    {
      operation: 'identity.apiKeyProviders.retrieveKey',
      ...actionTexts('identities:static.retrieve'),
      text: 'identities:secretText',
      icon: KeyRound,
      isMain: true,
      fields: [agentField],
      showsAnswer: true,
      secretKind: 'providerKey',
    },
    {
      operation: 'identity.apiKeyProviders.update',
      ...actionTexts('identities:static.rotate'),
      icon: RotateCw,
      isMain: true,
      breaks: ['identities:static.rotate.breaks', 'identities:static.rotate.oldKey'],
      fields: [keyField, descriptionField],
      takesJson: true,
      replaces: true,
      secretKind: 'providerKey',
    },
    deleteProvider('identity.apiKeyProviders'),
  ],
}

const clientFields = (isNew: boolean): readonly FormField[] => [
  { id: 'clientId', kind: 'text', isCode: true, label: 'identities:fields.clientId' },
  {
    id: 'clientSecret',
    kind: 'secret',
    label: 'identities:fields.clientSecret',
    ...(!isNew && { help: 'identities:oauth2.secretStays' }),
  },
  {
    id: 'tokenUrl',
    kind: 'text',
    isCode: true,
    rule: webAddress,
    placeholder: 'https://accounts.example.com/oauth2/token',
    label: 'identities:fields.tokenUrl',
  },
  { id: 'scopes', kind: 'list', isOptional: true, label: 'identities:fields.scopes' },
  descriptionField,
]

const createTokenAction = (id: 'm2m' | '3lo', icon: ResourceAction['icon']): ResourceAction => ({
  operation: `identity.oauth2Providers.token${id === 'm2m' ? 'M2m' : '3lo'}`,
  label: `identities:oauth2.${id}.label`,
  icon,
  isMain: true,
  title: `identities:oauth2.${id}.title`,
  text: `identities:oauth2.${id}.text`,
  confirm: 'identities:oauth2.getToken',
  done: 'identities:oauth2.got',
  fields: [agentField],
  takesJson: true,
  showsAnswer: true,
  secretKind: 'token',
})

/** OAuth2 providers issue machine-to-machine and three-legged tokens (spec, "Access control"). */
const oauth2Providers: Resource = {
  ...identityList('oauth2', 'identity.oauth2Providers'),
  icon: ShieldCheck,
  at: '/identities/oauth2-providers',
  columns: [
    descriptionColumn,
    {
      header: 'identities:fields.clientId',
      names: ['clientId', 'client_id', 'client'],
      format: 'code',
      width: 'minmax(120px, 1fr)',
    },
    ...columns.slice(1),
  ],
  create: creation('identities:oauth2.', {
    operation: 'identity.oauth2Providers.create',
    fields: [identityNameField, ...clientFields(true)],
    secretKind: 'token',
  }),
  actions: [
    createTokenAction('m2m', Bot),
    createTokenAction('3lo', UserCheck),
    edit({ operation: 'identity.oauth2Providers.update', fields: clientFields(false), secretKind: 'token' }),
    deleteProvider('identity.oauth2Providers'),
  ],
}

export const identityResources = [agentIdentities, apiKeyProviders, delegatedProviders, oauth2Providers] as const
