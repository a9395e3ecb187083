import type { AccountPlanView } from '@shared/contract'
import i18next from 'i18next'
import { Link, useNavigate } from 'react-router'
import { create } from 'zustand'
import { formatList, formatRelative } from '../../format'
import { useCall } from '../../ipc'
import { planPath, toHost } from '../../paths'
import { toServerTime, useNow } from '../../relative-time'
import { RowButton } from '../../ui/button'
import type { MenuItem } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { CompactSwitch } from '../../ui/switch'
import { type Selection, type Sorting, toggleSorting, type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
import {
  AllowanceBars,
  type Entry,
  ExpiryText,
  expiringSoonMs,
  getPlanStatus,
  modelShare,
  type PlanStatus,
  PlanStatusLabel,
  tightestModel,
} from '../connections/account'
import { useIsRenewed, useSetAutoRenew } from './use-auto-renew'

const t = i18next.getFixedT(null, 'plans')

const widths = {
  name: 'minmax(124px, 1fr)',
  status: 'minmax(140px, 148px)',
  expires: 'minmax(118px, 132px)',
  autoRenew: '84px',
  keys: '74px',
  left: 'minmax(184px, 0.7fr)',
  actions: '44px',
} as const

interface PlansTableProps {
  readonly entries: readonly Entry[]
  readonly connectionId: string | undefined
  readonly selection: Selection<Entry> | undefined
  readonly getMenu: (entry: Entry) => readonly MenuItem[]
}

function AutoRenewSwitch(props: {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly tabIndex: number
  readonly onSet: (plan: AccountPlanView, isOn: boolean) => void
}) {
  const { connectionId, plan, tabIndex, onSet } = props
  return (
    <CompactSwitch
      label={t('account.autoRenew.of', { plan: plan.name })}
      checked={useIsRenewed(connectionId, plan)}
      onCheckedChange={(isOn) => onSet(plan, isOn)}
      disabled={plan.status === 'EXPIRED'}
      tabIndex={tabIndex}
    />
  )
}

function useDescription(): (entry: Entry) => string {
  const { data: connections } = useCall('connections.list', {})
  return (entry) => {
    if (entry.kind === 'account') {
      const { planType, status, models } = entry.plan
      const usedUpModels = models.filter((model) => modelShare(model) === 0).map(({ displayName }) => displayName)
      if (status !== 'ACTIVE' || usedUpModels.length === 0) return planType
      return `${planType} · ${t('account.usedUp', { models: formatList(usedUpModels) })}`
    }
    const { origin, source, gatewayUrl } = entry.plan
    if (entry.isGone) return t('account.goneThere')
    const connection = connections?.find(({ id }) => id === origin?.connectionId)
    if (connection) return t('account.ofOther', { connection: connection.name })
    if (origin) return t('account.ofOtherGone')
    return `${t(source === 'sandbox' ? 'sources.sandbox' : 'account.handed')} · ${toHost(gatewayUrl)}`
  }
}

/** Columns of the table. Cells share the hooks, because hooks per cell slow down scrolling. */
function useColumns({ connectionId, getMenu }: PlansTableProps): readonly VirtualColumn<Entry>[] {
  const currentTime = useNow()
  const describe = useDescription()
  const onSetAutoRenew = useSetAutoRenew(connectionId ?? '')
  const column = (id: keyof typeof widths) => ({ id, header: t(`account.columns.${id}`), width: widths[id] })
  const unknown = (
    <span className="text-faint" title={t('account.unknownHint')}>
      {t('account.unknown')}
    </span>
  )
  return [
    {
      ...column('name'),
      sortable: true,
      cell: (entry, tabIndex) => {
        const name = entry.plan.label ?? entry.plan.name
        const description = describe(entry)
        return (
          <Stack>
            <Link to={planPath(entry.id)} className="font-strong text-text" title={name} tabIndex={tabIndex}>
              {name}
            </Link>
            <span className="text-muted text-sm" title={description}>
              {description}
            </span>
          </Stack>
        )
      },
    },
    {
      ...column('status'),
      sortable: true,
      cell: (entry) => {
        const planStatus = getPlanStatus(entry, currentTime)
        const check = entry.kind === 'handed' && planStatus !== 'expired' ? entry.plan.lastCheck : undefined
        return (
          <Stack>
            <PlanStatusLabel standing={planStatus} />
            {check ? (
              <span className="text-muted text-sm" title={t('lastCheck')}>
                {formatRelative(check.at, currentTime).short}
              </span>
            ) : null}
          </Stack>
        )
      },
    },
    {
      ...column('expires'),
      sortable: true,
      cell: ({ kind, plan }) =>
        plan.expiresAt === undefined ? (
          unknown
        ) : (
          <ExpiryText
            expiresAt={plan.expiresAt}
            renews={kind === 'account' && plan.autoRenew && plan.renewal === undefined}
            isExpired={kind === 'account' && plan.status === 'EXPIRED'}
            currentTime={toServerTime(currentTime, plan)}
          />
        ),
    },
    {
      ...column('autoRenew'),
      from: 580,
      cell: ({ kind, plan }, tabIndex) =>
        kind === 'account' && connectionId !== undefined ? (
          <AutoRenewSwitch {...{ connectionId, plan, tabIndex }} onSet={onSetAutoRenew} />
        ) : (
          unknown
        ),
    },
    {
      ...column('keys'),
      sortable: true,
      from: 840,
      cell: ({ kind, plan }) =>
        kind === 'handed' ? (
          unknown
        ) : (
          <span title={t('account.keysOf', { used: plan.keysUsed, max: plan.maxKeys })}>
            {plan.keysUsed}/{plan.maxKeys}
          </span>
        ),
    },
    {
      ...column('left'),
      from: 700,
      sortable: true,
      cell: ({ kind, plan }) => {
        if (kind === 'handed') return unknown
        if (plan.status === 'EXPIRED') return <span className="text-faint">–</span>
        return <AllowanceBars models={plan.models} />
      },
    },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (entry, tabIndex, openMenu) => (
        <RowButton
          hasMenu
          tabIndex={tabIndex}
          label={t('account.menu', { plan: entry.plan.name })}
          onPress={(button) => openMenu(button, getMenu(entry))}
        />
      ),
    },
  ]
}

