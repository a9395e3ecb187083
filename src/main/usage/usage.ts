import type { ConnectionView, MethodInput, MethodOutput, PlanView, UsageSources } from '@shared/contract'
import {
  findPeriodProblem,
  type UsageCounts,
  type UsageCycle,
  type UsageFilter,
  type UsageFlow,
  type UsageLatency,
  type UsageRequest,
  type UsageSeries,
  type UsageShare,
  type UsageSplit,
  type UsageStacks,
  type UsageStep,
  type UsageStorage,
} from '@shared/contract/usage'
import { dayMs, minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { holderId } from '@shared/key-ids'
import { addUsageCounts, noCounts, subtractUsageCounts, sumTokens, sumUsageCounts } from '@shared/usage-counts'
import type { Clock, Log } from '../core/ports'
import type { UsageChoice } from '../core/settings/records'
import type { SettingsStore } from '../core/settings/settings'
import type { Connections } from '../plans/connections/connections'
import {
  type ConsolePlan,
  type ConsoleQuery,
  fetchConsoleKeys,
  fetchConsoleModels,
  fetchConsoleSteps,
  fetchConsoleTotals,
  type QueryConsole,
} from './console-usage'
import { defaultCycleDays } from './forecast'
import { Calendar, getPreviousSpan, type Span } from './ledger/calendar'
import type { Ledger } from './ledger-client'
import {
  type LedgerEntry,
  type LedgerFilter,
  type LedgerShare,
  type LedgerSplit,
  type LedgerStack,
  ownTools,
} from './ports'
import { toProjectName, toProjectNames } from './project'
import type { ToolLogReader } from './tool-logs/import'

interface UsageDeps {
  readonly ledger: Ledger
  readonly logs: readonly Pick<ToolLogReader, 'toolId' | 'state' | 'read' | 'forget' | 'stop'>[]
  readonly settings: SettingsStore
  readonly account: {
    usage(question: ConsoleQuery): ReturnType<QueryConsole>
    plan(planRef: { connectionId: string; planId: string }): Promise<{
      readonly expiresAt: string
      readonly cycleDays: number
      readonly purchasedAt: string
    }>
  }
  readonly plans: { list(): readonly PlanView[] }
  readonly connections: Pick<Connections, 'getClockOffsetMs'> & {
    list(): readonly Pick<ConnectionView, 'id' | 'name' | 'addresses'>[]
  }
  readonly toolName: (toolId: string) => string | undefined
  /** Cycle length in days that the user entered for a plan. */
  readonly getCycleDays: (planId: string) => number | undefined
  /** The user's time zone, an IANA name. */
  readonly zone: () => string
  readonly clock: Clock
  readonly log: Log
  readonly onChanged: () => void
}

type Steps = Span & { readonly step: UsageStep; readonly calendar: Calendar }

type ToolLogChoice = UsageChoice['toolLogs'][number]

const maxShares = 200

/** Maximum parts of a split in a chart. */
const maxParts = 5

/** Maximum number of latency samples. More would not change the percentiles noticeably. */
const maxMeasuredRequests = 100_000

/** Reports usage from the console and from this computer. The two sources are never added together. */
export class Usage {
  readonly #ask: QueryConsole = (question) => this.deps.account.usage(question)
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: UsageDeps) {}

  /**
   * Usage over time. Fails with `input.invalid` if the console is requested without a plan, with `usage.unavailable`,
   * or with the failure of the account.
   */
  async series({ filter, step, compare }: MethodInput<'usage.series'>): Promise<UsageSeries> {
    const span = toSpan(filter)
    const calendar = new Calendar(this.deps.zone())
    const previousSpan = getPreviousSpan(calendar, span)
    const [knownFrom, steps, earlier] = await Promise.all([
      this.#knownFrom(filter),
      this.#stacks(filter, { ...span, step, calendar }),
      compare ? this.#stacks(filter, { ...previousSpan, step, calendar }) : undefined,
    ])
    const nowMs = this.#nowAt(filter.scope === 'console' ? filter.connectionId : undefined)
    const recordedRange = { from: knownFrom ?? Number.NEGATIVE_INFINITY, to: nowMs, step, calendar }
    const buildSeriesView = (countedSteps: readonly LedgerStack[]) => ({
      buckets: toBuckets(countedSteps, recordedRange),
      totals: sumUsageCounts(countedSteps.map(({ all }) => all)),
    })
    return {
      step,
      ...buildSeriesView(steps),
      ...(earlier && { previous: { ...toIsoSpan(previousSpan), ...buildSeriesView(earlier) } }),
      ...(knownFrom !== undefined && { knownFrom: new Date(knownFrom).toISOString() }),
      at: this.deps.clock().toISOString(),
    }
  }

  async shares({ filter, by }: MethodInput<'usage.shares'>): Promise<UsageShare[]> {
    if (filter.scope !== 'console') {
      if (by === 'holder')
        throw new AppError('input.invalid', 'Only the console splits usage by holder.', { field: 'by' })
      const ledgerShares = await this.deps.ledger.shares({ filter: ledgerFilter(filter), by, limit: maxShares })
      if (by !== 'project') return addShareNames(ledgerShares, by, this.#createNameFinder())
      const projectNames = toProjectNames(ledgerShares.flatMap(({ id }) => id || []))
      return ledgerShares.map((share) => ({ ...share, name: projectNames.get(share.id) }))
    }
    if (by === 'holder') return this.#sharesByHolder(filter)
    if (by !== 'model')
      throw new AppError('input.invalid', 'The console splits usage by model and holder only.', { field: 'by' })
    const span = await this.#consoleSpan(filter, toSpan(filter))
    const modelShares = await fetchConsoleModels(this.#ask, consolePlan(filter), span)
    return addShareNames(modelShares.slice(0, maxShares), by, this.#createNameFinder())
  }

  /** Usage by key holder. Sends one console request for each key with a holder. The usage of other keys is combined. */
  async #sharesByHolder(filter: UsageFilter): Promise<UsageShare[]> {
    const { keyId: only, ...plan } = consolePlan(filter)
    const holders = new Map(
      this.deps.settings
        .read()
        .register.flatMap(({ connectionId, planId, keyId, holder }) =>
          holder && connectionId === plan.connectionId && planId === plan.planId && keyId === (only ?? keyId)
            ? [[keyId, holder] as const]
            : [],
        ),
    )
    const span = await this.#consoleSpan(filter, toSpan(filter))
    const [total, byKey] = await Promise.all([
      fetchConsoleTotals(this.#ask, { ...plan, keyId: only }, span),
      fetchConsoleKeys(this.#ask, plan, { ...span, keyIds: [...holders.keys()] }),
    ])
    const shares = new Map<string, UsageShare>()
    let unassignedCounts = total
    for (const [keyId, holder] of holders) {
      const counts = byKey.get(keyId) ?? noCounts
      const id = holderId(holder)
      const share = shares.get(id) ?? { id, name: holder.name, ...noCounts }
      shares.set(id, { ...share, ...addUsageCounts(share, counts) })
      unassignedCounts = subtractUsageCounts(unassignedCounts, counts)
    }
    const hasUnassigned = unassignedCounts.requests + sumTokens(unassignedCounts) > 0
    const allShares = [...shares.values(), ...(hasUnassigned ? [{ id: '', ...unassignedCounts }] : [])]
    return allShares.toSorted((a, b) => sumTokens(b) - sumTokens(a)).slice(0, maxShares)
  }

  /** Usage over time by the largest values of `by`. Fails with `input.invalid` if the console can't split by it. */
  async stacks({ filter, step, by }: MethodInput<'usage.stacks'>): Promise<UsageStacks> {
    if (by === 'holder') throw new AppError('input.invalid', 'Usage over time is not split by holder.', { field: 'by' })
    // Exclude successful requests from a split by error.
    const shares = (await this.shares({ filter, by })).filter(({ id }) => by !== 'error' || id !== '')
    const top = shares.slice(0, maxParts)
    const parts = top.map(({ id, name }) => ({ id, name }))
    const hasOtherShares = shares.length > top.length
    const calendar = new Calendar(this.deps.zone())
    const { from, to } = toSpan(filter)
    const nowMs = this.#nowAt(filter.scope === 'console' ? filter.connectionId : undefined)
    const steps = { from, to: Math.min(to, nowMs + 1), step, calendar }
    const rows = await this.#stacks(filter, steps, { by, ids: parts.map(({ id }) => id) })
    return {
      step,
      parts: hasOtherShares ? [...parts, { id: '', isRest: true }] : parts,
      buckets: rows.map(({ start, counts, all }) => ({
        start: new Date(start).toISOString(),
        counts: hasOtherShares
          ? [...counts, counts.reduce((remainder, partCounts) => subtractUsageCounts(remainder, partCounts), all)]
          : counts,
      })),
    }
  }

  /** Usage by plan, model and tool. Fails with `input.invalid` for the console, which does not know the tools. */
  async flows({ filter }: MethodInput<'usage.flows'>): Promise<UsageFlow[]> {
    ledgerFilter(filter)
    const flows = await this.#flows(filter, ['plan', 'model', 'tool'])
    return flows.filter(({ tokens }) => tokens > 0)
  }

  /** Usage of the largest values of each dimension within those before it. Smaller ones have no part of it. */
  async #flows(
    filter: UsageFilter,
    [by, ...others]: readonly FlowSplit[],
    parts: Partial<UsageFlow> = {},
  ): Promise<UsageFlow[]> {
    if (by === undefined) return []
    const shares = (await this.shares({ filter, by })).toSorted((a, b) => sumTokens(b) - sumTokens(a))
    const smallShares = shares.splice(maxParts)
    const flows = shares.map(({ id, name, ...counts }) => {
      const ownParts = { ...parts, [by]: { id, name } }
      if (others.length === 0) return [toFlow(ownParts, counts)]
      return this.#flows({ ...filter, [flowFilters[by]]: id }, others, ownParts)
    })
    const rest = smallShares.length > 0 ? [toFlow(parts, sumUsageCounts(smallShares))] : []
    return [...(await Promise.all(flows)).flat(), ...rest]
  }

  /** Latency of requests. Fails with `input.invalid` for the console. */
  async latency({ filter, step }: MethodInput<'usage.latency'>): Promise<UsageLatency> {
    const buckets = await this.deps.ledger.latency({ filter: ledgerFilter(filter), step, limit: maxMeasuredRequests })
    return { step, buckets }
  }

  /** Usage for each step, in total and by the given values of one dimension. The console has models only. */
  async #stacks(
    filter: UsageFilter,
    steps: Steps,
    split?: { readonly by: LedgerSplit; readonly ids: readonly string[] },
  ): Promise<readonly LedgerStack[]> {
    const { to, step } = steps
    if (filter.scope !== 'console') {
      const from = Math.max(steps.from, (await this.#knownFrom(filter)) ?? to)
      return from >= to
        ? []
        : this.deps.ledger.stacks({ filter: { ...ledgerFilter(filter), from, to }, step, ...split })
    }
    const plan = consolePlan(filter)
    const span = { ...steps, ...(await this.#consoleSpan(filter, steps)) }
    const plans = [plan, ...(split?.ids ?? []).map((modelCode) => ({ ...plan, modelCode }))]
    const [totalSteps = [], ...perStep] = await Promise.all(
      plans.map((part) => fetchConsoleSteps(this.#ask, part, span)),
    )
    return totalSteps.map(({ start, ...all }, index) => ({
      start,
      all,
      counts: perStep.map((partSteps) => sumUsageCounts(partSteps.slice(index, index + 1))),
    }))
  }

  /** Single requests, newest first. Fails with `input.invalid` for the console, which has none. */
  async requests(query: MethodInput<'usage.requests'>): Promise<MethodOutput<'usage.requests'>> {
    const { filter, onlyErrors = false, limit, next: before } = query
    const page = await this.deps.ledger.requests({ filter: ledgerFilter(filter), onlyErrors, limit, before })
    const findName = this.#createNameFinder()
    return { requests: page.entries.map((entry) => namedRequest(entry, findName)), next: page.next }
  }

  /**
   * Cycles of a plan. For a plan with a connection, uses that server's clock. Fails with `plan.notFound`, or with the
   * account's failure if the plan is not saved locally.
   */
  async cycles(input: MethodInput<'usage.cycles'>): Promise<MethodOutput<'usage.cycles'>> {
    return listCycles(await this.#cycleFacts(input), this.#nowAt(input.connectionId))
  }

  async sources(): Promise<UsageSources> {
    const { ledger, logs, toolName, connections } = this.deps
    const [relay, app] = await Promise.all([ledger.getSpan('relay'), ledger.getSpan('app')])
    const chosenToolIds = new Set(this.#chosen().map(({ toolId }) => toolId))
    const toolLogs = logs.map(async (log) => {
      const { toolId } = log
      const [state, { requests }] = await Promise.all([log.state(), ledger.getSpan('toolLog', toolId)])
      return { ...state, toolName: toolName(toolId) ?? toolId, enabled: chosenToolIds.has(toolId), requests }
    })
    return {
      relay: toCount(relay),
      app: toCount(app),
      toolLogs: await Promise.all(toolLogs),
      consoles: connections
        .list()
        .flatMap(({ id: connectionId, name, addresses }) => (addresses.consoleUrl ? [{ connectionId, name }] : [])),
    }
  }

  /** Enables or disables reading a tool's log. The first import runs in the background. Fails with `tool.notFound`. */
  async setToolLog({ toolId, enabled }: MethodInput<'usage.setToolLog'>): Promise<UsageSources> {
    const { logs, log } = this.deps
    const toolLog = logs.find((candidate) => candidate.toolId === toolId)
    if (!toolLog) throw new AppError('tool.notFound', `This app cannot read a log of the tool ${toolId}.`)
    this.#choose((chosen) => [...chosen.filter((log) => log.toolId !== toolId), ...(enabled ? [{ toolId }] : [])])
    if (enabled) void this.#importAndNotify([toolId]).catch((error: unknown) => log.error('usage.toolLogs', error))
    else await toolLog.forget()
    return this.sources()
  }

  /** Imports new entries of all enabled logs. */
  async readToolLogs(): Promise<UsageSources> {
    await this.#importAndNotify(this.#chosen().map(({ toolId }) => toolId))
    return this.sources()
  }

  async storage(): Promise<UsageStorage> {
    const { retentionDays } = this.deps.settings.read().usage
    return { ...(await this.deps.ledger.storage()), retentionDays }
  }

  async setRetention({ days: retentionDays }: MethodInput<'usage.setRetention'>): Promise<UsageStorage> {
    const { settings } = this.deps
    settings.update(({ usage }) => ({ usage: { ...usage, retentionDays } }))
    await this.#prune()
    return this.storage()
  }

  /** Deletes all local usage. Existing tool log entries are not imported again. */
  async erase(): Promise<UsageStorage> {
    const { ledger, logs, clock } = this.deps
    const from = clock().toISOString()
    this.#choose((chosen) => chosen.map((toolLog) => ({ ...toolLog, from })))
    await Promise.all(logs.map((toolLog) => toolLog.stop()))
    await ledger.erase()
    return this.storage()
  }

  /** Imports enabled logs, and prunes old requests once a day. Called every minute. Never rejects. */
  async look(): Promise<void> {
    const { clock, log } = this.deps
    try {
      await this.#importAndNotify(this.#chosen().map(({ toolId }) => toolId))
      if (clock().getTime() - this.#prunedAt >= dayMs) await this.#prune()
    } catch (error) {
      log.error('usage.look', error)
    }
  }

  async #importAndNotify(toolIds: readonly string[]): Promise<void> {
    let hasChanged = false
    for (const log of this.deps.logs) if (toolIds.includes(log.toolId)) hasChanged = (await log.read()) || hasChanged
    if (hasChanged) this.deps.onChanged()
  }

  async #prune(): Promise<void> {
    const { ledger, settings, clock } = this.deps
    const nowMs = clock().getTime()
    const { retentionDays } = settings.read().usage
    if (retentionDays > 0) await ledger.prune(nowMs - retentionDays * dayMs)
    this.#prunedAt = nowMs
  }

  /** Time in which the plan can have usage, plus a day on both sides. Limits the number of console requests. */
  async #consoleSpan(filter: UsageFilter, { from, to }: Span): Promise<Span> {
    const purchasedMs = (await this.#knownFrom(filter)) ?? from
    return { from: Math.max(from, purchasedMs - dayMs), to: Math.min(to, this.#nowAt(filter.connectionId) + dayMs) }
  }

  /** Time in ms of the first known request. For the console, the time when the plan was bought. */
  async #knownFrom({ scope, toolId, connectionId, planId }: UsageFilter): Promise<number | undefined> {
    if (scope === 'console') {
      if (connectionId === undefined || planId === undefined) return undefined
      const plan = await this.deps.account.plan({ connectionId, planId }).catch(() => undefined)
      return plan && Date.parse(plan.purchasedAt)
    }
    const sources = scope === 'machine' ? (['relay', 'toolLog', 'app'] as const) : [scope]
    const spans = await Promise.all(
      sources.map((source) => this.deps.ledger.getSpan(source, source === 'toolLog' ? toolId : undefined)),
    )
    const firstEntryTimes = spans.flatMap(({ first }) => first ?? [])
    return firstEntryTimes.length === 0 ? undefined : Math.min(...firstEntryTimes)
  }

  async #cycleFacts({ planId, connectionId }: MethodInput<'usage.cycles'>): Promise<CycleDetails> {
    const { account, plans, getCycleDays } = this.deps
    const isMatch = ({ id, origin }: PlanView): boolean =>
      connectionId === undefined ? id === planId : origin?.connectionId === connectionId && origin.planId === planId
    const localPlan = plans.list().find(isMatch)
    const origin = connectionId === undefined ? localPlan?.origin : { connectionId, planId }
    const accountPlan =
      origin &&
      (await account.plan(origin).catch((error: unknown) => {
        if (error instanceof AppError && localPlan) return undefined
        throw error
      }))
    if (accountPlan) return { ...accountPlan, begunAt: accountPlan.purchasedAt, isExact: true }
    if (!localPlan) throw new AppError('plan.notFound', `There is no plan ${planId}.`)
    const { expiresAt, createdAt: begunAt } = localPlan
    return { expiresAt, cycleDays: getCycleDays(localPlan.id), begunAt, isExact: false }
  }

  /** Current time in ms, by the server's clock if a connection is given. */
  #nowAt(connectionId: string | undefined): number {
    const { clock, connections } = this.deps
    return clock().getTime() + (connectionId === undefined ? 0 : connections.getClockOffsetMs(connectionId))
  }

  /** Creates a function that finds names of existing plans, keys, tools and models. */
  #createNameFinder() {
    const { toolName } = this.deps
    const plans = this.deps.plans.list()
    return (id: string, by: UsageSplit): string | undefined => {
      if (by === 'plan') return plans.find((plan) => plan.id === id)?.name
      if (by === 'key') return plans.flatMap(({ keys }) => keys).find((key) => key.id === id)?.name
      if (by === 'tool') return ownTools[id] ?? toolName(id)
      return by === 'model' ? id : undefined
    }
  }

  #chosen(): readonly ToolLogChoice[] {
    return this.deps.settings.read().usage.toolLogs
  }

  #choose(change: (chosen: readonly ToolLogChoice[]) => ToolLogChoice[]): void {
    this.deps.settings.update(({ usage }) => ({ usage: { ...usage, toolLogs: change(usage.toolLogs) } }))
  }
}

/** Validates a period, because command line and MCP calls bypass the contract. Fails with `input.invalid`. */
export function requirePeriod(filter: Pick<UsageFilter, 'from' | 'to'>, step: UsageStep): void {
  const problem = findPeriodProblem(filter, step)
  if (problem !== undefined) throw new AppError('input.invalid', problem, { field: 'from' })
}

const toSpan = ({ from, to }: UsageFilter): Span => ({ from: Date.parse(from), to: Date.parse(to) })

const toIsoSpan = ({ from, to }: Span) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

function ledgerFilter({ scope, connectionId: _, ...filter }: UsageFilter): LedgerFilter {
  if (scope !== 'console') return { ...filter, scope, ...toSpan({ scope, ...filter }) }
  throw new AppError('input.invalid', 'The console has totals only, no single requests.', { field: 'scope' })
}

function consolePlan({ connectionId, planId, modelCode, keyId, toolId, projectId }: UsageFilter): ConsolePlan {
  if (connectionId === undefined || planId === undefined)
    throw new AppError('input.invalid', 'The console has usage by plan. Choose one.', { field: 'planId' })
  if (toolId !== undefined)
    throw new AppError('input.invalid', 'The console does not know which tool sent a request.', { field: 'toolId' })
  if (projectId !== undefined)
    throw new AppError('input.invalid', 'The console does not know the project of a request.', { field: 'projectId' })
  return { connectionId, planId, modelCode, keyId }
}

/** Omits steps before the first known request, and steps in the future. */
function toBuckets(countedSteps: readonly LedgerStack[], { from, to, step, calendar }: Steps) {
  const firstStart = Number.isFinite(from) ? calendar.startOfStep(step, from) : from
  return countedSteps
    .filter(({ start }) => start <= to && start >= firstStart)
    .map(({ start, all }) => ({ start: new Date(start).toISOString(), ...all }))
}

const toCount = ({ requests, last }: { readonly requests: number; readonly last?: number }) => ({
  requests,
  lastAt: last === undefined ? undefined : new Date(last).toISOString(),
})

type FindName = (id: string, by: UsageSplit) => string | undefined

const addShareNames = (shares: readonly LedgerShare[], by: UsageSplit, findName: FindName): UsageShare[] =>
  shares.map((share) => ({ ...share, name: share.id === '' ? undefined : findName(share.id, by) }))

function namedRequest(entry: LedgerEntry, findName: FindName): UsageRequest {
  const { at, planId, keyId, toolId, projectId, answerId: _, ...rest } = entry
  return {
    ...rest,
    at: new Date(at).toISOString(),
    planName: planId && findName(planId, 'plan'),
    keyName: keyId && findName(keyId, 'key'),
    toolId,
    toolName: toolId && findName(toolId, 'tool'),
    projectId,
    projectName: projectId && toProjectName(projectId),
  }
}

/** Dates from which a plan's cycles are computed. Times are ISO 8601. */
interface CycleDetails {
  readonly expiresAt?: string | undefined
  /** Cycle length in days, undefined if unknown. Plans usually last 30 days (spec, "What the service does"). */
  readonly cycleDays?: number | undefined
  /** Time before which the plan was not used. `isExact`: the first cycle started exactly then. */
  readonly begunAt: string
  readonly isExact: boolean
}

const maxCycles = 24

/** Cycles of a plan, newest first, calculated back from the plan's end. Empty if the end is unknown. */
function listCycles(
  { expiresAt, cycleDays = defaultCycleDays, begunAt, isExact }: CycleDetails,
  nowMs: number,
): UsageCycle[] {
  if (expiresAt === undefined || cycleDays === 0) return []
  const [end, beginMs, length] = [Date.parse(expiresAt), Date.parse(begunAt), cycleDays * dayMs]
  const remainder = (end - beginMs) % length
  const isFullDay = isExact && Math.min(remainder, length - remainder) < minuteMs
  const cycles: UsageCycle[] = []
  for (let cycleEnd = end; cycleEnd > beginMs + minuteMs && cycles.length < maxCycles; cycleEnd -= length) {
    const cycleStartMs = cycleEnd - length
    cycles.push({
      from: new Date(cycleStartMs).toISOString(),
      to: new Date(cycleEnd).toISOString(),
      isCurrent: cycleStartMs <= nowMs && nowMs < cycleEnd,
      isEstimated: !isFullDay,
    })
  }
  return cycles
}

const flowFilters = { plan: 'planId', model: 'modelCode', tool: 'toolId' } as const

type FlowSplit = keyof typeof flowFilters

const toFlow = (parts: Partial<UsageFlow>, counts: UsageCounts): UsageFlow => ({
  ...parts,
  requests: counts.requests,
  tokens: sumTokens(counts),
})
