import type { BudgetInput, BudgetSubject, BudgetView } from '@shared/contract'
import { type Control, Controller, useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Sheet } from '../../../ui/dialog'
import { Field, TextInput } from '../../../ui/field'
import { RadioCards } from '../../../ui/radio-cards'
import { Select, type SelectOption } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { readAmount } from '../quota'

type Kind = BudgetSubject['kind']
const subjectKinds = ['tool', 'plan', 'key', 'model', 'person'] as const
const units = ['tokens', 'requests'] as const
const periods = ['day', 'week', 'cycle'] as const
const actions = ['warn', 'refuse'] as const
const maxNameLength = 60
const maxAmount = 1e12

interface BudgetFields {
  readonly name: string
  readonly kind: Kind
  readonly subject: string
  readonly limit: string
  readonly unit: BudgetInput['unit']
  readonly period: BudgetInput['period']
  readonly action: BudgetInput['action']
}

const hasCycle = (kind: Kind): boolean => kind === 'plan' || kind === 'key'

/** Parses a limit. Undefined unless the text is a positive whole number. */
function readLimit(text: string): number | undefined {
  const amount = readAmount(text)
  return typeof amount === 'number' && amount >= 1 && amount <= maxAmount ? amount : undefined
}

/**
 * Plans, tools and other items that can have a budget, by kind. Includes the edited budget's item even if it no
 * longer exists.
 */
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

function SubjectFields({
  control,
  budget,
}: {
  readonly control: Control<BudgetFields>
  readonly budget: BudgetView | undefined
}) {
  const { t } = useTranslation('budgets')
  const kind = useWatch({ control, name: 'kind' })
  const options = useSubjects(budget)[kind]
  const hint = kind === 'person' ? t('form.personHint') : undefined
  return (
    <Controller
      control={control}
      name="subject"
      rules={{ validate: (value) => value !== '' || t('form.subjectNeeded') }}
      render={({ field, fieldState: { error } }) => (
        <Field
          label={t(`subjects.${kind}`)}
          hint={options.length === 0 ? t(`form.none.${kind}`) : hint}
          error={error?.message}
        >
          <Select
            value={field.value === '' ? undefined : field.value}
            onValueChange={field.onChange}
            options={options}
            disabled={options.length === 0}
            placeholder={t('form.choose')}
          />
        </Field>
      )}
    />
  )
}

function LimitFields({ control }: { readonly control: Control<BudgetFields> }) {
  const { t } = useTranslation('budgets')
  const kind = useWatch({ control, name: 'kind' })
  return (
    <div className="grid grid-cols-[1fr_120px_140px] items-start gap-3">
      <Controller
        control={control}
        name="limit"
        rules={{ validate: (value) => readLimit(value) !== undefined || t('form.limitWrong') }}
        render={({ field, fieldState: { error } }) => (
          <Field label={t('form.limit')} hint={t('form.limitHint')} error={error?.message}>
            <TextInput inputMode="decimal" {...field} />
          </Field>
        )}
      />
      <Controller
        control={control}
        name="unit"
        render={({ field }) => (
          <Field label={t('form.unit')}>
            <Select
              value={field.value}
              onValueChange={field.onChange}
              options={units.map((value) => ({ value, label: t(`units.${value}`) }))}
            />
          </Field>
        )}
      />
      <Controller
        control={control}
        name="period"
        render={({ field }) => (
          <Field label={t('form.period')}>
            <Select
              value={field.value}
              onValueChange={field.onChange}
              options={periods.map((value) => ({
                value,
                label: t(`periods.${value}`),
                disabled: value === 'cycle' && !hasCycle(kind),
                hint: value === 'cycle' && !hasCycle(kind) ? t('form.cycleHint') : undefined,
              }))}
            />
          </Field>
        )}
      />
    </div>
  )
}

function useBudgetForm(budget: BudgetView | undefined, onClose: () => void) {
  const { t } = useTranslation('budgets')
  const { number } = useFormats()
  const saveBudget = useAction('budgets.save', {
    invalidates: ['budgets'],
    onSuccess: ({ name }) => {
      onClose()
      void toast(t('saved', { name }))
    },
  })
  const form = useForm<BudgetFields>({
    defaultValues: {
      name: budget?.name ?? '',
      kind: budget?.subject.kind ?? 'tool',
      subject: budget ? JSON.stringify(budget.subject) : '',
      limit: budget ? number(budget.limit) : '',
      unit: budget?.unit ?? 'tokens',
      period: budget?.period ?? 'day',
      action: budget?.action ?? 'warn',
    },
  })
  const send = form.handleSubmit(({ name, subject, limit, unit, period, action }) => {
    const amount = readLimit(limit)
    if (amount === undefined || saveBudget.isPending) return
    const chosenSubject: BudgetSubject = JSON.parse(subject)
    const id = budget ? { id: budget.id } : {}
    saveBudget.mutate({ ...id, name: name.trim(), subject: chosenSubject, limit: amount, unit, period, action })
  })
  const changeKind = (kind: Kind): void => {
    form.setValue('kind', kind)
    form.setValue('subject', '')
    form.clearErrors('subject')
    if (!hasCycle(kind) && form.getValues('period') === 'cycle') form.setValue('period', 'day')
  }
  return { form, send, saving: saveBudget, changeKind }
}

export function BudgetSheet({
  budget,
  onClose,
}: {
  readonly budget: BudgetView | undefined
  readonly onClose: () => void
}) {
  const { t } = useTranslation(['budgets', 'common'])
  const { form, send, saving: saveBudget, changeKind } = useBudgetForm(budget, onClose)
  const { control } = form
  return (
    <Sheet
      busy={saveBudget.isPending}
      onClose={onClose}
      title={t(budget ? 'form.edit' : 'form.new')}
      description={t('form.text')}
      action={{ label: t('common:save'), onSubmit: () => void send(), busy: saveBudget.isPending }}
    >
      <Controller
        control={control}
        name="name"
        rules={{
          required: t('form.nameNeeded'),
          maxLength: { value: maxNameLength, message: t('form.nameLong', { count: maxNameLength }) },
          validate: (value) => value.trim() !== '' || t('form.nameNeeded'),
        }}
        render={({ field, fieldState: { error } }) => (
          <Field label={t('form.name')} error={error?.message}>
            <TextInput autoFocus {...field} />
          </Field>
        )}
      />
      <Controller
        control={control}
        name="kind"
        render={({ field }) => (
          <Field label={t('form.kind')}>
            <Select
              value={field.value}
              onValueChange={changeKind}
              options={subjectKinds.map((value) => ({ value, label: t(`subjects.${value}`) }))}
            />
          </Field>
        )}
      />
      <SubjectFields control={control} budget={budget} />
      <LimitFields control={control} />
      <Controller
        control={control}
        name="action"
        render={({ field }) => (
          <div className="flex flex-col gap-1.5">
            <p className="font-medium">{t('form.action')}</p>
            <RadioCards
              label={t('form.action')}
              value={field.value}
              onValueChange={field.onChange}
              options={actions.map((value) => ({
                value,
                label: t(`actions.${value}.label`),
                hint: t(`actions.${value}.text`),
              }))}
            />
          </div>
        )}
      />
      <ExplainedFailure failure={saveBudget.error?.failure} />
    </Sheet>
  )
}
