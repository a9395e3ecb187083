import type { AccountPlanView, ConnectionView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { Ellipsis } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { create } from 'zustand'
import { type Formats, formatList, useFormats } from '../../format'
import { useCall } from '../../ipc'
import { planPath, toHost } from '../../paths'
import { toServerTime, useNow } from '../../relative-time'
import { RowButton } from '../../ui/button'
import { type MenuItem, useSharedMenu } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { CompactSwitch } from '../../ui/switch'
import { type Selection, type Sorting, toggleSorting, type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
import {
  AllowanceBars,
  type AllowanceTexts,
  type Entry,
  ExpiryText,
  getPlanStatus,
  modelShare,
  PlanStatusDot,
  useAllowanceTexts,
} from '../connections/account'
import { type Filter, type SortColumn, sortColumns } from './plan-list'
import { useIsRenewed, useSetAutoRenew } from './use-auto-renew'

function useTableContext(): TableContext {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const texts = useAllowanceTexts()
  const currentTime = useNow()
  const { data: connections } = useCall('connections.list', {})
  return useMemo(
    () => ({ t, formats, texts, currentTime, connections: connections ?? [] }),
    [t, formats, texts, currentTime, connections],
  )
}

interface RowActions {
  readonly connectionId: string | undefined
  readonly onMenu: (button: HTMLElement, entry: Entry) => void
  readonly onSetAutoRenew: (plan: AccountPlanView, isOn: boolean) => void
}

const widths = {
  name: 'minmax(124px, 1fr)',
  status: 'minmax(140px, 148px)',
  expires: 'minmax(118px, 132px)',
  autoRenew: '84px',
  keys: '74px',
  left: 'minmax(184px, 0.7fr)',
  actions: '44px',
} as const

type Column = VirtualColumn<Entry>

function buildColumns(context: TableContext, { connectionId, onMenu, onSetAutoRenew }: RowActions): readonly Column[] {
  const { t } = context
  const column = (id: keyof typeof widths): Pick<Column, 'id' | 'header' | 'width'> => ({
    id,
    header: t(`account.columns.${id}`),
    width: widths[id],
  })
  return [
    {
      ...column('name'),
      sortable: true,
      cell: (entry, tabIndex) => <NameCell entry={entry} context={context} tabIndex={tabIndex} />,
    },
    { ...column('status'), sortable: true, cell: (entry) => <StatusCell entry={entry} context={context} /> },
    { ...column('expires'), sortable: true, cell: (entry) => <ExpiryCell entry={entry} context={context} /> },
    {
      ...column('autoRenew'),
      from: 580,
      cell: ({ kind, plan }, tabIndex) =>
        kind === 'account' && connectionId !== undefined ? (
          <AutoRenewSwitch
            connectionId={connectionId}
            plan={plan}
            label={t('account.autoRenew.of', { plan: plan.name })}
            tabIndex={tabIndex}
            onSet={onSetAutoRenew}
          />
        ) : (
          <UnknownCell context={context} />
        ),
    },
    { ...column('keys'), sortable: true, from: 840, cell: (entry) => <KeysCell entry={entry} context={context} /> },
    {
      ...column('left'),
      from: 700,
      sortable: true,
      cell: (entry) => <RemainingCell entry={entry} context={context} />,
    },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (entry, tabIndex) => (
        <RowButton
          icon={Ellipsis}
          hasMenu
          tabIndex={tabIndex}
          label={t('account.menu', { plan: entry.plan.name })}
          onPress={(button) => onMenu(button, entry)}
        />
      ),
    },
  ]
}

interface PlansTableProps {
  readonly entries: readonly Entry[]
  readonly connectionId: string | undefined
  readonly sorting: Sorting
  readonly onSort: (column: string) => void
  readonly selection: Selection<Entry> | undefined
  readonly getMenu: (entry: Entry) => readonly MenuItem[]
}

const toKey = ({ id }: Entry): string => id

export function PlansTable({ entries, connectionId, sorting, onSort, selection, getMenu }: PlansTableProps) {
  const { t } = useTranslation('plans')
  const navigate = useNavigate()
  const context = useTableContext()
  const onSetAutoRenew = useSetAutoRenew(connectionId ?? '')
  const { open, menu } = useSharedMenu()
  const onMenu = useCallback((button: HTMLElement, entry: Entry) => open(button, getMenu(entry)), [open, getMenu])
  const columns = useMemo(
    () => buildColumns(context, { connectionId, onMenu, onSetAutoRenew }),
    [context, connectionId, onMenu, onSetAutoRenew],
  )
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={entries}
        rowKey={toKey}
        rowHeight={56}
        sorting={sorting}
        onSort={onSort}
        selection={selection}
        onOpen={({ id }) => void navigate(planPath(id))}
      />
      {menu}
    </>
  )
}

function AutoRenewSwitch({
  connectionId,
  plan,
  label,
  tabIndex,
  onSet,
}: {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly label: string
  readonly tabIndex: number
  readonly onSet: (plan: AccountPlanView, isOn: boolean) => void
}) {
  return (
    <CompactSwitch
      label={label}
      checked={useIsRenewed(connectionId, plan)}
      onCheckedChange={(isOn) => onSet(plan, isOn)}
      disabled={plan.status === 'EXPIRED'}
      tabIndex={tabIndex}
    />
  )
}

