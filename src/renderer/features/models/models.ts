import { Boxes } from 'lucide-react'
import { fieldOf, textOf } from '../resources/lookup'
import type { Json, Resource } from '../resources/resource'

/** Names of the field that holds the code a call names a model by. */
const codeNames = ['modelCode', 'code', 'model', 'modelName', 'modelId', 'name'] as const

/** The code of a model, to the letter as a call sends it; empty when the platform told none. */
export const modelCodeOf = (row: Json): string => textOf(fieldOf(row, codeNames))

/** The platform's models (spec, "Model / API-key management"). */
export const models: Resource = {
  id: 'models',
  address: 'aipApiUrl',
  icon: Boxes,
  at: '/models/list',
  words: {
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
