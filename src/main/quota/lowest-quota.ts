import type { Gauge, ModelQuota, PlanQuota } from '@shared/contract/quota'

/** One allowance of one model of one plan. */
export interface Allowance {
  readonly plan: PlanQuota
  readonly model: ModelQuota
  readonly kind: 'tokens' | 'requests'
  readonly gauge: Gauge & { readonly quota: number }
}

/** The allowances of a plan that are known. */
export function allowancesOf(plan: PlanQuota): readonly Allowance[] {
  return plan.models.flatMap((model) =>
    (['tokens', 'requests'] as const).flatMap((kind) => {
      const { quota, ...gauge } = model[kind]
      return quota === undefined || quota === 0 ? [] : [{ plan, model, kind, gauge: { ...gauge, quota } }]
    }),
  )
}

/** What is used up comes first, then what runs out, the earlier the sooner, then what has the smallest share left. */
function tightness({ gauge: { forecast, used, quota } }: Allowance): readonly [rank: number, within: number] {
  if (used >= quota) return [0, 0]
  return forecast.kind === 'runsOut' ? [1, Date.parse(forecast.at)] : [2, 1 - used / quota]
}

function compare(one: Allowance | undefined, other: Allowance | undefined): number {
  if (!one || !other) return Number(!one) - Number(!other)
  const [a, b] = [tightness(one), tightness(other)]
  return a[0] - b[0] || a[1] - b[1]
}

/** The allowance of these plans that stops a model first; expired plans have none that matters. */
function tightestOf(plans: readonly PlanQuota[]): Allowance | undefined {
  return plans.flatMap((plan) => (plan.isExpired ? [] : allowancesOf(plan))).toSorted(compare)[0]
}

/** The plan with the tightest allowance first; those of which none is known, and expired ones, last. */
export function tightestFirst(plans: readonly PlanQuota[]): PlanQuota[] {
  return plans
    .map((plan) => ({ plan, tightest: tightestOf([plan]) }))
    .toSorted((a, b) => {
      const byExpiry = Number(a.plan.isExpired) - Number(b.plan.isExpired)
      return byExpiry || compare(a.tightest, b.tightest) || a.plan.name.localeCompare(b.plan.name)
    })
    .map(({ plan }) => plan)
}

const words = {
  en: { left: (percent: string, what: string) => `${percent} left (${what})`, tokens: 'tokens', requests: 'requests' },
  vi: { left: (percent: string, what: string) => `còn ${percent} (${what})`, tokens: 'token', requests: 'yêu cầu' },
} as const

/** One line of text: the tightest allowance of all plans, such as `team-plan · gpt-large 12% left (tokens)`; undefined when none is known. */
export function tightestLine(plans: readonly PlanQuota[], locale: 'en' | 'vi'): string | undefined {
  const tightest = tightestOf(plans)
  if (!tightest) return undefined
  const { plan, model, kind, gauge } = tightest
  const { left, ...kinds } = words[locale]
  const share = Math.max(0, 1 - gauge.used / gauge.quota)
  // Rounded down, but for what is left of the last percent: "0%" means that nothing is.
  const percent = share > 0 && share < 0.01 ? '<1%' : `${Math.floor(share * 100 + 1e-9)}%`
  return `${plan.name} · ${model.modelCode} ${left(percent, kinds[kind])}`
}
