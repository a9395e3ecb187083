import { modelMembers } from '@shared/model-facts'
import { Boxes, KeyRound } from 'lucide-react'
import {
  apiKeyName,
  createdColumn,
  creation,
  deletion,
  descriptionColumn,
  descriptionField,
  edit,
  type Json,
  nameField,
  type Resource,
  readField,
  statusColumn,
  toText,
} from '../resources'

/** Model code, exactly as requests must contain it. Empty if the row has none. */
export const readModelCode = (row: Json): string => toText(readField(row, modelMembers.code))

/** Models (spec, "Model / API-key management"). */
export const models: Resource = {
  address: 'aipApiUrl',
  icon: Boxes,
  at: '/models/list',
  texts: 'models:models.',
  list: { operation: 'aip.models.list' },
  get: { operation: 'aip.models.get' },
  identifier: { names: ['uuid', 'id', 'modelUuid', 'modelId'], param: 'uuid' },
  naming: ['displayName', 'title', 'name', 'modelName', 'modelCode', 'code'],
  columns: [
    {
      header: 'models:fields.code',
      names: modelMembers.code,
      format: 'code',
      width: 'minmax(140px, 1.2fr)',
    },
    {
      header: 'models:fields.types',
      names: modelMembers.capabilities,
      width: 'minmax(130px, 1.2fr)',
    },
    {
      header: 'models:fields.context',
      names: modelMembers.context,
      format: 'number',
      width: '110px',
      from: 640,
    },
    {
      header: 'models:fields.hosting',
      names: ['hostingMode', 'hosting', 'provider', 'vendor'],
      width: '120px',
      from: 740,
    },
  ],
  actions: [],
}

/** Platform API keys are created and deleted asynchronously (spec, "Platform API key"). */
export const apiKeys: Resource = {
  address: 'aipApiUrl',
  icon: KeyRound,
  at: '/models/keys',
  texts: 'models:keys.',
  list: { operation: 'aip.apiKeys.list' },
  get: { operation: 'aip.apiKeys.get' },
  identifier: { names: ['name', 'keyName', 'id', 'uuid'], param: 'name' },
  naming: ['name', 'keyName', 'displayName'],
  columns: [
    statusColumn,
    {
      header: 'models:fields.key',
      names: ['keyHint', 'maskedKey', 'apiKeyHint', 'key', 'apiKey'],
      format: 'code',
      width: '130px',
      from: 560,
    },
    { ...descriptionColumn, from: 730 },
    createdColumn,
  ],
  create: creation('models:keys.', {
    operation: 'aip.apiKeys.create',
    fields: [{ ...nameField, rule: apiKeyName, placeholder: 'ci-runner' }, descriptionField],
    secretKind: 'platformApiKey',
  }),
  actions: [
    edit({ operation: 'aip.apiKeys.update', fields: [descriptionField], secretKind: 'platformApiKey' }),
    deletion({
      operation: 'aip.apiKeys.delete',
      breaks: ['models:keys.breaks'],
      done: 'models:keys.deleting',
    }),
  ],
}
