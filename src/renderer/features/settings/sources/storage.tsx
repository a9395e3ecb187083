import type { UsageStorage } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatBytes, useFormats } from '../../../format'
import { callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { useSettingAction } from '../../../toast-actions'
import { Callout } from '../../../ui/callout'
import { Code } from '../../../ui/code'
import { ConfirmButton, ConfirmDialog } from '../../../ui/dialog'
import { Card, Section } from '../../../ui/page'
import { ControlRow, KeyValue } from '../../../ui/rows'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'

/** Name of the usage database file. The user types it to confirm the deletion. */
const fileName = 'usage.sqlite'

function StorageProblem({
  storage: { state, setAside },
  onRetry,
}: {
  readonly storage: UsageStorage
  readonly onRetry: () => void
}) {
  const { t } = useTranslation(['sources', 'common'])
  if (state === 'ready') return null
  return (
    <Callout
      tone={state === 'unavailable' ? 'danger' : 'warning'}
      title={t(`storage.states.${state}.title`)}
      actions={[
        state === 'unavailable'
          ? { label: t('common:retry'), onClick: onRetry }
          : setAside !== undefined && (
              <CopyText key="copy" text={setAside} label={t('common:copyNamed', { what: setAside })} />
            ),
      ]}
    >
      {t(`storage.states.${state}.text`)}
      {setAside === undefined ? null : (
        <>
          {' '}
          <Code wrap>{setAside}</Code>
        </>
      )}
    </Callout>
  )
}

/** Selection of how long single requests are stored. A shorter time must be confirmed, because it deletes data. */
function Retention({
  storage,
  onChange,
  busy,
}: {
  readonly storage: UsageStorage
  readonly onChange: (days: number) => Promise<unknown>
  readonly busy: boolean
}) {
  const { t } = useTranslation('sources', { keyPrefix: 'storage' })
  const formatDays = (days: number): string => {
    if (days === 0) return t('forever')
    return days % 365 === 0 ? t('years', { count: days / 365 }) : t('days', { count: days })
  }
  const [requestedDays, setRequestedDays] = useState<number>()
  const { retentionDays, requests } = storage
  const allRetentions = [...new Set([...retentionChoices, retentionDays])].sort((a, b) => (a || 1e6) - (b || 1e6))
  const chooseRetention = (text: string): void => {
    const days = Number(text)
    if (requests > 0 && isShorter(days, retentionDays)) setRequestedDays(days)
    else void onChange(days)
  }
  const close = (): void => setRequestedDays(undefined)
  return (
    <>
      <ControlRow
        label={t('retention')}
        hint={t('retentionHint')}
        control={
          <Select
            className="w-40"
            aria-label={t('retention')}
            value={String(retentionDays)}
            disabled={storage.state === 'newer' || storage.state === 'unavailable'}
            onValueChange={chooseRetention}
            options={allRetentions.map((days) => ({ value: String(days), label: formatDays(days) }))}
          />
        }
      />
      <ConfirmDialog
        danger
        open={requestedDays !== undefined}
        onClose={close}
        title={t('shorten.title')}
        description={t('shorten.text')}
        confirmLabel={t('shorten.confirm')}
        busy={busy}
        onConfirm={() => {
          if (requestedDays !== undefined) void onChange(requestedDays).then(close, close)
        }}
      />
    </>
  )
}

function EraseUsageButton({ storage }: { readonly storage: UsageStorage }) {
  const { t } = useTranslation('sources', { keyPrefix: 'storage' })
  const eraseUsage = useAction('usage.erase', {
    invalidates: ['usage', 'quota'],
    onSuccess: () => void toast(t('eraseAsk.done')),
  })
  if (storage.state === 'newer' || storage.state === 'unavailable') return null
  return (
    <ControlRow
      label={t('eraseAll')}
      hint={t('eraseHint')}
      control={
        <ConfirmButton
          danger
          icon={Trash2}
          label={t('erase')}
          onAsk={eraseUsage.reset}
          title={t('eraseAsk.title')}
          description={t('eraseAsk.text')}
          confirmLabel={t('eraseAsk.confirm')}
          typeToConfirm={fileName}
          busy={eraseUsage.isPending}
          onConfirm={(close) => eraseUsage.mutate({}, { onSuccess: close })}
        >
          <ExplainedFailure failure={eraseUsage.error?.failure} />
        </ConfirmButton>
      }
    />
  )
}

function StorageDetails({ storage: { bytes, requests, oldest } }: { readonly storage: UsageStorage }) {
  const { t } = useTranslation('sources', { keyPrefix: 'storage' })
  const { locale, number, date, dateTime } = useFormats()
  return (
    <div className="px-4 py-1.75">
      <KeyValue
        items={[
          { label: t('size'), value: <span title={number(bytes)}>{formatBytes(bytes, locale)}</span> },
          { label: t('rows'), value: <span className="tabular-nums">{number(requests)}</span> },
          {
            label: t('oldest'),
            value: oldest === undefined ? t('none') : <span title={dateTime(oldest)}>{date(oldest)}</span>,
          },
        ]}
      />
    </div>
  )
}

export function Storage() {
  const { t } = useTranslation('sources', { keyPrefix: 'storage' })
  const queries = useQueryClient()
  const query = useCall('usage.storage', {})
  const setRetention = useSettingAction('usage.setRetention', {
    onSuccess: (storage) => void queries.setQueryData(callKey('usage.storage', {}), storage),
  })
  return (
    <Section title={t('title')} description={t('hint')}>
      <Loaded query={query} rows={2}>
        {(storage) => (
          <>
            <StorageProblem storage={storage} onRetry={() => void query.refetch()} />
            <Card flush>
              <StorageDetails storage={storage} />
              <Retention
                storage={storage}
                busy={setRetention.isPending}
                onChange={(days) => setRetention.mutateAsync({ days })}
              />
              <EraseUsageButton storage={storage} />
            </Card>
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** Days for which single requests can be stored. 0 stores them without limit. */
const retentionChoices = [30, 90, 180, 365, 730, 0] as const

const isShorter = (days: number, daysBefore: number): boolean => days !== 0 && (daysBefore === 0 || days < daysBefore)
