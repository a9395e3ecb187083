import { setTimeout as wait } from 'node:timers/promises'
import type { MethodInput, MethodOutput, PlanView, UsageCounts } from '@shared/contract'
import type { AccountPlanView } from '@shared/contract/plans'
import type { EnteredAllowances, Gauge, PlanQuota } from '@shared/contract/quota'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { type Allowance, listAllowances } from '@shared/model-quota'
import { sumTokens } from '@shared/usage-counts'
import { type Locale, translator } from '../../core/i18n'
import type { Clock, Log } from '../../core/ports'
import type { AccountPlanId, SettingsStore } from '../../core/settings/settings'
import { type ConcurrencyLimiter, limitConcurrency, yieldToEventLoop } from '../../core/work-queue'
import type { UsageConsoleQuery } from '../../plans/account/console-client'
import type { Connections } from '../../plans/connections/connections'
import { groupBy } from '../../plans/plan-directory'
import { defaultCycleDays, findCycle, forecast, getEvenPace, getRhythmStart } from '../forecast'
import { Calendar, type Span } from '../ledger/calendar'
import type { Ledger } from '../ledger-client'
import type { ModelHour } from '../ports'
import { remainingPercent } from './status-cache'

export interface QuotaDeps {
  readonly account: {
    plans(accountKey: { readonly connectionId: string }): Promise<AccountPlanView[]>
    usage(
      question: UsageConsoleQuery & { readonly connectionId: string },
    ): Promise<{ readonly series: readonly (UsageCounts & { readonly start: string })[] }>
  }
  readonly connections: Pick<Connections, 'consoleIds' | 'getClockOffsetMs'>
  readonly plans: {
    list(): readonly PlanView[]
    /** Finds a plan. Fails with `plan.notFound`. */
    find(planId: string): { readonly id: string }
  }
  readonly ledger: Pick<Ledger, 'listHours'>
  readonly settings: SettingsStore
  readonly clock: Clock
  readonly log: Log
  /** The user's time zone, an IANA name. */
  readonly zone: () => string
  /** Maximum time in ms to wait for the console. A later response is still cached. */
  readonly timeoutMs?: number
  readonly onListed?: (plans: readonly PlanQuota[]) => void
  /** Called when a console responds after `list` has returned without waiting for it. */
  readonly onLateFigures?: () => void
}

const defaultTimeoutMs = 6_000

/** Remaining allowances of all plans, with forecasts. */
export class QuotaService {
  readonly #console: ConsoleFigures
  #lastListed: readonly PlanQuota[] = []

  constructor(private readonly deps: QuotaDeps) {
    this.#console = new ConsoleFigures(deps)
  }

