import type { MethodInput, PlaygroundAnswer, PlaygroundRun, PlaygroundWire } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { prettyJson } from '@shared/json'
import i18next from 'i18next'
import { memo, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { ExplainedFailure, type RemedyHandlers } from '../../failures'
import { formatDuration, formatNumber, numberFormat } from '../../format'
import { useLocaleChange } from '../../i18n'
import { call, useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { connectionPath, planPath } from '../../paths'
import { Badge, StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Sheet } from '../../ui/dialog'
import { reachable } from '../../ui/markdown/elements'
import { InlineDetails } from '../../ui/rows'
import { Select } from '../../ui/select'
import { Tabs } from '../../ui/tabs'
import { Hint } from '../../ui/text'
import { planContext } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { isRunActive } from './runs-store'
import type { TargetChange } from './target-select'

const t = i18next.getFixedT(null, 'playground')

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
export function shareText(share: number): string {
  const percent = numberFormat({ style: 'percent', maximumFractionDigits: share < 0.01 ? 2 : 1 })
  return share > 0 && share < 0.0001 ? `< ${percent.format(0.0001)}` : percent.format(share)
}

const tokenFields = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

export const RunDetails = memo(({ run }: { readonly run: PlaygroundRun }) => {
  useLocaleChange()
  const { state, status, requestId, allowanceShare, finishReason, firstTokenMs, durationMs, tokensPerSecond } = run
  const rateFormat = numberFormat({ maximumFractionDigits: 1 })
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
          firstTokenMs === undefined ? undefined : t('facts.firstToken', { time: formatDuration(firstTokenMs) }),
          durationMs === undefined ? undefined : t('facts.duration', { time: formatDuration(durationMs) }),
          tokensPerSecond === undefined ? undefined : t('facts.rate', { rate: rateFormat.format(tokensPerSecond) }),
          ...tokenFields.map((name) => {
            const tokens = run[name]
            if (tokens === undefined || (tokens === 0 && name.startsWith('cache'))) return undefined
            return t(`facts.${name}`, { count: tokens, amount: (run.isEstimated ? '≈ ' : '') + formatNumber(tokens) })
          }),
          allowanceShare === undefined ? undefined : (
            <span key="share" title={t('facts.shareHint')}>
              {t('facts.share', { share: shareText(allowanceShare) })}
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

const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
] as const

function Block(props: { title: string; text: string; copyLabel: string; none?: string }) {
  const { title, text, copyLabel, none } = props
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <header className="flex min-h-6 items-center justify-between">
        <h3>{title}</h3>
        {text === '' ? null : <CopyText text={text} label={copyLabel} />}
      </header>
      {text === '' && none !== undefined ? (
        <Hint>{none}</Hint>
      ) : (
        <pre
          className={joinClassNames(
            'max-h-105 overflow-auto rounded-md border bg-well px-3 py-2.5',
            'whitespace-pre-wrap wrap-anywhere leading-4.5',
          )}
          ref={reachable}
        >
          {text}
        </pre>
      )}
    </section>
  )
}

function Headers({ headers }: { readonly headers: PlaygroundWire['requestHeaders'] }) {
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3>{t('inspector.headers')}</h3>
      {headers.length === 0 ? <Hint>{t('inspector.noHeaders')}</Hint> : null}
      <dl className="flex flex-col gap-1 text-sm">
        {headers.map(([name, value], index) => (
          <div key={`${name}-${String(index)}`} className="grid grid-cols-[140px_1fr] gap-3">
            <dt className="wrap-anywhere text-muted">{name}</dt>
            <dd className="wrap-anywhere font-mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function RequestView({ wire }: { readonly wire: PlaygroundWire }) {
  return (
    <>
      <p className="flex min-w-0 items-center gap-2">
        <Badge>{wire.method}</Badge>
        <code className="wrap-anywhere min-w-0">{wire.requestAddress}</code>
        <CopyText text={wire.requestAddress} label={t('inspector.copyAddress')} />
      </p>
      <Headers headers={wire.requestHeaders} />
      <Block title={t('inspector.body')} text={prettyJson(wire.requestBody)} copyLabel={t('inspector.copyRequest')} />
    </>
  )
}

function ResponseView({ wire }: { readonly wire: PlaygroundWire }) {
  const { status, isEventStream, answerBody } = wire
  return (
    <>
      <p className="flex min-w-0 items-center gap-2">
        {status === undefined ? (
          t('inspector.noStatus')
        ) : (
          <Badge tone={status < 400 ? 'success' : 'danger'}>{t('inspector.status', { status })}</Badge>
        )}
        {wire.isShortened ? <Hint as="span">{t('inspector.shortened')}</Hint> : null}
      </p>
      <Headers headers={wire.answerHeaders} />
      <Block
        title={t(isEventStream ? 'inspector.events' : 'inspector.body')}
        text={isEventStream ? answerBody : prettyJson(answerBody)}
        copyLabel={t('inspector.copyAnswer')}
        none={t('inspector.noBody')}
      />
    </>
  )
}

function CodeView({ runId }: { readonly runId: string }) {
  const [language, setLanguage] = useState<MethodInput<'playground.code'>['language']>('curl')
  const code = useCall('playground.code', { runId, language })
  return (
    <>
      <div className="grid grid-cols-[140px_1fr] items-center gap-3">
        <Select aria-label={t('inspector.language')} value={language} onValueChange={setLanguage} options={languages} />
        <Hint>{t('inspector.keyHint')}</Hint>
      </div>
      <Loaded query={code} rows={4}>
        {(data) => <Block title={t('inspector.asCode')} text={data.code} copyLabel={t('inspector.copyCode')} />}
      </Loaded>
    </>
  )
}

/** Shows the raw request, response, stream events and code of a run. The main process has masked secrets in them. */
export function RunInspector(props: {
  readonly runId: string
  readonly onClose: () => void
  /** Tab that is open initially. */
  readonly face?: 'request' | 'answer' | 'code'
}) {
  const { runId, onClose, face: initialFace = 'request' } = props
  const [face, setFace] = useState(initialFace)
  const wire = useCall('playground.inspect', { runId })
  const renderTab = (Part: typeof RequestView): ReactNode => (
    <Loaded query={wire} rows={5}>
      {(data) => <Part wire={data} />}
    </Loaded>
  )
  return (
    <Sheet onClose={onClose} title={t('inspector.title')} description={t('inspector.text')}>
      <Tabs
        label={t('inspector.faces')}
        value={face}
        onValueChange={setFace}
        tabs={[
          { value: 'request', label: t('inspector.request'), content: renderTab(RequestView) },
          { value: 'answer', label: t('inspector.answer'), content: renderTab(ResponseView) },
          { value: 'code', label: t('inspector.code'), content: <CodeView runId={runId} /> },
        ]}
      />
    </Sheet>
  )
}
