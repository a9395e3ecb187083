import type { CheckView, GuideView, Site, ToolChoice } from '@shared/contract'
import { AppError } from '@shared/failure'
import { requestAddress } from '../gateway/address'
import type { GatewayCheck } from '../gateway/probe'
import { findBlockers, overriddenBy } from '../tools/conflicting-settings'
import type { GuidedTarget, WrittenTarget } from '../tools/target'
import { readToolSettings } from '../tools/tool-settings'
import { placeOf } from './config-scopes'
import { type ExaminationDeps, explainRelayErrors } from './doctor-input'
import { keyOf, ownHelperOf, type PlanSource } from './setup-request'
import { chosenIn, stateOf } from './setup-views'
import { guideWarnings } from './warnings'

/**
 * One real small request with the address, key and model that a tool's own files give it now; a key that is not in them
 * is the one it was set up with. Fails with `tool.*`, `plan.notFound` or `vault.*`.
 */
export async function verifySetup(target: WrittenTarget, site: Site, deps: ExaminationDeps): Promise<CheckView> {
  const { machine, plans, relay, runHelper } = deps
  const { journal, settings } = await stateOf(target, site, deps)
  if (!journal) throw new AppError('tool.notConfigured', `${target.name} is not configured by this app.`)
  const { planId, keyId, modelCode, route } = chosenIn(journal, deps)
  const plan = plans.list().find(({ id }) => id === planId)
  if (!plan) {
    const message = `The plan that ${target.name} was set up with was removed. Configure it with another, or undo.`
    throw new AppError('plan.notFound', message)
  }
  const isRelayed = route === 'relay'
  const gatewayUrl = isRelayed ? relay.rootOf(target.id) : plan.gatewayUrl
  const question = { target, gatewayUrl, ownHelper: ownHelperOf(site, deps) }
  const place = await placeOf(machine, site)
  const [blocker] = settings ? await findBlockers(target, settings, place) : []
  if (blocker) {
    const { code, message } = overriddenBy(target, blocker)
    throw new AppError(code, message)
  }
  const found = await readToolSettings(question, { place, runHelper })
  const kept = () => (isRelayed ? relay.tokenOf(target.id) : plans.secretOf(plans.find(planId), keyId))
  const { check } = isRelayed ? explainRelayErrors(target, deps) : deps
  return check({
    base: found.base,
    key: found.key ?? (await kept()),
    requestAddress: requestAddress(found.base, target.requestSuffix),
    standard: target.standard,
    modelCode: found.modelCode ?? modelCode,
  })
}

/** The values that a person pastes into a tool. */
type GuidedValues = Pick<ToolChoice, 'planId' | 'keyId' | 'modelCode'>

/** What a guide is made and checked with. */
interface GuideDeps {
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
