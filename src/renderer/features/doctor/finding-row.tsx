import type { DoctorCheck, Finding } from '@shared/contract'
import { CircleAlert, CircleCheck, CircleDashed, CircleMinus, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Facts } from '../../ui/rows'
import { ExplainedFailure } from '../failures/explained-failure'
import type { ToolHere } from '../tools/sites'
import styles from './doctor.module.css'
import { FixButton } from './fix-button'

type Outcome = Finding['outcome'] | 'open'

const icons: Record<Outcome, LucideIcon> = {
  ok: CircleCheck,
  warning: TriangleAlert,
  failed: CircleAlert,
  skipped: CircleMinus,
  open: CircleDashed,
}

function Frame(props: {
  readonly check: DoctorCheck
  readonly outcome: Outcome
  readonly note?: ReactNode
  readonly children?: ReactNode
}) {
  const { check, outcome, note, children } = props
  const { t } = useTranslation('doctor')
  const Icon = icons[outcome]
  return (
    <li className={styles.row} data-outcome={outcome}>
      <Icon size={16} strokeWidth={1.9} className={styles[outcome]} aria-hidden="true" />
      <div className={styles.what}>
        <p className={styles.name}>{t(`checks.${check}`)}</p>
        {note ? <div className={styles.note}>{note}</div> : null}
      </div>
      <span className={styles[outcome]}>{t(`outcomes.${outcome}`)}</span>
      {children ? <div className={styles.details}>{children}</div> : null}
    </li>
  )
}

/** A check that has not been made yet. */
export function OpenRow({ check }: { readonly check: DoctorCheck }) {
  return <Frame check={check} outcome="open" />
}

/** What a request cost, in words; nothing for a check that sends none. */
function useCost(): (finding: Finding) => string | undefined {
  const { t } = useTranslation('doctor')
  const { number } = useFormats()
  return ({ check, outcome, inputTokens, outputTokens }) => {
    if (check !== 'realRequest' || outcome === 'skipped') return undefined
    if (inputTokens === undefined || outputTokens === undefined) return outcome === 'ok' ? t('costUnknown') : undefined
    const total = inputTokens + outputTokens
    return t('cost', { count: total, total: number(total), input: number(inputTokens), output: number(outputTokens) })
  }
}

interface FindingProps {
  readonly finding: Finding
  readonly tool: ToolHere
  readonly onRetry: () => void
}

function Explanation({ finding, tool, onRetry }: FindingProps) {
  const { t } = useTranslation('doctor')
  const { check, outcome, failure, subject, text } = finding
  const tone = outcome === 'failed' ? 'danger' : 'warning'
  const fix = <FixButton finding={finding} tool={tool} onRetry={onRetry} />
  const { applied } = tool
  if (failure) {
    const isAddress = subject !== undefined && URL.canParse(subject)
    const context = {
      tool: tool.name,
      file: check === 'fileParses' ? (subject ?? tool.file) : tool.file,
      plan: applied?.planName,
      modelCode: check === 'modelInPlan' ? (subject ?? applied?.modelCode) : applied?.modelCode,
      requestAddress: isAddress ? subject : applied?.requestAddress,
    }
    return <ExplainedFailure failure={failure} context={context} tone={tone} actions={fix} />
  }
  return (
    <Callout tone={tone} title={t(`wrong.${check}`, { tool: tool.name })} actions={fix}>
      {text === undefined ? null : <code className={styles.line}>{text}</code>}
    </Callout>
  )
}

/** One check: what was looked at, how it came out, and what helps. */
export function FindingRow(props: FindingProps) {
  const { finding } = props
  const { t } = useTranslation('doctor')
  const { duration } = useFormats()
  const cost = useCost()(finding)
  const { check, outcome, subject, durationMs } = finding
  const isWrong = outcome === 'warning' || outcome === 'failed'
  const facts = [
    outcome === 'skipped' && t('skippedWhy'),
    subject !== undefined && (
      <Code key="subject" quiet wrap>
        {subject}
      </Code>
    ),
    durationMs !== undefined && outcome === 'ok' && duration(durationMs),
    cost,
  ]
  return (
    <Frame check={check} outcome={outcome} note={facts.some(Boolean) ? <Facts items={facts} /> : null}>
      {isWrong ? <Explanation {...props} /> : null}
    </Frame>
  )
}
