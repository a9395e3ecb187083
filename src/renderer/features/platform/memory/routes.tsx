import i18next from 'i18next'
import { FileText, Lightbulb } from 'lucide-react'
import type { ReactNode } from 'react'
import { Navigate, Route, Routes, useNavigate, useParams } from 'react-router'
import { type MemoryTab, memoryPath, memoryTabs } from '../../../paths'
import { Tabs } from '../../../ui/tabs'
import {
  buildTab,
  FieldsView,
  type Resource,
  ResourceDetailPage,
  ResourceList,
  ResourceListPage,
  type Section,
  type ShownResource,
} from '../resources'
import { memories } from './memories'
import { RecordsTab } from './records-tab'
import { ActorsTab, EventsTab } from './sessions'
import { namespaceNames, namespacePrefix, type OpenMemory, strategyIdNames } from './tab-parts'

const t = i18next.getFixedT(null, 'memory')

export function MemoryRoutes() {
  return (
    <Routes>
      <Route index element={<ResourceListPage section={memorySection} resource={memories} />} />
      <Route path=":id" element={<MemoryPage />} />
      <Route path=":id/:tab" element={<MemoryPage />} />
    </Routes>
  )
}

const memorySection: Section = { name: 'memory', tabs: [buildTab(memories)] }

const tabContents: Readonly<Record<MemoryTab, (props: OpenMemory & ShownResource) => ReactNode>> = {
  sessions: ActorsTab,
  events: EventsTab,
  strategies: StrategiesTab,
  records: RecordsTab,
  details: ({ answer, subject }) => <FieldsView data={answer.data} keepAs={{ kind: 'token', name: subject.name }} />,
}

function MemoryPage() {
  const navigate = useNavigate()
  const { id = '', tab } = useParams()
  const shownTab = memoryTabs.find((candidate) => candidate === tab)
  if (shownTab === undefined) return <Navigate to={memoryPath(id, 'sessions')} replace />
  const TabContent = tabContents[shownTab]
  return (
    <ResourceDetailPage
      section={memorySection}
      resource={memories}
      // The other tabs have their own refresh button.
      canRefresh={shownTab === 'details'}
      content={(memory) => (
        <Tabs
          label={t('tabs.label')}
          value={shownTab}
          onValueChange={(nextTab) => void navigate(memoryPath(id, nextTab), { replace: true })}
          tabs={memoryTabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content: value === shownTab ? <TabContent {...memory} memoryId={id} /> : null,
          }))}
        />
      )}
    />
  )
}

const strategies: Resource = {
  address: 'memoryApiUrl',
  icon: Lightbulb,
  at: '/memory/:id/strategies',
  texts: 'memory:strategies.',
  list: { operation: 'memory.strategies.list', isUnpaged: true },
  identifier: { names: strategyIdNames, param: 'longTermMemoryStrategyId' },
  naming: ['name', 'strategyName', 'title', 'displayName'],
  columns: [
    { names: ['type', 'strategyType', 'kind'], format: 'code', width: '160px' },
    { names: namespaceNames, format: 'code', width: 'minmax(160px, 2fr)' },
    {
      header: 'memory:fields.id',
      names: strategyIdNames.slice(0, -1),
      format: 'code',
      width: 'minmax(120px, 1fr)',
      from: 760,
    },
  ],
  actions: [],
}

function StrategiesTab({ memoryId }: OpenMemory) {
  const navigate = useNavigate()
  return (
    <ResourceList
      resource={strategies}
      scope={{ id: memoryId }}
      moreItems={({ row }) => {
        const namespace = namespacePrefix(row)
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
