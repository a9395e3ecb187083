import type { UsageCycle, UsageFilter, UsageScope, UsageSources, UsageStep } from '@shared/contract'
import { hourMs } from '@shared/durations'
import i18next from 'i18next'
import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { dateFormat, dateParts, dayParts, formatDate, getLocale } from '../../format'
import { useCall } from '../../ipc'
import { usagePath } from '../../paths'
import { useNow, useServerNow } from '../../relative-time'
import { useSession } from '../../session'
import { type Console, type Entry, joinPlanEntries, useConsole, useEntries } from '../connections/account'
import {
  chooseStep,
  hasRequests,
  type Point,
  readUsageQuery,
  resolveSpan,
  type Span,
  sumTokens,
  type UsageQuery,
  writeUsageQuery,
} from './usage-query'

const t = i18next.getFixedT(null, 'usage')

/** Number of requests that this computer has counted. */
export const countLocalRequests = ({ relay, app, toolLogs }: UsageSources): number =>
  [relay, app, ...toolLogs].reduce((sum, { requests }) => sum + requests, 0)

const noCycles: readonly UsageCycle[] = []

/** Poll interval of the console in ms. Local changes send events. */
const consoleRefreshMs = 60_000

/** Time in ms for which usage of the other source is cached. */
const staleTimeMs = 5 * 60_000

/** Source of usage if the page address contains none. Prefers the console, because it includes other computers. */
function useDefaultScope({ entries, hasFailed, active }: ReturnType<typeof useKnownEntries>): UsageScope | undefined {
  const { data, isError } = useCall('usage.sources', {})
  if (entries === undefined || (!data && !isError)) return undefined
  if (entries.some(({ kind }) => kind === 'account')) return 'console'
  const hasMachineUsage = data && countLocalRequests(data) > 0
  // If the console fails and this computer has no usage, select the console, so that the page shows its failure.
  return hasFailed && active !== undefined && !hasMachineUsage ? 'console' : 'machine'
}

/** Start of the current day, by the server's clock for the console and by the local clock otherwise. */
export function useToday({
  scope,
  connectionId,
}: {
  readonly scope?: UsageScope | undefined
  readonly connectionId?: string | undefined
}): Date {
  const [currentTime, getServerNow] = [useNow(), useServerNow()]
  const todayText = (scope === 'console' ? getServerNow(connectionId) : currentTime).toDateString()
  return useMemo(() => new Date(todayText), [todayText])
}

/** All plans. Only local plans if the console fails. */
function useKnownEntries(console: Console) {
  const { entries, account, local, connectionId } = useEntries(console)
  const hasFailed = account.isFetched && account.data === undefined
  const ownEntries = useMemo(() => (local.data ? joinPlanEntries(undefined, local.data) : undefined), [local.data])
  return { entries: entries ?? (hasFailed ? ownEntries : undefined), hasFailed, active: connectionId }
}

/** Filter and sources of a usage page. Undefined while loading. `single`: single requests, only local ones. */
export function useUsage({ single = false } = {}) {
  const { query: requestedQuery, change } = useUsageQuery()
  const console = useConsole()
  const knownEntries = useKnownEntries(console)
  const firstScope = useDefaultScope(knownEntries)
  const { entries, hasFailed, active } = knownEntries
  const scope = requestedQuery.scope ?? (single ? 'machine' : firstScope)
  const isConsole = scope === 'console'
  const connectionId = isConsole ? (requestedQuery.connectionId ?? active) : undefined
  const plans = scope && entries ? listPlanChoices({ scope, connectionId }, entries) : []
  // The console requires a plan, so select one.
  const planId = requestedQuery.planId ?? (isConsole ? plans[0]?.id : undefined)
  const { data: cycles = noCycles } = useCall(
    'usage.cycles',
    planId === undefined ? undefined : { planId, connectionId },
  )
  const todayRange = useToday({ scope, connectionId })
  const span = useMemo(() => resolveSpan(requestedQuery, cycles, todayRange), [requestedQuery, cycles, todayRange])
  const filter = useMemo((): UsageFilter => {
    const { modelCode, toolId, keyId, projectId, since, until } = requestedQuery
    const sourceFilter = scope === 'console' ? { connectionId } : { toolId, projectId }
    const [from, to] = [since ?? span.from.toISOString(), until ?? span.to.toISOString()]
    return { scope: scope ?? 'machine', from, to, planId, modelCode, keyId, ...sourceFilter }
  }, [requestedQuery, scope, span, planId, connectionId])
  if (scope === undefined || entries === undefined) return undefined
  const blockedReason = !isConsole
    ? undefined
    : connectionId === undefined
      ? 'noConsole'
      : planId === undefined && !hasFailed
        ? 'noPlan'
        : undefined
  return {
    query: requestedQuery,
    change,
    console,
    scope,
    entries,
    plans,
    planId,
    connectionId,
    cycles,
    span,
    step: chooseStep(span, requestedQuery.step),
    filter,
    /** Reason why the requested console is unavailable. */
    cannotAsk: blockedReason,
  } as const
}

/** Filter of the usage pages, resolved against the available plans. */
export type Usage = NonNullable<ReturnType<typeof useUsage>>

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

