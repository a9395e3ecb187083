import { ok, type Service } from '../operation'
import { createEndpoint, deleteEndpoint, listEndpoints, setEndpointVersion } from './endpoints'
import { flavors } from './flavors'
import { endpointLogs, runtimeLogs } from './logs'
import { endpointMetrics } from './metrics'
import {
  createRuntime,
  deleteRuntime,
  getRuntime,
  listRuntimes,
  listVersions,
  resetServiceAccount,
  updateRuntime,
} from './runtimes'

const all = '/agent-runtimes'
const one = `${all}/{id}`
const endpoints = `${one}/endpoints`
const endpoint = `${endpoints}/{endpointId}`

/** Runtimes with their versions, endpoints, logs and metrics (spec, "Endpoints", B). */
export const runtime: Service = {
  base: '/runtime',
  access: 'iam',
  operations: [
    { id: 'runtime.agentRuntimes.create', method: 'POST', path: all, run: createRuntime },
    { id: 'runtime.agentRuntimes.list', method: 'GET', path: all, run: listRuntimes },
    { id: 'runtime.agentRuntimes.get', method: 'GET', path: one, run: getRuntime },
    { id: 'runtime.agentRuntimes.update', method: 'PATCH', path: one, run: updateRuntime },
    { id: 'runtime.agentRuntimes.delete', method: 'DELETE', path: one, run: deleteRuntime },
    {
      id: 'runtime.agentRuntimes.resetServiceAccount',
      method: 'PATCH',
      path: `${one}/reset-service-account`,
      run: resetServiceAccount,
    },
    { id: 'runtime.endpoints.list', method: 'GET', path: endpoints, run: listEndpoints },
    { id: 'runtime.endpoints.create', method: 'POST', path: endpoints, run: createEndpoint },
    { id: 'runtime.endpoints.setVersion', method: 'PATCH', path: endpoint, run: setEndpointVersion },
    { id: 'runtime.endpoints.delete', method: 'DELETE', path: endpoint, run: deleteEndpoint },
    { id: 'runtime.versions.list', method: 'GET', path: `${one}/versions`, run: listVersions },
    { id: 'runtime.flavors.list', method: 'GET', path: '/flavors', run: () => ok(flavors) },
    { id: 'runtime.agentRuntimes.logs', method: 'POST', path: `${one}/logs`, run: runtimeLogs },
    { id: 'runtime.endpoints.logs', method: 'POST', path: `${endpoint}/logs`, run: endpointLogs },
    { id: 'runtime.endpoints.metrics', method: 'GET', path: `${endpoint}/metrics`, run: endpointMetrics },
  ],
}
