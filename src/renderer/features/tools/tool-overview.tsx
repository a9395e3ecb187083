import type { ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { RelativeTime } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { RequestAddress } from './request-address'
import styles from './tool-overview.module.css'
import { toolPath } from './tool-status'
import { useShowFile } from './use-tool-menu'

type Applied = NonNullable<ToolView['applied']>

/** The settings that no longer are as written, with the two ways out. */
function Drift({ tool }: { tool: ToolView }) {
  const { t } = useTranslation('tools')
  return (
    <Callout
      tone="warning"
      title={t('drift.title')}
      actions={
        <>
          <ButtonLink size="sm" variant="ghost" to={toolPath(tool.id, 'undo')}>
            {t('actions.undo')}
          </ButtonLink>
          <ButtonLink size="sm" to={toolPath(tool.id, 'configure')}>
            {t('actions.setRight')}
          </ButtonLink>
        </>
      }
    >
      <p>{t('drift.text')}</p>
      <ul className={styles.drift} aria-label={t('drift.list')}>
        {tool.drift.map((path) => (
          <li key={path}>
            <Code>{path}</Code>
          </li>
        ))}
      </ul>
    </Callout>
  )
}

interface AppliedNoticeProps {
  readonly tool: ToolView
  readonly applied: Applied
  /** Missing once it was verified. */
  readonly onVerify: (() => void) | undefined
}

/** What was just written and what to do with it; takes the focus, so that Enter verifies. */
export function AppliedNotice({ tool, applied, onVerify }: AppliedNoticeProps) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  return (
    <Callout
      tone="success"
      title={t('applied.title', { tool: tool.name, plan: applied.planName ?? t('planGone') })}
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={() => navigate(toolPath(tool.id, 'undo'))}>
            {t('applied.undo')}
          </Button>
          {onVerify ? (
            <Button size="sm" autoFocus onClick={onVerify}>
              {t('applied.verify')}
            </Button>
          ) : null}
        </>
      }
    >
      <p>{t('applied.text', { address: applied.requestAddress })}</p>
      <p>{t(tool.needsRestart ? 'applied.restart' : 'applied.live', { tool: tool.name })}</p>
    </Callout>
  )
}

function InUse({ tool, applied }: { tool: ToolView; applied: Applied }) {
  const { t } = useTranslation('tools')
  const showFile = useShowFile()
  const plan = applied.planName ? <Link to={`/plans/${applied.planId}`}>{applied.planName}</Link> : t('planGone')
  return (
    <Card>
      <div className={styles.address}>
        <RequestAddress
          tool={tool.name}
          requestAddress={applied.requestAddress}
          when={tool.status === 'drifted' ? 'once' : 'now'}
        />
      </div>
      <KeyValue
        items={[
          { label: t('plan'), value: plan },
          { label: t('model'), value: <Code quiet>{applied.modelCode}</Code> },
          { label: t('smallModel'), value: <Code quiet>{applied.smallModelCode}</Code> },
          {
            label: t('key'),
            value: (
              <>
                {t(`deliveries.${applied.delivery}`)}
                <span className={styles.hint}>{t(`deliveryHints.${applied.delivery}`)}</span>
              </>
            ),
          },
          {
            label: t('file'),
            value: (
              <Code quiet wrap>
                {tool.file}
              </Code>
            ),
            action: (
              <>
                <CopyText text={tool.file} label={t('copyPath')} />
                <Button size="sm" variant="ghost" onClick={() => showFile(tool.id)}>
                  {t('actions.showFile')}
                </Button>
              </>
            ),
          },
          { label: t('since'), value: <RelativeTime at={applied.at} /> },
        ]}
      />
    </Card>
  )
}

/** A configured tool: what it uses, where it calls, and what changed since. */
export function ToolOverview({ tool, applied }: { tool: ToolView; applied: Applied }) {
  const { t } = useTranslation('tools')
  return (
    <>
      {tool.status === 'drifted' ? <Drift tool={tool} /> : null}
      <Section title={t('current')}>
        <InUse tool={tool} applied={applied} />
      </Section>
    </>
  )
}