/** Values that all cells share. Computing them per cell slows down scrolling. */
interface TableContext {
  readonly t: TFunction<'plans'>
  readonly formats: Formats
  readonly texts: AllowanceTexts
  readonly currentTime: Date
  readonly connections: readonly ConnectionView[]
}

type HandedOverEntry = Extract<Entry, { readonly kind: 'handed' }>

/** Text about where a plan comes from, if the active account does not list it. */
function describeOrigin({ plan, isGone }: HandedOverEntry, { t, connections }: TableContext): string {
  const { origin, source, gatewayUrl } = plan
  if (isGone) return t('account.goneThere')
  const connection = connections.find(({ id }) => id === origin?.connectionId)
  if (connection) return t('account.ofOther', { connection: connection.name })
  if (origin) return t('account.ofOtherGone')
  return `${t(source === 'sandbox' ? 'sources.sandbox' : 'account.handed')} · ${toHost(gatewayUrl)}`
}

/** Type of a plan, and its models without quota while others have some. */
function describeType({ planType, status, models }: AccountPlanView, { t, formats }: TableContext): string {
  const usedUpModels = models.filter((model) => modelShare(model) === 0).map(({ displayName }) => displayName)
  if (status !== 'ACTIVE' || usedUpModels.length === 0) return planType
  return `${planType} · ${t('account.usedUp', { models: formatList(usedUpModels, formats.locale) })}`
}

interface CellProps {
  readonly entry: Entry
  readonly context: TableContext
}

function NameCell({ entry, context, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const name = entry.plan.label ?? entry.plan.name
  const secondLine = entry.kind === 'account' ? describeType(entry.plan, context) : describeOrigin(entry, context)
  return (
    <Stack>
      <Link to={planPath(entry.id)} className="font-strong text-text" title={name} tabIndex={tabIndex}>
        {name}
      </Link>
      <span className="text-muted text-sm" title={secondLine}>
        {secondLine}
      </span>
    </Stack>
  )
}

function StatusCell({ entry, context: { t, formats, currentTime } }: CellProps) {
  const planStatus = getPlanStatus(entry, currentTime)
  const check = entry.kind === 'handed' && planStatus !== 'expired' ? entry.plan.lastCheck : undefined
  return (
    <Stack>
      <PlanStatusDot standing={planStatus} word={t(`account.standings.${planStatus}`)} />
      {check ? (
        <span className="text-muted text-sm" title={t('lastCheck')}>
          {formats.relative(check.at, currentTime).short}
        </span>
      ) : null}
    </Stack>
  )
}

function UnknownCell({ context: { t } }: { readonly context: TableContext }) {
  return (
    <span className="text-faint" title={t('account.unknownHint')}>
      {t('account.unknown')}
    </span>
  )
}

function ExpiryCell({ entry: { kind, plan }, context }: CellProps) {
  if (plan.expiresAt === undefined) return <UnknownCell context={context} />
  const isRenewing = kind === 'account' && plan.autoRenew && plan.renewal === undefined
  const isExpired = kind === 'account' && plan.status === 'EXPIRED'
  const { formats } = context
  const currentTime = toServerTime(context.currentTime, plan)
  return (
    <ExpiryText
      expiresAt={plan.expiresAt}
      renews={isRenewing}
      isExpired={isExpired}
      formats={formats}
      currentTime={currentTime}
    />
  )
}

function KeysCell({ entry: { kind, plan }, context }: CellProps) {
  if (kind === 'handed') return <UnknownCell context={context} />
  const { keysUsed: used, maxKeys: max } = plan
  return (
    <span title={context.t('account.keysOf', { used, max })}>
      {used}/{max}
    </span>
  )
}

function RemainingCell({ entry: { kind, plan }, context }: CellProps) {
  if (kind === 'handed') return <UnknownCell context={context} />
  if (plan.status === 'EXPIRED') return <span className="text-faint">–</span>
  return <AllowanceBars models={plan.models} texts={context.texts} />
}

interface PlansStore {
  readonly text: string
  readonly filter: Filter
  readonly sorting: { readonly by: SortColumn; readonly isDescending: boolean }
  readonly search: (text: string) => void
  readonly choose: (filter: Filter) => void
  readonly sort: (column: string) => void
  readonly showAll: () => void
  /** Filters and sorts the list, and clears the search. */
  readonly show: (view: { readonly filter: Filter; readonly sort: SortColumn }) => void
}

const isSortColumn = (column: string): column is SortColumn => sortColumns.some((sortColumn) => sortColumn === column)

/** Search text, filter and sort order of the plan list, kept until the window closes. */
export const usePlansStore = create<PlansStore>((set) => ({
  text: '',
  filter: 'all',
  sorting: { by: 'status', isDescending: false },
  search: (text) => set({ text }),
  choose: (filter) => set({ filter }),
  sort: (column) =>
    set(({ sorting }) =>
      isSortColumn(column)
        ? { sorting: { by: column, isDescending: toggleSorting(sorting, column).isDescending } }
        : {},
    ),
  showAll: () => set({ text: '', filter: 'all' }),
  show: ({ filter, sort }) => set({ text: '', filter, sorting: { by: sort, isDescending: false } }),
}))
