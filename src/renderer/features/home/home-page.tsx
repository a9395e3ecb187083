import type { ToolView } from '@shared/contract'
import { maxHomePlans } from '@shared/first-screen'
import i18next from 'i18next'
import { Plus, RotateCw, Send, ShoppingBag } from 'lucide-react'
import { type ReactNode, useContext, useMemo } from 'react'
import { explainFailure } from '../../failures'
import { formatDuration, formatMoney } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { handoutsPath, packagesPath, rotatePath } from '../../paths'
import { useNow } from '../../relative-time'
import { PageStartContext } from '../../settings'
import { StatusDot } from '../../ui/badge'
import { type Action, type Actions, renderActions } from '../../ui/button'
import { QuietCode } from '../../ui/code'
import { Card, MoreLink, MutedCard, Page, PageHeader, Section } from '../../ui/page'
import { InlineDetails, Row, Rows } from '../../ui/rows'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import {
  type Entry,
  getPlanStatus,
  modelShare,
  tightestModel,
  useAccount,
  useConsole,
  useEntries,
} from '../connections/account'
import { useRotations } from '../keys/rotation'
import { RequestsTable } from '../sandbox'
import { UpdateNotice } from '../settings'
import {
  getToolState,
  getToolStatus,
  listTools,
  nextStep,
  ToolInitials,
  toolPath,
  useVerifications,
  useVerifyTool,
} from '../tools'
import { WeekCard, WeekCardPlaceholder } from '../usage'
import { listAttentionItems } from './attention-items'
import { AllClearNotice, HomeSkeleton, NeedsSection } from './needs-section'
import { PlanRows, planUsage } from './plan-rows'
import { StartOptions, useStartActions } from './welcome/onboarding'

const t = i18next.getFixedT(null, ['home', 'plans', 'tools'])

function Attention() {
  const currentTime = useNow()
  const console = useConsole()
  const { connectionId, local: plans, account: accountPlans, entries } = useEntries(console)
  const account = useAccount(connectionId)
  const app = useCall('app.get', {})
  const tools = useCall('tools.list', {})
  const sandbox = useCall('sandbox.get', {})
  const rotations = useRotations()
  const imported = useCall('handouts.imported', {})
  const team = useCall('team.get', {})
  const verifications = Object.entries(useVerifications()).flatMap(([key, run]) =>
    run?.state === 'done' ? [[key, run.result] as const] : [],
  )
  const attentionInput = {
    app: app.data,
    plans: plans.data,
    tools: tools.data,
    sandbox: sandbox.data,
    console:
      console.kind === 'there'
        ? {
            connection: console.connection,
            plans: accountPlans.data ?? [],
            account: account.data,
            failure: accountPlans.error?.failure,
          }
        : undefined,
    verifications: Object.fromEntries(verifications),
    rotations: rotations.data,
    imported: imported.data,
    team: team.data,
  }
  const attentionItems = listAttentionItems(attentionInput, currentTime)
  const queries = [app, plans, tools, sandbox]
  const wasEmpty = useWasEmpty()
  if (attentionItems.length > 0) return <NeedsSection needs={attentionItems} />
  if (queries.some(({ isError }) => isError) || (entries ? entries.length === 0 : wasEmpty)) return null
  if (accountPlans.isError) return <HomeSkeleton isWaiting />
  const isComplete = entries && queries.every(({ data }) => data !== undefined)
  return isComplete && ![rotations, imported, team].some(({ isPending }) => isPending) ? (
    <AllClearNotice />
  ) : (
    <HomeSkeleton />
  )
}

/** Whether there were no plans and no connections when the window opened. */
function useWasEmpty(): boolean {
  const { plans, connections } = useContext(PageStartContext)
  return plans === 0 && connections === 0
}

