import type { AccountPlanView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Copy, ExternalLink, KeyRound, Layers, RefreshCw, Repeat2, Search, ShoppingBag, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { copyText } from '../../copy-text'
import { formatMoney } from '../../format'
import { invalidateDomains } from '../../ipc'
import { Loaded } from '../../loaded'
import { connectionsPath, editConnectionPath, planPath } from '../../paths'
import { useNow } from '../../relative-time'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import type { MenuItem } from '../../ui/menu'
import { EmptyState, Page, PageHeader, SelectionBar, Toolbar } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { SearchField } from '../../ui/search-field'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import type { Selection } from '../../ui/virtual-table'
import { type Console, ConsoleFailure, type Entry, useAccount, useConsole, useEntries } from '../connections/account'
import { DeletePlansDialog } from './delete-plans-dialog'
import { BuySheet } from './packages/buy-sheet'
import { filterEntries, filters, PlansTable, searchEntries, sortEntries, usePlansStore } from './plans-table'

const t = i18next.getFixedT(null, 'plans')

interface PendingAction {
  readonly what: 'delete' | 'buyAgain'
  readonly plans: readonly AccountPlanView[]
}

const accountPlans = (entries: readonly Entry[]): readonly AccountPlanView[] =>
  entries.flatMap((entry) => (entry.kind === 'account' ? [entry.plan] : []))

/** List of plans. Stays mounted after the last plan is gone, to show the deletion outcome. */
function PlanList(props: { readonly entries: readonly Entry[]; readonly connectionId: string | undefined }) {
  const { entries, connectionId } = props
  const canBuy = connectionId !== undefined
  const currentTime = useNow()
  const { text, filter, sorting } = usePlansStore()
  const [pendingAction, setPendingAction] = useState<PendingAction>()
  const rows = useMemo(
    () => sortEntries(searchEntries(filterEntries(entries, filter, currentTime), text), sorting, currentTime),
    [entries, filter, text, sorting, currentTime],
  )
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const chosenPlans = accountPlans(rows).filter(({ planId }) => ticked.has(planId))
  const selection: Selection<Entry> = {
    keys: new Set(chosenPlans.map(({ planId }) => planId)),
    onChange: setTicked,
    canSelect: ({ kind }) => kind === 'account',
    getLabel: ({ plan }) => t('account.select', { plan: plan.name }),
    allLabel: t('account.selectAll'),
  }
  const clear = (): void => setTicked(new Set())
  const getMenu = createPlanMenu((what, plan) => setPendingAction({ what, plans: [plan] }))
  const [firstPlan] = pendingAction?.plans ?? []
  const close = (): void => setPendingAction(undefined)
  const exceedsMaxSelected = chosenPlans.length > maxSelected
  const askDelete = (): void => setPendingAction({ what: 'delete', plans: chosenPlans })
  return (
    <div className="flex flex-col gap-3">
      {entries.length === 0 ? null : (
        <Toolbar>
          <SearchField
            label={t('search')}
            placeholder={t('searchHint')}
            value={text}
            onChange={(typedText) => usePlansStore.setState({ text: typedText })}
            found={{ shown: rows.length, count: entries.length }}
            hasFindKey
          />
          {chosenPlans.length > 0 ? (
            <SelectionBar
              text={t('account.selected', { count: chosenPlans.length })}
              note={
                exceedsMaxSelected ? (
                  <span className="ml-2 font-normal text-warning">
                    {t('account.selectedTooMany', { count: maxSelected })}
                  </span>
                ) : null
              }
              actions={[
                { label: t('account.clearSelection'), variant: 'ghost', onClick: clear },
                !exceedsMaxSelected && { label: t('account.deleteSelected'), icon: Trash2, onClick: askDelete },
              ]}
            />
          ) : (
            <SegmentedControl
              label={t('account.filter.label')}
              value={filter}
              onValueChange={(chosenFilter) => usePlansStore.setState({ filter: chosenFilter })}
              segments={filters.map((value) => ({ value, label: t(`account.filter.${value}`) }))}
            />
          )}
        </Toolbar>
      )}
      {entries.length === 0 ? (
        <EmptyState
          icon={Layers}
          title={t('account.empty.title')}
          actions={[
            !canBuy && { label: t('empty.sandbox'), to: '/sandbox' },
            { label: t('empty.handed'), variant: canBuy ? 'secondary' : 'primary', icon: KeyRound, to: '/plans/new' },
            canBuy && { label: t('account.buy'), variant: 'primary', icon: ShoppingBag, to: '/plans/packages' },
          ]}
        >
          {t(canBuy ? 'account.empty.text' : 'account.empty.onlyHanded')}
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState
          icon={Search}
          title={text === '' ? t('account.noneInFilter') : t('noMatch', { text })}
          actions={[
            { label: t('account.showAll'), onClick: () => usePlansStore.setState({ text: '', filter: 'all' }) },
          ]}
        >
          {t('account.noneInFilterText')}
        </EmptyState>
      ) : (
        <PlansTable
          entries={rows}
          connectionId={connectionId}
          selection={connectionId === undefined ? undefined : selection}
          getMenu={getMenu}
        />
      )}
      {connectionId !== undefined && pendingAction?.what === 'delete' ? (
        <DeletePlansDialog connectionId={connectionId} plans={pendingAction.plans} onClose={close} onDeleted={clear} />
      ) : null}
      {connectionId !== undefined && pendingAction?.what === 'buyAgain' && firstPlan ? (
        <BuySheet connectionId={connectionId} target={{ kind: 'again', plan: firstPlan }} onClose={close} />
      ) : null}
    </div>
  )
}

function Plans({ console }: { readonly console: Console }) {
  const queries = useQueryClient()
  const { connectionId, local, account, entries } = useEntries(console)
  const { data: user } = useAccount(connectionId)
  const details = [
    t('account.counts', { count: entries?.length ?? 0 }),
    user && t(`account.roles.${user.role}`),
    user && t('account.credits', { amount: formatMoney(user.credits) }),
  ]
  return (
    <>
      <PageHeader
        title={t('title')}
        state={entries ? details : <Skeleton width={220} height={19} />}
        actions={[
          connectionId !== undefined && (
            <IconButton
              key="iconButton"
              icon={RefreshCw}
              label={t('account.refresh')}
              busy={account.isFetching}
              onClick={() => invalidateDomains(queries, ['account'])}
            />
          ),
          { label: t('empty.handed'), icon: KeyRound, to: '/plans/new' },
          connectionId !== undefined && {
            label: t('account.buy'),
            variant: 'primary',
            icon: ShoppingBag,
            to: '/plans/packages',
          },
        ]}
      />
      {console.kind === 'none' ? (
        <Callout
          tone="info"
          title={t('account.notice.none')}
          actions={[{ label: t('account.notice.setUp'), to: connectionsPath }]}
        />
      ) : null}
      {console.kind === 'noConsole' ? (
        <Callout
          tone="info"
          title={t('account.notice.noConsole', { connection: console.connection.name })}
          actions={[
            { label: t('account.notice.setAddress'), to: editConnectionPath(console.connection.id, 'consoleUrl') },
          ]}
        />
      ) : null}
      {console.kind === 'there' ? <ConsoleFailure connection={console.connection} query={account} /> : null}
      <Loaded query={local} rows={6}>
        {() =>
          !entries ? (
            <SkeletonRows rows={6} />
          ) : entries.length === 0 && account.error ? null : (
            <PlanList entries={entries} connectionId={connectionId} />
          )
        }
      </Loaded>
    </>
  )
}

export function PlansPage() {
  const console = useConsole()
  return (
    <Page width="wide">
      <Plans key={console.connectionId ?? console.kind} console={console} />
    </Page>
  )
}

/** Maximum number of plans per deletion (contract). */
const maxSelected = 100

function createPlanMenu(
  onChoose: (what: PendingAction['what'], plan: AccountPlanView) => void,
): (entry: Entry) => readonly MenuItem[] {
  return (entry) => {
    const { id, kind, plan } = entry
    const isMasked = kind === 'account' && !plan.provisioned
    return [
      { label: t('account.open'), icon: ExternalLink, to: planPath(id) },
      { label: t('account.copyGateway'), icon: Copy, disabled: isMasked, onSelect: () => copyText(plan.gatewayUrl) },
      ...(kind === 'account'
        ? ([
            { label: t('account.buyAgain'), icon: Repeat2, onSelect: () => onChoose('buyAgain', plan) },
            'separator',
            { label: t('account.delete'), icon: Trash2, danger: true, onSelect: () => onChoose('delete', plan) },
          ] as const)
        : []),
    ]
  }
}
