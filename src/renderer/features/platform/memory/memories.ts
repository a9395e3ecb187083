import i18next from 'i18next'
import { Brain } from 'lucide-react'
import { memoriesPath } from '../../../paths'
import {
  actionTexts,
  createdColumn,
  creation,
  deletion,
  descriptionField,
  expiryDays,
  type Json,
  memoryName,
  type Resource,
  type ResourceColumn,
  type ResourceText,
  readField,
  statusColumn,
} from '../resources'

const t = i18next.getFixedT(null, 'memory')

export const countFields = {
  actors: ['actorCount', 'actors', 'totalActors', 'numActors'],
  sessions: ['sessionCount', 'sessions', 'totalSessions', 'numSessions'],
  events: ['eventCount', 'events', 'totalEvents', 'numEvents', 'messageCount'],
  records: ['recordCount', 'records', 'memoryRecordCount', 'totalRecords', 'numRecords'],
} as const

const countColumn = (id: 'actors' | 'events' | 'records', from: number): ResourceColumn => ({
  header: `memory:fields.${id}`,
  names: countFields[id],
  format: 'number',
  width: '90px',
  from,
})

/** Memories (spec, "Memory"). The spec does not define the fields of the request body (decision 5). */
export const memories: Resource = {
  address: 'memoryApiUrl',
  icon: Brain,
  at: memoriesPath,
  texts: 'memory:',
  list: { operation: 'memory.memories.list' },
  get: { operation: 'memory.memories.get' },
  identifier: { names: ['id', 'uuid', 'memoryId', 'name'], param: 'id' },
  naming: ['name', 'displayName', 'memoryName', 'title'],
  columns: [
    statusColumn,
    {
      header: 'memory:fields.expiry',
      names: ['eventExpiryDuration', 'eventExpiryDays', 'expiryDays', 'eventExpiryDurationDays', 'retentionDays'],
      format: 'number',
      width: '110px',
      from: 630,
    },
    countColumn('actors', 720),
    countColumn('events', 480),
    countColumn('records', 480),
    { ...createdColumn, from: 860 },
  ],
  create: creation('memory:', {
    operation: 'memory.memories.create',
    confirm: 'memory:createConfirm',
    fields: [
      { id: 'name', kind: 'text', isCode: true, rule: memoryName, placeholder: 'support-assistant' },
      {
        id: 'eventExpiryDuration',
        kind: 'number',
        rule: expiryDays,
        initial: '90',
        label: 'memory:fields.expiryLong',
        help: 'memory:expiryHelp',
      },
      descriptionField,
      // Long-term memory strategies. The spec does not define their fields (decision 5).
      {
        id: 'longTermMemoryStrategies',
        kind: 'rows',
        isOptional: true,
        label: 'memory:strategies.title',
        help: 'memory:strategies.help',
        rows: {
          format: 'list',
          addLabel: 'memory:strategies.add',
          columns: [
            { id: 'name', isRequired: true },
            {
              id: 'type',
              isCode: true,
              isRequired: true,
              suggestions: ['SEMANTIC', 'SUMMARY', 'USER_PREFERENCE'],
            },
            { id: 'namespace', isCode: true, isWide: true },
          ],
        },
      },
    ],
  }),
  actions: [
    deletion({
      operation: 'memory.memories.delete',
      ...actionTexts('memory:delete'),
      text: 'memory:lost.text',
      breaks: listLosses,
    }),
  ],
}

/** Lists the losses of a deletion, with their counts if the platform returns them. */
function listLosses(row: Json): readonly ResourceText[] {
  const lossTexts = (['actors', 'sessions', 'events', 'records'] as const).flatMap((id): ResourceText[] => {
    const count = readField(row, countFields[id])
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0
    return isCount ? [() => t(`lost.${id}`, { count })] : []
  })
  return [...(lossTexts.length > 0 ? lossTexts : ['memory:lost.uncounted' as const]), 'memory:lost.agents']
}
