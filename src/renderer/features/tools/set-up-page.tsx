import type { BulkPreview, CheckView, ToolView, ToolWarning } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Wrench } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { explainFailure } from '../../failures'
import { formatDuration } from '../../format'
import { useCall } from '../../ipc'
import { joinQueries, Loaded } from '../../loaded'
import { getRunFailure, type Run } from '../../runs'
import { useCurrentPlan } from '../../session'
import { StatusDot } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { Checkbox } from '../../ui/checkbox'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { Hint } from '../../ui/text'
import { useModelQuotas } from '../usage/quota'
import { BulkWrite, useBulkWrite } from './bulk-write'
import { CollapsibleForm, Consent, FieldGrid, ModelField, PlanChoiceFields, RouteChoice } from './choice-form'
import { AllOrNothing, ChangesHint, SkippedTools, usePreview } from './preview'
import { PreviewNotes, ToolWarnings } from './remedies'
import { isActionNeeded, toolPath } from './setups'
import {
  type BulkForm,
  type BulkFormOverrides,
  buildBulkInput,
  listDeliveries,
  manyRoutes,
  readRoute,
  resolveBulkForm,
} from './tool-form'
import { AddPlanHint, ToolInitials, ToolStatusDot } from './tool-notices'
import { ToolStartCommand } from './tool-overview'
import { useVerifications, verifyTools } from './verifications'

const t = i18next.getFixedT(null, 'tools')

function SetUp({ tools, onDone }: SetUpProps) {
  const state = useSetUpTools({ tools, onDone })
  const { choice, chosen, offered, bulkWrite, picked, pickFor } = state
  if (!choice) return <AddPlanHint />
  const manualTools = state.isNamed ? [] : tools.filter(({ kind, installed }) => kind !== 'written' && installed)
  const skipped = {
    onMoveComments: (toolId: string) => pickFor(toolId, { moveCommentsToCopy: true }),
    otherTools: manualTools.map(({ id, name, kind, reason }) => ({
      id,
      name,
      reason: kind === 'guided' ? t('many.byHand') : t(`unsupported.${reason ?? 'platform'}.short`),
      action: { label: t('actions.open'), about: name, variant: 'ghost', to: toolPath(id) } as const,
    })),
  }
  if (offered.length === 0) {
    return (
      <>
        <EmptyState icon={Wrench} title={t('many.none')} actions={[{ label: t('many.toTools'), to: '/tools' }]}>
          {t('many.noneText')}
        </EmptyState>
        <SkippedTools left={[]} {...skipped} />
      </>
    )
  }
  const count = bulkWrite.shown.preview?.tools.length ?? 0
  return (
    <>
      <CollapsibleForm
        summary={[
          choice.plan.name,
          choice.modelCode !== '' && <QuietCode key="model">{choice.modelCode}</QuietCode>,
          state.route && t(`route.ways.${state.route}`),
          t('many.chosen', { chosen: chosen.length, count: offered.length }),
        ]}
        startsFolded={state.input !== undefined}
        needsAnswer={bulkWrite.lacksConsent || state.input === undefined}
      >
        <SetUpForm choice={choice} state={state} />
        <SetUpTools tools={offered} chosen={new Set(chosen.map(({ id }) => id))} onChange={state.choose} />
      </CollapsibleForm>
      <BulkWrite
        state={bulkWrite}
        title={t('changes')}
        description={<ChangesHint />}
        label={t('setUpMany', { count })}
        outcome={<AllOrNothing title={t('many.outcome', { count, plan: choice.plan.name })} />}
        consentNeeded={t('many.consentNeeded')}
        area={{
          context: { plan: choice.plan.name, modelCode: choice.modelCode },
          missing: state.input ? undefined : t(chosen.length === 0 ? 'many.needTools' : 'needModel'),
        }}
        renderNotes={({ toolId, site, warnings }) => (
          <PreviewNotes
            warnings={warnings}
            toolId={toolId}
            site={site}
            keyRef={{ planId: choice.plan.id, keyId: choice.keyId }}
            removed={picked.single?.[toolId]?.settingsToRemove}
            onRemove={(settingsToRemove) => pickFor(toolId, { settingsToRemove })}
          />
        )}
        skipped={skipped}
      />
    </>
  )
}

/** Page that configures several tools for one plan: all or none. */
export function SetUpPage() {
  const [result, setResult] = useState<ToolsSetUpResult>()
  const toolsQuery = useCall('tools.list', {})
  const plansQuery = useCall('plans.list', {})
  return (
    <Page>
      <PageHeader
        title={t('many.title')}
        breadcrumb={[{ label: t('title'), to: '/tools' }]}
        state={result ? null : <span className="low:hidden">{t('many.state')}</span>}
      />
      <Loaded query={joinQueries(toolsQuery, plansQuery)} rows={4}>
        {([tools]) => (result ? <SetUpResult done={result} /> : <SetUp tools={tools} onDone={setResult} />)}
      </Loaded>
    </Page>
  )
}

