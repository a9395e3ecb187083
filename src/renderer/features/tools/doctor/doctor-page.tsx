import type { ToolView } from '@shared/contract'
import { SearchX, Stethoscope } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { useRunOnOpen } from '../../../runs'
import { StatusDot } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { ExpandButton, GridRow, GridRows } from '../../../ui/rows'
import { ProgressBar, Spinner } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import { listSetups, readSite, type SiteTool, setupKey, ToolInitials, toolPath, toSiteTool, useFormatSite } from '..'
import {
  cancelExamination,
  DoctorPanel,
  type Examination,
  ExaminationResult,
  examineAllSetups,
  examineSetup,
  examineSetupOnce,
  ReportOutcome,
  type Setup,
  useExaminations,
} from './doctor-panel'

function State({ examination }: { readonly examination: Examination | undefined }) {
  const { t } = useTranslation('doctor')
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

function FindingRow({ tool, examination }: { readonly tool: SiteTool; readonly examination: Examination | undefined }) {
  const { t } = useTranslation('doctor')
  const id = useId()
  const formatSite = useFormatSite()
  const [chosen, setChosen] = useState<boolean>()
  const isPassed = examination?.state === 'done' && examination.result.outcome === 'ok'
  const hasEnded = examination?.state === 'done' || examination?.state === 'broken'
  // Diagnoses that failed or found a problem start expanded.
  const isOpen = chosen ?? (hasEnded && !isPassed)
  const setup = { toolId: tool.id, site: tool.site }
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
            onClick={() => cancelExamination(setup)}
          >
            {t('cancel')}
          </Button>
        ) : (
          <Button
            size="sm"
            aria-label={t('examineNamed', { tool: tool.name })}
            onClick={() => void examineSetup(setup)}
          >
            {t('begin')}
          </Button>
        )}
      </div>
      {hasEnded && isOpen ? (
        <div id={id} className="col-[2/-1] mt-2 mb-1 min-w-0">
          <ExaminationResult tool={tool} examination={examination} onRetry={() => void examineSetup(setup)} />
        </div>
      ) : null}
    </GridRow>
  )
}

function Summary({ all }: { readonly all: readonly (Examination | undefined)[] }) {
  const { t } = useTranslation('doctor')
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
  const { t } = useTranslation('doctor')
  // Only setups that this app has written can be diagnosed.
  const setups = tools.flatMap((tool) =>
    listSetups(tool).flatMap(({ site, applied }) => (applied ? [{ toolId: tool.id, site }] : [])),
  )
  const examinations = useExaminations()
  const findExamination = ({ toolId, site }: Setup): Examination | undefined => examinations[setupKey(toolId, site)]
  const setupExaminations = setups.map(findExamination)
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
            <Summary all={setupExaminations} />
          </div>
          <GridRows columns="auto minmax(0, 1fr) auto auto" label={t('toolList')}>
            {setups.map((setup) => {
              const tool = tools.find(({ id }) => id === setup.toolId)
              return tool ? (
                <FindingRow
                  key={setupKey(tool.id, setup.site)}
                  tool={toSiteTool(tool, setup.site)}
                  examination={findExamination(setup)}
                />
              ) : null
            })}
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
  const { t } = useTranslation('doctor')
  const formatSite = useFormatSite()
  const setup = toSiteTool(tool, readSite(place))
  const { site } = setup
  const isSetUp = setup.applied !== undefined
  useEffect(() => {
    if (isSetUp) examineSetupOnce({ toolId: tool.id, site: readSite(place) })
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
        <DoctorPanel tool={tool} site={site} />
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
  const { t } = useTranslation('doctor')
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
