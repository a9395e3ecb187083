import type { CheckView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import i18next from 'i18next'
import { CircleCheck } from 'lucide-react'
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { CopyText } from '../copy-text'
import { formatDuration, formatNumber } from '../format'
import { RelativeTime } from '../relative-time'
import { openHelp } from '../session'
import type { Action } from '../ui/button'
import { Callout } from '../ui/callout'
import { QuietCode } from '../ui/code'
import { ProgressCard } from '../ui/page'
import { explainFailure, type FailureContext, type RemedyAction } from './explain-failure'

const t = i18next.getFixedT(null, 'failures')

/** Remedies that this page implements. The failure shows a button only for these. */
export type RemedyHandlers = { readonly [A in RemedyAction]?: (() => void) | undefined }

function Details({ failure, context = {} }: { failure: Failure; context?: FailureContext | undefined }) {
  const code = (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <QuietCode>{failure.code}</QuietCode>
      <button
        type="button"
        className="rounded-xs text-accent-text hover:underline"
        onClick={() => openHelp(failure.code)}
      >
        {t('details.more')}
      </button>
    </span>
  )
  const rows = [
    [t('details.status'), context.status && <QuietCode wrap>{context.status}</QuietCode>],
    [t('details.address'), context.requestAddress && <QuietCode wrap>{context.requestAddress}</QuietCode>],
    [t('details.requestId'), failure.requestId && <QuietCode wrap>{failure.requestId}</QuietCode>],
    [
      t('details.message'),
      <span key="message" lang="en">
        {failure.message}
      </span>,
    ],
    [t('details.code'), code],
  ] as const
  return (
    <dl className="grid gap-0.5">
      {rows.map(([label, value]) =>
        value ? (
          <div key={label} className="grid grid-cols-[minmax(104px,max-content)_minmax(0,1fr)] gap-2">
            <dt className="text-muted">{label}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

/** Separates the server's own message from this app's text in a failure from the main process. */
const serverMessageLabel = ' The server says: '

/** Shows a failure: what happened, why, the server's message, what to do, a remedy button, and collapsed details. */
export function ExplainedFailure(props: {
  /** Renders nothing without a failure. */
  readonly failure: Failure | undefined
  readonly context?: FailureContext | undefined
  readonly handlers?: RemedyHandlers | undefined
  readonly busy?: boolean | undefined
  readonly tone?: 'danger' | 'warning'
  /** Additional buttons, shown before the remedy's button. */
  readonly actions?: readonly (Action | ReactElement | false | undefined)[]
}) {
  const { failure, context, handlers = {}, busy = false, tone = 'danger', actions = [] } = props
  if (!failure) return null
  const { title, explanation, remedy, action, also } = explainFailure(failure, context)
  const serverText = failure.message.split(serverMessageLabel)[1]
  const handler = handlers[action]
  const otherHandler = also && handlers[also]
  return (
    <Callout
      tone={tone}
      title={title}
      details={<Details failure={failure} context={context} />}
      actions={[
        ...actions,
        otherHandler && {
          label: t(`actions.${also}`),
          variant: 'ghost',
          onClick: otherHandler,
          busy: busy && !handler,
        },
        handler && { label: t(`actions.${action}`), onClick: handler, busy },
      ]}
    >
      <p>{explanation}</p>
      {serverText ? (
        <p className="select-text">
          {t('serverSaid')} <span lang="en">{serverText}</span>
        </p>
      ) : null}
      <p className="mt-0.5 text-text">{remedy}</p>
    </Callout>
  )
}

type PassedView = Extract<CheckView, { ok: true }>

function CheckMetrics({ check }: { check: PassedView }) {
  const { inputTokens, outputTokens } = check
  const tokens =
    inputTokens === undefined || outputTokens === undefined
      ? t('check.tokensUnknown')
      : t('check.tokensInOut', { input: formatNumber(inputTokens), output: formatNumber(outputTokens) })
  const rows: readonly (readonly [string, ReactNode])[] = [
    [t('check.took'), formatDuration(check.durationMs)],
    [t('check.model'), check.modelCode && <QuietCode key="model">{check.modelCode}</QuietCode>],
    [t('check.tokens'), check.modelCode && tokens],
    [t('check.requestId'), check.requestId && <QuietCode key="id">{check.requestId}</QuietCode>],
  ]
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {rows.map(([label, value]) =>
        value ? (
          <div key={label} className="flex min-w-0 gap-1.5">
            <dt className="text-muted">{label}</dt>
            <dd className="wrap-anywhere min-w-0 tabular-nums">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

function PassedCheck({ check }: { check: PassedView }) {
  return (
    <section
      className="flex flex-col gap-2 rounded-lg border border-success-line bg-success-soft px-3.5 py-3"
      aria-label={t('check.passed')}
    >
      <header className="flex flex-wrap items-center gap-2">
        <CircleCheck size={16} strokeWidth={1.9} className="text-success" />
        <p className="font-semibold">{check.modelCode ? t('check.passed') : t('check.passedKeyOnly')}</p>
        <span className="flex-1 text-muted text-sm">
          <RelativeTime at={check.at} />
        </span>
      </header>
      <p className="flex min-w-0 items-center gap-2 font-mono text-sm">
        <span className="flex-none font-bold text-success">POST</span>
        <span className="min-w-0 wrap-anywhere">{check.requestAddress}</span>
        <CopyText text={check.requestAddress} label={t('check.copyAddress')} />
      </p>
      {check.answer === undefined ? null : (
        <blockquote
          className="whitespace-pre-line wrap-anywhere select-text border-success-line border-l-2 py-0.5 pl-3"
          aria-label={t('check.answer')}
        >
          {check.answer}
        </blockquote>
      )}
      {check.modelCode ? null : <p className="text-muted">{t('check.noModel')}</p>}
      <CheckMetrics check={check} />
    </section>
  )
}

/** Connection check: its progress, if `pending` is a text, or else its failure or outcome. Empty before the check. */
export function CheckState(
  props: Pick<ComponentProps<typeof ExplainedFailure>, 'failure' | 'context' | 'handlers' | 'busy'> & {
    readonly pending?: string | false
    readonly check: CheckView | undefined
  },
) {
  const { pending = false, failure, check, context, ...rest } = props
  if (pending !== false) return <ProgressCard text={pending} />
  if (failure || !check) return <ExplainedFailure failure={failure} context={context} {...rest} />
  if (check.ok) return <PassedCheck check={check} />
  const { requestAddress, status, modelCode } = check
  const checkContext = { ...context, requestAddress, status, modelCode }
  return <ExplainedFailure failure={check.failure} context={checkContext} {...rest} />
}
