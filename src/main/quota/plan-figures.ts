import { setImmediate as pause } from 'node:timers/promises'
import type { PlanView } from '@shared/contract'
import type { AccountPlanView } from '@shared/contract/account'
import type { Gauge, KnownAllowances, PlanQuota } from '@shared/contract/quota'
import { dayMs, hourMs } from '@shared/durations'
import { forecast } from '../usage/forecast'
import { type Cycle, cycleAt, evenPace } from '../usage/pace'
import type { HourOfModel } from '../usage/ports'
import type { LocalClock } from '../usage/usage-pattern'
import type { Hour } from './console-figures'

/** One model with what was used in the current cycle, and its rhythm. */
interface ModelFigures {
  readonly modelCode: string
  readonly displayName: string
  readonly tokenQuota?: number | undefined
  readonly requestQuota?: number | undefined
  readonly tokensUsed: number
  readonly requestsUsed: number
  readonly hours: readonly Hour[]
}

/** A plan with what was used of it. */
export type PlanFigures = Omit<PlanQuota, 'models' | 'cycle' | 'at'> & {
  readonly cycle?: Cycle | undefined
  readonly autoRenew?: boolean | undefined
  readonly models: readonly ModelFigures[]
  /** When this was told, by our clock. */
  readonly at: Date
  /** How far the clock of the plan's place, by which its cycle runs, is ahead of ours. */
  readonly aheadMs: number
}

/** A plan is usually 30 days long (spec, "Limits"). */
export const usualCycleDays = 30

/** As the console tells it: it knows what everybody used. */
export function consoleFigures(
  plan: AccountPlanView,
  { connectionId, hoursOf, at, aheadMs }: ConsoleSide,
): PlanFigures {
  const { planId, localPlanId, name, status, expiresAt, cycleDays, autoRenew, models } = plan
  return {
    ...(localPlanId === undefined ? {} : { planId: localPlanId }),
    origin: { connectionId, planId },
    name,
    source: 'console',
    isExpired: status === 'EXPIRED',
    cycle: status === 'EXPIRED' ? undefined : cycleAt(Date.parse(expiresAt), cycleDays, at.getTime() + aheadMs),
    autoRenew,
    models: models.map((model) => ({
      modelCode: model.modelCode,
      displayName: model.displayName || model.modelCode,
      tokenQuota: model.tokenQuota,
      requestQuota: model.requestQuota,
      tokensUsed: model.tokensUsed,
      requestsUsed: model.requestsUsed,
      hours: hoursOf(model.modelCode),
    })),
    ...{ at, aheadMs },
  }
}

interface ConsoleSide {
  readonly connectionId: string
  readonly hoursOf: (modelCode: string) => readonly Hour[]
  readonly at: Date
  readonly aheadMs: number
}

/** What is known of a plan whose console does not answer, or that has none. */
interface MachineSide {
  /** What the console told last. */
  readonly lastTold?: AccountPlanView | undefined
  /** What a person told. */
  readonly known?: { readonly cycleDays: number; readonly allowances: KnownAllowances } | undefined
  /** By our clock. */
  readonly hours: readonly HourOfModel[]
  readonly at: Date
  readonly aheadMs: number
}

