import type { DoctorCheck, DoctorFix, DoctorReport, Finding, Site, ToolView } from '@shared/contract'
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  type LucideIcon,
  Stethoscope,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { call, useCall } from '../../../ipc'
import { planPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { QuietCode } from '../../../ui/code'
import { Card } from '../../../ui/page'
import { GridRow, GridRows, InlineDetails } from '../../../ui/rows'
import { ProgressBar } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import { planContext } from '../../connections/account'
import { type SiteTool, toolPath, toSiteTool, toToolLocation, useOtherModelPath, userSite, useShowFile } from '..'
import { cancelExamination, type Examination, examineSetup, useExamination } from './examinations'

/** Color of each outcome. The page also shows the outcome as text. */
const outcomeTones: Record<DoctorReport['outcome'], Tone> = {
  ok: 'success',
  warning: 'warning',
  failed: 'danger',
}

export function ReportOutcome({ report }: { readonly report: DoctorReport }) {
  const { t } = useTranslation('doctor')
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <StatusDot tone={outcomeTones[report.outcome]} label={t(`summary.${report.outcome}`)} />
      <span className="text-faint text-sm">
        <RelativeTime at={report.at} />
      </span>
    </span>
  )
}

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

interface ResultProps {
  readonly tool: SiteTool
  readonly examination: Examination | undefined
  readonly onRetry: () => void
}

export function ExaminationResult({ tool, examination, onRetry }: ResultProps) {
  const { t } = useTranslation('doctor')
  if (examination?.state === 'broken') {
    const handlers = { tryAgain: onRetry }
    return <ExplainedFailure failure={examination.failure} context={{ tool: tool.name }} handlers={handlers} />
  }
  if (examination?.state === 'running') {
    return (
      <Card>
        <div className="grid gap-2" role="status">
          <p>{t('running', { tool: tool.name })}</p>
          <ProgressBar label={t('running', { tool: tool.name })} />
        </div>
      </Card>
    )
  }
  return (
    <GridRows columns="32px minmax(0, 1fr) auto" label={t('list')}>
      {examination?.state === 'done'
        ? examination.result.findings.map((finding) => (
            <FindingRow
              key={`${finding.check} ${finding.subject ?? ''}`}
              finding={finding}
              tool={tool}
              onRetry={onRetry}
            />
          ))
        : checks.map((check) => <CheckSection key={check} check={check} outcome="open" />)}
    </GridRows>
  )
}

export function DoctorPanel({ tool, site = userSite }: { readonly tool: ToolView; readonly site?: Site }) {
  const { t } = useTranslation(['doctor', 'common'])
  const setup = { toolId: tool.id, site }
  const examination = useExamination(setup)
  const startDiagnosis = (): void => void examineSetup(setup)
  return (
    <section className="flex flex-col gap-3" aria-label={t('doctor:title', { tool: tool.name })}>
      <div className="flex items-center justify-between gap-4">
        <div className="min-w-0 text-muted" aria-live="polite">
          {examination?.state === 'done' ? <ReportOutcome report={examination.result} /> : t('doctor:costs')}
        </div>
        {examination?.state === 'running' ? (
          <Button onClick={() => cancelExamination(setup)}>{t('common:cancel')}</Button>
        ) : (
          <Button icon={Stethoscope} variant={examination ? 'secondary' : 'primary'} onClick={startDiagnosis}>
            {t(examination ? 'doctor:again' : 'doctor:begin')}
          </Button>
        )}
      </div>
      <ExaminationResult tool={toSiteTool(tool, site)} examination={examination} onRetry={startDiagnosis} />
    </section>
  )
}

type FindingOutcome = Finding['outcome'] | 'open'

const icons: Record<FindingOutcome, LucideIcon> = {
  ok: CircleCheck,
  warning: TriangleAlert,
  failed: CircleAlert,
  skipped: CircleMinus,
  open: CircleDashed,
}

const outcomeClasses: Record<FindingOutcome, string> = {
  ok: 'text-success',
  warning: 'text-warning',
  failed: 'text-danger',
  skipped: 'text-faint',
  open: 'text-faint',
}

function CheckSection(props: {
  readonly check: DoctorCheck
  readonly outcome: FindingOutcome
  readonly note?: ReactNode
  readonly children?: ReactNode
}) {
  const { check, outcome, note, children } = props
  const { t } = useTranslation('doctor')
  const Icon = icons[outcome]
  return (
    <GridRow className="min-h-11 py-2 pr-4 pl-0" data-outcome={outcome}>
      <Icon
        size={16}
        strokeWidth={1.9}
        className={joinClassNames('justify-self-end', outcomeClasses[outcome])}
        aria-hidden="true"
      />
      <div className="min-w-0">
        <p className="font-strong">{t(`checks.${check}`)}</p>
        {note ? <Hint as="div">{note}</Hint> : null}
      </div>
      <span className={joinClassNames('justify-self-end text-sm', outcomeClasses[outcome])}>
        {t(`outcomes.${outcome}`)}
      </span>
      {children ? <div className="col-[2/-1] mt-2 mb-1 min-w-0">{children}</div> : null}
    </GridRow>
  )
}

