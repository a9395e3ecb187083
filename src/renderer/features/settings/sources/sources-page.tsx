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
import { Button, ButtonLink } from '../../../ui/button'
import { Code } from '../../../ui/code'
import { ConfirmDialog } from '../../../ui/dialog'
import { Card, Page, PageHeader, Section } from '../../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { SkeletonRows } from '../../../ui/skeleton'
import { CompactSwitch } from '../../../ui/switch'
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
      <Loaded query={query} skeleton={<SkeletonRows rows={5} />}>
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
      actions={
        consoles.length === 0 ? (
          <ButtonLink size="sm" to={connectionsPath}>
            {t('set')}
          </ButtonLink>
        ) : null
      }
    >
      {consoles.length === 0 ? (
        <Card>
          <p className="text-muted text-sm">{t('none')}</p>
        </Card>
      ) : (
        <Rows label={t('list')}>
          {consoles.map(({ connectionId, name }) => (
            <Row
              key={connectionId}
              leading={
                <RowIcon>
                  <Cable size={15} strokeWidth={1.8} />
                </RowIcon>
              }
              title={name}
              to={connectionPath(connectionId)}
            />
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
        {rows.map(({ id, icon: Icon }) => {
          const { requests, lastAt } = sources[id]
          const name = t(`machine.${id}`)
          return (
            <Row
              key={id}
              leading={
                <RowIcon>
                  <Icon size={15} strokeWidth={1.8} />
                </RowIcon>
              }
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
              trailing={
                <>
                  {requests > 0 ? (
                    <ButtonLink
                      size="sm"
                      variant="ghost"
                      to={figuresPath({ scope: id, span: '30d' })}
                      aria-label={t('machine.showOf', { source: name })}
                    >
                      {t('machine.show')}
                    </ButtonLink>
                  ) : null}
                  {id === 'relay' ? (
                    <ButtonLink size="sm" to={relayPath}>
                      {t('machine.toRelay')}
                    </ButtonLink>
                  ) : null}
                </>
              }
            />
          )
        })}
      </Rows>
    </Section>
  )
}

function ReadFieldsCard() {
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  return (
    <Card>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-x-6 gap-y-2">
        <div>
          <p className="flex items-center gap-1.5 font-medium">
            <Check size={14} strokeWidth={2.2} className="text-success" aria-hidden="true" />
            {t('read')}
          </p>
          <p className="text-muted text-sm">{t('readWhat')}</p>
        </div>
        <div>
          <p className="flex items-center gap-1.5 font-medium">
            <X size={14} strokeWidth={2.2} className="text-faint" aria-hidden="true" />
            {t('notRead')}
          </p>
          <p className="text-muted text-sm">{t('notReadWhat')}</p>
        </div>
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
        <Code quiet title={folder}>
          {folder}
        </Code>
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

function useLogs() {
  const queries = useQueryClient()
  const onSuccess = (sources: UsageSources): void => void queries.setQueryData(callKey('usage.sources', {}), sources)
  const setToolLog = useAction('usage.setToolLog', { invalidates: ['usage'], onSuccess })
  const readLogsAction = useAction('usage.readToolLogs', { invalidates: ['usage'], onSuccess })
  return { switching: setToolLog, reading: readLogsAction }
}

function ForgetLogDialog(props: {
  readonly log: ToolLogView | undefined
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('sources', { keyPrefix: 'logs.forget' })
  const { number } = useFormats()
  const { log, busy, onConfirm, onClose } = props
  if (!log) return null
  const { toolName, requests } = log
  return (
    <ConfirmDialog
      danger
      onClose={onClose}
      title={t('title', { tool: toolName })}
      description={t('text', { count: requests, amount: number(requests) })}
      confirmLabel={t('confirm')}
      busy={busy}
      onConfirm={onConfirm}
    />
  )
}

function ToolLogs({ logs }: { readonly logs: readonly ToolLogView[] }) {
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  const { switching: setToolLog, reading } = useLogs()
  const [forgetting, setForgetting] = useState<string>()
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
      actions={
        logs.some(({ enabled }) => enabled) ? (
          <Button size="sm" icon={RefreshCw} busy={reading.isPending} onClick={() => reading.mutate({})}>
            {t('readNow')}
          </Button>
        ) : null
      }
    >
      <ReadFieldsCard />
      {failure ? <ExplainedFailure failure={failure} /> : null}
      {logs.length === 0 ? (
        <Card>
          <p className="text-muted text-sm">{t('empty')}</p>
        </Card>
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
      <ForgetLogDialog
        log={logs.find(({ toolId }) => toolId === forgetting)}
        busy={setToolLog.isPending}
        onConfirm={() => forgetting !== undefined && change(forgetting, false)}
        onClose={() => setForgetting(undefined)}
      />
    </Section>
  )
}