function SetUpTools(props: {
  readonly tools: readonly ToolView[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}) {
  const { tools, chosen, onChange } = props
  const areAllToolsChosen = tools.every(({ id }) => chosen.has(id))
  const toggle = (id: string, isIn: boolean): void =>
    onChange(new Set(tools.map((tool) => tool.id).filter((toolId) => (toolId === id ? isIn : chosen.has(toolId)))))
  return (
    <Section
      title={t('many.tools')}
      actions={
        <span className="flex items-center gap-1 text-muted text-sm tabular-nums">
          <Checkbox
            checked={areAllToolsChosen ? true : chosen.size > 0 ? 'indeterminate' : false}
            onCheckedChange={() => onChange(new Set(areAllToolsChosen ? [] : tools.map(({ id }) => id)))}
            label={t('selectAll')}
          />
          {t('many.chosen', { chosen: chosen.size, count: tools.length })}
        </span>
      }
    >
      <ul
        className={joinClassNames(
          'grid grid-cols-[repeat(auto-fill,minmax(196px,1fr))] gap-x-3',
          'rounded-lg border bg-surface px-3 py-1.5',
        )}
        aria-label={t('many.tools')}
      >
        {tools.map((tool) => {
          const [delivery = 'plain'] = listDeliveries(tool)
          const id = `set-up-${tool.id}`
          return (
            <li key={tool.id} className="flex min-h-10 min-w-0 items-center gap-1.5">
              <Checkbox
                id={id}
                checked={chosen.has(tool.id)}
                onCheckedChange={(isIn) => toggle(tool.id, isIn)}
                label={t('select', { tool: tool.name })}
              />
              <label htmlFor={id} className="flex min-w-0 flex-col leading-4.25 *:truncate">
                <span>{tool.name}</span>
                <span className="text-muted text-xs">{t(`deliveries.${delivery}`)}</span>
              </label>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** Form to configure several tools. For each tool, its best key delivery is used. */
function SetUpForm(props: { readonly choice: BulkForm; readonly state: ReturnType<typeof useSetUpTools> }) {
  const { choice, state } = props
  const { picked, pick, chosen, bulkWrite } = state
  const { routes, route, bound } = manyRoutes(chosen, picked.route)
  // Name the tools that do not support the chosen route.
  const routeNotes = (['gateway', 'relay'] as const).flatMap((only) => {
    const names = bound.filter((tool) => tool.routes.includes(only)).map(({ name }) => name)
    return names.length === 0 ? [] : [t(`route.bound.${only}`, { tools: names.join(', ') })]
  })
  return (
    <div className="flex flex-col gap-4">
      <FieldGrid>
        <PlanChoiceFields choice={choice} onPick={pick} />
        <ModelField
          key={`small-${choice.plan.id}`}
          label={t('slots.small')}
          value={choice.smallModel}
          plan={choice.plan}
          offersSame
          onChange={(smallModel) => pick({ smallModel })}
        />
      </FieldGrid>
      <RouteChoice
        routes={routes}
        value={route}
        note={route === undefined ? t('route.mixed') : routeNotes.join(' ') || undefined}
        onChange={(value) => pick({ route: value })}
      />
      <Hint>{t('many.delivery')}</Hint>
      {bulkWrite.plainTextTools.length > 0 ? (
        <Consent
          checked={bulkWrite.isAccepted}
          onCheckedChange={bulkWrite.setIsAccepted}
          label={t('many.consent', { tools: bulkWrite.plainTextTools.join(', ') })}
          hint={t('consentHint')}
        />
      ) : null}
    </div>
  )
}

interface SetUpProps {
  readonly tools: readonly ToolView[]
  readonly onDone: (result: ToolsSetUpResult) => void
}

/** State of the page. Tools to configure are those in the page address, or else all installed ones. */
function useSetUpTools({ tools, onDone }: SetUpProps) {
  const [query, setQuery] = useSearchParams()
  const namedToolIds = query.get('tools')?.split(',')
  const isNamed = namedToolIds !== undefined
  const offered = tools.filter(
    ({ kind, installed, id, applied }) => kind === 'written' && (installed || applied || namedToolIds?.includes(id)),
  )
  const route = readRoute(query.get('route'))
  const chosen = offered.filter(({ id, installed, routes }) =>
    namedToolIds ? namedToolIds.includes(id) : installed && routes.includes(route ?? 'gateway'),
  )
  const [ownOverrides, setOwnOverrides] = useState<BulkFormOverrides>({})
  const picked: BulkFormOverrides = { planId: query.get('plan') ?? undefined, route, ...ownOverrides }
  const { data: plans = [] } = useCall('plans.list', {})
  const { listExhausted } = useModelQuotas()
  const choice = resolveBulkForm({ plans, currentPlan: useCurrentPlan(), picked, listExhausted })
  const input = buildBulkInput(chosen, choice, picked)
  const shown = usePreview('tools.previewMany', input)
  const bulkWrite = useBulkWrite({ shown, onDone: (writtenTools, preview) => onDone({ tools: writtenTools, preview }) })
  const choose = (ids: ReadonlySet<string>): void =>
    setQuery((previous) => ({ ...Object.fromEntries(previous), tools: [...ids].join(',') }), { replace: true })
  const pick = (change: BulkFormOverrides): void => {
    bulkWrite.writing.reset()
    setOwnOverrides((previousOverrides) => ({ ...previousOverrides, ...change }))
  }
  const pickFor = (toolId: string, change: NonNullable<BulkFormOverrides['single']>[string]): void =>
    pick({ single: { ...picked.single, [toolId]: { ...picked.single?.[toolId], ...change } } })
  return { isNamed, offered, route, chosen, choose, picked, choice, input, bulkWrite, pick, pickFor }
}

type Verification = Run<CheckView> | undefined

function State({ tool, verification }: { readonly tool: ToolView; readonly verification: Verification }) {
  if (!verification) return <ToolStatusDot setup={tool} />
  if (verification.state === 'running') return <StatusDot tone="accent" pulse label={t('many.verifying')} />
  if (verification.state === 'waiting') return <StatusDot tone="neutral" label={t('many.waiting')} />
  if (verification.state === 'broken' || !verification.result.ok)
    return <StatusDot tone="danger" label={t('many.noAnswer')} />
  return (
    <StatusDot tone="success" label={t('many.answered', { time: formatDuration(verification.result.durationMs) })} />
  )
}

function WrittenTool(props: {
  readonly tool: ToolView
  readonly todo: readonly ToolWarning[]
  readonly verification: Verification
  /** Starts the verification of a tool. Undefined while a verification runs. */
  readonly onVerify: (() => void) | undefined
}) {
  const { tool, todo, verification, onVerify } = props
  const failure = getRunFailure(verification)
  return (
    <Row
      leading={<ToolInitials tool={tool} />}
      title={tool.name}
      description={
        <>
          {tool.applied ? <QuietCode>{tool.applied.requestAddress}</QuietCode> : null}
          {failure ? <p className="text-danger">{explainFailure(failure, { tool: tool.name }).title}</p> : null}
          <ToolWarnings warnings={todo} toolId={tool.id} keyRef={tool.applied} />
          <ToolStartCommand tool={tool} />
        </>
      }
      trailing={[
        <span key="span" role="status">
          <State tool={tool} verification={verification} />
        </span>,
        failure || tool.status !== 'configured'
          ? { label: t('actions.open'), about: tool.name, to: toolPath(tool.id) }
          : {
              label: t('actions.verify'),
              about: tool.name,
              busy: verification?.state === 'running',
              disabled: !onVerify,
              onClick: () => onVerify?.(),
            },
      ]}
    />
  )
}

/** Result of configuring several tools: their new state, and the preview that was applied. */
interface ToolsSetUpResult {
  readonly tools: readonly ToolView[]
  readonly preview: BulkPreview
}

/** Focuses the result, because the button that had the focus was removed. */
const focusElement = (element: HTMLElement | null): void => element?.focus()

function SetUpResult({ done }: { readonly done: ToolsSetUpResult }) {
  const { tools, preview } = done
  const queries = useQueryClient()
  const verifications = useVerifications()
  const isBusy = preview.tools.some(({ toolId }) => ['waiting', 'running'].includes(verifications[toolId]?.state ?? ''))
  const names = new Set(preview.tools.map(({ toolId }) => toolId))
  const writtenTools = tools.filter(({ id }) => names.has(id))
  const readyIds = writtenTools.filter(({ status }) => status === 'configured').map(({ id }) => id)
  const plan = writtenTools.find(({ applied }) => applied)?.applied?.planName
  return (
    <>
      <div ref={focusElement} tabIndex={-1} role="status">
        <Callout
          tone="success"
          title={t('many.done', { count: writtenTools.length, plan: plan ?? t('planGone') })}
          actions={[
            { label: t('many.undo'), variant: 'ghost', to: '/history' },
            { label: t('many.toTools'), to: '/tools' },
          ]}
        >
          {t('many.doneText')}
        </Callout>
      </div>
      <Section
        title={t('many.tools')}
        actions={[
          readyIds.length > 1 && {
            label: t('many.verifyAll'),
            variant: 'primary',
            busy: isBusy,
            onClick: () => void verifyTools(queries, readyIds),
          },
        ]}
      >
        <Rows label={t('many.tools')}>
          {writtenTools.map((tool) => (
            <WrittenTool
              key={tool.id}
              tool={tool}
              todo={preview.tools
                .filter(({ toolId }) => toolId === tool.id)
                .flatMap(({ warnings }) => warnings.filter(isActionNeeded))}
              verification={verifications[tool.id]}
              onVerify={isBusy ? undefined : () => void verifyTools(queries, [tool.id])}
            />
          ))}
        </Rows>
      </Section>
    </>
  )
}
