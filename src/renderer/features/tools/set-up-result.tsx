import type { BulkPreview, CheckView, Site, ToolView, ToolWarning } from '@shared/contract'
import { SquareTerminal } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { useCall } from '../../ipc'
import { getRunFailure, type Run } from '../../runs'
import { useToastAction } from '../../toast-actions'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code, QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { toToolLocation } from './sites'
import { ToolInitials, ToolStatusDot } from './tool-mark'
import { isActionNeeded, toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'
import { useVerifications, verifyTools } from './verifications'

type Verification = Run<CheckView> | undefined

function State({ tool, verification }: { readonly tool: ToolView; readonly verification: Verification }) {
  const { t } = useTranslation('tools')
  const { duration } = useFormats()
  if (!verification) return <ToolStatusDot setup={tool} />
  if (verification.state === 'running') return <StatusDot tone="accent" pulse label={t('many.verifying')} />
  if (verification.state === 'waiting') return <StatusDot tone="neutral" label={t('many.waiting')} />
  if (verification.state === 'broken' || !verification.result.ok)
    return <StatusDot tone="danger" label={t('many.noAnswer')} />
  return <StatusDot tone="success" label={t('many.answered', { time: duration(verification.result.durationMs) })} />
}

export function ToolStartCommand({ tool, site }: { readonly tool: ToolView; readonly site?: Site }) {
  const { t } = useTranslation('tools')
  const { data: terminal } = useCall('tools.terminal', {}, { enabled: site !== undefined && site.kind !== 'wsl' })
  const openTerminal = useToastAction('tools.openTerminal')
  const { start } = tool
  if (start === undefined) return null
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {t('start.label')} <Code wrap>{start}</Code>
      <CopyText text={start} label={t('start.copy')} />
      {site && terminal?.isThere ? (
        <Button
          size="sm"
          icon={SquareTerminal}
          busy={openTerminal.isPending}
          onClick={() => openTerminal.mutate(toToolLocation(tool.id, site))}
        >
          {t('start.terminal')}
        </Button>
      ) : null}
    </p>
  )
}

function WrittenTool(props: {
  readonly tool: ToolView
  readonly todo: readonly ToolWarning[]
  readonly keyRef: { readonly planId: string; readonly keyId: string | undefined }
  readonly verification: Verification
  /** Starts the verification of a tool. Undefined while a verification runs. */
  readonly onVerify: (() => void) | undefined
}) {
  const { tool, todo, keyRef, verification, onVerify } = props
  const { t } = useTranslation('tools')
  const getFailureTexts = useFailureTexts()
  const failure = getRunFailure(verification)
  return (
    <Row
      leading={<ToolInitials tool={tool} />}
      title={tool.name}
      description={
        <>
          {tool.applied ? <QuietCode>{tool.applied.requestAddress}</QuietCode> : null}
          {failure ? <p className="text-danger">{getFailureTexts(failure, { tool: tool.name }).title}</p> : null}
          <ToolWarnings warnings={todo} tool={tool} keyRef={keyRef} />
          <ToolStartCommand tool={tool} />
        </>
      }
      trailing={[
        <span key="span" role="status">
          <State tool={tool} verification={verification} />
        </span>,
        failure || tool.status !== 'configured'
          ? { label: t('actions.open'), about: tool.name, to: toolPath(tool.id) }
          : {
              label: t('actions.verify'),
              about: tool.name,
              busy: verification?.state === 'running',
              disabled: !onVerify,
              onClick: () => onVerify?.(),
            },
      ]}
    />
  )
}

/** Result of configuring several tools: their new state, and the preview that was applied. */
export interface ToolsSetUpResult {
  readonly tools: readonly ToolView[]
  readonly preview: BulkPreview
  readonly planId: string
  readonly keyId: string | undefined
}

export function SetUpResult({ done }: { readonly done: ToolsSetUpResult }) {
  const { t } = useTranslation('tools')
  const { tools, preview, planId, keyId } = done
  const verifications = useVerifications()
  const isBusy = preview.tools.some(({ toolId }) => ['waiting', 'running'].includes(verifications[toolId]?.state ?? ''))
  const head = useRef<HTMLDivElement>(null)
  // The button that had the focus was removed, so focus the title.
  useEffect(() => head.current?.focus(), [])
  const names = new Set(preview.tools.map(({ toolId }) => toolId))
  const writtenTools = tools.filter(({ id }) => names.has(id))
  const readyIds = writtenTools.filter(({ status }) => status === 'configured').map(({ id }) => id)
  const plan = writtenTools.find(({ applied }) => applied?.planId === planId)?.applied?.planName
  return (
    <>
      <div ref={head} tabIndex={-1} role="status">
        <Callout
          tone="success"
          title={t('many.done', { count: writtenTools.length, plan: plan ?? t('planGone') })}
          actions={[
            { label: t('many.undo'), variant: 'ghost', to: '/history' },
            { label: t('many.toTools'), to: '/tools' },
          ]}
        >
          {t('many.doneText')}
        </Callout>
      </div>
      <Section
        title={t('many.tools')}
        actions={[
          readyIds.length > 1 && {
            label: t('many.verifyAll'),
            variant: 'primary',
            busy: isBusy,
            onClick: () => void verifyTools(readyIds),
          },
        ]}
      >
        <Rows label={t('many.tools')}>
          {writtenTools.map((tool) => (
            <WrittenTool
              key={tool.id}
              tool={tool}
              todo={preview.tools
                .filter(({ toolId }) => toolId === tool.id)
                .flatMap(({ warnings }) => warnings.filter(isActionNeeded))}
              keyRef={{ planId, keyId }}
              verification={verifications[tool.id]}
              onVerify={isBusy ? undefined : () => void verifyTools([tool.id])}
            />
          ))}
        </Rows>
      </Section>
    </>
  )
}