/** Text about the tokens that a check has used. Undefined for a check that used none. */
function useCost({ check, outcome, inputTokens, outputTokens }: Finding): string | undefined {
  const { t } = useTranslation('doctor')
  const { number } = useFormats()
  if (check !== 'realRequest' || outcome === 'skipped') return undefined
  if (inputTokens === undefined || outputTokens === undefined) return outcome === 'ok' ? t('costUnknown') : undefined
  const total = inputTokens + outputTokens
  return t('cost', { count: total, total: number(total), input: number(inputTokens), output: number(outputTokens) })
}

interface FindingProps {
  readonly finding: Finding
  readonly tool: SiteTool
  readonly onRetry: () => void
}

function Explanation({ finding, tool, onRetry }: FindingProps) {
  const { t } = useTranslation('doctor')
  const { check, outcome, failure, subject, text } = finding
  const tone = outcome === 'failed' ? 'danger' : 'warning'
  const fixButton = <FixButton finding={finding} tool={tool} onRetry={onRetry} />
  const { applied } = tool
  const { data: plans } = useCall('plans.list', {}, { enabled: failure !== undefined })
  if (failure) {
    const isAddress = subject !== undefined && URL.canParse(subject)
    const context = {
      tool: tool.name,
      file: check === 'fileParses' ? (subject ?? tool.file) : tool.file,
      plan: applied?.planName,
      modelCode: check === 'modelInPlan' ? (subject ?? applied?.modelCode) : applied?.modelCode,
      requestAddress: isAddress ? subject : applied?.requestAddress,
      ...planContext(plans?.find(({ id }) => id === applied?.planId)),
    }
    return <ExplainedFailure failure={failure} context={context} tone={tone} actions={fixButton} />
  }
  return (
    <Callout tone={tone} title={t(`wrong.${check}`, { tool: tool.name })} actions={fixButton}>
      {text === undefined ? null : (
        <code className="block select-text wrap-anywhere rounded-sm bg-well px-2 py-1.5">{text}</code>
      )}
    </Callout>
  )
}

function FindingRow(props: FindingProps) {
  const { finding } = props
  const { t } = useTranslation('doctor')
  const { duration } = useFormats()
  const cost = useCost(finding)
  const { check, outcome, subject, durationMs } = finding
  const isProblem = outcome === 'warning' || outcome === 'failed'
  const findingDetails = [
    outcome === 'skipped' && t('skippedWhy'),
    subject !== undefined && (
      <QuietCode key="subject" wrap>
        {subject}
      </QuietCode>
    ),
    durationMs !== undefined && outcome === 'ok' && duration(durationMs),
    cost,
  ]
  return (
    <CheckSection
      check={check}
      outcome={outcome}
      note={findingDetails.some(Boolean) ? <InlineDetails items={findingDetails} /> : null}
    >
      {isProblem ? <Explanation {...props} /> : null}
    </CheckSection>
  )
}

function useFixPaths(tool: SiteTool): Partial<Record<DoctorFix, string>> {
  const { id, site, applied } = tool
  const { data: plans = [] } = useCall('plans.list', {})
  const plan = plans.find((candidate) => candidate.id === applied?.planId)
  const configure = toolPath(id, 'configure', site)
  return {
    applyAgain: configure,
    chooseModel: useOtherModelPath(tool),
    chooseKey: configure,
    undo: toolPath(id, 'undo', site),
    // Path to replace a key: on the keys tab for a plan of an account, otherwise by pasting a new key.
    replaceKey: applied ? `${planPath(applied.planId)}${plan?.origin ? '?tab=keys' : '?paste=1'}` : configure,
  }
}

const isPath = (text: string | undefined): text is string => text !== undefined && /^(?:[a-z]:)?[\\/]/i.test(text)

const installText = ({ install }: SiteTool): string | undefined =>
  install && ('command' in install ? install.command : install.url)

function useFixActions({ finding, tool, onRetry }: FindingProps): Partial<Record<DoctorFix, () => void>> {
  const { t } = useTranslation('doctor')
  const showFile = useShowFile()
  const copyText = useCopyText()
  const { subject, text } = finding
  const copy = (copiedText = ''): void => copyText(copiedText, { title: t('copied'), description: copiedText })
  return {
    openFile: () => showFile({ ...toToolLocation(tool.id, tool.site), ...(isPath(subject) ? { path: subject } : {}) }),
    copyLine: () => copy(text),
    install: () => copy(installText(tool)),
    unlockKeychain: () => void call('app.recheckVault', {}).then(onRetry, onRetry),
    startRelay: () => void call('relay.start', {}).then(onRetry, onRetry),
    retry: onRetry,
  }
}

/** Button that fixes a finding. Renders nothing for a finding without a fix. */
function FixButton(props: FindingProps) {
  const { t } = useTranslation('doctor')
  const fixes = useFixActions(props)
  const fixLocations = useFixPaths(props.tool)
  const { fix, text } = props.finding
  if (fix === undefined) return null
  if ((fix === 'copyLine' && text === undefined) || (fix === 'install' && !installText(props.tool))) return null
  const fixLocation = fixLocations[fix]
  if (fixLocation !== undefined) {
    return (
      <ButtonLink size="sm" to={fixLocation}>
        {t(`fixes.${fix}`)}
      </ButtonLink>
    )
  }
  return (
    <Button size="sm" onClick={fixes[fix]}>
      {t(`fixes.${fix}`)}
    </Button>
  )
}
