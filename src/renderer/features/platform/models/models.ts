import { Boxes, KeyRound, Pencil } from 'lucide-react'
import { apiKeyName, deletion, type FormField, type Json, type Resource, readField, toText } from '../resources'

const codeNames = ['modelCode', 'code', 'model', 'modelName', 'modelId', 'name'] as const

/** Model code, exactly as requests must contain it. Empty if the row has none. */
export const readModelCode = (row: Json): string => toText(readField(row, codeNames))

/** Models (spec, "Model / API-key management"). */
export const models: Resource = {
  id: 'models',
  address: 'aipApiUrl',
  icon: Boxes,
  at: '/models/list',
  texts: {
    title: (t) => t('models:models.title'),
    name: (t) => t('models:fields.name'),
    empty: (t) => t('models:models.empty'),
    emptyText: (t) => t('models:models.emptyText'),
  },
  list: { operation: 'aip.models.list' },
  get: { operation: 'aip.models.get' },
  identifier: { names: ['uuid', 'id', 'modelUuid', 'modelId'], param: 'uuid' },
  naming: ['displayName', 'title', 'name', 'modelName', 'modelCode', 'code'],
  status: ['status', 'state'],
  columns: [
    {
      id: 'code',
      header: (t) => t('models:fields.code'),
      names: codeNames,
      format: 'code',
      width: 'minmax(140px, 1.2fr)',
    },
    {
      id: 'types',
      header: (t) => t('models:fields.types'),
      names: ['enabledTypes', 'types', 'type', 'capabilities', 'tasks'],
      format: 'list',
      width: 'minmax(130px, 1.2fr)',
    },
    {
      id: 'context',
      header: (t) => t('models:fields.context'),
      names: ['contextTokens', 'contextWindow', 'contextLength', 'maxTokens'],
      format: 'number',
      align: 'right',
      width: '110px',
      from: 640,
    },
    {
      id: 'hosting',
      header: (t) => t('models:fields.hosting'),
      names: ['hostingMode', 'hosting', 'provider', 'vendor'],
      width: '120px',
      from: 740,
    },
  ],
  actions: [],
}

const descriptionField: FormField = {
  id: 'description',
  kind: 'area',
  isOptional: true,
  label: (t) => t('models:fields.description'),
}

/** Platform API keys are created and deleted asynchronously (spec, "Platform API key"). */
export const apiKeys: Resource = {
  id: 'platform-api-keys',
  address: 'aipApiUrl',
  icon: KeyRound,
  at: '/models/keys',
  texts: {
    title: (t) => t('models:keys.title'),
    name: (t) => t('models:fields.name'),
    create: (t) => t('models:keys.create'),
    empty: (t) => t('models:keys.empty'),
    emptyText: (t) => t('models:keys.emptyText'),
  },
  list: { operation: 'aip.apiKeys.list' },
  get: { operation: 'aip.apiKeys.get' },
  identifier: { names: ['name', 'keyName', 'id', 'uuid'], param: 'name' },
  naming: ['name', 'keyName', 'displayName'],
  status: ['status', 'state'],
  columns: [
    {
      id: 'status',
      header: (t) => t('models:fields.status'),
      names: ['status', 'state'],
      format: 'status',
      width: '130px',
    },
    {
      id: 'key',
      header: (t) => t('models:fields.key'),
      names: ['keyHint', 'maskedKey', 'apiKeyHint', 'key', 'apiKey'],
      format: 'code',
      width: '130px',
      from: 560,
    },
    {
      id: 'description',
      header: (t) => t('models:fields.description'),
      names: ['description', 'comment', 'purpose'],
      width: 'minmax(120px, 1.4fr)',
      from: 720,
    },
    {
      id: 'created',
      header: (t) => t('models:fields.created'),
      names: ['createdAt', 'created', 'creationTime'],
      format: 'date',
      width: '130px',
    },
  ],
  create: {
    operation: 'aip.apiKeys.create',
    title: (t) => t('models:keys.create'),
    text: (t) => t('models:keys.createText'),
    confirm: (t) => t('models:create'),
    done: (t, subject) => t('models:keys.begun', subject),
    fields: [
      {
        id: 'name',
        kind: 'text',
        isCode: true,
        isRequired: true,
        rule: apiKeyName,
        placeholder: 'ci-runner',
        label: (t) => t('models:fields.name'),
      },
      descriptionField,
    ],
    takesJson: true,
    secretKind: 'platformApiKey',
  },
  actions: [
    {
      id: 'update',
      operation: 'aip.apiKeys.update',
      label: (t) => t('models:change'),
      icon: Pencil,
      isMain: true,
      title: (t, subject) => t('models:changeNamed', subject),
      confirm: (t) => t('common:save'),
      done: (t, subject) => t('models:changed', subject),
      fields: [descriptionField],
      takesJson: true,
      replaces: true,
      secretKind: 'platformApiKey',
    },
    deletion({
      operation: 'aip.apiKeys.delete',
      label: (t) => t('models:delete'),
      title: (t, subject) => t('models:deleteNamed', subject),
      breaks: [(t, subject) => t('models:keys.breaks', subject), (t) => t('models:noReturn')],
      done: (t, subject) => t('models:keys.deleting', subject),
    }),
  ],
}
