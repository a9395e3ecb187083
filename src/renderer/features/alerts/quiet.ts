import type { AlertSettings, AlertView } from '@shared/contract'

/** What keeps a plan or a model from alerting. */
export type Quiet = { readonly kind: 'muted' } | { readonly kind: 'snoozed'; readonly of: Snooze }
export type Snooze = AlertSettings['snoozed'][number]

/** Why an alert like this one would not be shown again now; nothing when it would. */
export function quietOf(
  { planId, modelCode }: Pick<AlertView, 'planId' | 'modelCode'>,
  { snoozed, mutedPlans }: Pick<AlertSettings, 'snoozed' | 'mutedPlans'>,
  now: Date,
): Quiet | undefined {
  if (mutedPlans.includes(planId)) return { kind: 'muted' }
  const [longest] = snoozed
    .filter((one) => one.planId === planId && (one.modelCode === undefined || one.modelCode === modelCode))
    .filter(({ until }) => Date.parse(until) > now.getTime())
    .toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until))
  return longest && { kind: 'snoozed', of: longest }
}
