import { listDataPaged } from '../paging'
import { del, get, list, post, service } from '../table'

/** Repositories, images and robot accounts (spec, "Container registry"). */
export const registry = service(
  'registry',
  {
    address: 'registryApiUrl',
    paging: listDataPaged,
    test: { operation: 'repositories.list', query: { size: 1 } },
  },
  {
    'repositories.list': list('/v1/repository'),
    'repositories.create': post('/v1/repository'),
    'repositories.get': get('/v1/repository/{repoId}'),
    'repositories.delete': del('/v1/repository/{repoId}'),
    'robotAccounts.list': list('/v1/user'),
    'robotAccounts.create': post('/v1/user'),
    'robotAccounts.permissions': get('/v1/user/permissions'),
    'robotAccounts.delete': del('/v1/user/{repoUserId}'),
    'images.list': list('/v1/repository/{repoId}/images', { defaultQuery: { name: '' } }),
    'images.delete': del('/v1/repository/{repoId}/images/delete', { query: ['imageName'] }),
  },
)
