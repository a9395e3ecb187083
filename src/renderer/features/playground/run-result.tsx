import type { PlaygroundAnswer, PlaygroundRun } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { ExplainedFailure, type RemedyHandlers } from '../../failures'
import { useFormats } from '../../format'
import { call, useAction, useCall } from '../../ipc'
import { connectionPath, planPath } from '../../paths'
import { Badge, StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { InlineDetails } from '../../ui/rows'
import { planContext } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { isRunActive } from './runs-store'
import type { TargetChange } from './targets'

/** Color of each run state. The page also shows the state as text. */
export const runTones: Readonly<Record<PlaygroundRun['state'], Tone>> = {
  waiting: 'neutral',
  running: 'accent',
  done: 'success',
  stopped: 'warning',
  cut: 'warning',
  failed: 'danger',
}

/** Badge that shows whether an answer matches the requested JSON format, or else the first violation. */
export function JsonBadge({ json }: { readonly json: NonNullable<PlaygroundRun['json']> }) {
  const { t } = useTranslation('playground')
  if (json.isValid) return <Badge tone="success">{t('json.valid')}</Badge>
  const violation = json.violation ?? t('json.unparsable')
  return (
    <span title={violation}>
      <Badge tone="danger">{t('json.invalid')}</Badge> <span>{violation}</span>
    </span>
  )
}

/** The answer for display. Valid JSON is shown as an indented code block. */
export const withPrettyJson = (answer: PlaygroundAnswer, run: PlaygroundRun | undefined): PlaygroundAnswer =>
  run?.json?.isValid && !answer.isEdited
    ? { ...answer, text: `\`\`\`json\n${prettyJson(answer.text)}\n\`\`\`` }
    : answer

/** Formats a share of the remaining quota (0 to 1) in percent. Very small shares get more digits than 0 %. */
export function shareText(share: number, locale: string): string {
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: share < 0.01 ? 2 : 1 })
  return share > 0 && share < 0.0001 ? `< ${percent.format(0.0001)}` : percent.format(share)
}

const tokenFields = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

export const RunDetails = memo(({ run }: { readonly run: PlaygroundRun }) => {
  const { t } = useTranslation('playground')
  const { locale, number, duration } = useFormats()
  const { state, status, requestId, allowanceShare, finishReason, firstTokenMs, durationMs, tokensPerSecond } = run
  const rateFormat = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return (
    <div className="text-muted text-sm leading-6 tabular-nums">
      <InlineDetails
        items={[
          <StatusDot
            key="state"
            tone={runTones[state]}
            pulse={isRunActive(run)}
            label={status === undefined ? t(`states.${state}`) : `${t(`states.${state}`)} · ${status}`}
          />,
          run.json ? <JsonBadge key="json" json={run.json} /> : undefined,
          firstTokenMs === undefined ? undefined : t('facts.firstToken', { time: duration(firstTokenMs) }),
          durationMs === undefined ? undefined : t('facts.duration', { time: duration(durationMs) }),
          tokensPerSecond === undefined ? undefined : t('facts.rate', { rate: rateFormat.format(tokensPerSecond) }),
          ...tokenFields.map((name) => {
            const tokens = run[name]
            if (tokens === undefined || (tokens === 0 && name.startsWith('cache'))) return undefined
            return t(`facts.${name}`, { count: tokens, amount: (run.isEstimated ? '≈ ' : '') + number(tokens) })
          }),
          allowanceShare === undefined ? undefined : (
            <span key="share" title={t('facts.shareHint')}>
              {t('facts.share', { share: shareText(allowanceShare, locale) })}
            </span>
          ),
          finishReason === undefined || state !== 'done' ? undefined : (
            <span key="finish" title={t('facts.finishHint')}>
              <code>{finishReason}</code>
            </span>
          ),
          requestId === undefined ? undefined : (
            <span
              key="id"
              className="inline-flex max-w-55 items-center gap-0.5 align-bottom"
              title={t('facts.requestId', { id: requestId })}
            >
              <code className="min-w-0 overflow-hidden text-ellipsis">{requestId}</code>
              <CopyText text={requestId} label={t('facts.copyRequestId')} />
            </span>
          ),
        ]}
      />
    </div>
  )
})

