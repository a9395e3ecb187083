import type { UsageCycle, UsageFilter, UsageScope, UsageStep } from '@shared/contract'
import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { usagePath } from '../../paths'
import { useNow, useServerNow } from '../../relative-time'
import { useSession } from '../../session'
import { type Console, type Entry, joinPlanEntries, useConsole, useEntries } from '../connections/account'
import { sumTokens } from './points'
import {
  chooseStep,
  hasRequests,
  readUsageQuery,
  resolveSpan,
  type Span,
  type UsageQuery,
  writeUsageQuery,
} from './usage-query'

/** Poll interval of the console in ms. Local changes send events. */
const consoleRefreshMs = 60_000

/** Cache time of another source's figures in ms. */
const otherStaleMs = 5 * 60_000

/** Default source. Prefers the console, because it includes other machines. */
function useFirstScope({ entries, hasFailed, active }: ReturnType<typeof useKnownEntries>): UsageScope | undefined {
  const { data, isError } = useCall('usage.sources', {})
  if (entries === undefined || (!data && !isError)) return undefined
  if (entries.some(({ kind }) => kind === 'account')) return 'console'
  const hasOwn =
    data && (data.relay.requests + data.app.requests > 0 || data.toolLogs.some(({ requests }) => requests > 0))
  // Without local data, show the console's failure.
  return hasFailed && active !== undefined && !hasOwn ? 'console' : 'machine'
}

/** Today on the server's clock for a console, else on the local one. */
export function useToday({ scope, connectionId }: Partial<Pick<UsageContext, 'scope' | 'connectionId'>>): Date {
  const [currentTime, getServerNow] = [useNow(), useServerNow()]
  const today = (scope === 'console' ? getServerNow(connectionId) : currentTime).toDateString()
  return useMemo(() => new Date(today), [today])
}

interface UsageContext {
  readonly wanted: UsageQuery
  readonly scope: UsageScope
  readonly span: Span
  readonly planId: string | undefined
  readonly connectionId: string | undefined
}

function toFilter({ wanted: requestedQuery, scope, span, planId, connectionId }: UsageContext): UsageFilter {
  const { modelCode, toolId, keyId, since, until } = requestedQuery
  const isConsole = scope === 'console'
  return {
    scope,
    from: since ?? span.from.toISOString(),
    to: until ?? span.to.toISOString(),
    ...(planId === undefined ? {} : { planId }),
    ...(isConsole && connectionId !== undefined ? { connectionId } : {}),
    ...(modelCode === undefined ? {} : { modelCode }),
    ...(toolId === undefined || isConsole ? {} : { toolId }),
    ...(keyId === undefined ? {} : { keyId }),
  }
}

/** Filter of the usage pages, resolved against the available plans. */
export interface Usage {
  readonly wanted: UsageQuery
  readonly change: (changes: Partial<UsageQuery>) => void
  readonly console: Console
  readonly scope: UsageScope
  readonly entries: readonly Entry[]
  readonly plans: readonly PlanChoice[]
  readonly planId: string | undefined
  readonly connectionId: string | undefined
  readonly cycles: readonly UsageCycle[]
  readonly span: Span
  readonly step: UsageStep
  readonly filter: UsageFilter
  /** Reason why the requested console is unavailable. */
  readonly cannotAsk: 'noConsole' | 'noPlan' | undefined
}

function useCycles(planId: string | undefined, connectionId: string | undefined): readonly UsageCycle[] {
  const { data = [] } = useCall(
    'usage.cycles',
    { planId: planId ?? '', ...(connectionId === undefined ? {} : { connectionId }) },
    { enabled: planId !== undefined },
  )
  return data
}

/** Entries of all plans, or only of local plans while the console fails. */
function useKnownEntries(console: Console) {
  const { entries, account, local, connectionId } = useEntries(console)
  const hasFailed = account.isFetched && account.data === undefined
  const ownEntries = useMemo(() => (local.data ? joinPlanEntries(undefined, local.data) : undefined), [local.data])
  return { entries: entries ?? (hasFailed ? ownEntries : undefined), hasFailed, active: connectionId }
}

/** Filter and sources of the page. Undefined while sources load. Single requests are always local. */
export function useUsage({ single = false } = {}): Usage | undefined {
  const { wanted: requestedQuery, change } = useUsageQuery()
  const console = useConsole()
  const knownEntries = useKnownEntries(console)
  const firstScope = useFirstScope(knownEntries)
  const { entries, hasFailed, active } = knownEntries
  const scope = requestedQuery.scope ?? (single ? 'machine' : firstScope)
  const isConsole = scope === 'console'
  const connectionId = isConsole ? (requestedQuery.connectionId ?? active) : undefined
  const plans = useMemo(
    () => (scope && entries ? listPlanChoices({ scope, connectionId }, entries) : []),
    [scope, connectionId, entries],
  )
  // Select a plan, which the console requires.
  const planId = requestedQuery.planId ?? (isConsole ? plans[0]?.id : undefined)
  const cycles = useCycles(planId, connectionId)
  const today = useToday({ ...(scope && { scope }), connectionId })
  const span = useMemo(() => resolveSpan(requestedQuery, cycles, today), [requestedQuery, cycles, today])
  const filter = useMemo(
    () => toFilter({ wanted: requestedQuery, scope: scope ?? 'machine', span, planId, connectionId }),
    [requestedQuery, scope, span, planId, connectionId],
  )
  if (scope === undefined || entries === undefined) return undefined
  const cannotAsk = !isConsole
    ? undefined
    : connectionId === undefined
      ? 'noConsole'
      : planId === undefined && !hasFailed
        ? 'noPlan'
        : undefined
  const step = chooseStep(span, requestedQuery.step)
  return {
    wanted: requestedQuery,
    change,
    console,
    scope,
    entries,
    plans,
    planId,
    connectionId,
    cycles,
    span,
    step,
    filter,
    cannotAsk,
  }
}

