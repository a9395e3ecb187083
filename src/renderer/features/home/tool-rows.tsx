import type { ToolView } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { StatusDot } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Facts, Row, Rows } from '../../ui/rows'
import { ToolMark } from '../tools/tool-mark'
import { nextStep, statusTones, toolPath } from '../tools/tool-status'
import { useVerify } from '../tools/use-verify'
import styles from './home-page.module.css'

function Description({ tool }: { readonly tool: ToolView }) {
  const { t } = useTranslation('home')
  const { applied } = tool
  if (!tool.supported) return <>{tool.reason}</>
  if (!applied) return <>{tool.installed ? t('tools.notConfigured') : t('tools.notInstalled')}</>
  return (
    <Facts
      items={[
        applied.planName,
        applied.modelCode,
        <Code quiet key="to">
          {applied.requestAddress}
        </Code>,
      ]}
    />
  )
}

interface ToolRowProps {
  readonly tool: ToolView
  readonly state: ReactNode
  readonly action?: ReactNode
  readonly description?: ReactNode
}

function ToolRow({ tool, state, action, description }: ToolRowProps) {
  return (
    <Row
      to={toolPath(tool.id)}
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      badge={tool.version ? <span className={styles.version}>{tool.version}</span> : null}
      description={description ?? <Description tool={tool} />}
      trailing={
        <>
          <span role="status" className={styles.state}>
            {state}
          </span>
          {action}
        </>
      }
    />
  )
}

function ConfiguredTool({ tool }: { readonly tool: ToolView }) {
  const { t } = useTranslation(['home', 'tools'])
  const { duration } = useFormats()
  const explain = useFailureWords()
  const { check, failure: refusal, isPending, verify } = useVerify(tool)
  const failure = refusal ?? (check?.ok === false ? check.failure : undefined)
  if (failure) {
    return (
      <ToolRow
        tool={tool}
        state={<StatusDot tone="danger" label={t('tools.noAnswer')} />}
        description={<span className={styles.problem}>{explain(failure, { tool: tool.name }).title}</span>}
        action={
          <ButtonLink size="sm" to={check ? toolPath(tool.id) : toolPath(tool.id, 'verify')}>
            {t('tools.seeWhy')}
          </ButtonLink>
        }
      />
    )
  }
  const label = check?.ok ? t('tools.answered', { time: duration(check.durationMs) }) : t('tools:statuses.configured')
  return (
    <ToolRow
      tool={tool}
      state={<StatusDot tone="success" label={label} />}
      action={
        <Button size="sm" busy={isPending} onClick={verify}>
          {t('tools.verify')}
        </Button>
      }
    />
  )
}

function OtherTool({ tool }: { readonly tool: ToolView }) {
  const { t } = useTranslation(['home', 'tools'])
  const { status, supported } = tool
  return (
    <ToolRow
      tool={tool}
      state={
        <StatusDot
          tone={supported ? statusTones[status] : 'neutral'}
          label={supported ? t(`tools:statuses.${status}`) : t('tools:unsupported')}
        />
      }
      action={
        supported ? (
          <ButtonLink size="sm" to={nextStep(tool).to}>
            {status === 'absent' ? t('tools.configure') : t('tools.fix')}
          </ButtonLink>
        ) : null
      }
    />
  )
}

/** My tools: one row each, with its state and the one thing to do about it. */
export function ToolRows({ tools }: { readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('home')
  return (
    <Rows label={t('tools.list')}>
      {tools.map((tool) =>
        tool.status === 'configured' ? (
          <ConfiguredTool key={tool.id} tool={tool} />
        ) : (
          <OtherTool key={tool.id} tool={tool} />
        ),
      )}
    </Rows>
  )
}
