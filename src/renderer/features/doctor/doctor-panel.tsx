import type { DoctorCheck, DoctorReport, Site, ToolView } from '@shared/contract'
import { Stethoscope } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card } from '../../ui/page'
import { ProgressBar } from '../../ui/spinner'
import { ExplainedFailure } from '../failures/explained-failure'
import { type ToolHere, toolHere, userSite } from '../tools/sites'
import styles from './doctor.module.css'
import { cancelExamination, type Examination, examine, useExamination } from './examinations'
import { FindingRow, OpenRow } from './finding-row'

/** The colour of each outcome; a word always goes with it. */
const outcomeTones: Record<DoctorReport['outcome'], Tone> = {
  ok: 'success',
  warning: 'warning',
  failed: 'danger',
}

/** How an examination came out as a whole, and when. */
export function Outcome({ report }: { readonly report: DoctorReport }) {
  const { t } = useTranslation('doctor')
  return (
    <span className={styles.outcome}>
      <StatusDot tone={outcomeTones[report.outcome]} label={t(`summary.${report.outcome}`)} />
      <span className={styles.when}>
        <RelativeTime at={report.at} />
      </span>
    </span>
  )
}

/** What the doctor looks at, in its order. */
const checks: readonly DoctorCheck[] = [
  'installed',
  'fileParses',
  'ownedValues',
  'rivals',
  'helperRuns',
  'keyAlive',
  'suffixRight',
  'modelInPlan',
  'realRequest',
]

function Checks() {
  const { t } = useTranslation('doctor')
  return (
    <ul className={styles.list} aria-label={t('list')}>
      {checks.map((check) => (
        <OpenRow key={check} check={check} />
      ))}
    </ul>
  )
}

interface ResultProps {
  readonly tool: ToolHere
  readonly examination: Examination | undefined
  readonly onRetry: () => void
}

/** What is examined, or what came of it: the checks in their order. */
export function ExaminationResult({ tool, examination, onRetry }: ResultProps) {
  const { t } = useTranslation('doctor')
  if (examination?.state === 'broken') {
    const handlers = { tryAgain: onRetry }
    return <ExplainedFailure failure={examination.failure} context={{ tool: tool.name }} handlers={handlers} />
  }
  if (examination?.state === 'running') {
    return (
      <Card>
        <div className={styles.running} role="status">
          <p>{t('running', { tool: tool.name })}</p>
          <ProgressBar label={t('running', { tool: tool.name })} />
        </div>
      </Card>
    )
  }
  if (examination?.state !== 'done') return <Checks />
  return (
    <ul className={styles.list} aria-label={t('list')}>
      {examination.report.findings.map((finding) => (
        <FindingRow key={`${finding.check} ${finding.subject ?? ''}`} finding={finding} tool={tool} onRetry={onRetry} />
      ))}
    </ul>
  )
}

/** One setup of a tool examined: what came of it last, a button to begin, and one to stop. */
export function DoctorPanel({ tool, site = userSite }: { readonly tool: ToolView; readonly site?: Site }) {
  const { t } = useTranslation(['doctor', 'common'])
  const setup = { toolId: tool.id, site }
  const examination = useExamination(setup)
  const begin = (): void => void examine(setup)
  return (
    <section className={styles.panel} aria-label={t('doctor:title', { tool: tool.name })}>
      <div className={styles.bar}>
        <div className={styles.words} aria-live="polite">
          {examination?.state === 'done' ? <Outcome report={examination.report} /> : t('doctor:costs')}
        </div>
        {examination?.state === 'running' ? (
          <Button onClick={() => cancelExamination(setup)}>{t('common:cancel')}</Button>
        ) : (
          <Button icon={Stethoscope} variant={examination ? 'secondary' : 'primary'} onClick={begin}>
            {t(examination ? 'doctor:again' : 'doctor:begin')}
          </Button>
        )}
      </div>
      <ExaminationResult tool={toolHere(tool, site)} examination={examination} onRetry={begin} />
    </section>
  )
}
