import { FileText, Lightbulb } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Resource } from '../resources/resource'
import { ResourceList } from '../resources/resource-list'
import { namespaceNames, strategyIdentifier } from './names'
import { prefixOf } from './namespaces'
import type { OpenMemory } from './open-memory'
import { memoryPath } from './paths'

const strategies: Resource = {
  id: 'memory-strategies',
  address: 'memoryApiUrl',
  icon: Lightbulb,
  at: '/memory/:id/strategies',
  words: {
    title: (t) => t('memory:strategies.title'),
    name: (t) => t('memory:fields.name'),
    empty: (t) => t('memory:strategies.empty'),
    emptyText: (t) => t('memory:strategies.emptyText'),
  },
  list: { operation: 'memory.strategies.list', isUnpaged: true },
  identifier: strategyIdentifier,
  naming: ['name', 'strategyName', 'title', 'displayName'],
  columns: [
    {
      id: 'type',
      header: (t) => t('memory:fields.type'),
      names: ['type', 'strategyType', 'kind'],
      format: 'code',
      width: '160px',
    },
    {
      id: 'namespace',
      header: (t) => t('memory:fields.namespace'),
      names: namespaceNames,
      format: 'code',
      width: 'minmax(160px, 2fr)',
    },
    {
      id: 'id',
      header: (t) => t('memory:fields.id'),
      names: strategyIdentifier.names.slice(0, -1),
      format: 'code',
      width: 'minmax(120px, 1fr)',
      from: 760,
    },
  ],
  actions: [],
}

/** The long-term memory strategies of a memory, with the way to what they made. */
export function StrategiesTab({ connection, memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  return (
    <ResourceList
      resource={strategies}
      connection={connection}
      scope={{ id: memoryId }}
      moreItems={({ row }) => {
        const namespace = prefixOf(row)
        return namespace === undefined
          ? []
          : [
              {
                label: t('strategies.records'),
                icon: FileText,
                onSelect: () => void navigate(memoryPath(memoryId, 'records', { namespace })),
              },
            ]
      }}
    />
  )
}
