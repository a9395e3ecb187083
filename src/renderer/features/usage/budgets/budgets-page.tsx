import type { BudgetView } from '@shared/contract'
import { Plus, Wallet } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { usagePath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import type { Action } from '../../../ui/button'
import { ConfirmDialog } from '../../../ui/dialog'
import { MenuButton } from '../../../ui/menu'
import { Meter, type MeterProps } from '../../../ui/meter'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { actionsColumn, Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import { closeWithToast } from '../../../ui/toast'
import { BudgetSheet } from './budget-sheet'

/** Poll interval in ms, because the relay counts while the page is open. */
const refreshIntervalMs = 5_000
const warningThreshold = 0.8

function getTone({ used, limit }: BudgetView): NonNullable<MeterProps['tone']> {
  if (used >= limit) return 'danger'
  return used >= warningThreshold * limit ? 'warning' : 'neutral'
}

function UsedCell({ budget }: { readonly budget: BudgetView }) {
  const { t } = useTranslation('budgets')
  const { count } = useFormats()
  const { name, used, limit, unit } = budget
  const formatUsedAmount = (as: 'short' | 'exact'): string =>
    t(`used.${unit}`, { count: limit, used: count(used)[as], limit: count(limit)[as] })
  return (
    <div className="flex flex-col gap-1 py-1.5" title={formatUsedAmount('exact')}>
      <span className="tabular-nums">{formatUsedAmount('short')}</span>
      <Meter
        label={t('meter', { name })}
        value={used / limit}
        text={formatUsedAmount('exact')}
        tone={getTone(budget)}
        size="sm"
      />
    </div>
  )
}

function State({ budget: { used, limit, action } }: { readonly budget: BudgetView }) {
  const { t } = useTranslation('budgets')
  if (used < limit) return <span className="text-muted">{t(`actions.${action}.short`)}</span>
  return <Badge tone={action === 'refuse' ? 'danger' : 'warning'}>{t(`actions.${action}.usedUp`)}</Badge>
}

interface ListProps {
  readonly budgets: readonly BudgetView[]
  readonly onEdit: (budget: BudgetView) => void
  readonly onRemove: (budget: BudgetView) => void
}

function BudgetTable({ budgets, onEdit, onRemove }: ListProps) {
  const { t } = useTranslation(['budgets', 'common'])
  return (
    <Table
      caption={t('title')}
      rows={budgets}
      rowKey={({ id }) => id}
      columns={[
        {
          id: 'name',
          header: t('columns.name'),
          cell: ({ name, subject, subjectName }) => (
            <div className="py-1.5">
              <p className="truncate font-medium">{name}</p>
              <Hint className="truncate">
                {t(`subjects.${subject.kind}`)}: {subjectName ?? t('gone')}
              </Hint>
            </div>
          ),
        },
        { id: 'used', header: t('columns.used'), width: '27%', cell: (budget) => <UsedCell budget={budget} /> },
        {
          id: 'resets',
          header: t('columns.resets'),
          width: '140px',
          cell: ({ to, period }) => (
            <>
              <RelativeTime at={to} />
              <Hint>{t(`periods.${period}`)}</Hint>
            </>
          ),
        },
        { id: 'state', header: t('columns.state'), width: '124px', cell: (budget) => <State budget={budget} /> },
        {
          ...actionsColumn(t('common:more'), '48px'),
          cell: (budget) => (
            <MenuButton
              size="sm"
              label={t('more', { name: budget.name })}
              items={[
                { label: t('common:edit'), onSelect: () => onEdit(budget) },
                { label: t('common:remove'), danger: true, onSelect: () => onRemove(budget) },
              ]}
            />
          ),
        },
      ]}
    />
  )
}

function RemoveDialog({ budget, onClose }: { readonly budget: BudgetView; readonly onClose: () => void }) {
  const { t } = useTranslation(['budgets', 'common'])
  const removeBudget = useAction('budgets.remove', {
    invalidates: ['budgets'],
    onSuccess: () => closeWithToast(onClose, t('removed', { name: budget.name })),
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('remove.title', { name: budget.name })}
      description={t(`remove.${budget.action}`)}
      confirmLabel={t('common:remove')}
      danger
      busy={removeBudget.isPending}
      onConfirm={() => removeBudget.mutate({ id: budget.id })}
    >
      <ExplainedFailure failure={removeBudget.error?.failure} />
    </ConfirmDialog>
  )
}

export function BudgetsPage() {
  const { t } = useTranslation(['budgets', 'usage'])
  const query = useCall('budgets.list', {}, { refetchInterval: refreshIntervalMs })
  const [edited, setEdited] = useState<BudgetView | 'new'>()
  const [removed, setRemoved] = useState<BudgetView>()
  const add: Action = { label: t('budgets:add'), variant: 'primary', icon: Plus, onClick: () => setEdited('new') }
  const isEmpty = query.data?.length === 0
  return (
    <Page width="wide">
      <PageHeader
        title={t('budgets:title')}
        breadcrumb={[{ label: t('usage:title'), to: usagePath }]}
        state={t('budgets:state')}
        actions={[!isEmpty && add]}
      />
      <Loaded query={query} rows={4}>
        {(budgets) =>
          budgets.length === 0 ? (
            <EmptyState icon={Wallet} title={t('budgets:empty.title')} actions={[add]}>
              {t('budgets:empty.text')}
            </EmptyState>
          ) : (
            <BudgetTable budgets={budgets} onEdit={setEdited} onRemove={setRemoved} />
          )
        }
      </Loaded>
      {edited ? (
        <BudgetSheet budget={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      ) : null}
      {removed ? <RemoveDialog budget={removed} onClose={() => setRemoved(undefined)} /> : null}
    </Page>
  )
}
