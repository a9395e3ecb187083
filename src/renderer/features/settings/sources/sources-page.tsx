import type { ToolLogView, UsageSources } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { AppWindow, Cable, Check, RefreshCw, Waypoints, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { connectionPath, connectionsPath, figuresPath, relayPath, usagePath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { QuietCode } from '../../../ui/code'
import { ConfirmDialog } from '../../../ui/dialog'
import { Card, MutedCard, Page, PageHeader, Section } from '../../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { CompactSwitch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { relayTones, useRelay } from '../../relay'
import { ToolInitials } from '../../tools'
import { Storage } from './storage'

export function SourcesPage() {
  const { t } = useTranslation(['sources', 'usage'])
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
  const { t } = useTranslation('sources', { keyPrefix: 'consoles' })
  return (
    <Section
      title={t('title')}
      description={t('hint')}
      actions={[consoles.length === 0 && { label: t('set'), to: connectionsPath }]}
    >
      {consoles.length === 0 ? (
        <MutedCard>{t('none')}</MutedCard>
      ) : (
        <Rows label={t('list')}>
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
  const { t } = useTranslation('relay')
  const { data } = useRelay()
  return data ? <Badge tone={relayTones[data.state]}>{t(`states.${data.state}`)}</Badge> : null
}

function MachineSources({ sources }: { readonly sources: UsageSources }) {
  const { t } = useTranslation('sources')
  const { number } = useFormats()
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
              description={
                <InlineDetails
                  items={[
                    t(`machine.${id}Text`),
                    requests === 0
                      ? t('machine.none')
                      : t('machine.requests', { count: requests, amount: number(requests) }),
                    lastAt && (
                      <span key="last">
                        {t('machine.last')} <RelativeTime at={lastAt} />
                      </span>
                    ),
                  ]}
                />
              }
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
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  return (
    <Card>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-x-6 gap-y-2">
        {fieldGroups.map(({ name, icon: Icon, className }) => (
          <div key={name}>
            <p className="flex items-center gap-1.5 font-medium">
              <Icon size={14} strokeWidth={2.2} className={className} aria-hidden="true" />
              {t(name)}
            </p>
            <Hint>{t(`${name}What`)}</Hint>
          </div>
        ))}
      </div>
    </Card>
  )
}

function LogFacts({ log }: { readonly log: ToolLogView }) {
  const { t } = useTranslation('sources')
  const { number } = useFormats()
  const { enabled, exists, folder, requests, readAt, notUnderstood } = log
  return (
    <>
      <span className="block truncate">
        <QuietCode title={folder}>{folder}</QuietCode>
      </span>
      <InlineDetails
        items={[
          !exists && t('logs.missing'),
          enabled && requests > 0 && t('machine.requests', { count: requests, amount: number(requests) }),
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
                : t('logs.notUnderstood', { count: notUnderstood, amount: number(notUnderstood) })}
            </span>
          ),
        ]}
      />
    </>
  )
}

function ToolLogs({ logs }: { readonly logs: readonly ToolLogView[] }) {
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  const { number } = useFormats()
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
      title={t('title')}
      description={t('hint')}
      actions={[
        logs.some(({ enabled }) => enabled) && {
          label: t('readNow'),
          icon: RefreshCw,
          busy: reading.isPending,
          onClick: () => reading.mutate({}),
        },
      ]}
    >
      <ReadFieldsCard />
      <ExplainedFailure failure={failure} />
      {logs.length === 0 ? (
        <MutedCard>{t('empty')}</MutedCard>
      ) : (
        <Rows label={t('list')}>
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
                  label={t('on', { tool: log.toolName })}
                />
              }
            />
          ))}
        </Rows>
      )}
      {forgottenLog ? (
        <ConfirmDialog
          danger
          onClose={() => setForgetting(undefined)}
          title={t('forget.title', { tool: forgottenLog.toolName })}
          description={t('forget.text', { count: forgottenLog.requests, amount: number(forgottenLog.requests) })}
          confirmLabel={t('forget.confirm')}
          busy={setToolLog.isPending}
          onConfirm={() => change(forgottenLog.toolId, false)}
        />
      ) : null}
    </Section>
  )
}
