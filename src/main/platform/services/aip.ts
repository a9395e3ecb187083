import { listDataPaged } from '../paging'
import { apiKeyName, named } from '../rules'
import { del, get, list, post, put, service } from '../table'

/** Platform API keys and models (spec, "Model / API-key management"). */
export const aip = service(
  'aip',
  {
    address: 'aipApiUrl',
    paging: listDataPaged,
    test: { operation: 'models.list', query: { size: 1 } },
  },
  {
    'apiKeys.list': list('/v1/api-keys'),
    'apiKeys.create': post('/v1/api-keys', { body: named(apiKeyName) }),
    'apiKeys.get': get('/v1/api-keys/{name}'),
    'apiKeys.update': put('/v1/api-keys/{name}'),
    'apiKeys.delete': del('/v1/api-keys/{name}'),
    'models.list': list('/v1/models'),
    'models.get': get('/v1/models/detail/{uuid}'),
  },
)
