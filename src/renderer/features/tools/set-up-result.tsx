import type { Site, ToolView, ToolWarning } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { SquareTerminal } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { CallError, useAction, useCall } from '../../ipc'
import { useToastAction } from '../../toast-actions'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code, QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { setupKey, toToolLocation, userSite } from './sites'
import { ToolInitials, ToolStatusDot } from './tool-mark'
import { isActionNeeded, toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'
import { useToolsStore } from './tools-store'
import type { ToolsSetUpResult } from './use-set-up'

/** Verifies tools in sequence and shows each result. */
function useVerifyTools() {
  const verifications = useToolsStore((store) => store.verifications)
  const setVerification = useToolsStore((store) => store.setVerification)
  const [queue, setQueue] = useState<readonly string[]>([])
  const [failures, setFailures] = useState<Readonly<Record<string, Failure | undefined>>>({})
  const { mutateAsync } = useAction('tools.verify')
  const verifyTool = async (id: string): Promise<void> => {
    const key = setupKey(id, userSite)
    setVerification(key, undefined)
    setFailures((previousFailures) => ({ ...previousFailures, [id]: undefined }))
    try {
      setVerification(key, await mutateAsync(toToolLocation(id, userSite)))
    } catch (error) {
      if (error instanceof CallError) setFailures((previousFailures) => ({ ...previousFailures, [id]: error.failure }))
    }
  }
  const verify = async (ids: readonly string[]): Promise<void> => {
    setQueue(ids)
    for (const id of ids) {
      await verifyTool(id)
      setQueue((queuedIds) => queuedIds.filter((queuedId) => queuedId !== id))
    }
  }
  return {
    isBusy: queue.length > 0,
    verify: (ids: readonly string[]): void => void verify(ids),
    getState: (id: string) => {
      const check = verifications[setupKey(id, userSite)]
      return {
        isWaiting: queue.includes(id) && queue[0] !== id,
        isRunning: queue[0] === id,
        check: check?.ok ? check : undefined,
        failure: failures[id] ?? (check?.ok === false ? check.failure : undefined),
      }
    },
  }
}

type Verification = ReturnType<ReturnType<typeof useVerifyTools>['getState']>

function State({ tool, verification }: { readonly tool: ToolView; readonly verification: Verification }) {
  const { t } = useTranslation('tools')
  const { duration } = useFormats()
  const { isWaiting, isRunning, check, failure } = verification
  if (isRunning) return <StatusDot tone="accent" pulse label={t('many.verifying')} />
  if (isWaiting) return <StatusDot tone="neutral" label={t('many.waiting')} />
  if (failure) return <StatusDot tone="danger" label={t('many.noAnswer')} />
  if (check) return <StatusDot tone="success" label={t('many.answered', { time: duration(check.durationMs) })} />
  return <ToolStatusDot setup={tool} />
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

interface WrittenToolProps {
  readonly tool: ToolView
  readonly todo: readonly ToolWarning[]
  readonly keyRef: { readonly planId: string; readonly keyId: string | undefined }
  readonly verification: Verification
  /** Starts the verification of a tool. Undefined while a verification runs. */
  readonly onVerify: (() => void) | undefined
}

function WrittenTool({ tool, todo, keyRef, verification, onVerify }: WrittenToolProps) {
  const { t } = useTranslation('tools')
  const getFailureTexts = useFailureTexts()
  const { failure } = verification
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
              busy: verification.isRunning,
              disabled: !onVerify,
              onClick: () => onVerify?.(),
            },
      ]}
    />
  )
}

export function SetUpResult({ done }: { readonly done: ToolsSetUpResult }) {
  const { t } = useTranslation('tools')
  const { tools, preview, planId, keyId } = done
  const { isBusy, verify, getState } = useVerifyTools()
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
            onClick: () => verify(readyIds),
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
              verification={getState(tool.id)}
              onVerify={isBusy ? undefined : () => verify([tool.id])}
            />
          ))}
        </Rows>
      </Section>
    </>
  )
}
