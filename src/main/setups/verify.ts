import type { CheckView, GuideView, Site, ToolChoice } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { requestAddress } from '../gateway/address'
import { type GatewayCheck, type ListModels, listModels } from '../gateway/probe'
import { findBlockers, overriddenBy } from '../tools/conflicting-settings'
import type { DoctorDeps, ToolState } from '../tools/doctor/facts'
import { shellQuote } from '../tools/environment'
import type { LoginShell } from '../tools/login-shell'
import { keyContent } from '../tools/owned-settings'
import type { GuidedTarget, WrittenTarget } from '../tools/target'
import { type HelperRun, keyFrom, readToolSettings } from '../tools/tool-settings'
import { findContext } from './config-scopes'
import { buildExpectedRequest, loadKey, type PlanSource, type RequestDeps } from './setup-request'
import { chosenIn, readToolState, type ViewDeps } from './setup-views'
import { exportLine, guideWarnings } from './warnings'

/**
 * One real small request with the address, key and model that a tool's own files give it now; a key that is not in them
 * is the one it was set up with. Fails with `tool.*`, `plan.notFound` or `vault.*`.
 */
export async function verifySetup(target: WrittenTarget, site: Site, deps: ExaminationDeps): Promise<CheckView> {
  const { machine, plans, relay, runHelper } = deps
  const { journal, settings } = await readToolState(target, site, deps)
  if (!journal) throw new AppError('tool.notConfigured', `${target.name} is not configured by this app.`)
  const { planId, keyId, modelCode, route } = chosenIn(journal, deps)
  const plan = plans.list().find(({ id }) => id === planId)
  if (!plan) {
    const message = `The plan that ${target.name} was configured with was removed. Configure it with another plan, or undo.`
    throw new AppError('plan.notFound', message)
  }
  const isRelayed = route === 'relay'
  const gatewayUrl = isRelayed ? relay.rootOf(target.id) : plan.gatewayUrl
  const question = { target, gatewayUrl, ownHelper: findOwnHelper(site, deps) }
  const place = await findContext(machine, site)
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
export function buildGuide(target: GuidedTarget, { planId, modelCode }: GuidedValues, { plans }: GuideDeps): GuideView {
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
export async function checkGuide(
  { standard, requestAddress }: GuidedTarget,
  { planId, keyId, modelCode }: GuidedValues,
  { plans, check }: GuideDeps,
): Promise<CheckView> {
  const plan = plans.find(planId)
  const { gatewayUrl } = plan
  const key = await plans.secretOf(plan, loadKey(plan, keyId).id)
  return check({ base: gatewayUrl, requestAddress: requestAddress(gatewayUrl), key, modelCode, standard })
}

/** What examinations are made with. */
export interface ExaminationDeps extends ViewDeps {
  readonly check: GatewayCheck
  readonly runHelper: HelperRun
  readonly loginShell: LoginShell
}

/** What the examination of a tool at a site needs. */
export async function buildDoctorInput(
  target: WrittenTarget,
  site: Site,
  deps: ExaminationDeps,
): Promise<Omit<DoctorDeps, 'site' | 'signal'>> {
  const { machine, plans, relay, check, runHelper, loginShell } = deps
  loginShell.forget?.()
  const { environment, disk, clock } = await findContext(machine, site)
  const { journal } = await readToolState(target, site, deps)
  const choice = journal && chosenIn(journal, deps)
  const isRelayed = choice?.route === 'relay'
  const asked = isRelayed ? explainRelayErrors(target, { check, listModels }) : { check, listModels }
  return {
    environment,
    disk,
    clock,
    loginShell,
    ...asked,
    detect: () => deps.detect(target),
    standing: () => standingOf(target, site, deps),
    keyOf: async (credential) => {
      const variables = { ...environment.vars, ...(await loginShell(environment)) }
      return keyFrom(credential, { ownHelper: findOwnHelper(site, deps), runHelper, variables })
    },
    keptKey: () =>
      isRelayed ? relay.tokenOf(target.id) : plans.secretOf(plans.find(choice?.planId ?? ''), choice?.keyId),
    isSameKey: (one, other) => keyContent(one).hash === keyContent(other).hash,
  }
}

async function standingOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<ToolState> {
  const { journal, status, drift, problem } = await readToolState(target, site, deps)
  const choice = journal && chosenIn(journal, deps)
  const plan = deps.plans.list().find(({ id }) => id === choice?.planId)
  if (!choice || !plan) return { status, drift, problem }
  const { models } = plan
  const { modelCode, slots, delivery } = choice
  const { gatewayUrl, helperCommand } = buildExpectedRequest(plan, { ...choice, toolId: target.id, site }, deps)
  const { environment } = await findContext(deps.machine, site)
  const line = delivery === 'env' && helperCommand ? exportLine(target.variable, helperCommand, environment) : undefined
  const purpose = {
    gatewayUrl,
    models,
    modelCode,
    slots,
    delivery,
    ...(line === undefined ? {} : { exportLine: line }),
  }
  return { status, drift, problem, purpose }
}

/** What a gateway is asked with. */
interface Asking {
  readonly check: GatewayCheck
  readonly listModels?: ListModels
}

/** The same for a tool that goes through the relay: that nobody listens is told as what it is. */
function explainRelayErrors(target: WrittenTarget, { check, listModels: list = listModels }: Asking): Required<Asking> {
  const told = (failure: Failure): Failure => (failure.code === 'net.refused' ? relayOff(target) : failure)
  return {
    async check(question) {
      const view = await check(question)
      return view.ok ? view : { ...view, failure: told(view.failure) }
    },
    async listModels(question) {
      const models = await list(question)
      return models.kind === 'refused' ? { ...models, failure: told(models.failure) } : models
    },
  }
}

const relayOff = ({ name }: WrittenTarget): Failure => ({
  code: 'relay.off',
  message: `The relay does not run, so ${name} cannot reach its plan. Start the relay, or connect ${name} directly.`,
})

/** How this app's own helper commands begin; no other command of a tool's settings is run. */
export function findOwnHelper(
  { kind }: Site,
  { launcher, platform }: Pick<RequestDeps, 'launcher' | 'platform'>,
): string {
  return kind === 'wsl' ? '' : shellQuote([launcher.path, 'key', 'print'], platform)
}