/** As far as this machine saw it: its own requests of the cycle or, without one, of as many days before now. */
export function machineFigures(
  plan: PlanView,
  { lastTold, known, hours: ours, at, aheadMs }: MachineSide,
): PlanFigures {
  const now = at.getTime() + aheadMs
  const hours = ours.map((hour) => ({ ...hour, start: hour.start + aheadMs }))
  const endsAt = Date.parse(lastTold?.expiresAt ?? plan.expiresAt ?? '')
  const cycleDays = lastTold?.cycleDays ?? known?.cycleDays ?? usualCycleDays
  const cycle = Number.isNaN(endsAt) ? undefined : cycleAt(endsAt, cycleDays, now)
  const countsFrom = Math.floor((cycle?.from ?? now - cycleDays * dayMs) / hourMs) * hourMs
  const allowances = new Map((lastTold?.models ?? known?.allowances ?? []).map((one) => [one.modelCode, one]))
  const names = new Map(lastTold?.models.map(({ modelCode, displayName }) => [modelCode, displayName]))
  const used = hours.flatMap((hour) => (tokensOf(hour) > 0 ? [hour.modelCode] : []))
  const codes = new Set([...plan.models, ...allowances.keys(), ...used])
  return {
    planId: plan.id,
    ...(plan.origin ? { origin: plan.origin } : {}),
    name: plan.name,
    source: 'machine',
    isExpired: lastTold?.status === 'EXPIRED' || endsAt <= now,
    cycle,
    autoRenew: lastTold?.autoRenew,
    models: [...codes].map((modelCode) => {
      const ownHours = hours.flatMap((hour) => (hour.modelCode === modelCode ? [servedIn(hour)] : []))
      const counted = ownHours.filter(({ start }) => start >= countsFrom)
      const { tokenQuota, requestQuota } = allowances.get(modelCode) ?? {}
      return {
        ...{ modelCode, displayName: names.get(modelCode) || modelCode, tokenQuota, requestQuota },
        tokensUsed: sumOf(counted, tokensOf),
        requestsUsed: sumOf(counted, ({ requests }) => requests),
        hours: ownHours,
      }
    }),
    ...{ at, aheadMs },
  }
}

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
const tokensOf = ({ inputTokens, outputTokens, cacheTokens }: Omit<Hour, 'start'>): number =>
  inputTokens + outputTokens + cacheTokens

/** The ledger counts failed requests among all, as an allowance does not. */
const servedIn = (hour: Hour): Hour => ({ ...hour, requests: Math.max(0, hour.requests - hour.errors) })

const sumOf = (hours: readonly Hour[], of: (hour: Hour) => number): number =>
  hours.reduce((sum, hour) => sum + of(hour), 0)

/** The time now by our clock, and the clock on the wall. */
interface Moment {
  readonly now: number
  readonly clock: LocalClock
}

/** How long forecasts are made before other work gets its turn, in ms: one takes a few. */
const longestTurnMs = 8
let turnEndsAt = 0

/** The gauges of a plan with their forecasts. Lets other work in between models, now and then: with thousands of them each turn counts. */
export async function planQuota(figures: PlanFigures, { now, clock }: Moment): Promise<PlanQuota> {
  const { cycle, autoRenew, models, at, aheadMs, ...plan } = figures
  const there = { now: now + aheadMs, clock }
  const gauged: PlanQuota['models'] = []
  for (const model of models) {
    const { modelCode, displayName } = model
    gauged.push({ modelCode, displayName, ...gaugesOf(model, figures, there) })
    if (performance.now() < turnEndsAt) continue
    await pause()
    turnEndsAt = performance.now() + longestTurnMs
  }
  return {
    ...plan,
    ...(cycle ? { cycle: cycleView(cycle, autoRenew) } : {}),
    models: gauged,
    at: at.toISOString(),
    ...(aheadMs === 0 ? {} : { aheadMs }),
  }
}

function cycleView({ from, to }: NonNullable<PlanFigures['cycle']>, autoRenew: boolean | undefined) {
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  return { ...span, ...(autoRenew === undefined ? {} : { autoRenew }) }
}

function gaugesOf(model: ModelFigures, { cycle }: PlanFigures, { now, clock }: Moment) {
  const pace = cycle && { evenPace: evenPace(cycle, now) }
  const gauge = (quota: number | undefined, used: number, amountOf: (hour: Hour) => number): Gauge => {
    const hours = model.hours.map((hour) => ({ start: hour.start, amount: amountOf(hour) }))
    return {
      ...(quota === undefined ? {} : { quota }),
      used,
      ...pace,
      forecast: forecast({ hours, used, quota, cycle, now, clock }),
    }
  }
  return {
    tokens: gauge(model.tokenQuota, model.tokensUsed, tokensOf),
    requests: gauge(model.requestQuota, model.requestsUsed, ({ requests }) => requests),
  }
}
