import { setTimeout } from 'node:timers/promises'
import { minuteMs } from '@shared/durations'
import { withoutHidden } from '@shared/hidden-characters'
import { timeZone } from '../core/local-time'
import { Calendar, getCycle, type Span } from '../usage/ledger/calendar'
import type { LedgerEntry } from '../usage/ports'
import type { BudgetReader, RelayBudget } from './ports'

export function getPeriod(period: RelayBudget['period'], nowMs: number, calendar: Calendar): Span {
  if (period.kind === 'cycle') return getCycle(period.endsAt, period.days, nowMs)
  return { from: calendar.startOfStep(period.kind, nowMs), to: calendar.endOfStep(period.kind, nowMs) }
}

/** Fields of a request that are known before it is sent. */
type BudgetedRequest = Pick<LedgerEntry, 'planId' | 'keyId' | 'toolId'> & { readonly modelCode: string | undefined }

const toComparableModel = (model: string): string => withoutHidden(model.normalize('NFKC')).trim().toLowerCase()

const matches = ({ planId, toolId, modelCode, keyIds }: RelayBudget['of'], request: BudgetedRequest): boolean =>
  (planId === undefined || planId === request.planId) &&
  (toolId === undefined || toolId === request.toolId) &&
  (modelCode === undefined || modelCode === request.modelCode) &&
  (keyIds === undefined || (request.keyId !== undefined && keyIds.includes(request.keyId)))

/** Usage of a request. Failed ones do not count as requests, unless the client aborted. */
function getAmount({ unit }: RelayBudget, entry: LedgerEntry): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, error } = entry
  if (unit === 'tokens') return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  return error === undefined || isCountedFailure(error) ? 1 : 0
}

/** Whether a failed request counts, because the gateway had accepted it. */
export const isCountedFailure = (error: string): boolean => error === 'aborted' || error === 'cut'

interface Gauge extends Span {
  used: number
  /** Number of requests in progress that have a reservation. */
  reserved: number
  isRead: boolean
  /** Promise of the running ledger query. Undefined if no query is running. */
  reading: Promise<void> | undefined
  readAt: number
}

interface Meter {
  budget: RelayBudget
  readonly gauges: Gauge[]
}

/** Budget reserved for a request until it is settled. */
export interface Reservation {
  /** Time of the request, which assigns it to a budget period. */
  readonly at: number
  readonly gauges: readonly Gauge[]
}

/** Reservation, or the reason why a budget does not allow the request. */
export type BudgetAnswer = Reservation | { readonly detail: string }

/** Maximum wait of a request for recorded usage in ms. After that, only usage of this relay counts. */
const readTimeoutMs = 3000
/** Interval in ms for rereading recorded usage, which another relay may add to and the user may erase. */
const maxAgeMs = minuteMs
const maxTries = 4
const maxPeriods = 4

/**
 * Enforces budgets. Reserves a request before it is sent and settles it when it is recorded, so that a budget of N requests lets exactly N
 * pass. Tokens are only known afterwards, so concurrent requests may exceed a token budget.
 */
export class BudgetMeter {
  readonly #calendar: Calendar
  #meters: Meter[] = []
  readonly #estimates = new Set<Promise<void>>()
  /** Number of settled entries. A change during a ledger query requires another query. */
  #settled = 0

  /** `read` defaults to no recorded usage. */
  constructor(
    private readonly read: BudgetReader = async () => 0,
    private readonly clock = Date.now,
    zone = timeZone(),
  ) {
    this.#calendar = new Calendar(zone)
  }

  /** Replaces the budgets from the next request on. Keeps counts of budgets with the same scope. */
  setBudgets(budgets: readonly RelayBudget[]): void {
    const metersByIdentity = new Map(this.#meters.map((meter) => [toIdentity(meter.budget), meter]))
    this.#meters = budgets.map((budget) => {
      const meter = metersByIdentity.get(toIdentity(budget))
      if (meter === undefined) return { budget, gauges: [] }
      meter.budget = budget
      return meter
    })
    for (const meter of this.#meters) this.#gaugeAt(meter, this.clock())
  }

  get isEmpty(): boolean {
    return this.#meters.length === 0
  }

  /** Whether a budget counts requests of this plan, key and tool, and whether one may count this model: a gateway may ignore case and spaces. */
  findScope(request: BudgetedRequest): { readonly isLimited: boolean; readonly isModelUnclear: boolean } {
    const matchingMeters = this.#meters.filter(({ budget }) => matches({ ...budget.of, modelCode: undefined }, request))
    const { modelCode } = request
    const isModelUnclear = matchingMeters.some(({ budget: { of } }) => {
      if (of.modelCode === undefined || of.modelCode === modelCode) return false
      return modelCode === undefined || toComparableModel(of.modelCode) === toComparableModel(modelCode)
    })
    return { isLimited: matchingMeters.length > 0, isModelUnclear }
  }

