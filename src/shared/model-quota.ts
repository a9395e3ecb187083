import type { Gauge, ModelQuota, PlanQuota } from './contract/quota'
import type { ToolChoice, ToolView } from './contract/tools'

// A quota of 0 means none.
const isUsedUp = ({ quota, used }: Gauge): boolean => quota !== undefined && quota > 0 && used >= quota

/** A quota of a model, in tokens or requests, with its gauge. */
export interface Allowance {
  readonly plan: PlanQuota
  readonly model: ModelQuota
  readonly kind: 'tokens' | 'requests'
  readonly gauge: Gauge & { readonly quota: number }
}

/** Known quotas of a plan. A quota of 0 means that there is no limit. */
export function listAllowances(plan: PlanQuota): readonly Allowance[] {
  return plan.models.flatMap((model) =>
    (['tokens', 'requests'] as const).flatMap((kind) => {
      const { quota, ...gauge } = model[kind]
      return quota === undefined || quota === 0 ? [] : [{ plan, model, kind, gauge: { ...gauge, quota } }]
    }),
  )
}

/** Whether the gateway rejects requests to a model, because its tokens or requests are used up. */
export const isExhausted = ({ tokens, requests }: ModelQuota): boolean => isUsedUp(tokens) || isUsedUp(requests)

/** Codes of a plan's models without remaining quota. Empty while the quota is unknown. `planId`: local id. */
export const listExhaustedModels = (quotas: readonly PlanQuota[], planId: string): ReadonlySet<string> =>
  new Set(
    quotas
      .filter((plan) => plan.planId === planId && !plan.isExpired)
      .flatMap(({ models }) => models.filter(isExhausted).map(({ modelCode }) => modelCode)),
  )

/** First model with remaining quota, or the first one if all are used up. */
export const findUsableModel = (models: readonly string[], exhausted: ReadonlySet<string>): string | undefined =>
  models.find((code) => !exhausted.has(code)) ?? models[0]

/**
 * Choices that switch each tool from one model of a plan to another, in every scope and slot. `modified` names the tools
 * whose settings were changed outside the app, which need a review first.
 */
export function listModelSwitches(
  tools: readonly ToolView[],
  { planId, from, to }: { readonly planId: string; readonly from: string; readonly to: string },
): { readonly choices: readonly ToolChoice[]; readonly modified: readonly string[] } {
  const setups = tools.flatMap(({ id, setups: otherSetups, ...userSetup }) =>
    [{ ...userSetup, site: { kind: 'user' } as const }, ...otherSetups].flatMap(({ site, status, applied }) => {
      const isUsed = applied?.modelCode === from || Object.values(applied?.slots ?? {}).includes(from)
      return applied?.planId === planId && isUsed ? [{ toolId: id, site, status, applied }] : []
    }),
  )
  const replace = (code: string): string => (code === from ? to : code)
  return {
    choices: setups
      .filter(({ status }) => status === 'configured')
      .map(({ toolId, site, applied: { keyId, modelCode, slots, delivery, route } }) => ({
        toolId,
        site,
        planId,
        keyId,
        delivery,
        route,
        modelCode: replace(modelCode),
        slots: Object.fromEntries(Object.entries(slots).map(([slot, code]) => [slot, replace(code)])),
      })),
    modified: setups.filter(({ status }) => status !== 'configured').map(({ toolId }) => toolId),
  }
}

/** Typical names of small models. */
const smallModelPattern = /(?:^|[^a-z])(?:small|mini|nano|lite|light|flash|haiku|fast|tiny)(?:$|[^a-z])/i

/** Finds the plan's small model by name, among those with remaining quota. Undefined if no name matches. */
export const findSmallModel = (
  models: readonly string[],
  modelCode: string,
  exhausted: ReadonlySet<string> = new Set(),
): string | undefined =>
  models.find((code) => code !== modelCode && !exhausted.has(code) && smallModelPattern.test(code))
