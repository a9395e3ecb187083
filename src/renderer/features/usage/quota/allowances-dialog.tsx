import type { EnteredAllowances, MethodOutput, PlanView } from '@shared/contract'
import { Plus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { FieldGroup, TextField, TextInput } from '../../../ui/field'
import { closeWithToast } from '../../../ui/toast'
import { allowanceKinds, readCodes } from '../../connections/account'

type TypedAllowances = MethodOutput<'quota.allowances'>

const readDays = (text: string): number | undefined => {
  const days = Number(text)
  return /^\d{1,3}$/.test(text.trim()) && days >= 1 && days <= 366 ? days : undefined
}

const rowClass = 'grid grid-cols-[minmax(0,1fr)_132px_132px] items-center gap-2'

function useFields(plan: PlanView, typedAllowances: TypedAllowances) {
  const { number } = useFormats()
  const formatAmount = (amount: number | undefined): string => (amount === undefined ? '' : number(amount))
  const codes = [...new Set([...plan.models, ...typedAllowances.allowances.map(({ modelCode }) => modelCode)])]
  const [rows, setRows] = useState<readonly AmountFields[]>(() =>
    codes.map((modelCode) => {
      const typedAllowance = typedAllowances.allowances.find((allowance) => allowance.modelCode === modelCode)
      return {
        modelCode,
        tokens: formatAmount(typedAllowance?.tokenQuota),
        requests: formatAmount(typedAllowance?.requestQuota),
      }
    }),
  )
  const [days, setDays] = useState(String(typedAllowances.cycleDays))
  const change = (modelCode: string, changes: Partial<AmountFields>): void =>
    setRows((previousRows) => previousRows.map((row) => (row.modelCode === modelCode ? { ...row, ...changes } : row)))
  const add = (code: string): void => {
    if (!rows.some(({ modelCode }) => modelCode === code)) {
      setRows([...rows, { modelCode: code, tokens: '', requests: '' }])
    }
  }
  return { rows, change, add, days, setDays, allowances: readAllowances(rows), cycleDays: readDays(days) }
}

type Fields = ReturnType<typeof useFields>

function Rows({ rows, change }: Pick<Fields, 'rows' | 'change'>) {
  const { t } = useTranslation('quota')
  if (rows.length === 0) return <p className="text-muted">{t('allowances.noModels')}</p>
  return (
    <div className="flex flex-col gap-2">
      <div className={joinClassNames(rowClass, 'font-medium text-faint text-xs')} aria-hidden="true">
        <span>{t('allowances.model')}</span>
        <span className="pr-2.75 text-right">{t('allowances.tokens')}</span>
        <span className="pr-2.75 text-right">{t('allowances.requests')}</span>
      </div>
      {rows.map(({ modelCode, ...row }) => (
        <div key={modelCode} className={joinClassNames(rowClass, '[&_input]:text-right [&_input]:tabular-nums')}>
          <code className="truncate" title={modelCode}>
            {modelCode}
          </code>
          {allowanceKinds.map((kind) => {
            const isInvalid = readAmount(row[kind]) === undefined
            return (
              <TextInput
                key={kind}
                inputMode="decimal"
                aria-label={t(`allowances.${kind}Of`, { model: modelCode })}
                aria-invalid={isInvalid || undefined}
                title={isInvalid ? t('allowances.badAmount') : undefined}
                className={isInvalid ? 'border-danger' : ''}
                value={row[kind]}
                onChange={({ target }) => change(modelCode, { [kind]: target.value })}
              />
            )
          })}
        </div>
      ))}
      {readAllowances(rows) === undefined ? (
        <p className="text-danger text-sm" role="alert">
          {t('allowances.badAmount')}
        </p>
      ) : null}
    </div>
  )
}

function AddModel({ onAdd }: { readonly onAdd: (code: string) => void }) {
  const { t } = useTranslation('quota')
  const [text, setText] = useState('')
  const [code] = readCodes(text).codes
  const add = (): void => {
    if (code === undefined) return
    onAdd(code)
    setText('')
  }
  return (
    <div className="flex gap-2">
      <TextInput
        mono
        aria-label={t('allowances.addModel')}
        placeholder={t('allowances.addModel')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <Button icon={Plus} disabled={code === undefined} onClick={add}>
        {t('allowances.add')}
      </Button>
    </div>
  )
}

function AllowancesForm({
  plan,
  known,
  formId,
  onSave,
}: {
  readonly plan: PlanView
  readonly known: TypedAllowances
  readonly formId: string
  readonly onSave: (changes: { allowances: EnteredAllowances; cycleDays: number }) => void
}) {
  const { t } = useTranslation('quota')
  const fields = useFields(plan, known)
  const { allowances, cycleDays, days, setDays } = fields
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (allowances && cycleDays !== undefined) onSave({ allowances, cycleDays })
  }
  return (
    <form id={formId} onSubmit={submit} noValidate>
      <FieldGroup>
        <Rows rows={fields.rows} change={fields.change} />
        <AddModel onAdd={fields.add} />
        <TextField
          label={t('allowances.days')}
          hint={plan.expiresAt === undefined ? t('allowances.daysHint') : undefined}
          error={cycleDays === undefined ? t('allowances.badDays') : undefined}
          className="max-w-70"
          inputMode="numeric"
          value={days}
          onChange={setDays}
        />
      </FieldGroup>
    </form>
  )
}

export function AllowancesDialog({ plan, onClose }: { readonly plan: PlanView; readonly onClose: () => void }) {
  const { t } = useTranslation(['quota', 'common'])
  const formId = useId()
  const query = useCall('quota.allowances', { planId: plan.id }, { staleTime: 0, gcTime: 0 })
  const saveAllowances = useAction('quota.setAllowances', {
    invalidates: ['quota'],
    onSuccess: () => closeWithToast(onClose, t('allowances.saved', { plan: plan.name })),
  })
  return (
    <Dialog
      busy={saveAllowances.isPending}
      onClose={onClose}
      title={t('allowances.title', { plan: plan.name })}
      description={t('allowances.text')}
      action={{ label: t('common:save'), form: formId, busy: saveAllowances.isPending, disabled: !query.data }}
    >
      <Loaded query={query} rows={2}>
        {(data) => (
          <AllowancesForm
            plan={plan}
            known={data}
            formId={formId}
            onSave={(changes) => saveAllowances.mutate({ planId: plan.id, ...changes })}
          />
        )}
      </Loaded>
      <ExplainedFailure failure={saveAllowances.error?.failure} context={{ plan: plan.name }} />
    </Dialog>
  )
}

const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

/** Matches digits with any thousands separator. */
const groupedNumberPattern = /^\d{1,3}([.,\s\u00a0\u202f']\d{3})+$/

/** Parses an amount such as `20,000`, `20.000`, `1.5M` or `1,5m`. `none`: empty. Undefined: invalid. */
export function readAmount(text: string): number | 'none' | undefined {
  const trimmedText = text.trim()
  if (trimmedText === '') return 'none'
  const [, digits = '', letter = ''] = /^(.*?)\s*([kmb]?)$/i.exec(trimmedText) ?? []
  const size = multipliers[letter.toLowerCase()] ?? 1
  const normalizedDigits = groupedNumberPattern.test(digits) ? digits.replace(/\D/g, '') : digits.replace(',', '.')
  if (!/^\d+(\.\d+)?$/.test(normalizedDigits)) return undefined
  const amount = Math.round(Number(normalizedDigits) * size * 1000) / 1000
  return Number.isSafeInteger(amount) ? amount : undefined
}

interface AmountFields {
  readonly modelCode: string
  readonly tokens: string
  readonly requests: string
}

/** Converts the form to allowances. Omits empty fields. Undefined if any field is invalid. */
function readAllowances(rows: readonly AmountFields[]): EnteredAllowances | undefined {
  const allowances: EnteredAllowances = []
  for (const { modelCode, tokens, requests } of rows) {
    const [tokenQuota, requestQuota] = [readAmount(tokens), readAmount(requests)]
    if (tokenQuota === undefined || requestQuota === undefined) return undefined
    if (tokenQuota === 'none' && requestQuota === 'none') continue
    allowances.push({
      modelCode,
      ...(tokenQuota === 'none' ? {} : { tokenQuota }),
      ...(requestQuota === 'none' ? {} : { requestQuota }),
    })
  }
  return allowances
}
