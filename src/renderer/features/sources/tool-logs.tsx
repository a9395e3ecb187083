import type { ToolLogView, UsageSources } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Check, RefreshCw, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { callKey, useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { CompactSwitch } from '../../ui/compact-switch'
import { ConfirmDialog } from '../../ui/dialog'
import { Card, Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import { ExplainedFailure } from '../failures/explained-failure'
import { ToolMark } from '../tools/tool-mark'
import styles from './sources.module.css'

/** What is read of a log, and what is not. */
function WhatIsRead() {
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  return (
    <Card>
      <div className={styles.what}>
        <div>
          <p className={styles.term}>
            <Check size={14} strokeWidth={2.2} className={styles.good} aria-hidden="true" />
            {t('read')}
          </p>
          <p className={styles.text}>{t('readWhat')}</p>
        </div>
        <div>
          <p className={styles.term}>
            <X size={14} strokeWidth={2.2} className={styles.never} aria-hidden="true" />
            {t('notRead')}
          </p>
          <p className={styles.text}>{t('notReadWhat')}</p>
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
      <span className={styles.folder}>
        <Code quiet title={folder}>
          {folder}
        </Code>
      </span>
      <Facts
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
            <span key="missing" className={styles.warning}>
              {t('logs.notUnderstood', { count: notUnderstood, amount: number(notUnderstood) })}
            </span>
          ),
        ]}
      />
    </>
  )
}

/** Switches, reads anew, and keeps what came of it on the screen. */
function useLogs() {
  const queries = useQueryClient()
  const onSuccess = (sources: UsageSources): void => void queries.setQueryData(callKey('usage.sources', {}), sources)
  const switching = useAction('usage.setToolLog', { invalidates: ['usage'], onSuccess })
  const reading = useAction('usage.readToolLogs', { invalidates: ['usage'], onSuccess })
  return { switching, reading }
}

function Forget(props: {
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
      open
      danger
      onOpenChange={onClose}
      title={t('title', { tool: toolName })}
      description={t('text', { count: requests, amount: number(requests) })}
      confirmLabel={t('confirm')}
      busy={busy}
      onConfirm={onConfirm}
    />
  )
}

/** The tools that write down what they use: whose files are read, and what came of it. */
export function ToolLogs({ logs }: { readonly logs: readonly ToolLogView[] }) {
  const { t } = useTranslation('sources', { keyPrefix: 'logs' })
  const { switching, reading } = useLogs()
  const [forgetting, setForgetting] = useState<string>()
  const change = (toolId: string, enabled: boolean): void =>
    switching.mutate({ toolId, enabled }, { onSettled: () => setForgetting(undefined) })
  const press = ({ toolId, requests }: ToolLogView, enabled: boolean): void =>
    enabled || requests === 0 ? change(toolId, enabled) : setForgetting(toolId)
  const isOn = ({ toolId, enabled }: ToolLogView): boolean =>
    switching.isPending && switching.variables.toolId === toolId ? switching.variables.enabled : enabled
  const failure = (switching.error ?? reading.error)?.failure
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
      <WhatIsRead />
      {failure ? <ExplainedFailure failure={failure} /> : null}
      {logs.length === 0 ? (
        <Card>
          <p className={styles.text}>{t('empty')}</p>
        </Card>
      ) : (
        <Rows label={t('list')}>
          {logs.map((log) => (
            <Row
              key={log.toolId}
              leading={<ToolMark tool={{ name: log.toolName }} />}
              title={log.toolName}
              description={<LogFacts log={log} />}
              trailing={
                <CompactSwitch
                  checked={isOn(log)}
                  onCheckedChange={(enabled) => press(log, enabled)}
                  label={t('on', { tool: log.toolName })}
                />
              }
            />
          ))}
        </Rows>
      )}
      <Forget
        log={logs.find(({ toolId }) => toolId === forgetting)}
        busy={switching.isPending}
        onConfirm={() => forgetting !== undefined && change(forgetting, false)}
        onClose={() => setForgetting(undefined)}
      />
    </Section>
  )
}
