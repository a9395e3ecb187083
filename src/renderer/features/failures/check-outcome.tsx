import type { CheckView } from '@shared/contract'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { Code } from '../../ui/code'
import styles from './check-outcome.module.css'
import type { FailureContext } from './explain-failure'
import { ExplainedFailure, type RemedyHandlers } from './explained-failure'

interface CheckOutcomeProps {
  readonly check: CheckView
  readonly context?: FailureContext | undefined
  readonly handlers?: RemedyHandlers | undefined
  readonly busy?: boolean | undefined
  /** Buttons that go with a success. */
  readonly actions?: ReactNode
}

type Passed = Extract<CheckView, { ok: true }>

function Figures({ check }: { check: Passed }) {
  const { t } = useTranslation('failures')
  const formats = useFormats()
  const { inputTokens, outputTokens } = check
  const tokens =
    inputTokens === undefined || outputTokens === undefined
      ? t('check.tokensUnknown')
      : t('check.tokensInOut', { input: formats.number(inputTokens), output: formats.number(outputTokens) })
  const rows: readonly (readonly [string, ReactNode])[] = [
    [t('check.took'), formats.duration(check.durationMs)],
    ...(check.modelCode
      ? ([
          [
            t('check.model'),
            <Code quiet key="model">
              {check.modelCode}
            </Code>,
          ],
        ] as const)
      : []),
    ...(check.modelCode ? ([[t('check.tokens'), tokens]] as const) : []),
    ...(check.requestId
      ? ([
          [
            t('check.requestId'),
            <Code quiet key="id">
              {check.requestId}
            </Code>,
          ],
        ] as const)
      : []),
  ]
  return (
    <dl className={styles.figures}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function PassedCheck({ check, actions }: { check: Passed; actions?: ReactNode }) {
  const { t } = useTranslation('failures')
  return (
    <section className={styles.passed} aria-label={t('check.passed')}>
      <header className={styles.head}>
        <CircleCheck size={16} strokeWidth={1.9} className={styles.icon} aria-hidden="true" />
        <p className={styles.title}>{check.modelCode ? t('check.passed') : t('check.passedKeyOnly')}</p>
        <span className={styles.when}>
          <RelativeTime at={check.at} />
        </span>
        {actions}
      </header>
      <p className={styles.address}>
        <span className={styles.verb}>POST</span>
        <span className={styles.url}>{check.requestAddress}</span>
        <CopyText text={check.requestAddress} label={t('check.copyAddress')} />
      </p>
      {check.answer === undefined ? null : (
        <blockquote className={styles.answer} aria-label={t('check.answer')}>
          {check.answer}
        </blockquote>
      )}
      {check.modelCode ? null : <p className={styles.note}>{t('check.noModel')}</p>}
      <Figures check={check} />
    </section>
  )
}

/** What one real small request gave: address, answer, time and tokens; or what went wrong and what helps. */
export function CheckOutcome({ check, context, handlers, busy, actions }: CheckOutcomeProps) {
  if (check.ok) return <PassedCheck check={check} actions={actions} />
  const { requestAddress, status, modelCode } = check
  return (
    <ExplainedFailure
      failure={check.failure}
      context={{ ...context, requestAddress, status, modelCode }}
      handlers={handlers}
      busy={busy}
    />
  )
}