  /** All plans, tightest first. Console data is cached for a minute. If it fails, uses usage of this computer. */
  async list(): Promise<PlanQuota[]> {
    const { clock, zone } = this.deps
    const consolePlans = (await Promise.all(this.deps.connections.consoleIds().map((id) => this.#ofConsole(id)))).flat()
    const consolePlanIds = new Set(consolePlans.flatMap(({ planId, origin }) => [planId, originText(origin)]))
    const isInConsole = ({ id, origin }: PlanView): boolean =>
      consolePlanIds.has(id) || (!!origin && consolePlanIds.has(originText(origin)))
    const plansNotInConsole = this.deps.plans.list().filter((plan) => !isInConsole(plan))
    const machinePlans = await Promise.all(plansNotInConsole.map((plan) => this.#ofMachine(plan)))
    const [nowMs, calendar] = [clock().getTime(), new Calendar(zone())]
    const plans: PlanQuota[] = []
    for (const figures of [...consolePlans, ...machinePlans]) plans.push(await planQuota(figures, nowMs, calendar))
    const sortedPlans = sortTightestFirst(plans)
    this.#lastListed = sortedPlans
    this.deps.onListed?.(sortedPlans)
    void this.#console.waitForPendingHours().then((hasPending) => hasPending && this.deps.onLateFigures?.())
    return sortedPlans
  }

  /** Result of the last `list` call. Empty before the first call. */
  lastListed(): readonly PlanQuota[] {
    return this.#lastListed
  }

  /** Like `list`, but bypasses the console cache. */
  refresh(): Promise<PlanQuota[]> {
    this.forget()
    return this.list()
  }

  /** Invalidates the console cache. */
  forget(): void {
    this.#console.forget()
  }

  /** Summary of the tightest allowance, of one plan if `planId` is set. Undefined if no allowance is known. */
  async tightestLine(locale: 'en' | 'vi', planId?: string): Promise<string | undefined> {
    const plans = await this.list()
    return formatTightestPlan(planId === undefined ? plans : plans.filter((plan) => plan.planId === planId), locale)
  }

  /** Allowances that the user entered for a plan. */
  allowances({ planId }: MethodInput<'quota.allowances'>): MethodOutput<'quota.allowances'> {
    const { allowances = [], cycleDays = defaultCycleDays } = this.#known(planId) ?? {}
    return { allowances: [...allowances], cycleDays }
  }

  /** Cycle length in days that the user entered for a plan. */
  getCycleDays(planId: string): number | undefined {
    return this.#known(planId)?.cycleDays
  }

  /** Replaces the allowances of a plan. The last entry of a model wins. Fails with `plan.notFound`. */
  setAllowances({ planId, cycleDays, allowances }: MethodInput<'quota.setAllowances'>): void {
    const { plans, settings } = this.deps
    const { id } = plans.find(planId)
    const localIds = new Set(plans.list().map((plan) => plan.id))
    const allowancesByModel = new Map(allowances.map((allowance) => [allowance.modelCode, allowance]))
    settings.update(({ allowances: savedAllowances }) => {
      const otherPlans = savedAllowances.filter(
        (planAllowance) => planAllowance.planId !== id && localIds.has(planAllowance.planId),
      )
      return { allowances: [...otherPlans, { planId: id, cycleDays, allowances: [...allowancesByModel.values()] }] }
    })
  }

  #known(planId: string) {
    return this.deps.settings.read().allowances.find((planAllowance) => planAllowance.planId === planId)
  }

  /**
   * Quotas and usage from the console. They include usage on other computers. While the console cannot be reached,
   * these are its last ones, without hours, and without plans that have local figures.
   */
  async #ofConsole(connectionId: string): Promise<PlanFigures[]> {
    const currentPlans = await this.#console.plans(connectionId)
    const consolePlans = currentPlans ?? this.#console.lastConsolePlans(connectionId)
    if (!consolePlans) return []
    const { at, value } = consolePlans
    const { aheadMs } = value
    const localOrigins = new Set(this.deps.plans.list().map(({ origin }) => originText(origin)))
    const hasLocalFigures = ({ planId }: AccountPlanView): boolean =>
      !currentPlans && localOrigins.has(originText({ connectionId, planId }))
    return Promise.all(
      value.plans
        .filter((plan) => !hasLocalFigures(plan))
        .map(async (plan) => {
          const { planId, localPlanId, name, label, status, expiresAt, cycleDays, autoRenew } = plan
          const origin = { connectionId, planId }
          const isExpired = status === 'EXPIRED'
          const models = plan.models.map(async (model) => ({
            ...model,
            displayName: model.displayName || model.modelCode,
            hours: currentPlans && !isExpired ? await this.#console.hours(origin, model.modelCode) : [],
          }))
          return {
            planId: localPlanId,
            origin,
            name,
            label,
            source: 'console' as const,
            isExpired,
            expiresAt,
            cycle: isExpired ? undefined : findCycle(Date.parse(expiresAt), cycleDays, at.getTime() + aheadMs),
            autoRenew,
            models: await Promise.all(models),
            at,
            aheadMs,
          }
        }),
    )
  }

  /** Usage from local requests in the current cycle, or in as many days before now if the cycle is unknown. */
  async #ofMachine(plan: PlanView): Promise<PlanFigures> {
    const { clock, ledger, log } = this.deps
    const at = clock()
    const { id: planId, origin, name, label } = plan
    const consolePlans = origin && this.#console.lastConsolePlans(origin.connectionId)?.value
    const consolePlan = consolePlans?.plans.find((candidate) => candidate.planId === origin?.planId)
    const known = this.#known(planId)
    const cycleDays = consolePlan?.cycleDays ?? known?.cycleDays ?? defaultCycleDays
    const fromMs = Math.min(getRhythmStart(at.getTime()), at.getTime() - (cycleDays + 1) * dayMs)
    const hours = await ledger.listHours(planId, fromMs).catch((error: unknown) => {
      log.error('quota.ledger', error)
      return []
    })
    const aheadMs = consolePlans?.aheadMs ?? 0
    const nowMs = at.getTime() + aheadMs
    const endMs = Date.parse(consolePlan?.expiresAt ?? plan.expiresAt ?? '')
    const cycle = findCycle(endMs, cycleDays, nowMs)
    const countStartMs = Math.floor((cycle?.from ?? nowMs - cycleDays * dayMs) / hourMs) * hourMs
    const countedHours = hours.map((hour) => {
      // Exclude failed requests, because they do not count against an allowance.
      return { ...hour, start: hour.start + aheadMs, requests: Math.max(0, hour.requests - hour.errors) }
    })
    return {
      planId,
      origin,
      name,
      label,
      source: 'machine',
      isExpired: consolePlan?.status === 'EXPIRED' || endMs <= nowMs,
      ...(Number.isNaN(endMs) ? {} : { expiresAt: new Date(endMs).toISOString() }),
      cycle,
      autoRenew: consolePlan?.autoRenew,
      models: countModels(plan.models, consolePlan?.models ?? known?.allowances ?? [], countedHours, countStartMs),
      at,
      aheadMs,
    }
  }
}

const originText = (origin: PlanQuota['origin']): string | undefined =>
  origin && JSON.stringify([origin.connectionId, origin.planId])

/** Usage of a model in the current cycle. Includes usage by hour, which the forecast needs. */
type ModelFigures = EnteredAllowances[number] &
  Pick<AccountPlanView['models'][number], 'displayName' | 'tokensUsed' | 'requestsUsed'> & {
    readonly hours: readonly Hour[]
  }

type PlanFigures = Omit<PlanQuota, 'models' | 'cycle' | 'at'> & {
  readonly cycle?: Span | undefined
  readonly autoRenew?: boolean | undefined
  readonly models: readonly ModelFigures[]
  /** Time at which the console responded, by the local clock. */
  readonly at: Date
  /** Difference in ms between the server's clock, by which cycles change, and the local clock. */
  readonly aheadMs: number
}

/** Maximum number of used models that the plan does not have. A tool can make up any number of names. */
const maxOtherModels = 50

/** Usage of the plan's models, and of the most used other ones. Counts from a time, but returns all hours. */
function countModels(
  planModels: readonly string[],
  planAllowances: readonly (EnteredAllowances[number] & { readonly displayName?: string })[],
  hours: readonly ModelHour[],
  countStartMs: number,
): ModelFigures[] {
  const allowances = new Map(planAllowances.map((allowance) => [allowance.modelCode, allowance]))
  const groups = groupBy(hours, ({ modelCode }) => modelCode)
  const hoursByModel = new Map(groups.map((group) => [group[0].modelCode, group]))
  const ownCodes = new Set([...planModels, ...allowances.keys()])
  const otherCodes = groups
    .map((group) => ({ code: group[0].modelCode, tokens: sumHours(group, sumTokens) }))
    .filter(({ code, tokens }) => !ownCodes.has(code) && tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, maxOtherModels)
    .map(({ code }) => code)
  return [...ownCodes, ...otherCodes].map((modelCode) => {
    const servedHours = hoursByModel.get(modelCode) ?? []
    const countedHours = servedHours.filter(({ start }) => start >= countStartMs)
    const { tokenQuota, requestQuota, displayName } = allowances.get(modelCode) ?? {}
    return {
      modelCode,
      displayName: displayName || modelCode,
      tokenQuota,
      requestQuota,
      tokensUsed: sumHours(countedHours, sumTokens),
      requestsUsed: sumHours(countedHours, ({ requests }) => requests),
      hours: servedHours,
    }
  })
}

const sumHours = (hours: readonly Hour[], toNumber: (hour: Hour) => number): number =>
  hours.reduce((sum, hour) => sum + toNumber(hour), 0)

/** Gauges and forecasts of a plan. Yields to the event loop after each model, because there may be thousands. */
async function planQuota(figures: PlanFigures, localMs: number, calendar: Calendar): Promise<PlanQuota> {
  const { cycle, autoRenew, models, at, aheadMs, ...plan } = figures
  const nowMs = localMs + aheadMs
  const evenPace = cycle && getEvenPace(cycle, nowMs)
  const modelsWithGauges: PlanQuota['models'] = []
  for (const { modelCode, displayName, ...model } of models) {
    const gauge = (quota: number | undefined, used: number, toAmount: (hour: Hour) => number): Gauge => {
      const hours = model.hours.map((hour) => ({ start: hour.start, amount: toAmount(hour) }))
      return { quota, used, evenPace, forecast: forecast({ hours, used, quota, cycle, nowMs, calendar }) }
    }
    const tokens = gauge(model.tokenQuota, model.tokensUsed, sumTokens)
    const requests = gauge(model.requestQuota, model.requestsUsed, (hour) => hour.requests)
    modelsWithGauges.push({ modelCode, displayName, tokens, requests })
    await yieldToEventLoop()
  }
  return {
    ...plan,
    ...(cycle && {
      cycle: { from: new Date(cycle.from).toISOString(), to: new Date(cycle.to).toISOString(), autoRenew },
    }),
    models: modelsWithGauges,
    at: at.toISOString(),
    ...(aheadMs === 0 ? {} : { aheadMs }),
  }
}

type Hour = UsageCounts & { readonly start: number }

interface ConsolePlans {
  readonly plans: readonly AccountPlanView[]
  readonly aheadMs: number
}

const maxConcurrent = 2

/** Console cache: plans 1 min, model hours 1 h. */
class ConsoleFigures {
  readonly #plans: TtlCache<ConsolePlans>
  readonly #hours: TtlCache<readonly Hour[]>
  readonly #lastConsolePlans = new Map<string, CacheEntry<ConsolePlans>>()
  readonly #late = new Set<Promise<unknown>>()

  constructor(private readonly deps: QuotaDeps) {
    const { clock } = deps
    const limiter = limitConcurrency(maxConcurrent)
    this.#plans = new TtlCache({ clock, turn: limiter, forMs: minuteMs })
    this.#hours = new TtlCache({ clock, turn: limiter, forMs: hourMs })
  }

  /** Plans of an account. Undefined if the request fails. */
  async plans(connectionId: string): Promise<CacheEntry<ConsolePlans> | undefined> {
    const { account } = this.deps
    const plansRequest = this.#plans.get(connectionId, async () => {
      const plans = await account.plans({ connectionId })
      const offsetMs = this.deps.connections.getClockOffsetMs(connectionId)
      // Less than a minute counts as 0: `Date` headers have a resolution of seconds and arrive with latency.
      return { plans, aheadMs: Math.abs(offsetMs) < minuteMs ? 0 : offsetMs }
    })
    const consolePlans = await Promise.race([plansRequest, this.#startTimeout()])
    if (consolePlans) this.#lastConsolePlans.set(connectionId, consolePlans)
    return consolePlans
  }

  /** Last successful response of an account. */
  lastConsolePlans(connectionId: string): CacheEntry<ConsolePlans> | undefined {
    return this.#lastConsolePlans.get(connectionId)
  }

  /** Hourly history of a model. Empty on errors or timeout. */
  async hours(plan: AccountPlanId, modelCode: string): Promise<readonly Hour[]> {
    const { account, clock } = this.deps
    const clockOffsetMs = this.#lastConsolePlans.get(plan.connectionId)?.value.aheadMs ?? 0
    const name = JSON.stringify([plan.connectionId, plan.planId, modelCode, Math.round(clockOffsetMs / hourMs)])
    const hoursRequest = this.#hours.get(name, async () => {
      const nowMs = clock().getTime() + clockOffsetMs
      const span = { from: new Date(getRhythmStart(nowMs)).toISOString(), to: new Date(nowMs).toISOString() }
      const { series } = await account.usage({ ...plan, ...span, interval: 'hour', modelCode })
      return series.map(({ start, ...counts }) => ({ ...counts, start: Date.parse(start) }))
    })
    this.#late.add(hoursRequest)
    void hoursRequest.finally(() => this.#late.delete(hoursRequest))
    return (await Promise.race([hoursRequest, this.#startTimeout()]))?.value ?? []
  }

  /** Waits for responses that exceeded the timeout. Resolves with whether there were any. */
  async waitForPendingHours(): Promise<boolean> {
    return (await Promise.all(this.#late)).length > 0
  }

  #startTimeout(): Promise<undefined> {
    return wait(this.deps.timeoutMs ?? defaultTimeoutMs, undefined, { ref: false })
  }

  /** Invalidates the plan and hour caches. */
  forget(): void {
    this.#plans.forget()
    this.#hours.forget()
  }
}

interface CacheEntry<T> {
  readonly value: T
  readonly at: Date
}

/** Caches results of requests by key for `forMs`. A failed request is cached as undefined, for at most a minute. */
class TtlCache<T> {
  /** `ttlMs`: time to live in ms. Infinite for a pending request. */
  readonly #results = new Map<string, CacheEntry<Promise<T | undefined>> & { ttlMs: number }>()

  constructor(
    private readonly deps: { readonly clock: Clock; readonly forMs: number; readonly turn: ConcurrencyLimiter },
  ) {}

  async get(name: string, load: () => Promise<T>): Promise<CacheEntry<T> | undefined> {
    const { clock, forMs, turn } = this.deps
    const currentTime = clock()
    let result = this.#results.get(name)
    if (!result || Math.abs(currentTime.getTime() - result.at.getTime()) >= result.ttlMs) {
      const newResult = { at: currentTime, value: turn(load).catch(() => undefined), ttlMs: Number.POSITIVE_INFINITY }
      void newResult.value.then((value) => {
        newResult.ttlMs = value === undefined ? Math.min(forMs, minuteMs) : forMs
      })
      this.#results.set(name, newResult)
      result = newResult
    }
    const value = await result.value
    return value === undefined ? undefined : { value, at: result.at }
  }

  /** Invalidates all entries except pending requests. */
  forget(): void {
    for (const [name, { ttlMs }] of this.#results) if (Number.isFinite(ttlMs)) this.#results.delete(name)
  }
}

/** Sort key of an allowance: used up first, then by forecast time of running out, then by smallest remaining share. */
function rankTightness({ gauge: { forecast, used, quota } }: Allowance): readonly [rank: number, within: number] {
  if (used >= quota) return [0, 0]
  return forecast.kind === 'runsOut' ? [1, Date.parse(forecast.at)] : [2, 1 - used / quota]
}

/** Allowance of these plans that is used up first, with its sort key. Ignores expired plans. */
const findTightestAllowance = (plans: readonly PlanQuota[]) =>
  plans
    .flatMap((plan) => (plan.isExpired ? [] : listAllowances(plan)))
    .map((allowance) => ({ ...allowance, rank: rankTightness(allowance) }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank))[0]

const compareRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0

/** Sorts plans by tightest allowance. Unknown and expired ones come last. */
const sortTightestFirst = (plans: readonly PlanQuota[]): PlanQuota[] =>
  plans
    .map((plan) => ({ plan, rank: [Number(plan.isExpired), ...(findTightestAllowance([plan])?.rank ?? [3])] }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank) || a.plan.name.localeCompare(b.plan.name))
    .map(({ plan }) => plan)

/** The tightest allowance, such as `team-plan · gpt-large 12% left (tokens)`. Undefined if none is known. */
export function formatTightestPlan(plans: readonly PlanQuota[], locale: Locale): string | undefined {
  const tightestAllowance = findTightestAllowance(plans)
  if (!tightestAllowance) return undefined
  const { plan, model, kind } = tightestAllowance
  const t = translator(locale)
  const values = {
    plan: plan.label ?? plan.name,
    model: model.modelCode,
    percent: formatPercentLeft(tightestAllowance),
    unit: t(`units.${kind}`),
  }
  return t('tray.tightest', values)
}

/** Remaining share of a model's tightest allowance, such as `12% left`. Undefined if unknown. */
export function formatModelRemaining(
  plan: PlanQuota | undefined,
  modelCode: string,
  locale: Locale,
): string | undefined {
  const models = plan?.models.filter((model) => model.modelCode === modelCode) ?? []
  const tightestAllowance = plan && findTightestAllowance([{ ...plan, models }])
  return tightestAllowance && translator(locale)('tray.left', { percent: formatPercentLeft(tightestAllowance) })
}

function formatPercentLeft({ gauge }: Allowance): string {
  // Rounds down, but shows "<1%" for a nonzero rest. "0%" means exhausted.
  const percent = remainingPercent(gauge)
  return percent === 0 && gauge.used < gauge.quota ? '<1%' : `${percent}%`
}
