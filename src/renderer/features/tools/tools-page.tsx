import type { PlanView, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { ChevronRight, Clock, Plug, Search, Stethoscope, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge, StatusDot } from '../../ui/badge'
import { ButtonLink, RowButton } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { MenuButton, type MenuItem } from '../../ui/menu'
import { EmptyState, Page, PageHeader, SelectionBar, Toolbar } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { InlineDetails, Stack } from '../../ui/rows'
import { SearchField } from '../../ui/search-field'
import { type Selection, type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
import {
  formatSite,
  getToolState,
  getToolStatus,
  isOnComputer,
  listTools,
  needsReview,
  nextStep,
  type SiteTool,
  setUpPath,
  toolFilters,
  toolPath,
  toSiteTool,
} from './setups'
import { searchTools, useToolsStore } from './tool-form'
import { AddPlanHint, FirstToolSuggestion, ToolInitials } from './tool-notices'
import { useToolMenu } from './tool-overview'

const t = i18next.getFixedT(null, ['tools', 'doctor', 'mcp'])

function ToolsSummary({ tools }: { readonly tools: readonly ToolView[] }) {
  const toolStatuses = tools.map(getToolStatus)
  const configuredCount = toolStatuses.filter(({ applied }) => applied !== undefined).length
  const attention = toolStatuses.filter(needsReview).length
  if (configuredCount === 0 && attention === 0) return t(tools.some(isOnComputer) ? 'state.none' : 'state.noneHere')
  return (
    <InlineDetails
      items={[
        configuredCount > 0 && t('state.some', { count: configuredCount }),
        attention > 0 && t('state.attention', { count: attention }),
      ]}
    />
  )
}

function useSelection(rows: readonly ToolView[]): Selection<ToolView> {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  // Deselect tools that are not visible, so that they are not configured with the visible ones.
  const keys = new Set(rows.flatMap(({ id }) => (ticked.has(id) ? [id] : [])))
  return {
    keys,
    onChange: setTicked,
    canSelect: ({ kind }) => kind === 'written',
    getLabel: ({ name }) => t('select', { tool: name }),
    allLabel: t('selectAll'),
  }
}

function NothingFound() {
  const { text } = useToolsStore(({ sought }) => sought)
  return (
    <EmptyState
      icon={Search}
      title={text === '' ? t('find.none') : t('find.noneNamed', { text })}
      actions={[{ label: t('find.showAll'), onClick: () => searchTools({ text: '', filter: 'all' }) }]}
    />
  )
}

function OtherToolsToggle({ count }: { readonly count: number }) {
  const isOpen = useToolsStore((store) => store.showsOthers)
  return (
    <button
      type="button"
      className={joinClassNames(
        'group inline-flex h-control-sm items-center gap-1.5 self-start rounded-md px-2 text-muted',
        'hover:bg-hover hover:text-text',
      )}
      aria-expanded={isOpen}
      onClick={() => useToolsStore.setState({ showsOthers: !isOpen })}
    >
      <ChevronRight
        size={14}
        strokeWidth={2}
        className="transition-transform group-aria-expanded:rotate-90"
        aria-hidden="true"
      />
      {t('others', { count })}
    </button>
  )
}

function ToolList(props: { readonly tools: readonly ToolView[]; readonly plans: readonly PlanView[] | undefined }) {
  const { tools, plans } = props
  const { sought, showsOthers } = useToolsStore()
  const { installed, notInstalled } = listTools(tools, sought)
  const isFiltered = sought.text !== '' || sought.filter !== 'all'
  const rows = isFiltered || showsOthers || installed.length === 0 ? [...installed, ...notInstalled] : installed
  const selection = useSelection(rows)
  const canSetUp = plans !== undefined && plans.length > 0
  const count = selection.keys.size
  return (
    <div className="flex flex-col gap-3">
      {plans?.length === 0 ? <AddPlanHint /> : null}
      {plans?.[0] && !isFiltered ? <FirstToolSuggestion tools={tools} plan={plans[0]} /> : null}
      {count > 0 ? (
        // Replaces search and filter while tools are selected.
        <SelectionBar
          text={t('selected', { count })}
          actions={[
            { label: t('clearSelection'), variant: 'ghost', onClick: () => selection.onChange(new Set()) },
            { label: t('setUpMany', { count }), variant: 'primary', to: setUpPath({ toolIds: [...selection.keys] }) },
          ]}
        />
      ) : (
        <Toolbar>
          <SearchField
            label={t('find.label')}
            placeholder={t('find.hint')}
            value={sought.text}
            onChange={(text) => searchTools({ text })}
            found={{ shown: rows.length, count: tools.length }}
            hasFindKey
          />
          <SegmentedControl
            label={t('find.filter')}
            value={sought.filter}
            onValueChange={(filter) => searchTools({ filter })}
            segments={toolFilters.map((value) => ({ value, label: t(`filters.${value}`) }))}
          />
        </Toolbar>
      )}
      {rows.length === 0 ? <NothingFound /> : <ToolsTable tools={rows} selection={canSetUp ? selection : undefined} />}
      {isFiltered || installed.length === 0 || notInstalled.length === 0 ? null : (
        <OtherToolsToggle count={notInstalled.length} />
      )}
    </div>
  )
}

export function ToolsPage() {
  const tools = useCall('tools.list', {})
  const plans = useCall('plans.list', {})
  const canSetUpAll =
    tools.data?.some((tool) => tool.kind === 'written' && tool.installed) === true &&
    plans.data !== undefined &&
    plans.data.length > 0
  return (
    <Page>
      <PageHeader
        title={t('tools:title')}
        state={tools.data ? <ToolsSummary tools={tools.data} /> : null}
        actions={[
          <MenuButton
            key="menu"
            label={t('tools:moreActions')}
            items={[
              { label: t('mcp:title'), icon: Plug, to: '/tools/mcp' },
              { label: t('tools:profiles'), icon: Users, to: '/profiles' },
              { label: t('doctor:pageTitle'), icon: Stethoscope, to: '/doctor' },
              { label: t('tools:history'), icon: Clock, to: '/history' },
              'separator',
              { label: t('tools:removeAll.action'), icon: Trash2, danger: true, to: '/tools/remove-all' },
            ]}
          />,
          canSetUpAll && { label: t('tools:setUpAll'), variant: 'primary', to: setUpPath() },
        ]}
      />
      <Loaded query={tools} rows={6}>
        {(data) => <ToolList tools={data} plans={plans.data} />}
      </Loaded>
    </Page>
  )
}

function createColumns(getMenuItems: (tool: SiteTool) => readonly MenuItem[]): readonly VirtualColumn<ToolView>[] {
  return [
    {
      id: 'name',
      header: t('columns.name'),
      width: 'minmax(172px, 1.5fr)',
      cell: (tool, tabIndex) => <NameCell tool={tool} tabIndex={tabIndex} />,
    },
    { id: 'status', header: t('columns.status'), width: '172px', cell: (tool) => <StatusCell tool={tool} /> },
    {
      id: 'use',
      header: t('columns.use'),
      width: 'minmax(110px, 1fr)',
      from: 590,
      cell: (tool) => <UsageCell tool={tool} />,
    },
    {
      id: 'version',
      header: t('columns.version'),
      width: '88px',
      from: 760,
      cell: ({ version }) => <span className="block truncate text-muted text-sm">{version ?? '–'}</span>,
    },
    {
      id: 'actions',
      header: t('columns.actions'),
      headerHidden: true,
      width: '132px',
      align: 'right',
      cell: (tool, tabIndex, openMenu) => {
        const { label, to } = nextStep(tool)
        return (
          <span className="flex items-center gap-0.5">
            <ButtonLink size="sm" variant={label === 'open' ? 'ghost' : 'secondary'} to={to} tabIndex={tabIndex}>
              {t(`actions.${label}`)}
              <span className="sr-only"> {tool.name}</span>
            </ButtonLink>
            {tool.kind === 'written' ? (
              <RowButton
                hasMenu
                tabIndex={tabIndex}
                label={t('actions.more', { tool: tool.name })}
                onPress={(button) => openMenu(button, getMenuItems(toSiteTool(tool, getToolStatus(tool).site)))}
              />
            ) : (
              <span className="w-6" />
            )}
          </span>
        )
      },
    },
  ]
}

function ToolsTable(props: {
  readonly tools: readonly ToolView[]
  /** Selection of rows. Undefined while nothing can be configured. */
  readonly selection: Selection<ToolView> | undefined
}) {
  const { tools, selection } = props
  const navigate = useNavigate()
  const { getMenuItems, dialog } = useToolMenu()
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={createColumns(getMenuItems)}
        rows={tools}
        rowKey={({ id }) => id}
        rowHeight={44}
        selection={selection}
        onOpen={(tool) => void navigate(toolPath(tool.id, undefined, getToolStatus(tool).site))}
      />
      {dialog}
    </>
  )
}

function NameCell({ tool, tabIndex }: { readonly tool: ToolView; readonly tabIndex: number }) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <ToolInitials tool={tool} />
      <Link
        to={toolPath(tool.id, undefined, getToolStatus(tool).site)}
        tabIndex={tabIndex}
        className="truncate font-strong text-text"
      >
        {tool.name}
      </Link>
      {tool.kind === 'written' && tool.triedVersion === undefined ? (
        <span className="flex-none">
          <Badge>{t('notTried.short')}</Badge>
        </span>
      ) : null}
    </span>
  )
}

