import type { ToolLogView, UsageSources, UsageStorage } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { AppWindow, Cable, Check, RefreshCw, Trash2, Waypoints, X } from 'lucide-react'
import { useState } from 'react'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatBytes, formatDate, formatDateTime, formatNumber } from '../../../format'
import { callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { connectionPath, connectionsPath, figuresPath, relayPath, usagePath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { useSettingAction } from '../../../toast-actions'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { Code, QuietCode } from '../../../ui/code'
import { ConfirmButton, ConfirmDialog } from '../../../ui/dialog'
import { Card, MutedCard, Page, PageHeader, Section } from '../../../ui/page'
import { ControlRow, InlineDetails, KeyValue, Row, RowIcon, Rows } from '../../../ui/rows'
import { Select } from '../../../ui/select'
import { CompactSwitch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { relayTones, useRelay } from '../../relay'
import { ToolInitials } from '../../tools'

const t = i18next.getFixedT(null, ['sources', 'usage', 'relay', 'common'])

export function SourcesPage() {
  const query = useCall('usage.sources', {})
  return (
    <Page>
      <PageHeader
        title={t('sources:title')}
        breadcrumb={[{ label: t('usage:title'), to: usagePath }]}
        state={t('sources:state')}
      />
      <Loaded query={query} rows={5}>
        {(sources) => (
          <>
            <MachineSources sources={sources} />
            <ToolLogs logs={sources.toolLogs} />
            <Consoles consoles={sources.consoles} />
          </>
        )}
      </Loaded>
      <Storage />
    </Page>
  )
}

function Consoles({ consoles }: Pick<UsageSources, 'consoles'>) {
  return (
    <Section
      title={t('consoles.title')}
      description={t('consoles.hint')}
      actions={[consoles.length === 0 && { label: t('consoles.set'), to: connectionsPath }]}
    >
      {consoles.length === 0 ? (
        <MutedCard>{t('consoles.none')}</MutedCard>
      ) : (
        <Rows label={t('consoles.list')}>
          {consoles.map(({ connectionId, name }) => (
            <Row key={connectionId} leading={<RowIcon icon={Cable} />} title={name} to={connectionPath(connectionId)} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

const rows = [
  { id: 'relay', icon: Waypoints },
  { id: 'app', icon: AppWindow },
] as const

function RelayState() {
  const { data } = useRelay()
  return data ? <Badge tone={relayTones[data.state]}>{t(`relay:states.${data.state}`)}</Badge> : null
}

function MachineSources({ sources }: { readonly sources: UsageSources }) {
  return (
    <Section title={t('machine.title')}>
      <Rows label={t('machine.list')}>
        {rows.map(({ id, icon }) => {
          const { requests, lastAt } = sources[id]
          const name = t(`machine.${id}`)
          return (
            <Row
              key={id}
              leading={<RowIcon icon={icon} />}
              title={name}
              badge={id === 'relay' ? <RelayState /> : null}
              description={[
                t(`machine.${id}Text`),
                requests === 0
                  ? t('machine.none')
                  : t('machine.requests', { count: requests, amount: formatNumber(requests) }),
                lastAt && (
                  <span key="last">
                    {t('machine.last')} <RelativeTime at={lastAt} />
                  </span>
                ),
              ]}
              trailing={[
                requests > 0 && {
                  label: t('machine.show'),
                  'aria-label': t('machine.showOf', { source: name }),
                  variant: 'ghost',
                  to: figuresPath({ scope: id, span: '30d' }),
                },
                id === 'relay' && { label: t('machine.toRelay'), to: relayPath },
              ]}
            />
          )
        })}
      </Rows>
    </Section>
  )
}

/** Fields of a log that are read, and those that are not. */
const fieldGroups = [
  { name: 'read', icon: Check, className: 'text-success' },
  { name: 'notRead', icon: X, className: 'text-faint' },
] as const

function ReadFieldsCard() {
  return (
    <Card>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-x-6 gap-y-2">
        {fieldGroups.map(({ name, icon: Icon, className }) => (
          <div key={name}>
            <p className="flex items-center gap-1.5 font-medium">
              <Icon size={14} strokeWidth={2.2} className={className} />
              {t(`logs.${name}`)}
            </p>
            <Hint>{t(`logs.${name}What`)}</Hint>
          </div>
        ))}
      </div>
    </Card>
  )
}

function LogFacts({ log }: { readonly log: ToolLogView }) {
  const { enabled, exists, folder, requests, readAt, notUnderstood } = log
  return (
    <>
      <span className="block truncate">
        <QuietCode title={folder}>{folder}</QuietCode>
      </span>
      <InlineDetails
        items={[
          !exists && t('logs.missing'),
          enabled && requests > 0 && t('machine.requests', { count: requests, amount: formatNumber(requests) }),
          enabled && exists && readAt === undefined && t('logs.reading'),
          enabled && readAt && (
            <span key="read">
              {t('logs.readAt')} <RelativeTime at={readAt} />
            </span>
          ),
          notUnderstood > 0 && (
            <span key="missing" className="text-warning">
              {requests === 0
                ? t('logs.unknownFormat')
                : t('logs.notUnderstood', { count: notUnderstood, amount: formatNumber(notUnderstood) })}
            </span>
          ),
        ]}
      />
    </>
  )
}

function ToolLogs({ logs }: { readonly logs: readonly ToolLogView[] }) {
  const queries = useQueryClient()
  const onSuccess = (sources: UsageSources): void => void queries.setQueryData(callKey('usage.sources', {}), sources)
  const setToolLog = useAction('usage.setToolLog', { invalidates: ['usage'], onSuccess })
  const reading = useAction('usage.readToolLogs', { invalidates: ['usage'], onSuccess })
  const [forgetting, setForgetting] = useState<string>()
  const forgottenLog = logs.find(({ toolId }) => toolId === forgetting)
  const change = (toolId: string, enabled: boolean): void =>
    setToolLog.mutate({ toolId, enabled }, { onSettled: () => setForgetting(undefined) })
  const toggleSource = ({ toolId, requests }: ToolLogView, enabled: boolean): void =>
    enabled || requests === 0 ? change(toolId, enabled) : setForgetting(toolId)
  const isImportEnabled = ({ toolId, enabled }: ToolLogView): boolean =>
    setToolLog.isPending && setToolLog.variables.toolId === toolId ? setToolLog.variables.enabled : enabled
  const failure = (setToolLog.error ?? reading.error)?.failure
  return (
    <Section
      title={t('logs.title')}
      description={t('logs.hint')}
      actions={[
        logs.some(({ enabled }) => enabled) && {
          label: t('logs.readNow'),
          icon: RefreshCw,
          busy: reading.isPending,
          onClick: () => reading.mutate({}),
        },
      ]}
    >
      <ReadFieldsCard />
      <ExplainedFailure failure={failure} />
      <Rows label={t('logs.list')}>
        {logs.map((log) => (
          <Row
            key={log.toolId}
            leading={<ToolInitials tool={{ name: log.toolName }} />}
            title={log.toolName}
            description={<LogFacts log={log} />}
            trailing={
              <CompactSwitch
                checked={isImportEnabled(log)}
                onCheckedChange={(enabled) => toggleSource(log, enabled)}
                label={t('logs.on', { tool: log.toolName })}
              />
            }
          />
        ))}
      </Rows>
      {forgottenLog ? (
        <ConfirmDialog
          danger
          onClose={() => setForgetting(undefined)}
          title={t('logs.forget.title', { tool: forgottenLog.toolName })}
          description={t('logs.forget.text', {
            count: forgottenLog.requests,
            amount: formatNumber(forgottenLog.requests),
          })}
          confirmLabel={t('logs.forget.confirm')}
          busy={setToolLog.isPending}
          onConfirm={() => change(forgottenLog.toolId, false)}
        />
      ) : null}
    </Section>
  )
}

/** Name of the usage database file. The user types it to confirm the deletion. */
const fileName = 'usage.sqlite'

function StorageProblem(props: { readonly storage: UsageStorage; readonly onRetry: () => void }) {
  const {
    storage: { state, setAside },
    onRetry,
  } = props
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
function Retention(props: {
  readonly storage: UsageStorage
  readonly onChange: (days: number) => Promise<unknown>
  readonly busy: boolean
}) {
  const { storage, onChange, busy } = props
  const formatDays = (days: number): string => {
    if (days === 0) return t('storage.forever')
    return days % 365 === 0 ? t('storage.years', { count: days / 365 }) : t('storage.days', { count: days })
  }
  const [requestedDays, setRequestedDays] = useState<number>()
  const { retentionDays, requests } = storage
  const allRetentions = [...new Set([...retentionChoices, retentionDays])].sort((a, b) => (a || 1e6) - (b || 1e6))
  const chooseRetention = (text: string): void => {
    const days = Number(text)
    const isShorter = days !== 0 && (retentionDays === 0 || days < retentionDays)
    if (requests > 0 && isShorter) setRequestedDays(days)
    else void onChange(days)
  }
  const close = (): void => setRequestedDays(undefined)
  return (
    <>
      <ControlRow
        label={t('storage.retention')}
        hint={t('storage.retentionHint')}
        control={
          <Select
            className="w-40"
            aria-label={t('storage.retention')}
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
        title={t('storage.shorten.title')}
        description={t('storage.shorten.text')}
        confirmLabel={t('storage.shorten.confirm')}
        busy={busy}
        onConfirm={() => {
          if (requestedDays !== undefined) void onChange(requestedDays).then(close, close)
        }}
      />
    </>
  )
}

function EraseUsageButton({ storage }: { readonly storage: UsageStorage }) {
  const eraseUsage = useAction('usage.erase', {
    invalidates: ['usage', 'quota'],
    onSuccess: () => void toast(t('storage.eraseAsk.done')),
  })
  if (storage.state === 'newer' || storage.state === 'unavailable') return null
  return (
    <ControlRow
      label={t('storage.eraseAll')}
      hint={t('storage.eraseHint')}
      control={
        <ConfirmButton
          danger
          icon={Trash2}
          label={t('storage.erase')}
          title={t('storage.eraseAsk.title')}
          description={t('storage.eraseAsk.text')}
          confirmLabel={t('storage.eraseAsk.confirm')}
          typeToConfirm={fileName}
          mutation={eraseUsage}
          onConfirm={(close) => eraseUsage.mutate({}, { onSuccess: close })}
        />
      }
    />
  )
}

function StorageDetails({ storage: { bytes, requests, oldest } }: { readonly storage: UsageStorage }) {
  return (
    <div className="px-4 py-1.75">
      <KeyValue
        items={[
          { label: t('storage.size'), value: <span title={formatNumber(bytes)}>{formatBytes(bytes)}</span> },
          { label: t('storage.rows'), value: <span className="tabular-nums">{formatNumber(requests)}</span> },
          {
            label: t('storage.oldest'),
            value:
              oldest === undefined ? (
                t('storage.none')
              ) : (
                <span title={formatDateTime(oldest)}>{formatDate(oldest)}</span>
              ),
          },
        ]}
      />
    </div>
  )
}

function Storage() {
  const queries = useQueryClient()
  const query = useCall('usage.storage', {})
  const setRetention = useSettingAction('usage.setRetention', {
    onSuccess: (storage) => void queries.setQueryData(callKey('usage.storage', {}), storage),
  })
  return (
    <Section title={t('storage.title')} description={t('storage.hint')}>
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