interface RunProblemProps {
  readonly run: PlaygroundRun
  readonly onUse?: ((change: TargetChange) => void) | undefined
  readonly onAgain: () => void
  readonly onChooseModel: () => void
}

function useHandlers({ run: { target }, onAgain, onChooseModel }: RunProblemProps): RemedyHandlers {
  const navigate = useNavigate()
  const openSandbox = useAction('sandbox.open', { onSuccess: onAgain })
  const openTarget = (): void => {
    if (target.kind === 'plan') void navigate(planPath(target.planId))
    else if (target.kind === 'platform') void navigate(connectionPath(target.connectionId))
  }
  return {
    tryAgain: onAgain,
    chooseModel: onChooseModel,
    chooseKey: onChooseModel,
    choosePlan: onChooseModel,
    startSandbox: () => openSandbox.mutate({}),
    recheckVault: () => void call('app.recheckVault', {}).then(onAgain, onAgain),
    pasteKey: target.kind === 'local' ? undefined : openTarget,
    setAddress: target.kind === 'local' ? onChooseModel : openTarget,
  }
}

function OtherModels({ run, onUse }: Pick<RunProblemProps, 'run' | 'onUse'>) {
  const { t } = useTranslation('playground')
  const { listExhausted } = useModelQuotas()
  const exhausted = listExhausted(run.target.kind === 'plan' ? run.target.planId : '')
  const usableModels = (run.otherModels ?? []).filter((code) => !exhausted.has(code))
  if (!onUse || usableModels.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-muted">
      <p>{t('trouble.otherModels')}</p>
      <div className="flex flex-wrap gap-2">
        {usableModels.map((code) => (
          <Button key={code} size="sm" onClick={() => onUse({ modelCode: code })}>
            {code}
          </Button>
        ))}
      </div>
    </div>
  )
}

function FailedRun({ failure, ...props }: RunProblemProps & { readonly failure: Failure }) {
  const { run, onUse } = props
  const { data: plans = [] } = useCall('plans.list', {})
  const { target, requestAddress, status } = run
  const plan = target.kind === 'plan' ? plans.find(({ id }) => id === target.planId) : undefined
  const key = target.kind === 'plan' ? plan?.keys.find(({ id }) => id === target.keyId) : undefined
  const newKeyId = key?.replacedBy?.keyId
  const handlers = {
    ...useHandlers(props),
    useNewKey: newKeyId && onUse ? () => onUse({ keyId: newKeyId }) : undefined,
  }
  const context = { modelCode: target.modelCode, requestAddress, status, ...planContext(plan, key) }
  return (
    <div className="flex flex-col gap-2">
      <ExplainedFailure failure={failure} context={context} handlers={handlers} />
      <OtherModels {...props} />
    </div>
  )
}

/** Shows why a run failed, or that it was stopped or truncated. Renders nothing if it succeeded. */
export function RunProblem(props: RunProblemProps) {
  const { t } = useTranslation('playground')
  const { run, onAgain } = props
  const { state, failure } = run
  if (state === 'stopped') return <p className="text-sm text-warning">{t('trouble.stopped')}</p>
  if (state === 'cut')
    return (
      <Callout tone="warning" title={t('trouble.cut')} actions={[{ label: t('trouble.again'), onClick: onAgain }]}>
        {t('trouble.cutText')}
      </Callout>
    )
  return state === 'failed' && failure ? <FailedRun {...props} failure={failure} /> : null
}

/** Maximum depth to indent. Deeper JSON would be mostly white space. */
const maxDepth = 100

/** Whether JSON is nested too deeply. Ignores brackets inside strings. */
function isDeeplyNested(json: string): boolean {
  let depth = 0
  for (const [bracket] of json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > maxDepth) return true
  }
  return false
}

/** Formats JSON with indentation. Returns other text, and JSON that is nested too deeply, unchanged. */
export function prettyJson(text: string): string {
  if (isDeeplyNested(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
