import { Brain } from 'lucide-react'
import { memoriesPath } from '../../../paths'
import {
  createdColumn,
  creation,
  deletion,
  descriptionField,
  expiryDays,
  type Json,
  listTexts,
  memoryName,
  type Resource,
  type ResourceColumn,
  type ResourceText,
  readField,
  statusColumn,
} from '../resources'

export const countFields = {
  actors: ['actorCount', 'actors', 'totalActors', 'numActors'],
  sessions: ['sessionCount', 'sessions', 'totalSessions', 'numSessions'],
  events: ['eventCount', 'events', 'totalEvents', 'numEvents', 'messageCount'],
  records: ['recordCount', 'records', 'memoryRecordCount', 'totalRecords', 'numRecords'],
} as const

const countColumn = (id: 'actors' | 'events' | 'records', from: number): ResourceColumn => ({
  header: (t) => t(`memory:fields.${id}`),
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
  texts: listTexts('memory:'),
  list: { operation: 'memory.memories.list' },
  get: { operation: 'memory.memories.get' },
  identifier: { names: ['id', 'uuid', 'memoryId', 'name'], param: 'id' },
  naming: ['name', 'displayName', 'memoryName', 'title'],
  columns: [
    statusColumn,
    {
      header: (t) => t('memory:fields.expiry'),
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
    confirm: (t) => t('memory:createConfirm'),
    fields: [
      {
        id: 'name',
        kind: 'text',
        isCode: true,
        rule: memoryName,
        placeholder: 'support-assistant',
        label: (t) => t('memory:fields.name'),
      },
      {
        id: 'eventExpiryDuration',
        kind: 'number',
        rule: expiryDays,
        initial: '90',
        label: (t) => t('memory:fields.expiryLong'),
        help: (t) => t('memory:expiryHelp'),
      },
      descriptionField,
      // Long-term memory strategies. The spec does not define their fields (decision 5).
      {
        id: 'longTermMemoryStrategies',
        kind: 'rows',
        isOptional: true,
        label: (t) => t('memory:strategies.title'),
        help: (t) => t('memory:strategies.help'),
        rows: {
          format: 'list',
          addLabel: (t) => t('memory:strategies.add'),
          columns: [
            { id: 'name', label: (t) => t('common:labels.name'), isRequired: true },
            {
              id: 'type',
              label: (t) => t('common:labels.type'),
              isCode: true,
              isRequired: true,
              suggestions: ['SEMANTIC', 'SUMMARY', 'USER_PREFERENCE'],
            },
            {
              id: 'namespace',
              label: (t) => t('memory:fields.namespace'),
              isCode: true,
              isWide: true,
            },
          ],
        },
      },
    ],
  }),
  actions: [
    deletion({
      operation: 'memory.memories.delete',
      label: (t) => t('memory:delete'),
      title: (t, subject) => t('memory:deleteNamed', subject),
      text: (t) => t('memory:lost.text'),
      breaks: listLosses,
      done: (t, subject) => t('memory:deleted', subject),
    }),
  ],
}

/** Lists the losses of a deletion, with their counts if the platform returns them. */
function listLosses(row: Json): readonly ResourceText[] {
  const lossTexts = (['actors', 'sessions', 'events', 'records'] as const).flatMap((id): ResourceText[] => {
    const count = readField(row, countFields[id])
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0
    return isCount ? [(t) => t(`memory:lost.${id}`, { count })] : []
  })
  const formatUnknownLoss: ResourceText = (t) => t('memory:lost.uncounted')
  return [...(lossTexts.length > 0 ? lossTexts : [formatUnknownLoss]), (t) => t('memory:lost.agents')]
}