/** The filter is in the URL, so that links and back navigation work. A new period resets step and selected bar. */
function useUsageQuery(): { readonly query: UsageQuery; readonly change: (changes: Partial<UsageQuery>) => void } {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const usageQuery = useSession((session) => session.usageQuery)
  // Restore the last filter for a link without a query.
  const query = pathname === usagePath && search === '' ? usageQuery : search
  const requestedQuery = useMemo(() => readUsageQuery(new URLSearchParams(query)), [query])
  const change = useCallback(
    (changes: Partial<UsageQuery>): void => {
      const isNewPeriod = 'span' in changes || 'from' in changes || 'to' in changes
      const periodDefaults = { step: undefined, since: undefined, until: undefined }
      const nextSearch = writeUsageQuery({ ...requestedQuery, ...(isNewPeriod && periodDefaults), ...changes })
      if (pathname === usagePath) useSession.setState({ usageQuery: nextSearch })
      void navigate(`${pathname}${nextSearch}`)
    },
    [navigate, pathname, requestedQuery],
  )
  return { query: requestedQuery, change }
}

interface ScopeInput {
  readonly scope: UsageScope
  readonly connectionId: string | undefined
}

/** The account's id of a plan. For a local plan, it comes from its origin, because the account may be unreachable. */
function accountId(entry: Entry, connectionId: string | undefined): string | undefined {
  if (entry.kind === 'account') return entry.plan.planId
  const { origin } = entry.plan
  return origin?.connectionId === connectionId && !entry.isGone ? origin?.planId : undefined
}

const localId = (entry: Entry): string | undefined => (entry.kind === 'account' ? entry.local?.id : entry.plan.id)

const getEntryId = ({ scope, connectionId }: ScopeInput, entry: Entry): string | undefined =>
  scope === 'console' ? accountId(entry, connectionId) : localId(entry)

/** Plans that the filter offers. `id`: the account's id if the source is the console, else the local id. */
const listPlanChoices = (asking: ScopeInput, entries: readonly Entry[]) =>
  entries.flatMap((entry) => {
    const id = getEntryId(asking, entry)
    const models = entry.kind === 'account' ? entry.plan.models.map(({ modelCode }) => modelCode) : entry.plan.models
    return id === undefined ? [] : [{ id, name: entry.plan.name, models }]
  })

/** Converts a plan id to the ids of another source. Undefined if that source does not have the plan. */
export function isPlanInScope(
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

/**
 * Tokens counted by the other source (console or this computer) for the same plan, model and period. Undefined if that
 * source does not support the filter, or without a plan: this computer also counts requests to other providers.
 */
export function useAlternativeSource(
  usage: Usage,
): { readonly scope: UsageScope; readonly planId: string; readonly tokens: number } | undefined {
  const { scope: shownScope, query: requestedQuery, filter, entries, console, cannotAsk } = usage
  const scope = shownScope === 'console' ? 'machine' : 'console'
  const { connectionId } = console
  const querySource = { scope, connectionId } as const
  const planId = isPlanInScope(filter.planId, querySource, entries)
  const canQuery = planId !== undefined && (scope === 'machine' || connectionId !== undefined)
  const isComplete = shownScope === 'machine' || shownScope === 'console'
  const isSameQuery = isComplete && !requestedQuery.keyId && !requestedQuery.toolId && !requestedQuery.projectId
  const { from, to, modelCode } = filter
  const { data } = useCall(
    'usage.series',
    {
      filter: { scope, from, to, modelCode, planId, connectionId: scope === 'console' ? connectionId : undefined },
      step: 'month',
      compare: false,
    },
    { enabled: canQuery && isSameQuery && cannotAsk === undefined, staleTime: staleTimeMs },
  )
  return planId === undefined || !data ? undefined : { scope, planId, tokens: sumTokens(data.totals) }
}

/** Whether usage is filtered by more than source and period. The console requires a plan, so ignores it. */
export const isFiltered = ({ query: { modelCode, toolId, keyId, projectId, planId }, scope }: Usage): boolean =>
  [modelCode, toolId, keyId, projectId, scope === 'console' ? undefined : planId].some((id) => id !== undefined)

const formatDayInFull = (day: Date): string => dateFormat({ weekday: 'short', ...dateParts[getLocale()] }).format(day)

function formatHours(from: Date, to: Date): string {
  const time = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return `${formatDayInFull(from)}, ${time.format(from)}–${time.format(to)}`
}

/** Formats a period, for example `Nov 15 – 21, 2026`. */
export const formatDays = ({ from, to }: Span): string =>
  dateFormat(dateParts[getLocale()]).formatRange(from, new Date(to.getTime() - 1))

/** Formats a period: times within a day, otherwise dates. */
export const formatSpan = ({ from, to }: Span): string =>
  to.getTime() - from.getTime() < 20 * hourMs ? formatHours(from, to) : formatDays({ from, to })

/** Short text of the time axis for a step. */
export function formatTick(step: UsageStep, start: Date): string {
  const day = dayParts[getLocale()]
  if (step === 'month') return dateFormat({ month: day.month, year: 'numeric' }).format(start)
  const isTime = step === 'hour' && start.getHours() !== 0
  return dateFormat(isTime ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : day).format(start)
}

/** Long text of a step, for tooltips. */
export function formatStep(step: UsageStep, { start, end }: Pick<Point, 'start' | 'end'>): string {
  switch (step) {
    case 'hour':
      return formatHours(start, end)
    case 'day':
      return formatDayInFull(start)
    case 'week':
      return t('charts.week', { day: formatDate(start.toISOString()) })
    case 'month':
      return dateFormat({ month: 'long', year: 'numeric' }).format(start)
  }
}