function Plans() {
  const currentTime = useNow()
  const { local: plans, entries, connectionId } = useEntries(useConsole())
  const rows = useMemo(
    () => (entries ? selectTopPlans(entries, maxHomePlans, currentTime) : []),
    [entries, currentTime],
  )
  const hiddenCount = (entries?.length ?? 0) - rows.length
  const { plans: countAtStart = 0 } = useContext(PageStartContext)
  const wasEmpty = useWasEmpty()
  const skeleton = (
    <>
      <SkeletonRows rows={Math.min(countAtStart, maxHomePlans) || 2} />
      {wasEmpty ? null : <WeekCardPlaceholder />}
    </>
  )
  return (
    <Section
      title={t('plans.title')}
      actions={
        <MoreLink to="/plans">{hiddenCount > 0 ? t('plans.more', { count: hiddenCount }) : t('plans.all')}</MoreLink>
      }
    >
      <Loaded query={plans} skeleton={skeleton}>
        {() =>
          entries === undefined ? (
            skeleton
          ) : rows.length === 0 ? (
            <Card>
              <div className="flex items-center justify-between gap-3">
                <p className="text-muted">{t('plans.empty')}</p>
                {renderActions([{ label: t('addPlan'), icon: Plus, to: '/plans/new' }], 'sm')}
              </div>
            </Card>
          ) : (
            <>
              <PlanRows entries={rows} />
              <WeekCard
                plans={rows
                  .map((entry) => ({ id: entry.id, name: entry.plan.name, of: planUsage(entry, connectionId) }))
                  .sort((a, b) => a.name.localeCompare(b.name))}
                count={entries.length}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Maximum number of tools listed on the home page. */
const shownTools = 8

/** Installed tools that the app can configure, most urgent first. */
const listWrittenTools = (tools: readonly ToolView[]): readonly ToolView[] =>
  listTools(tools, { text: '', filter: 'all' }).installed.filter(({ kind }) => kind === 'written')

function Tools() {
  const tools = useCall('tools.list', {})
  const hiddenCount = tools.data ? listWrittenTools(tools.data).length - shownTools : 0
  return (
    <Section
      title={t('tools.title')}
      actions={
        <MoreLink to="/tools">{hiddenCount > 0 ? t('tools.more', { count: hiddenCount }) : t('tools.all')}</MoreLink>
      }
    >
      <Loaded query={tools} rows={2}>
        {(allTools) => {
          const writtenSetups = listWrittenTools(allTools)
          return writtenSetups.length === 0 ? (
            <MutedCard>{t('tools.empty')}</MutedCard>
          ) : (
            <Rows label={t('tools.list')}>
              {writtenSetups.slice(0, shownTools).map((tool) => {
                const Tool = getToolState(tool, tool).word === 'configured' ? ConfiguredTool : OtherTool
                return <Tool key={tool.id} tool={tool} />
              })}
            </Rows>
          )
        }}
      </Loaded>
    </Section>
  )
}

function State() {
  const { entries, connectionId } = useEntries(useConsole())
  const tools = useCall('tools.list', {})
  const { data } = useAccount(connectionId)
  if (!entries || tools.isPending) return <Skeleton width={180} height={19} />
  const writtenSetups = listWrittenTools(tools.data ?? [])
  const configured = writtenSetups.filter((tool) => getToolStatus(tool).status === 'configured').length
  return (
    <InlineDetails
      items={[
        t('home:state.plans', { count: entries.length }),
        writtenSetups.length > 0 ? t('home:state.tools', { configured, count: writtenSetups.length }) : null,
        data && t(`plans:account.roles.${data.role}`),
        data && t('plans:account.credits', { amount: formatMoney(data.credits) }),
      ]}
    />
  )
}

export function HomePage() {
  const startActions = useStartActions()
  const console = useConsole()
  const { entries, local: plans, account: accountPlans } = useEntries(console)
  const { data: sandbox } = useCall('sandbox.get', {})
  const canBuy = console.kind === 'there' && !accountPlans.error
  // Only an account can create keys, which rotation and hand-out need.
  const hasKeys =
    entries?.some(({ kind }) => kind === 'account') || plans.data?.some(({ origin }) => origin !== undefined)
  const actions: Actions = [
    hasKeys && { label: t('rotateKey'), to: rotatePath, icon: RotateCw },
    hasKeys && { label: t('handOutKey'), to: handoutsPath, icon: Send },
    canBuy
      ? { label: t('buyPlan'), to: packagesPath, icon: ShoppingBag }
      : { label: t('addPlan'), to: '/plans/new', icon: Plus },
  ]
  const wasEmpty = useWasEmpty()
  if (entries ? entries.length === 0 && !canBuy : wasEmpty && console.kind !== 'there') {
    return (
      <Page>
        <PageHeader title={t('title')} state={t('state.empty')} />
        <Attention />
        <StartOptions begin={startActions} />
        <Tools />
      </Page>
    )
  }
  return (
    <Page>
      <PageHeader title={t('title')} state={<State />} actions={actions} />
      <UpdateNotice />
      <Attention />
      <Plans />
      <Tools />
      {sandbox?.state === 'running' ? <LatestRequests /> : null}
    </Page>
  )
}

/** Plans that the home page lists: active ones with the least quota first, expired ones last. */
function selectTopPlans(entries: readonly Entry[], count: number, currentTime: Date): readonly Entry[] {
  const rows = entries.map((entry) => {
    const model = entry.kind === 'account' ? tightestModel(entry.plan.models) : undefined
    return {
      entry,
      isOver: getPlanStatus(entry, currentTime) === 'expired' ? 1 : 0,
      // Plans with an unknown quota come after the others, whose share is at most 1.
      left: model ? modelShare(model) : 2,
    }
  })
  const order = rows.toSorted(
    (a, b) => a.isOver - b.isOver || a.left - b.left || a.entry.plan.name.localeCompare(b.entry.plan.name),
  )
  return order.slice(0, count).map(({ entry }) => entry)
}

const shownRequests = 5
const refreshIntervalMs = 4_000

/** List of the latest requests to the sandbox gateway, while the sandbox runs. */
function LatestRequests() {
  const requests = useCall('sandbox.requests', {}, { refetchInterval: refreshIntervalMs })
  return (
    <Section title={t('requests.title')} actions={<MoreLink to="/sandbox">{t('requests.all')}</MoreLink>}>
      <Loaded query={requests} rows={2}>
        {(allRequests) =>
          allRequests.length === 0 ? (
            <MutedCard>{t('requests.empty')}</MutedCard>
          ) : (
            <RequestsTable
              area="gateway"
              requests={allRequests.toSorted((a, b) => b.n - a.n).slice(0, shownRequests)}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

function Description({ tool }: { readonly tool: ToolView }) {
  const { applied, found } = tool
  if (tool.status === 'otherwise' && found?.base !== undefined) return <QuietCode>{found.base}</QuietCode>
  if (!applied) return <>{tool.installed ? t('home:tools.notConfigured') : t('home:tools.notInstalled')}</>
  return (
    <InlineDetails
      items={[
        applied.planName,
        applied.route === 'relay' && t('tools:route.short'),
        applied.modelCode,
        <QuietCode key="to">{applied.requestAddress}</QuietCode>,
      ]}
    />
  )
}

function ToolRow(props: {
  readonly tool: ToolView
  readonly state: ReactNode
  readonly action: Action | false
  readonly description?: ReactNode
}) {
  const { tool, state, action, description = <Description tool={tool} /> } = props
  return (
    <Row
      to={toolPath(tool.id)}
      leading={<ToolInitials tool={tool} />}
      title={tool.name}
      badge={tool.version ? <span className="text-faint text-sm">{tool.version}</span> : null}
      description={description}
      trailing={[
        <span key="state" role="status" className="text-sm">
          {state}
        </span>,
        action,
      ]}
    />
  )
}

function ConfiguredTool({ tool }: { readonly tool: ToolView }) {
  const { check, failure: refusal, isPending, verify } = useVerifyTool(tool)
  const failure = refusal ?? (check?.ok === false ? check.failure : undefined)
  if (failure) {
    return (
      <ToolRow
        tool={tool}
        state={<StatusDot tone="danger" label={t('tools.noAnswer')} />}
        description={<span className="text-danger">{explainFailure(failure, { tool: tool.name }).title}</span>}
        action={{ label: t('tools.seeWhy'), to: check ? toolPath(tool.id) : toolPath(tool.id, 'verify') }}
      />
    )
  }
  const label = check?.ok
    ? t('tools.answered', { time: formatDuration(check.durationMs) })
    : t('tools:statuses.configured')
  return (
    <ToolRow
      tool={tool}
      state={<StatusDot tone="success" label={label} />}
      action={{ label: t('tools.verify'), busy: isPending, onClick: verify }}
    />
  )
}

function OtherTool({ tool }: { readonly tool: ToolView }) {
  const { tone, word } = getToolState(tool, tool)
  const { label, to } = nextStep(tool)
  return (
    <ToolRow
      tool={tool}
      state={<StatusDot tone={tone} label={t(`tools:statuses.${word}`)} />}
      action={label !== 'open' && { label: t(`tools:actions.${label}`), about: tool.name, to }}
    />
  )
}