function StatusCell({ tool }: { readonly tool: ToolView }) {
  const mainSetup = getToolStatus(tool)
  const { tone, word } = getToolState(tool, mainSetup)
  const isRelayed = mainSetup.applied?.route === 'relay'
  return (
    <Stack>
      <StatusDot tone={tone} label={t(`statuses.${word}`)} />
      {mainSetup.site.kind === 'user' && !isRelayed ? null : (
        <span className="text-muted text-xs">
          <InlineDetails
            items={[mainSetup.site.kind !== 'user' && formatSite(mainSetup.site), isRelayed && t('route.short')]}
          />
        </span>
      )}
    </Stack>
  )
}

function UsageCell({ tool }: { readonly tool: ToolView }) {
  const { applied, found, status } = getToolStatus(tool)
  const secondLine = applied?.modelCode ?? found?.modelCode
  const firstLine = applied ? (applied.planName ?? t('planGone')) : status === 'otherwise' ? found?.base : undefined
  if (firstLine === undefined && secondLine === undefined) return <span className="text-faint">–</span>
  return (
    <Stack>
      {firstLine === undefined ? null : <span title={firstLine}>{firstLine}</span>}
      {secondLine === undefined ? null : (
        <code className="text-muted text-xs" title={secondLine}>
          {secondLine}
        </code>
      )}
    </Stack>
  )
}