export function PlansTable(props: PlansTableProps) {
  const navigate = useNavigate()
  return (
    <VirtualTable
      label={t('list')}
      columns={useColumns(props)}
      rows={props.entries}
      rowKey={({ id }) => id}
      rowHeight={56}
      sorting={usePlansStore(({ sorting }) => sorting)}
      onSort={sortPlans}
      selection={props.selection}
      onOpen={({ id }) => void navigate(planPath(id))}
    />
  )
}

export const usePlansStore = create<{
  readonly text: string
  readonly filter: Filter
  readonly sorting: Sorting
}>(() => ({ text: '', filter: 'all', sorting: { by: 'status', isDescending: false } }))

export const showPlans = (filter: Filter, by: string): void =>
  usePlansStore.setState({ text: '', filter, sorting: { by, isDescending: false } })

const sortPlans = (column: string): void =>
  usePlansStore.setState(({ sorting }) => ({ sorting: toggleSorting(sorting, column) }))

const statusOrder: readonly PlanStatus[] = [
  'renewalFailing',
  'fails',
  'provisioning',
  'active',
  'works',
  'unchecked',
  'expired',
]

function expiresSoon(entry: Entry, currentTime: Date): boolean {
  const { expiresAt } = entry.plan
  return (
    expiresAt !== undefined &&
    getPlanStatus(entry, currentTime) !== 'expired' &&
    Date.parse(expiresAt) - toServerTime(currentTime, entry.plan).getTime() <= expiringSoonMs
  )
}

export const filters = ['all', 'active', 'expiring', 'expired', 'handed'] as const
type Filter = (typeof filters)[number]

const matchesFilters: Record<Filter, (entry: Entry, currentTime: Date) => boolean> = {
  all: () => true,
  active: (entry, currentTime) => entry.kind === 'account' && getPlanStatus(entry, currentTime) !== 'expired',
  expiring: expiresSoon,
  expired: (entry, currentTime) => getPlanStatus(entry, currentTime) === 'expired',
  handed: ({ kind }) => kind === 'handed',
}

export const filterEntries = (entries: readonly Entry[], filter: Filter, currentTime: Date): readonly Entry[] =>
  entries.filter((entry) => matchesFilters[filter](entry, currentTime))

export function searchEntries(entries: readonly Entry[], text: string): readonly Entry[] {
  const terms = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return entries
  return entries.filter(({ kind, plan }) => {
    const ownTexts =
      kind === 'account'
        ? [plan.planType, ...plan.models.flatMap(({ modelCode, displayName }) => [modelCode, displayName])]
        : plan.models
    const entryText = [plan.name, plan.gatewayUrl, ...ownTexts].join('\n').toLocaleLowerCase()
    return terms.every((word) => entryText.includes(word))
  })
}

type SortValue = number | string | undefined

/** Value by which a column sorts an entry. Undefined values come last in both directions. */
const sortValues: Readonly<Record<string, (entry: Entry, currentTime: Date) => SortValue>> = {
  name: ({ plan }) => plan.name,
  status: (entry, currentTime) => statusOrder.indexOf(getPlanStatus(entry, currentTime)),
  expires: ({ plan }) => (plan.expiresAt === undefined ? undefined : Date.parse(plan.expiresAt)),
  keys: ({ kind, plan }) => (kind === 'account' ? plan.keysUsed : undefined),
  left: ({ kind, plan }) => {
    const model = kind === 'account' ? tightestModel(plan.models) : undefined
    return model && modelShare(model)
  },
}

// Use one collator for all comparisons. `localeCompare` with options would create one at each call.
const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compareValues(a: SortValue, b: SortValue): number {
  return typeof a === 'string' || typeof b === 'string' ? compareNames(String(a), String(b)) : Number(a) - Number(b)
}

export function sortEntries(
  entries: readonly Entry[],
  { by, isDescending }: Sorting,
  currentTime: Date,
): readonly Entry[] {
  const rows = entries.map((entry) => ({ entry, value: sortValues[by]?.(entry, currentTime) }))
  const sortedRows = rows.toSorted((a, b) => {
    const order =
      a.value === undefined || b.value === undefined
        ? Number(a.value === undefined) - Number(b.value === undefined)
        : (isDescending ? -1 : 1) * compareValues(a.value, b.value)
    return order || compareNames(a.entry.plan.name, b.entry.plan.name)
  })
  return sortedRows.map(({ entry }) => entry)
}
