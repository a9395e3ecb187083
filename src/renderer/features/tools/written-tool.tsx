import type { PlanView, ToolView, ToolWarning } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { CheckState } from '../../failures'
import { callKey, useAction, useCall } from '../../ipc'
import { isCurrentRoute } from '../../paths'
import { useRunOnOpen } from '../../runs'
import { Callout } from '../../ui/callout'
import { QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { InlineDetails, Row, Rows } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { planContext } from '../connections/account'
import { ApplyBar, WriteFailure } from './apply-bar'
import { useChooseProject } from './choice-form'
import { ConfigurePanel } from './configure-panel'
import { DriftPanel } from './drift-panel'
import { FileChanges, LayoutToggle, PreviewArea } from './file-changes'
import { ToolStartCommand } from './set-up-result'
import { formatSiteKey, listSetups, type SiteTool, setupKey, toToolLocation, useFormatSite } from './sites'
import { useToolsStore } from './tool-form'
import { ToolHeader } from './tool-header'
import { AddPlanHint, ToolStatusDot } from './tool-mark'
import { type AppliedSetup, ToolOverview } from './tool-overview'
import { isActionNeeded, toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'
import { useRemedies } from './use-tool-actions'
import { forgetVerification, useVerifyTool, type VerifyState } from './verifications'

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
  const clearPicked = useToolsStore((store) => store.forgetPicked)
  const queries = useQueryClient()
  return (changed) => {
    queries.setQueryData<ToolView[]>(callKey('tools.list', {}), (list) =>
      list?.map((cachedTool) => (cachedTool.id === changed.id ? changed : cachedTool)),
    )
    const key = setupKey(setup.id, setup.site)
    clearPicked(key)
    forgetVerification(key)
    if (!isCurrentRoute(pathname, search)) return
    void navigate(toolPath(setup.id, undefined, setup.site), { replace: true })
    // The button that had the focus was removed, so focus the page title.
    document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }
}

export function WrittenTool(props: {
  readonly tool: ToolView
  /** The tool, with the setup of the scope that this page shows. */
  readonly setup: SiteTool
  readonly plans: readonly PlanView[]
}) {
  const { tool, setup, plans } = props
  const { t } = useTranslation('tools')
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
      {view !== 'configure' ? null : plans.length === 0 ? (
        <AddPlanHint />
      ) : (
        <ConfigurePanel tool={setup} plans={plans} onApplied={onApplied} />
      )}
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
          <VerifySection
            tool={setup}
            applied={applied}
            plan={plans.find(({ id }) => id === applied.planId)}
            state={verification}
          />
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
  readonly plan: PlanView | undefined
  readonly state: VerifyState
}) {
  const { tool, applied, plan, state } = props
  const { t } = useTranslation('tools')
  const { check, isPending, failure, verify } = state
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
  const { t } = useTranslation('tools')
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
      <ToolWarnings warnings={remainingWarnings} tool={tool} site={tool.site} keyRef={{ planId, keyId }} />
      <ToolStartCommand tool={tool} site={tool.site} />
      <p>{t('applied.text', { address: applied.requestAddress })}</p>
      <p>{t(tool.needsRestart ? 'applied.restart' : 'applied.live', { tool: tool.name })}</p>
    </Callout>
  )
}

function RestorePanel({ tool, onRestored }: { tool: SiteTool; onRestored: (tool: ToolView) => void }) {
  const { t } = useTranslation('tools')
  const restoreTool = useAction('tools.restore', {
    invalidates: ['tools', 'plans', 'profiles'],
    onSuccess: onRestored,
  })
  // During and after the undo, ignore failures of the preview. File events reload it before the undo has ended.
  const isRestoring = restoreTool.isPending || restoreTool.isSuccess
  const query = useCall('tools.previewRestore', toToolLocation(tool.id, tool.site), {
    staleTime: 0,
    gcTime: 0,
    enabled: !isRestoring,
  })
  const refresh = (): void => void query.refetch()
  const remedies = useRemedies(tool, tool.applied?.planId, refresh)
  const preview = query.isError ? undefined : query.data
  // The button stays enabled while the preview is refreshed. The main process rejects a preview if a file has
  // changed.
  const restore =
    preview && !restoreTool.isPending ? () => restoreTool.mutate({ previewId: preview.previewId }) : undefined
  const context = { tool: tool.name, file: tool.file, plan: tool.applied?.planName }
  return (
    <>
      <Section title={t('restoreChanges')} description={t('restoreHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={restoreTool.error?.failure} context={context} handlers={remedies} />
        <PreviewArea
          shown={{ preview, error: query.error, isOld: query.isFetching, refresh }}
          context={context}
          handlers={remedies}
        >
          {({ files }) => <FileChanges files={files} />}
        </PreviewArea>
        {preview ? <ToolWarnings warnings={preview.warnings} tool={tool} site={tool.site} /> : null}
      </Section>
      {preview ? (
        <ApplyBar label={t('restore')} busy={restoreTool.isPending} apply={restore}>
          <p>{t('restoreOutcome', { tool: tool.name, plan: tool.applied?.planName ?? t('planGone') })}</p>
        </ApplyBar>
      ) : null}
    </>
  )
}

function OtherSetups({ tool, setup }: { readonly tool: ToolView; readonly setup: SiteTool }) {
  const { t } = useTranslation('tools')
  const formatSite = useFormatSite()
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
              description={
                <InlineDetails
                  items={[
                    applied && (applied.planName ?? t('planGone')),
                    applied?.modelCode,
                    <QuietCode key="file" title={file}>
                      {site.kind === 'project' ? site.folder : file}
                    </QuietCode>,
                  ]}
                />
              }
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
