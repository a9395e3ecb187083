import type { PlanView, RelayTool, RelayView, ToolView } from '@shared/contract'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/page'
import { Table } from '../../ui/table'
import styles from './relay.module.css'
import { LastCell, NameCell, RequestsCell, ToolActions, WayCell } from './relay-tool-cells'
import { ToolTrouble, troubleOf } from './tool-trouble'
import { WayDialog } from './way-dialog'

interface RelayToolsProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
}

/** Those that go through the relay first, then those of this computer, then the others; each by name. */
function ordered({ view, tools }: RelayToolsProps) {
  const isInstalled = (one: RelayTool): boolean => tools.some(({ id, installed }) => id === one.toolId && installed)
  const byName = view.tools.toSorted((a, b) => a.toolName.localeCompare(b.toolName))
  const pointed = byName.filter(({ isPointedHere }) => isPointedHere)
  const rest = byName.filter(({ isPointedHere }) => !isPointedHere)
  return { here: [...pointed, ...rest.filter(isInstalled)], others: rest.filter((one) => !isInstalled(one)) }
}

/** Every tool that can go through the relay: whether it does, with which plan and key, and how its requests fare. */
export function RelayTools(props: RelayToolsProps) {
  const { view, tools, plans } = props
  const { t } = useTranslation('relay')
  const [changing, setChanging] = useState<string>()
  const [showsOthers, setShowsOthers] = useState(false)
  const { here, others } = ordered(props)
  const showsAll = showsOthers || here.length === 0
  const changed = view.tools.find(({ toolId }) => toolId === changing)
  return (
    <Section
      title={t('tools.title')}
      description={view.tools.some(({ isPointedHere }) => isPointedHere) ? t('tools.hint') : null}
    >
      <div className={styles.tools}>
        <Table
          caption={t('tools.list')}
          rows={showsAll ? [...here, ...others] : here}
          rowKey={({ toolId }) => toolId}
          columns={[
            { id: 'tool', header: t('tools.columns.tool'), cell: (one) => <NameCell tool={one} state={view.state} /> },
            { id: 'way', header: t('tools.columns.way'), cell: (one) => <WayCell tool={one} /> },
            {
              id: 'requests',
              header: t('tools.columns.requests'),
              width: '92px',
              align: 'right',
              cell: (one) => <RequestsCell tool={one} />,
            },
            { id: 'last', header: t('tools.columns.last'), width: '132px', cell: (one) => <LastCell tool={one} /> },
            {
              id: 'actions',
              header: t('tools.columns.actions'),
              headerHidden: true,
              width: '136px',
              align: 'right',
              cell: (one) => (
                <ToolActions
                  tool={one}
                  routes={tools.find(({ id }) => id === one.toolId)?.routes ?? []}
                  onChangeWay={() => setChanging(one.toolId)}
                />
              ),
            },
          ]}
          detail={(one) =>
            troubleOf(one) ? <ToolTrouble tool={one} plans={plans} onChangeWay={() => setChanging(one.toolId)} /> : null
          }
        />
      </div>
      {others.length === 0 || here.length === 0 ? null : (
        <button
          type="button"
          className={styles.others}
          aria-expanded={showsOthers}
          onClick={() => setShowsOthers(!showsOthers)}
        >
          <ChevronRight size={14} strokeWidth={2} aria-hidden="true" />
          {t('tools.others', { count: others.length })}
        </button>
      )}
      {changed ? <WayDialog tool={changed} plans={plans} onClose={() => setChanging(undefined)} /> : null}
    </Section>
  )
}
