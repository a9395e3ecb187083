import type { GuideView, PlanView, ToolView, ToolWarning } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Activity, ChevronRight, FolderPlus, SearchX } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { CopyText } from '../../copy-text'
import { CheckState } from '../../failures'
import { callKey, useAction, useCall } from '../../ipc'
import { joinQueries, Loaded } from '../../loaded'
import { isCurrentRoute } from '../../paths'
import { useRunOnOpen } from '../../runs'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { Card, EmptyState, Page, Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { planContext } from '../connections/account'
import { FieldGrid, PlanChoiceFields, useChooseProject } from './choice-form'
import { PreviewArea, usePreview } from './preview'
import { CopyKeyButton, ToolWarnings, useRemedies } from './remedies'
import {
  formatSite,
  formatSiteKey,
  isActionNeeded,
  listSetups,
  readSite,
  type SiteTool,
  setupKey,
  toolPath,
  toSiteTool,
  userSite,
} from './setups'
import { isModelCode, keyChoice, resetForm, useToolForm } from './tool-form'
import { AddPlanHint, ToolStatusDot } from './tool-notices'
import { type AppliedSetup, RequestAddress, ToolHeader, ToolOverview, ToolStartCommand } from './tool-overview'
import { ConfigurePanel, DriftPanel, RestorePanel } from './tool-panels'
import { forgetVerification, useVerifyTool, type VerifyState } from './verifications'

const t = i18next.getFixedT(null, 'tools')

/** Page of a tool whose files this app does not write. */
function OtherTool({ tool }: { readonly tool: SiteTool }) {
  const { kind, name, reason = 'platform' } = tool
  return (
    <>
      <ToolHeader tool={tool} />
      {kind === 'unsupported' ? (
        <Callout tone="info" title={t(`unsupported.${reason}.title`, { tool: name })}>
          <p>{t(`unsupported.${reason}.text`, { tool: name })}</p>
          <p>{t(`unsupported.${reason}.later`, { tool: name })}</p>
        </Callout>
      ) : (
        <GuidedTool tool={tool} />
      )}
    </>
  )
}

/** Page of a tool in one scope (user, project or WSL), which the page address contains. Default: the user's home. */
export function ToolPage() {
  const { toolId = '' } = useParams()
  const [query] = useSearchParams()
  const toolsQuery = useCall('tools.list', {})
  const plansQuery = useCall('plans.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(toolsQuery, plansQuery)}>
        {([tools]) => {
          const tool = tools.find(({ id }) => id === toolId)
          if (!tool)
            return (
              <EmptyState icon={SearchX} title={t('unknown')} actions={[{ label: t('many.toTools'), to: '/tools' }]} />
            )
          if (tool.kind !== 'written') return <OtherTool key={tool.id} tool={toSiteTool(tool, userSite)} />
          const site = readSite(query.get('at'))
          return <WrittenTool key={setupKey(tool.id, site)} tool={tool} setup={toSiteTool(tool, site)} />
        }}
      </Loaded>
    </Page>
  )
}

function GuidedTool({ tool }: { readonly tool: SiteTool }) {
  const { choice, pick } = useToolForm(tool)
  const input =
    choice && isModelCode(choice.modelCode)
      ? {
          toolId: tool.id,
          planId: choice.plan.id,
          ...keyChoice(choice.plan, choice.keyId),
          modelCode: choice.modelCode.trim(),
        }
      : undefined
  const shownGuide = usePreview('tools.guide', input)
  const remedies = useRemedies(tool, choice?.plan.id, shownGuide.refresh)
  // The result of a check is only valid for the displayed values, so it is reset when they change.
  const checkGuide = useAction('tools.checkGuide')
  const check = input && !shownGuide.isOld ? () => checkGuide.mutate(input) : undefined
  const checkRemedies = useRemedies(tool, choice?.plan.id, () => check?.())
  if (!choice) return <AddPlanHint />
  const { plan, keyId } = choice
  return (
    <>
      <Card>
        <div className="flex flex-col gap-4">
          <Hint>{t('guide.why', { tool: tool.name })}</Hint>
          <FieldGrid>
            <PlanChoiceFields
              choice={choice}
              onPick={(change) => {
                checkGuide.reset()
                pick(change)
              }}
            />
          </FieldGrid>
        </div>
      </Card>
      <Section title={t('guide.title')}>
        <PreviewArea
          shown={shownGuide}
          missing={input ? undefined : t('needModel')}
          context={{ tool: tool.name, plan: plan.name, modelCode: choice.modelCode }}
          handlers={remedies}
        >
          {(guide) => (
            <div className="flex flex-col gap-2.5">
              <ToolWarnings warnings={guide.warnings} toolId={tool.id} keyRef={{ planId: plan.id, keyId }} />
              <ol className="flex flex-col gap-5 rounded-lg border bg-surface p-4 [counter-reset:step]">
                <Step title={t('guide.open', { tool: tool.name })}>
                  <p className="flex flex-wrap items-center gap-1 [&_svg]:text-faint">
                    {guide.place.map((segment, index) => (
                      <Fragment key={segment}>
                        {index > 0 ? <ChevronRight size={13} strokeWidth={2} aria-hidden="true" /> : null}
                        <span className="rounded-md border bg-well px-2 py-px">{segment}</span>
                      </Fragment>
                    ))}
                  </p>
                </Step>
                <Step title={t('guide.enter')}>
                  <Fields guide={guide} plan={plan} keyId={keyId} />
                </Step>
                <Step title={t('guide.save')}>
                  <RequestAddress tool={tool.name} requestAddress={guide.requestAddress} />
                </Step>
                <Step title={t('guide.checkTitle')}>
                  <Hint>{t('guide.checkHint', { tool: tool.name })}</Hint>
                  <div>
                    <Button
                      icon={Activity}
                      busy={checkGuide.isPending}
                      disabled={!check && !checkGuide.isPending}
                      onClick={check}
                    >
                      {t('guide.check')}
                    </Button>
                  </div>
                  <div aria-live="polite" className="empty:hidden">
                    <CheckState
                      failure={checkGuide.error?.failure}
                      check={checkGuide.data}
                      context={{ tool: tool.name, ...planContext(plan) }}
                      handlers={checkRemedies}
                      busy={checkGuide.isPending}
                    />
                  </div>
                </Step>
              </ol>
            </div>
          )}
        </PreviewArea>
      </Section>
    </>
  )
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li
      className={joinClassNames(
        'relative flex min-w-0 flex-col gap-2 pl-8.5 [counter-increment:step]',
        'before:absolute before:-top-px before:left-0 before:inline-flex before:size-5.5 before:items-center',
        'before:justify-center before:rounded-full before:border before:border-border-strong before:font-semibold',
        'before:text-muted before:text-xs before:content-[counter(step)]',
      )}
    >
      <h3 className="font-semibold">{title}</h3>
      {children}
    </li>
  )
}

