import type { DoctorCheck, DoctorFix, DoctorReport, Finding, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { CircleAlert, CircleCheck, CircleDashed, CircleMinus, SearchX, Stethoscope, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { copyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatDuration, formatNumber } from '../../../format'
import { call, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { planPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { createRuns, type Run, useRunOnOpen } from '../../../runs'
import { StatusDot, type Tone } from '../../../ui/badge'
import { type Action, Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { QuietCode } from '../../../ui/code'
import { EmptyState, Page, PageHeader, ProgressCard } from '../../../ui/page'
import { ExpandButton, GridRow, GridRows, InlineDetails } from '../../../ui/rows'
import { ProgressBar, Spinner } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import { planContext } from '../../connections/account'
import {
  formatSite,
  listSetups,
  readSite,
  type SiteTool,
  setupKey,
  ToolInitials,
  toolPath,
  toSiteTool,
  toToolLocation,
  useOtherModelPath,
  useShowFile,
} from '..'

const t = i18next.getFixedT(null, ['doctor', 'common'])

function State({ examination }: { readonly examination: Examination | undefined }) {
  if (!examination) return <StatusDot tone="neutral" label={t('outcomes.open')} />
  if (examination.state === 'waiting') return <StatusDot tone="neutral" label={t('waiting')} />
  if (examination.state === 'running') {
    return (
      <span className="inline-flex flex-wrap items-center gap-x-2" role="status">
        <Spinner />
        {t('outcomes.running')}
      </span>
    )
  }
  if (examination.state === 'broken') return <StatusDot tone="danger" label={t('summary.failed')} />
  return <ReportOutcome report={examination.result} />
}

function SetupRow({ tool, examination }: { readonly tool: SiteTool; readonly examination: Examination | undefined }) {
  const id = useId()
  const [chosen, setChosen] = useState<boolean>()
  const isPassed = examination?.state === 'done' && examination.result.outcome === 'ok'
  const hasEnded = examination?.state === 'done' || examination?.state === 'broken'
  // Diagnoses that failed or found a problem start expanded.
  const isOpen = chosen ?? (hasEnded && !isPassed)
  return (
    <GridRow>
      <ToolInitials tool={tool} />
      <div className="min-w-0">
        <p className="font-strong">{tool.name}</p>
        {tool.site.kind === 'user' ? null : <Hint>{formatSite(tool.site)}</Hint>}
      </div>
      <State examination={examination} />
      <div className="flex items-center justify-end gap-1">
        {hasEnded ? (
          <ExpandButton
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-label={t('explainNamed', { tool: tool.name })}
            onClick={() => setChosen(!isOpen)}
          >
            {t('explain')}
          </ExpandButton>
        ) : null}
        {examination?.state === 'running' || examination?.state === 'waiting' ? (
          <Button
            size="sm"
            variant="ghost"
            aria-label={t('cancelNamed', { tool: tool.name })}
            onClick={() => cancelExamination(tool)}
          >
            {t('cancel')}
          </Button>
        ) : (
          <Button size="sm" aria-label={t('examineNamed', { tool: tool.name })} onClick={() => void examineSetup(tool)}>
            {t('begin')}
          </Button>
        )}
      </div>
      {hasEnded && isOpen ? (
        <div id={id} className="col-[2/-1] mt-2 mb-1 min-w-0">
          <ExaminationResult tool={tool} examination={examination} onRetry={() => void examineSetup(tool)} />
        </div>
      ) : null}
    </GridRow>
  )
}

function Summary({ all }: { readonly all: readonly (Examination | undefined)[] }) {
  const count = all.length
  const states = all.map((examination) =>
    examination?.state === 'done' ? examination.result.outcome : examination?.state,
  )
  const countStates = (...counted: typeof states): number => states.filter((state) => counted.includes(state)).length
  const [failed, warned] = [countStates('failed', 'broken'), countStates('warning')]
  const done = failed + warned + countStates('ok')
  if (countStates('waiting', 'running') > 0) {
    return (
      <div className="grid grid-cols-[auto_160px] items-center justify-start gap-2.5 text-muted">
        <span className="tabular-nums">{t('progress', { done, count })}</span>
        <ProgressBar value={done / count} label={t('examineAll')} />
      </div>
    )
  }
  if (done < count) return null
  if (failed > 0) return <StatusDot tone="danger" label={t('allFailed', { failed, count })} />
  if (warned > 0) return <StatusDot tone="warning" label={t('allWarned', { warned, count })} />
  return <StatusDot tone="success" label={t('allGood', { count })} />
}

function AllTools({ tools }: { readonly tools: readonly ToolView[] }) {
  // Only setups that this app has written can be diagnosed.
  const setups = tools.flatMap((tool) =>
    listSetups(tool).flatMap(({ site, applied }) => (applied ? [toSiteTool(tool, site)] : [])),
  )
  const examinations = useExaminations()
  const findExamination = (setup: SiteTool): Examination | undefined => examinations[toKey(setup)]
  const pendingSetups = setups.filter((setup) => ['waiting', 'running'].includes(findExamination(setup)?.state ?? ''))
  useRunOnOpen('run', () => void examineAllSetups(setups))
  const cancel = (): void => {
    // Cancel queued diagnoses before the running one. Otherwise its end would start the next one.
    for (const setup of pendingSetups.toReversed()) cancelExamination(setup)
  }
  return (
    <>
      <PageHeader
        title={t('pageTitle')}
        state={t('costsAll')}
        breadcrumb={[{ label: t('tools'), to: '/tools' }]}
        actions={[
          pendingSetups.length > 0
            ? { label: t('cancelAll'), onClick: cancel }
            : setups.length > 0 && {
                label: t('examineAll'),
                variant: 'primary',
                icon: Stethoscope,
                onClick: () => void examineAllSetups(setups),
              },
        ]}
      />
      {setups.length === 0 ? (
        <EmptyState icon={Stethoscope} title={t('none')} next={{ to: '/tools', label: t('toTools') }}>
          {t('noneText')}
        </EmptyState>
      ) : (
        <>
          <div role="status" className="empty:hidden">
            <Summary all={setups.map(findExamination)} />
          </div>
          <GridRows columns="auto minmax(0, 1fr) auto auto" label={t('toolList')}>
            {setups.map((setup) => (
              <SetupRow key={toKey(setup)} tool={setup} examination={findExamination(setup)} />
            ))}
          </GridRows>
        </>
      )}
    </>
  )
}

export function DoctorPage() {
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={tools} rows={4}>
        {(allTools) => <AllTools tools={allTools} />}
      </Loaded>
    </Page>
  )
}

/** Diagnosis of a tool in one scope. `place`: the scope as text in the page address. */
function ToolDiagnosis({ tool, place }: { readonly tool: ToolView; readonly place: string | null }) {
  const setup = toSiteTool(tool, readSite(place))
  const { site } = setup
  const isSetUp = setup.applied !== undefined
  useEffect(() => {
    const examined = { id: tool.id, site: readSite(place) }
    if (isSetUp && runs.get(toKey(examined)) === undefined) void examineSetup(examined)
  }, [tool.id, place, isSetUp])
  return (
    <>
      <PageHeader
        title={t('title', { tool: tool.name })}
        state={site.kind === 'user' ? t('state') : formatSite(site)}
        breadcrumb={[
          { label: t('tools'), to: '/tools' },
          { label: tool.name, to: toolPath(tool.id, undefined, site) },
        ]}
      />
      {isSetUp ? (
        <DoctorPanel tool={setup} />
      ) : (
        <EmptyState
          icon={Stethoscope}
          title={t('notSetUp', { tool: tool.name })}
          next={{ to: toolPath(tool.id, 'configure', site), label: t('setUp') }}
        >
          {t('notSetUpText')}
        </EmptyState>
      )}
    </>
  )
}

export function ToolDoctorPage() {
  const { toolId = '' } = useParams()
  const [query] = useSearchParams()
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={tools} rows={5}>
        {(allTools) => {
          const tool = allTools.find(({ id }) => id === toolId)
          if (tool) return <ToolDiagnosis tool={tool} place={query.get('at')} />
          return <EmptyState icon={SearchX} title={t('gone')} actions={[{ label: t('toTools'), to: '/tools' }]} />
        }}
      </Loaded>
    </Page>
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

/** Color of each outcome. The page also shows the outcome as text. */
const outcomeTones: Record<DoctorReport['outcome'], Tone> = { ok: 'success', warning: 'warning', failed: 'danger' }

function ReportOutcome({ report }: { readonly report: DoctorReport }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <StatusDot tone={outcomeTones[report.outcome]} label={t(`summary.${report.outcome}`)} />
      <span className="text-faint text-sm">
        <RelativeTime at={report.at} />
      </span>
    </span>
  )
}

function ExaminationResult(props: {
  readonly tool: SiteTool
  readonly examination: Examination | undefined
  readonly onRetry: () => void
}) {
  const { tool, examination, onRetry } = props
  if (examination?.state === 'broken') {
    const handlers = { tryAgain: onRetry }
    return <ExplainedFailure failure={examination.failure} context={{ tool: tool.name }} handlers={handlers} />
  }
  if (examination?.state === 'running') {
    return <ProgressCard text={t('running', { tool: tool.name })} role="status" />
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

function DoctorPanel({ tool }: { readonly tool: SiteTool }) {
  const examination = useExaminations((examinations) => examinations[toKey(tool)])
  const startDiagnosis = (): void => void examineSetup(tool)
  return (
    <section className="flex flex-col gap-3" aria-label={t('doctor:title', { tool: tool.name })}>
      <div className="flex items-center justify-between gap-4">
        <div className="min-w-0 text-muted" aria-live="polite">
          {examination?.state === 'done' ? <ReportOutcome report={examination.result} /> : t('doctor:costs')}
        </div>
        {examination?.state === 'running' ? (
          <Button onClick={() => cancelExamination(tool)}>{t('common:cancel')}</Button>
        ) : (
          <Button icon={Stethoscope} variant={examination ? 'secondary' : 'primary'} onClick={startDiagnosis}>
            {t(examination ? 'doctor:again' : 'doctor:begin')}
          </Button>
        )}
      </div>
      <ExaminationResult tool={tool} examination={examination} onRetry={startDiagnosis} />
    </section>
  )
}

/** Icon and color of each outcome of a check. */
const outcomes = {
  ok: [CircleCheck, 'text-success'],
  warning: [TriangleAlert, 'text-warning'],
  failed: [CircleAlert, 'text-danger'],
  skipped: [CircleMinus, 'text-faint'],
  open: [CircleDashed, 'text-faint'],
} as const

function CheckSection(props: {
  readonly check: DoctorCheck
  readonly outcome: keyof typeof outcomes
  readonly note?: ReactNode
  readonly children?: ReactNode
}) {
  const { check, outcome, note, children } = props
  const [Icon, color] = outcomes[outcome]
  return (
    <GridRow className="min-h-11 py-2 pr-4 pl-0" data-outcome={outcome}>
      <Icon size={16} strokeWidth={1.9} className={joinClassNames('justify-self-end', color)} aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-strong">{t(`checks.${check}`)}</p>
        {note ? <Hint as="div">{note}</Hint> : null}
      </div>
      <span className={joinClassNames('justify-self-end text-sm', color)}>{t(`outcomes.${outcome}`)}</span>
      {children ? <div className="col-[2/-1] mt-2 mb-1 min-w-0">{children}</div> : null}
    </GridRow>
  )
}

/** Text about the tokens that a check has used. Undefined for a check that used none. */
function formatCost({ check, outcome, inputTokens, outputTokens }: Finding): string | undefined {
  if (check !== 'realRequest' || outcome === 'skipped') return undefined
  if (inputTokens === undefined || outputTokens === undefined) return outcome === 'ok' ? t('costUnknown') : undefined
  const total = inputTokens + outputTokens
  return t('cost', {
    count: total,
    total: formatNumber(total),
    input: formatNumber(inputTokens),
    output: formatNumber(outputTokens),
  })
}

interface FindingProps {
  readonly finding: Finding
  readonly tool: SiteTool
  readonly onRetry: () => void
}

function Explanation({ finding, tool, onRetry }: FindingProps) {
  const { check, outcome, failure, subject, text } = finding
  const tone = outcome === 'failed' ? 'danger' : 'warning'
  const actions = [useFix({ finding, tool, onRetry })]
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
    return <ExplainedFailure failure={failure} context={context} tone={tone} actions={actions} />
  }
  return (
    <Callout tone={tone} title={t(`wrong.${check}`, { tool: tool.name })} actions={actions}>
      {text === undefined ? null : (
        <code className="block select-text wrap-anywhere rounded-sm bg-well px-2 py-1.5">{text}</code>
      )}
    </Callout>
  )
}

function FindingRow(props: FindingProps) {
  const { finding } = props
  const { check, outcome, subject, durationMs } = finding
  const isProblem = outcome === 'warning' || outcome === 'failed'
  const findingDetails = [
    outcome === 'skipped' && t('skippedWhy'),
    subject !== undefined && (
      <QuietCode key="subject" wrap>
        {subject}
      </QuietCode>
    ),
    durationMs !== undefined && outcome === 'ok' && formatDuration(durationMs),
    formatCost(finding),
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

/** Button that fixes a finding. False for a finding without a fix. */
function useFix({ finding, tool, onRetry }: FindingProps): Action | false {
  const showFile = useShowFile()
  const { data: plans = [] } = useCall('plans.list', {})
  const chooseModel = useOtherModelPath(tool)
  const { id, site, applied, install } = tool
  const { fix, subject, text } = finding
  const isPath = subject !== undefined && /^(?:[a-z]:)?[\\/]/i.test(subject)
  const configure = { to: toolPath(id, 'configure', site) }
  const hasAccount = plans.some((plan) => plan.id === applied?.planId && plan.origin)
  const copy = (copied: string | undefined) =>
    copied !== undefined && { onClick: () => copyText(copied, { title: t('copied'), description: copied }) }
  const actions: Record<DoctorFix, { readonly to: string } | { readonly onClick: () => void } | false> = {
    applyAgain: configure,
    chooseModel: { to: chooseModel },
    chooseKey: configure,
    undo: { to: toolPath(id, 'undo', site) },
    // On the keys tab for a plan of an account, otherwise by pasting a new key.
    replaceKey: applied ? { to: `${planPath(applied.planId)}${hasAccount ? '?tab=keys' : '?paste=1'}` } : configure,
    openFile: { onClick: () => showFile({ ...toToolLocation(id, site), ...(isPath && { path: subject }) }) },
    copyLine: copy(text),
    install: copy(install && ('command' in install ? install.command : install.url)),
    unlockKeychain: { onClick: () => void call('app.recheckVault', {}).then(onRetry, onRetry) },
    startRelay: { onClick: () => void call('relay.start', {}).then(onRetry, onRetry) },
    retry: { onClick: onRetry },
  }
  const action = fix !== undefined && actions[fix]
  return action && { label: t(`fixes.${fix}`), ...action }
}

type Setup = Pick<SiteTool, 'id' | 'site'>
type Examination = Run<DoctorReport>

/** Diagnoses by `setupKey`. */
const runs = createRuns<DoctorReport>()

export const useExaminations = runs.useRuns

const toKey = ({ id, site }: Setup): string => setupKey(id, site)

const createExamination =
  ({ id, site }: Setup) =>
  (callId: string): Promise<DoctorReport> =>
    call('doctor.run', { ...toToolLocation(id, site), callId })

const examineSetup = (setup: Setup): Promise<void> => runs.start(toKey(setup), createExamination(setup))

const cancelExamination = (setup: Setup): void => runs.cancel(toKey(setup))

/** Diagnoses setups in sequence. Skips setups that were cancelled while queued. */
const examineAllSetups = (setups: readonly Setup[]): Promise<void> =>
  runs.startAll(new Map(setups.map((setup) => [toKey(setup), createExamination(setup)])))
