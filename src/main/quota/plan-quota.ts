import { setImmediate as pause } from 'node:timers/promises'
import type { Gauge, PlanQuota } from '@shared/contract/quota'
import { forecast } from '../usage/forecast'
import { evenPace } from '../usage/pace'
import type { LocalClock } from '../usage/usage-pattern'
import type { Hour } from './console-figures'
import { type ModelFigures, type PlanFigures, tokensOf } from './plan-figures'

/** The time now by our clock, and the clock on the wall. */
export interface Moment {
  readonly now: number
  readonly clock: LocalClock
}

/** The gauges of a plan with their forecasts. Lets other work in between models: a forecast takes a few milliseconds. */
export async function planQuota(figures: PlanFigures, { now, clock }: Moment): Promise<PlanQuota> {
  const { cycle, autoRenew, models, at, aheadMs, ...plan } = figures
  const there = { now: now + aheadMs, clock }
  const gauged: PlanQuota['models'] = []
  for (const model of models) {
    const { modelCode, displayName } = model
    gauged.push({ modelCode, displayName, ...gaugesOf(model, figures, there) })
    await pause()
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
