import type { CheckView, GuideView, ToolChoice } from '@shared/contract'
import type { GatewayCheck } from '../gateway/probe'
import type { GuidedTarget } from '../tools/target'
import { keyOf, type PlanSource } from './setup-request'
import { guideWarnings } from './warnings'

/** The values that a person pastes into a tool. */
export type GuidedValues = Pick<ToolChoice, 'planId' | 'keyId' | 'modelCode'>

/** What a guide is made and checked with. */
export interface GuideDeps {
  readonly plans: PlanSource
  readonly check: GatewayCheck
}

/** The fields of a tool's own form, filled in; the key is left to be copied. Fails with `plan.notFound`. */
export function guideOf(target: GuidedTarget, { planId, modelCode }: GuidedValues, { plans }: GuideDeps): GuideView {
  const { gatewayUrl } = plans.find(planId)
  const fields = target.fields({ gatewayUrl, modelCode })
  return {
    place: [...target.place],
    fields: fields.map((field) =>
      'value' in field ? { label: field.label, value: field.value } : { label: field.label },
    ),
    requestAddress: target.requestAddress(gatewayUrl),
    warnings: guideWarnings(target, gatewayUrl),
  }
}

/** One real small request with the values of a guide. Fails with `plan.notFound`, `key.notFound` or `vault.*`. */
export async function checkGuideOf(
  { standard, requestAddress }: GuidedTarget,
  { planId, keyId, modelCode }: GuidedValues,
  { plans, check }: GuideDeps,
): Promise<CheckView> {
  const plan = plans.find(planId)
  const { gatewayUrl } = plan
  const key = await plans.secretOf(plan, keyOf(plan, keyId).id)
  return check({ base: gatewayUrl, requestAddress: requestAddress(gatewayUrl), key, modelCode, standard })
}