  /** Reserves a request in all budgets that apply, or in none. Returns a promise only while recorded usage is read. */
  admit(request: BudgetedRequest, hasWaited = false): BudgetAnswer | Promise<BudgetAnswer> {
    if (this.#estimates.size > 0 && !hasWaited) {
      return Promise.all(this.#estimates).then(() => this.admit(request, true))
    }
    const nowMs = this.clock()
    const budgetGauges = this.#meters
      .filter(({ budget }) => matches(budget.of, request))
      .map((meter) => ({ budget: meter.budget, gauge: this.#gaugeAt(meter, nowMs) }))
    const unreadGauges = budgetGauges.filter(({ gauge }) => !gauge.isRead)
    if (unreadGauges.length > 0) {
      return Promise.all(unreadGauges.map(({ gauge }) => gauge.reading)).then(() => this.admit(request, true))
    }
    const exhaustedGauge = budgetGauges.find(
      ({ budget, gauge }) => gauge.used + (budget.unit === 'requests' ? gauge.reserved : 0) >= budget.limit,
    )
    if (exhaustedGauge !== undefined) return { detail: refusalText(exhaustedGauge.budget, exhaustedGauge.gauge) }
    for (const { gauge } of budgetGauges) gauge.reserved += 1
    return { at: nowMs, gauges: budgetGauges.map(({ gauge }) => gauge) }
  }

  /** Delays new requests until a token estimate is settled. The estimate must not reject. */
  waitFor(estimate: Promise<void>): void {
    this.#estimates.add(estimate)
    void estimate.finally(() => this.#estimates.delete(estimate))
  }

  /** Resolves when no token estimate is pending. */
  async settled(): Promise<void> {
    await Promise.all(this.#estimates)
  }

  /** Releases the reservation of a request that was not sent or whose failure does not count. */
  release({ gauges }: Reservation): void {
    for (const gauge of gauges) gauge.reserved -= 1
  }

  /** Replaces the reservation by a recorded entry. */
  settle(entry: LedgerEntry, reservation: Reservation | undefined): void {
    this.#settled += 1
    if (reservation !== undefined) this.release(reservation)
    for (const { budget, gauges } of this.#meters) {
      if (!matches(budget.of, entry)) continue
      const gauge = gauges.find(({ from, to }) => entry.at >= from && entry.at < to)
      if (gauge !== undefined) gauge.used += getAmount(budget, entry)
    }
  }

  /** The gauge of a period, read again when new or outdated. Keeps earlier ones, in case the clock is set back. */
  #gaugeAt(meter: Meter, timeMs: number): Gauge {
    const existingGauge = meter.gauges.find(({ from, to }) => timeMs >= from && timeMs < to)
    if (existingGauge !== undefined) {
      if (existingGauge.reading === undefined && Math.abs(timeMs - existingGauge.readAt) > maxAgeMs)
        this.#startReading(meter, existingGauge)
      return existingGauge
    }
    const span = getPeriod(meter.budget.period, timeMs, this.#calendar)
    const gauge: Gauge = { ...span, used: 0, reserved: 0, isRead: false, reading: undefined, readAt: timeMs }
    meter.gauges.unshift(gauge)
    meter.gauges.length = Math.min(meter.gauges.length, maxPeriods)
    this.#startReading(meter, gauge)
    return gauge
  }

  #startReading(meter: Meter, gauge: Gauge): void {
    gauge.readAt = this.clock()
    // Wait only until a timeout, because an unreadable ledger must not block tools.
    const timeout = setTimeout(readTimeoutMs, undefined, { ref: false })
    gauge.reading = Promise.race([this.#readInto(meter, gauge).catch(() => undefined), timeout]).finally(() => {
      gauge.isRead = true
      gauge.reading = undefined
    })
  }

  /** Query again if an entry was recorded during the query, because the result may include it or not. */
  async #readInto({ budget }: Meter, gauge: Gauge): Promise<void> {
    for (let tryCount = 0; tryCount < maxTries; tryCount += 1) {
      const settledBefore = this.#settled
      const used = await this.read(budget, gauge)
      const isCurrent = settledBefore === this.#settled
      if (isCurrent || !gauge.isRead) gauge.used = used
      if (isCurrent) return
    }
  }
}

/** Text that identifies a budget by id, scope, unit and period. Budgets with the same text count the same requests. */
const toIdentity = ({ id, of, unit, period }: RelayBudget): string => JSON.stringify([id, of, unit, period])

function refusalText({ name, unit, limit, period }: RelayBudget, { to }: Span): string {
  const periodName = period.kind === 'cycle' ? 'plan cycle' : period.kind
  // Create the formatter on first use, because the first `DateTimeFormat` is slow to load.
  const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  const amount = `${new Intl.NumberFormat('en').format(limit)} ${limit === 1 ? unit.slice(0, -1) : unit}`
  const budget = `The budget "${name}" (${amount} per ${periodName}) is used up until ${timeFormat.format(to)}.`
  return `${budget} Platform Companion did not send the request. Raise the budget in the app under Usage, Budgets.`
}
