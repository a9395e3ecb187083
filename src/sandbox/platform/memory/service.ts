import type { Service } from '../operation'
import { listActors } from './actors'
import { createEvent, listEvents } from './events'
import { generateRecords } from './generate'
import { createMemory, deleteMemory, getMemory, listMemories, listStrategies } from './memories'
import { listRecords, searchRecords } from './records'

const events = '/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'
const records = '/memories/{id}/memory-records'

/** Memory (spec, "Endpoints", B). */
export const memory: Service = {
  base: '/memory',
  access: 'iam',
  operations: [
    { id: 'memory.memories.create', method: 'POST', path: '/memories', run: createMemory },
    { id: 'memory.memories.list', method: 'GET', path: '/memories', run: listMemories },
    { id: 'memory.memories.get', method: 'GET', path: '/memories/{id}', run: getMemory },
    { id: 'memory.memories.delete', method: 'DELETE', path: '/memories/{id}', run: deleteMemory },
    {
      id: 'memory.strategies.list',
      method: 'GET',
      path: '/memories/{id}/long-term-memory-strategies',
      run: listStrategies,
    },
    { id: 'memory.events.create', method: 'POST', path: events, run: createEvent },
    { id: 'memory.events.list', method: 'GET', path: events, run: listEvents },
    { id: 'memory.actors.list', method: 'GET', path: '/memories/{id}/actors', run: listActors },
    { id: 'memory.records.list', method: 'GET', path: records, run: listRecords },
    { id: 'memory.records.search', method: 'POST', path: `${records}:search`, run: searchRecords },
    {
      id: 'memory.records.generateFromSession',
      method: 'POST',
      path: `${records}:generate-from-session`,
      run: generateRecords,
    },
  ],
}