function Fields(props: { readonly guide: GuideView; readonly plan: PlanView; readonly keyId: string | undefined }) {
  const { guide, plan, keyId } = props
  const maskedKey = plan.keys.find(({ id }) => id === keyId)?.masked
  return (
    <table className="w-full border-collapse" aria-label={t('guide.fields')}>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t('guide.field')}</th>
          <th scope="col">{t('guide.value')}</th>
          <th scope="col">{t('guide.copy')}</th>
        </tr>
      </thead>
      <tbody>
        {guide.fields.map(({ label, value }) => (
          <tr key={label} className="border-t first:border-t-0">
            <th scope="row" className="h-9 w-[32%] wrap-anywhere py-1 pr-2 text-left font-medium text-muted">
              {label}
            </th>
            <td className="wrap-anywhere px-2 py-1">
              <QuietCode wrap>{value ?? maskedKey ?? '–'}</QuietCode>
            </td>
            <td className="w-px whitespace-nowrap py-1 pl-2 text-right">
              {value !== undefined ? (
                <CopyText text={value} label={t('guide.copyField', { field: label })} />
              ) : keyId === undefined ? null : (
                <CopyKeyButton planId={plan.id} keyId={keyId} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type ToolTab = 'overview' | 'configure' | 'undo' | 'review'

/** View in the page address if the tool's status allows it, else the overview or form. */
function chooseView({ applied, status }: SiteTool, requestedView: string | null): ToolTab {
  if (!applied) return 'configure'
  if (requestedView === 'undo' || requestedView === 'configure') return requestedView
  if (requestedView === 'review' && status === 'drifted') return requestedView
  return status === 'unreadable' ? 'configure' : 'overview'
}

/** After a write, stores the tool's new state and opens its overview, unless the user has left the page. */
function useFinishWrite(setup: SiteTool): (changed: ToolView) => void {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const queries = useQueryClient()
  return (changed) => {
    queries.setQueryData<ToolView[]>(callKey('tools.list', {}), (list) =>
      list?.map((cachedTool) => (cachedTool.id === changed.id ? changed : cachedTool)),
    )
    const key = setupKey(setup.id, setup.site)
    resetForm(key)
    forgetVerification(key)
    if (!isCurrentRoute(pathname, search)) return
    void navigate(toolPath(setup.id, undefined, setup.site), { replace: true })
    // The button that had the focus was removed, so focus the page title.
    document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }
}

function WrittenTool(props: {
  readonly tool: ToolView
  /** The tool, with the setup of the scope that this page shows. */
  readonly setup: SiteTool
}) {
  const { tool, setup } = props
  const [query] = useSearchParams()
  const [freshWarnings, setFreshWarnings] = useState<readonly ToolWarning[]>()
  const verification = useVerifyTool(setup)
  const { verify } = verification
  useRunOnOpen('verify', () => setup.applied && verify())
  const finishWrite = useFinishWrite(setup)
  const view = chooseView(setup, query.get('do'))
  const lastView = useRef(view)
  useEffect(() => {
    if (lastView.current === view) return
    lastView.current = view
    // Focus the page title of another view. After a write, the Verify button has the focus instead.
    if (view !== 'overview') document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }, [view])
  const { applied } = setup
  const onApplied = (changed: ToolView, warnings: readonly ToolWarning[]): void => {
    finishWrite(changed)
    setFreshWarnings(warnings)
  }
  const onUndone = (textKey: 'restored' | 'drift.letGone') => (changed: ToolView) => {
    finishWrite(changed)
    setFreshWarnings(undefined)
    void toast(t(textKey, { tool: setup.name }))
  }
  return (
    <>
      <ToolHeader tool={setup} verification={view === 'overview' ? verification : undefined} />
      {view === 'undo' ? <RestorePanel tool={setup} onRestored={onUndone('restored')} /> : null}
      {view === 'review' ? (
        <DriftPanel tool={setup} onApplied={onApplied} onStopManaging={onUndone('drift.letGone')} />
      ) : null}
      {view === 'configure' ? <ConfigurePanel tool={setup} onApplied={onApplied} /> : null}
      {view === 'configure' && !applied && tool.setups.length > 0 ? <OtherSetups tool={tool} setup={setup} /> : null}
      {view === 'overview' && applied ? (
        <>
          {freshWarnings ? (
            <AppliedNotice
              tool={setup}
              applied={applied}
              warnings={freshWarnings}
              onVerify={verification.check || verification.isPending ? undefined : verify}
            />
          ) : null}
          <VerifySection tool={setup} applied={applied} state={verification} />
          <ToolOverview tool={setup} applied={applied} />
          <OtherSetups tool={tool} setup={setup} />
        </>
      ) : null}
    </>
  )
}

function VerifySection(props: {
  readonly tool: SiteTool
  readonly applied: AppliedSetup
  readonly state: VerifyState
}) {
  const { tool, applied, state } = props
  const { check, isPending, failure, verify } = state
  const { data: plans = [] } = useCall('plans.list', {})
  const plan = plans.find(({ id }) => id === applied.planId)
  const remedies = useRemedies(tool, plan?.id, verify)
  if (!check && !isPending && !failure) return null
  const { planName, modelCode, requestAddress } = applied
  const key = plan?.keys.find(({ id }) => id === applied.keyId)
  const setup = { tool: tool.name, file: tool.file, plan: planName, modelCode, requestAddress }
  return (
    <Section title={t('verified')}>
      <div aria-live="polite">
        <CheckState
          pending={isPending && t('verifying', { tool: tool.name })}
          failure={failure}
          check={check}
          context={{ ...setup, ...planContext(plan, key) }}
          handlers={remedies}
        />
      </div>
    </Section>
  )
}

/** Remaining steps after a write. Gets the focus, so that Enter starts the verification. */
function AppliedNotice(props: {
  readonly tool: SiteTool
  readonly applied: AppliedSetup
  readonly warnings: readonly ToolWarning[]
  /** Starts the verification. Undefined after the tool was verified. */
  readonly onVerify: (() => void) | undefined
}) {
  const { tool, applied, warnings, onVerify } = props
  const navigate = useNavigate()
  const { planId, keyId } = applied
  const { conflicts = [] } = tool
  // Omit warnings that are shown below as conflicts with buttons.
  const isShownAsConflict = ({ code, subject }: ToolWarning): boolean =>
    conflicts.some((conflict) => conflict.code === code && conflict.subject === subject)
  const remainingWarnings = warnings.filter(
    (warning) => isActionNeeded(warning) && warning.code !== 'restartNeeded' && !isShownAsConflict(warning),
  )
  const isDone = remainingWarnings.length === 0 && conflicts.length === 0
  return (
    <Callout
      tone={isDone ? 'success' : 'warning'}
      title={t(isDone ? 'applied.title' : 'applied.almost', {
        tool: tool.name,
        plan: applied.planName ?? t('planGone'),
      })}
      actions={[
        { label: t('applied.undo'), variant: 'ghost', onClick: () => navigate(toolPath(tool.id, 'undo', tool.site)) },
        onVerify && { label: t('applied.verify'), autoFocus: true, onClick: onVerify },
      ]}
    >
      <ToolWarnings warnings={remainingWarnings} toolId={tool.id} site={tool.site} keyRef={{ planId, keyId }} />
      <ToolStartCommand tool={tool} site={tool.site} />
      <p>{t('applied.text', { address: applied.requestAddress })}</p>
      <p>{t(tool.needsRestart ? 'applied.restart' : 'applied.live', { tool: tool.name })}</p>
    </Callout>
  )
}

function OtherSetups({ tool, setup }: { readonly tool: ToolView; readonly setup: SiteTool }) {
  const chooseProject = useChooseProject(tool.id)
  const canUseProject = tool.sites.includes('project')
  const otherSetups = listSetups(tool).filter(({ site }) => formatSiteKey(site) !== formatSiteKey(setup.site))
  const shownSetups = otherSetups.filter(({ site, status }) => site.kind !== 'user' || status !== 'absent')
  if (shownSetups.length === 0 && !canUseProject) return null
  return (
    <Section
      title={t('sites.others')}
      description={t('sites.othersHint')}
      actions={[canUseProject && { label: t('sites.setUpProject'), icon: FolderPlus, onClick: chooseProject }]}
    >
      {shownSetups.length === 0 ? null : (
        <Rows label={t('sites.others')}>
          {shownSetups.map(({ site, status, applied, file, relayOff, conflicts, isOutdated }) => (
            <Row
              key={formatSiteKey(site)}
              title={formatSite(site)}
              to={toolPath(tool.id, undefined, site)}
              description={[
                applied && (applied.planName ?? t('planGone')),
                applied?.modelCode,
                <QuietCode key="file" title={file}>
                  {site.kind === 'project' ? site.folder : file}
                </QuietCode>,
              ]}
              trailing={[
                <ToolStatusDot key="toolStatusDot" setup={{ status, relayOff, conflicts, applied, isOutdated }} />,
                status === 'drifted' && {
                  label: t('actions.putRight'),
                  about: formatSite(site),
                  to: toolPath(tool.id, 'review', site),
                },
                applied && {
                  label: t('actions.undo'),
                  about: formatSite(site),
                  variant: 'ghost',
                  to: toolPath(tool.id, 'undo', site),
                },
              ]}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}
