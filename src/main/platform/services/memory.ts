import { listDataPaged } from '../paging'
import { memoryBody, searchBody } from '../rules'
import { del, get, list, post, service } from '../table'

/** Memories with their events, actors and records (spec, "Memory"). */
export const memory = service(
  'memory',
  {
    address: 'memoryApiUrl',
    paging: listDataPaged,
    test: { operation: 'memories.list', query: { size: 1 } },
  },
  {
    'memories.create': post('/memories', { body: memoryBody }),
    'memories.list': list('/memories'),
    'memories.get': get('/memories/{id}'),
    'memories.delete': del('/memories/{id}'),
    'strategies.list': get('/memories/{id}/long-term-memory-strategies'),
    'events.create': post('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'),
    'events.list': list('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'),
    'actors.list': list('/memories/{id}/actors'),
    'records.list': get('/memories/{id}/memory-records', { query: ['namespace'], optionalQuery: ['limit'] }),
    'records.search': post('/memories/{id}/memory-records:search', { query: ['namespace'], body: searchBody }),
    'records.generateFromSession': post('/memories/{id}/memory-records:generate-from-session', {
      query: ['actorId', 'sessionId', 'longTermMemoryStrategyId'],
    }),
  },
)