export const useSeries = ({ filter, step, scope, cannotAsk }: Usage) =>
  useCall(
    'usage.series',
    { filter, step, compare: true },
    {
      enabled: cannotAsk === undefined,
      placeholderData: (previous) => previous,
      ...(hasRequests(scope) ? {} : { refetchInterval: consoleRefreshMs }),
    },
  )

/** The filter is in the URL, so that links and back navigation work. */
function useUsageQuery(): { readonly wanted: UsageQuery; readonly change: (changes: Partial<UsageQuery>) => void } {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const { usageQuery, keepUsage } = useSession()
  // Restore the last filter for a link without a query.
  const query = pathname === usagePath && search === '' ? usageQuery : search
  const requestedQuery = useMemo(() => readUsageQuery(new URLSearchParams(query)), [query])
  const change = useCallback(
    (changes: Partial<UsageQuery>): void => {
      const nextSearch = writeUsageQuery({ ...requestedQuery, ...changes })
      if (pathname === usagePath) keepUsage(nextSearch)
      void navigate(`${pathname}${nextSearch}`)
    },
    [navigate, pathname, requestedQuery, keepUsage],
  )
  return { wanted: requestedQuery, change }
}

/** Choice of a plan. `id` is the account's in the console scope, otherwise local. */
interface PlanChoice {
  readonly id: string
  readonly name: string
  readonly models: readonly string[]
}

interface ScopeInput {
  readonly scope: UsageScope
  readonly connectionId: string | undefined
}

const listModels = (entry: Entry): readonly string[] =>
  entry.kind === 'account' ? entry.plan.models.map(({ modelCode }) => modelCode) : entry.plan.models

/** Id of a plan at the account, or of its local copy while the console fails. */
function accountId(entry: Entry, connectionId: string | undefined): string | undefined {
  if (entry.kind === 'account') return entry.plan.planId
  const { origin } = entry.plan
  return origin?.connectionId === connectionId && !entry.isGone ? origin?.planId : undefined
}

const localId = (entry: Entry): string | undefined => (entry.kind === 'account' ? entry.local?.id : entry.plan.id)

const getEntryId = ({ scope, connectionId }: ScopeInput, entry: Entry): string | undefined =>
  scope === 'console' ? accountId(entry, connectionId) : localId(entry)

const listPlanChoices = (asking: ScopeInput, entries: readonly Entry[]): readonly PlanChoice[] =>
  entries.flatMap((entry) => {
    const id = getEntryId(asking, entry)
    return id === undefined ? [] : [{ id, name: entry.plan.name, models: listModels(entry) }]
  })

/** Translates a plan id to another scope. Undefined if unknown there. */
export function planInScope(
  planId: string | undefined,
  asking: ScopeInput,
  entries: readonly Entry[],
): string | undefined {
  if (planId === undefined) return undefined
  const entry = entries.find((candidate) =>
    [accountId(candidate, asking.connectionId), localId(candidate)].includes(planId),
  )
  return entry && getEntryId(asking, entry)
}

/** Token count of the other source for the same filter, if it supports the filter. */
export function useOtherSource(usage: Usage): { readonly scope: UsageScope; readonly tokens: number } | undefined {
  const { scope: shownScope, wanted: requestedQuery, filter, entries, console, cannotAsk } = usage
  const scope = shownScope === 'console' ? 'machine' : 'console'
  const connectionId = console.kind === 'there' ? console.connection.id : undefined
  const asking = { scope, connectionId } as const
  const chosenPlan = planInScope(requestedQuery.planId, asking, entries)
  const planId = chosenPlan ?? (scope === 'console' ? listPlanChoices(asking, entries)[0]?.id : undefined)
  const canAsk = scope === 'machine' || (connectionId !== undefined && planId !== undefined)
  const isSame =
    (requestedQuery.planId === undefined || chosenPlan !== undefined) && !requestedQuery.keyId && !requestedQuery.toolId
  const { from, to, modelCode } = filter
  const { data } = useCall(
    'usage.series',
    {
      filter: {
        ...{ scope, from, to, ...(modelCode !== undefined && { modelCode }), ...(planId !== undefined && { planId }) },
        ...(scope === 'console' && connectionId !== undefined && { connectionId }),
      },
      step: 'month',
      compare: false,
    },
    { enabled: canAsk && isSame && cannotAsk === undefined, staleTime: otherStaleMs },
  )
  return data && { scope, tokens: sumTokens(data.totals) }
}

/** Whether filters other than source and time apply. Ignores the console's required plan. */
export const isNarrowed = ({ wanted: { modelCode, toolId, keyId, planId }, scope }: Usage): boolean =>
  [modelCode, toolId, keyId, scope === 'console' ? undefined : planId].some((id) => id !== undefined)
