import type { BudgetInput, BudgetSubject, BudgetView } from '@shared/contract'
import i18next from 'i18next'
import { Plus, Wallet } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { formatCount, formatNumber } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { usagePath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import type { Action } from '../../../ui/button'
import { ConfirmDialog, Sheet } from '../../../ui/dialog'
import { Field, TextInput } from '../../../ui/field'
import { MenuButton } from '../../../ui/menu'
import { Meter } from '../../../ui/meter'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { RadioCards } from '../../../ui/radio-cards'
import { SelectField, type SelectOption } from '../../../ui/select'
import { actionsColumn, Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import { closeWithToast } from '../../../ui/toast'
import { readAmount } from '../quota'

const t = i18next.getFixedT(null, ['budgets', 'common', 'usage'])

/** Poll interval in ms, because the relay counts while the page is open. */
const refreshIntervalMs = 5_000
const warningThreshold = 0.8

function UsedCell({ budget }: { readonly budget: BudgetView }) {
  const { name, used, limit, unit } = budget
  const formatUsedAmount = (as: 'short' | 'exact'): string =>
    t(`used.${unit}`, { count: limit, used: formatCount(used)[as], limit: formatCount(limit)[as] })
  return (
    <div className="flex flex-col gap-1 py-1.5" title={formatUsedAmount('exact')}>
      <span className="tabular-nums">{formatUsedAmount('short')}</span>
      <Meter
        label={t('meter', { name })}
        value={used / limit}
        text={formatUsedAmount('exact')}
        tone={used >= limit ? 'danger' : used >= warningThreshold * limit ? 'warning' : 'neutral'}
        size="sm"
      />
    </div>
  )
}

function State({ budget: { used, limit, action } }: { readonly budget: BudgetView }) {
  if (used < limit) return <span className="text-muted">{t(`actions.${action}.short`)}</span>
  return <Badge tone={action === 'refuse' ? 'danger' : 'warning'}>{t(`actions.${action}.usedUp`)}</Badge>
}

function BudgetTable(props: {
  readonly budgets: readonly BudgetView[]
  readonly onEdit: (budget: BudgetView) => void
  readonly onRemove: (budget: BudgetView) => void
}) {
  const { budgets, onEdit, onRemove } = props
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
      mutation={removeBudget}
      onConfirm={() => removeBudget.mutate({ id: budget.id })}
    />
  )
}

export function BudgetsPage() {
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

type Kind = BudgetSubject['kind']
const subjectKinds = ['tool', 'plan', 'key', 'model', 'person'] as const
const units = ['tokens', 'requests'] as const
const periods = ['day', 'week', 'cycle'] as const
const actions = ['warn', 'refuse'] as const
const maxNameLength = 60
const maxAmount = 1e12

interface BudgetFields extends Omit<BudgetInput, 'id' | 'subject' | 'limit'> {
  readonly kind: Kind
  readonly subject: string
  readonly limit: string
}

const hasCycle = (kind: Kind): boolean => kind === 'plan' || kind === 'key'

/** Parses a limit. Undefined unless the text is a positive whole number. */
function readLimit(text: string): number | undefined {
  const amount = readAmount(text)
  return typeof amount === 'number' && amount >= 1 && amount <= maxAmount ? amount : undefined
}

/** Items that can have a budget, by kind. Includes the edited budget's item even if it no longer exists. */
function useSubjects(budget: BudgetView | undefined): Readonly<Record<Kind, readonly SelectOption[]>> {
  const { data: plans = [] } = useCall('plans.list', {})
  const { data: relay } = useCall('relay.get', {})
  const { data: entries = [] } = useCall('register.list', {})
  const option = (subject: BudgetSubject, label: string): SelectOption => ({ value: JSON.stringify(subject), label })
  const models = [...new Set(plans.flatMap((plan) => plan.models))].sort()
  const holders = entries.flatMap(({ holder }) => (holder?.kind === 'person' ? [holder.name] : []))
  const subjectOptions: Record<Kind, SelectOption[]> = {
    tool: (relay?.tools ?? []).map(({ toolId, toolName }) => option({ kind: 'tool', toolId }, toolName)),
    plan: plans.map(({ id, name }) => option({ kind: 'plan', planId: id }, name)),
    key: plans.flatMap(({ id, name, keys }) =>
      keys.map((key) => option({ kind: 'key', planId: id, keyId: key.id }, `${key.name} (${name})`)),
    ),
    model: models.map((modelCode) => option({ kind: 'model', modelCode }, modelCode)),
    person: [...new Set(holders)].sort().map((name) => option({ kind: 'person', name }, name)),
  }
  const { subject, subjectName } = budget ?? {}
  const isListed =
    subject === undefined || subjectOptions[subject.kind].some(({ value }) => value === JSON.stringify(subject))
  if (!isListed) subjectOptions[subject.kind].push(option(subject, subjectName ?? JSON.stringify(subject)))
  return subjectOptions
}

function BudgetSheet({ budget, onClose }: { readonly budget: BudgetView | undefined; readonly onClose: () => void }) {
  const saveBudget = useAction('budgets.save', {
    invalidates: ['budgets'],
    onSuccess: ({ name }) => closeWithToast(onClose, t('saved', { name })),
  })
  const form = useForm<BudgetFields>({
    defaultValues: {
      name: budget?.name ?? '',
      kind: budget?.subject.kind ?? 'tool',
      subject: budget ? JSON.stringify(budget.subject) : '',
      limit: budget ? formatNumber(budget.limit) : '',
      unit: budget?.unit ?? 'tokens',
      period: budget?.period ?? 'day',
      action: budget?.action ?? 'warn',
    },
  })
  const { register, setValue } = form
  const { errors, isSubmitted } = form.formState
  const { kind, subject, unit, period, action } = form.watch()
  const subjectOptions = useSubjects(budget)[kind]
  register('subject', { validate: (value) => value !== '' || t('form.subjectNeeded') })
  const save = form.handleSubmit(({ kind: _, ...fields }) => {
    const limit = readLimit(fields.limit)
    if (limit === undefined || saveBudget.isPending) return
    const chosenSubject: BudgetSubject = JSON.parse(fields.subject)
    saveBudget.mutate({ id: budget?.id, ...fields, name: fields.name.trim(), subject: chosenSubject, limit })
  })
  const changeKind = (chosenKind: Kind): void => {
    setValue('kind', chosenKind)
    setValue('subject', '')
    form.clearErrors('subject')
    if (!hasCycle(chosenKind) && period === 'cycle') setValue('period', 'day')
  }
  return (
    <Sheet
      mutation={saveBudget}
      onClose={onClose}
      title={t(budget ? 'form.edit' : 'form.new')}
      description={t('form.text')}
      action={{ label: t('common:save'), onSubmit: () => void save() }}
    >
      <Field label={t('form.name')} error={errors.name?.message}>
        <TextInput
          autoFocus
          {...register('name', {
            required: t('form.nameNeeded'),
            maxLength: { value: maxNameLength, message: t('form.nameLong', { count: maxNameLength }) },
            validate: (value) => value.trim() !== '' || t('form.nameNeeded'),
          })}
        />
      </Field>
      <SelectField
        label={t('form.kind')}
        value={kind}
        onValueChange={changeKind}
        options={subjectKinds.map((value) => ({ value, label: t(`subjects.${value}`) }))}
      />
      <SelectField
        label={t(`subjects.${kind}`)}
        hint={subjectOptions.length === 0 ? t(`form.none.${kind}`) : kind === 'person' && t('form.personHint')}
        error={errors.subject?.message}
        value={subject === '' ? undefined : subject}
        onValueChange={(value) => setValue('subject', value, { shouldValidate: isSubmitted })}
        options={subjectOptions}
        disabled={subjectOptions.length === 0}
        placeholder={t('form.choose')}
      />
      <div className="grid grid-cols-[1fr_120px_140px] items-start gap-3">
        <Field label={t('form.limit')} hint={t('form.limitHint')} error={errors.limit?.message}>
          <TextInput
            inputMode="decimal"
            {...register('limit', { validate: (value) => readLimit(value) !== undefined || t('form.limitWrong') })}
          />
        </Field>
        <SelectField
          label={t('form.unit')}
          value={unit}
          onValueChange={(value) => setValue('unit', value)}
          options={units.map((value) => ({ value, label: t(`units.${value}`) }))}
        />
        <SelectField
          label={t('form.period')}
          value={period}
          onValueChange={(value) => setValue('period', value)}
          options={periods.map((value) => {
            const disabled = value === 'cycle' && !hasCycle(kind)
            return { value, label: t(`periods.${value}`), disabled, hint: disabled ? t('form.cycleHint') : undefined }
          })}
        />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">{t('form.action')}</p>
        <RadioCards
          label={t('form.action')}
          value={action}
          onValueChange={(value) => setValue('action', value)}
          options={actions.map((value) => ({
            value,
            label: t(`actions.${value}.label`),
            hint: t(`actions.${value}.text`),
          }))}
        />
      </div>
    </Sheet>
  )
}
