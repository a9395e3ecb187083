import type { Forecast, Gauge, ModelQuota, PlanQuota } from '@shared/contract'
import type { Expected } from '../../ui/meter'
import { type Allowance, type AllowanceKind, allowanceFrom, allowanceKinds } from '../plans/allowance'

export type GaugeTone = 'neutral' | 'warning' | 'danger'

/** The figures of a gauge; nothing while its allowance is not known. */
export const allowanceIn = (gauge: Gauge, kind: AllowanceKind): Allowance | undefined =>
  gauge.quota === undefined ? undefined : allowanceFrom({ kind, quota: gauge.quota, used: gauge.used })

/** Red when nothing is left, amber when little is or it will not last, quiet otherwise. */
export function toneOf(level: Allowance['level'], forecast: Forecast | undefined): GaugeTone {
  if (level === 'out' || forecast?.kind === 'exhausted') return 'danger'
  return level === 'low' || forecast?.kind === 'runsOut' ? 'warning' : 'neutral'
}

/** What a meter draws of a forecast: how full it is likely to be in the end. */
export function expectedIn(forecast: Forecast | undefined): Expected | undefined {
  if (forecast?.kind === 'lasts') return { low: Math.min(forecast.low, forecast.high), high: forecast.high }
  return forecast?.kind === 'runsOut' ? { low: 1, high: 1 } : undefined
}

/** How urgent an allowance is: what is used up first, then what runs out (the earlier the sooner), then the share that is left. */
function urgency(gauge: Gauge, kind: AllowanceKind): readonly [rank: number, at: number] {
  const { forecast } = gauge
  const allowance = allowanceIn(gauge, kind)
  if (!allowance) return [3, 0]
  if (allowance.level === 'out') return [0, 0]
  if (forecast.kind === 'runsOut') return [1, Date.parse(forecast.at)]
  return [2, allowance.leftShare]
}

const isBefore = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  (a[0] - b[0] || a[1] - b[1]) < 0

/** The allowance of a model that stops it first. */
export const tightestKind = ({ tokens, requests }: ModelQuota): AllowanceKind =>
  isBefore(urgency(requests, 'requests'), urgency(tokens, 'tokens')) ? 'requests' : 'tokens'

/** The model of a plan that stops first; none when no allowance of it is known. */
export function tightestOf({ models }: Pick<PlanQuota, 'models'>): ModelQuota | undefined {
  const known = models.filter((model) => allowanceKinds.some((kind) => model[kind].quota !== undefined))
  return known.reduce<ModelQuota | undefined>((tightest, model) => {
    if (!tightest) return model
    const [kind, other] = [tightestKind(tightest), tightestKind(model)]
    return isBefore(urgency(model[other], other), urgency(tightest[kind], kind)) ? model : tightest
  }, undefined)
}
