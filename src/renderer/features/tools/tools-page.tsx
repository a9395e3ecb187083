import type { PlanView, ToolView } from '@shared/contract'
import { ChevronRight, Clock, Ellipsis, Search, Stethoscope, Trash2, Users, Wrench } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import type { Selection } from '../../ui/virtual-table-columns'
import { AddPlanFirst } from './add-plan-first'
import { isHere, listTools } from './tool-list'
import { needsLook, setUpPath, standingOf } from './tool-status'
import { useToolsStore } from './tools-store'
import { ToolsTable } from './tools-table'
import { SelectionBar, ToolsToolbar } from './tools-toolbar'
import styles from './tools-toolbar.module.css'

/** One line of state: how many are installed, how many use a plan, and how many need a look. */
function StateLine({ tools }: { readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('tools')
  const standings = tools.map(standingOf)
  const inUse = standings.filter(({ applied }) => applied !== undefined).length
  const attention = standings.filter(needsLook).length
  if (inUse === 0 && attention === 0) return t(tools.some(isHere) ? 'state.none' : 'state.noneHere')
  return (
    <Facts
      items={[
        inUse > 0 && t('state.some', { count: inUse }),
        attention > 0 && t('state.attention', { count: attention }),
      ]}
    />
  )
}

function useSelection(rows: readonly ToolView[]) {
  const { t } = useTranslation('tools')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  // A tool that is out of sight is not set up with the others.
  const keys = useMemo(() => new Set(rows.flatMap(({ id }) => (ticked.has(id) ? [id] : []))), [rows, ticked])
  const selection: Selection<ToolView> = {
    keys,
    onChange: setTicked,
    canSelect: ({ kind }) => kind === 'written',
    labelOf: ({ name }) => t('select', { tool: name }),
    allLabel: t('selectAll'),
  }
  return { selection, clear: () => setTicked(new Set()) }
}

function NothingFound() {
  const { t } = useTranslation('tools')
  const { text } = useToolsStore((store) => store.sought)
  const seek = useToolsStore((store) => store.seek)
  return (
    <EmptyState
      icon={Search}
      title={text === '' ? t('find.none') : t('find.noneNamed', { text })}
      actions={<Button onClick={() => seek({ text: '', filter: 'all' })}>{t('find.showAll')}</Button>}
    />
  )
}

function OthersToggle({ count }: { readonly count: number }) {
  const { t } = useTranslation('tools')
  const isOpen = useToolsStore((store) => store.showsOthers)
  const showOthers = useToolsStore((store) => store.showOthers)
  return (
    <button type="button" className={styles.others} aria-expanded={isOpen} onClick={() => showOthers(!isOpen)}>
      <ChevronRight size={14} strokeWidth={2} aria-hidden="true" />
      {t('others', { count })}
    </button>
  )
}

function ToolList({
  tools,
  plans,
}: {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[] | undefined
}) {
  const { t } = useTranslation('tools')
  const sought = useToolsStore((store) => store.sought)
  const showsOthers = useToolsStore((store) => store.showsOthers)
  const { here, others } = useMemo(() => listTools(tools, sought), [tools, sought])
  const isNarrowed = sought.text !== '' || sought.filter !== 'all'
  const rows = useMemo(
    () => (isNarrowed || showsOthers || here.length === 0 ? [...here, ...others] : here),
    [here, others, isNarrowed, showsOthers],
  )
  const { selection, clear } = useSelection(rows)
  if (tools.length === 0) {
    return (
      <EmptyState icon={Wrench} title={t('emptyTitle')}>
        {t('emptyText')}
      </EmptyState>
    )
  }
  const canSetUp = plans !== undefined && plans.length > 0
  return (
    <div className={toolbar.list}>
      {plans?.length === 0 ? <AddPlanFirst /> : null}
      {selection.keys.size > 0 ? (
        <SelectionBar toolIds={[...selection.keys]} onClear={clear} />
      ) : (
        <ToolsToolbar shown={rows.length} count={tools.length} />
      )}
      {rows.length === 0 ? <NothingFound /> : <ToolsTable tools={rows} selection={canSetUp ? selection : undefined} />}
      {isNarrowed || here.length === 0 || others.length === 0 ? null : <OthersToggle count={others.length} />}
    </div>
  )
}

function PageMenu() {
  const { t } = useTranslation(['tools', 'doctor'])
  const navigate = useNavigate()
  const go = (path: string) => (): void => void navigate(path)
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={t('tools:moreActions')} />}
      items={[
        { label: t('tools:profiles'), icon: Users, onSelect: go('/profiles') },
        { label: t('doctor:pageTitle'), icon: Stethoscope, onSelect: go('/doctor') },
        { label: t('tools:history'), icon: Clock, onSelect: go('/history') },
        'separator',
        { label: t('tools:removeAll.action'), icon: Trash2, danger: true, onSelect: go('/tools/remove-all') },
      ]}
    />
  )
}

/** The coding tools of this computer: what each uses, in what state it is, and the next thing to do; several at once. */
export function ToolsPage() {
  const { t } = useTranslation('tools')
  const tools = useCall('tools.list', {})
  const plans = useCall('plans.list', {})
  const canSetUpAll = tools.data?.some((tool) => tool.kind === 'written' && tool.installed) && plans.data?.length
  return (
    <Page>
      <PageHeader
        title={t('title')}
        state={tools.data ? <StateLine tools={tools.data} /> : null}
        actions={
          <>
            <PageMenu />
            {canSetUpAll ? (
              <ButtonLink variant="primary" to={setUpPath()}>
                {t('setUpAll')}
              </ButtonLink>
            ) : null}
          </>
        }
      />
      <Loaded query={tools} skeleton={<SkeletonRows rows={6} />}>
        {(data) => <ToolList tools={data} plans={plans.data} />}
      </Loaded>
    </Page>
  )
}
