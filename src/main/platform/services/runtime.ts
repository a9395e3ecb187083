import { listDataPaged } from '../paging'
import { logBody, runtimeBody } from '../rules'
import { del, get, list, patch, post, service } from '../table'

/** Agent runtimes, their endpoints and versions, flavors, logs and metrics (spec, "Runtime"). */
export const runtime = service(
  'runtime',
  {
    address: 'runtimeApiUrl',
    paging: listDataPaged,
    test: { operation: 'agentRuntimes.list', query: { size: 1 } },
  },
  {
    'agentRuntimes.create': post('/agent-runtimes', { body: runtimeBody }),
    'agentRuntimes.list': list('/agent-runtimes'),
    'agentRuntimes.get': get('/agent-runtimes/{id}'),
    'agentRuntimes.update': patch('/agent-runtimes/{id}', { body: runtimeBody }),
    'agentRuntimes.delete': del('/agent-runtimes/{id}'),
    'agentRuntimes.resetServiceAccount': patch('/agent-runtimes/{id}/reset-service-account'),
    'agentRuntimes.logs': post('/agent-runtimes/{id}/logs', { body: logBody }),
    'endpoints.list': list('/agent-runtimes/{id}/endpoints'),
    'endpoints.create': post('/agent-runtimes/{id}/endpoints'),
    'endpoints.setVersion': patch('/agent-runtimes/{id}/endpoints/{endpointId}', { query: ['version'] }),
    'endpoints.delete': del('/agent-runtimes/{id}/endpoints/{endpointId}'),
    'endpoints.logs': post('/agent-runtimes/{id}/endpoints/{endpointId}/logs', { body: logBody }),
    'endpoints.metrics': get('/agent-runtimes/{id}/endpoints/{endpointId}/metrics'),
    'versions.list': list('/agent-runtimes/{id}/versions'),
    'flavors.list': get('/flavors'),
  },
)
