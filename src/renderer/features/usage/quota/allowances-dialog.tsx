import type { EnteredAllowances, PlanView } from '@shared/contract'
import i18next from 'i18next'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { formatNumber } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { TextField, TextInput } from '../../../ui/field'
import { closeWithToast } from '../../../ui/toast'
import { allowanceKinds, readCodes } from '../../connections/account'

const t = i18next.getFixedT(null, ['quota', 'common'])

const readDays = (text: string): number | undefined => {
  const days = Number(text)
  return /^\d{1,3}$/.test(text.trim()) && days >= 1 && days <= 366 ? days : undefined
}

const rowClass = 'grid grid-cols-[minmax(0,1fr)_132px_132px] items-center gap-2'

function Rows(props: {
  readonly rows: readonly AmountFields[]
  readonly change: (modelCode: string, changes: Partial<AmountFields>) => void
}) {
  const { rows, change } = props
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

export function AllowancesDialog({ plan, onClose }: { readonly plan: PlanView; readonly onClose: () => void }) {
  const query = useCall('quota.allowances', { planId: plan.id }, { staleTime: 0, gcTime: 0 })
  const [typed, setTyped] = useState<Readonly<Record<string, Partial<AmountFields>>>>({})
  const [typedDays, setTypedDays] = useState<string>()
  const { allowances: saved = [], cycleDays: savedDays = '' } = query.data ?? {}
  const days = typedDays ?? String(savedDays)
  const codes = new Set([...plan.models, ...saved.map(({ modelCode }) => modelCode), ...Object.keys(typed)])
  const rows = [...codes].map((modelCode): AmountFields => {
    const { tokenQuota, requestQuota } = saved.find((allowance) => allowance.modelCode === modelCode) ?? {}
    const formatAmount = (amount: number | undefined): string => (amount === undefined ? '' : formatNumber(amount))
    return {
      modelCode,
      tokens: formatAmount(tokenQuota),
      requests: formatAmount(requestQuota),
      ...typed[modelCode],
    }
  })
  const allowances = readAllowances(rows)
  const cycleDays = readDays(days)
  const saveAllowances = useAction('quota.setAllowances', {
    invalidates: ['quota'],
    onSuccess: () => closeWithToast(onClose, t('allowances.saved', { plan: plan.name })),
  })
  const change = (modelCode: string, changes: Partial<AmountFields>): void =>
    setTyped({ ...typed, [modelCode]: { ...typed[modelCode], ...changes } })
  const save = (): void => {
    if (allowances && cycleDays !== undefined) saveAllowances.mutate({ planId: plan.id, allowances, cycleDays })
  }
  return (
    <Dialog
      mutation={saveAllowances}
      context={{ plan: plan.name }}
      onClose={onClose}
      title={t('allowances.title', { plan: plan.name })}
      description={t('allowances.text')}
      action={{ label: t('common:save'), onSubmit: save, disabled: !query.data }}
    >
      <Loaded query={query} rows={2}>
        {() => (
          <>
            <Rows rows={rows} change={change} />
            <AddModel onAdd={(code) => change(code, {})} />
            <TextField
              label={t('allowances.days')}
              hint={plan.expiresAt === undefined ? t('allowances.daysHint') : undefined}
              error={cycleDays === undefined ? t('allowances.badDays') : undefined}
              className="max-w-70"
              inputMode="numeric"
              value={days}
              onChange={setTypedDays}
            />
          </>
        )}
      </Loaded>
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
