import type { ToolView } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { StatusDot } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Facts, Row, Rows } from '../../ui/rows'
import { nextStep, stateOf, ToolMark, toolPath, useVerify } from '../tools'

function Description({ tool }: { readonly tool: ToolView }) {
  const { t } = useTranslation(['home', 'tools'])
  const { applied, found } = tool
  if (tool.kind === 'unsupported') return <>{t(`tools:unsupported.${tool.reason ?? 'platform'}.short`)}</>
  if (tool.kind === 'guided') return <>{t('tools:many.byHand')}</>
  if (tool.status === 'otherwise' && found?.base !== undefined) return <Code quiet>{found.base}</Code>
  if (!applied) return <>{tool.installed ? t('home:tools.notConfigured') : t('home:tools.notInstalled')}</>
  return (
    <Facts
      items={[
        applied.planName,
        applied.route === 'relay' && t('tools:route.short'),
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
      badge={tool.version ? <span className="text-faint text-sm">{tool.version}</span> : null}
      description={description ?? <Description tool={tool} />}
      trailing={
        <>
          <span role="status" className="text-sm">
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
        description={<span className="text-danger">{explain(failure, { tool: tool.name }).title}</span>}
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
  const { tone, word } = stateOf(tool, tool)
  const { label, to } = nextStep(tool)
  return (
    <ToolRow
      tool={tool}
      state={<StatusDot tone={tone} label={t(`tools:statuses.${word}`)} />}
      action={
        label === 'open' ? null : (
          <ButtonLink size="sm" to={to}>
            {t(`tools:actions.${label}`)}
            <span className="sr-only"> {tool.name}</span>
          </ButtonLink>
        )
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
        stateOf(tool, tool).word === 'configured' ? (
          <ConfiguredTool key={tool.id} tool={tool} />
        ) : (
          <OtherTool key={tool.id} tool={tool} />
        ),
      )}
    </Rows>
  )
}
