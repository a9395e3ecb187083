import type { Site } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { type GatewayCheck, type ListModels, listModels } from '../gateway/probe'
import type { DoctorDeps, Standing } from '../tools/doctor/facts'
import type { LoginShell } from '../tools/login-shell'
import { keyContent } from '../tools/owned-settings'
import type { WrittenTarget } from '../tools/target'
import { type HelperRun, keyFrom } from '../tools/tool-settings'
import { placeOf } from './config-scopes'
import { expectedOf, ownHelperOf } from './setup-request'
import { chosenIn, stateOf, type ViewDeps } from './setup-views'
import { exportLine } from './warnings'

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
  const { environment, disk, clock } = await placeOf(machine, site)
  const { journal } = await stateOf(target, site, deps)
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
      return keyFrom(credential, { ownHelper: ownHelperOf(site, deps), runHelper, variables })
    },
    keptKey: () =>
      isRelayed ? relay.tokenOf(target.id) : plans.secretOf(plans.find(choice?.planId ?? ''), choice?.keyId),
    isSameKey: (one, other) => keyContent(one).hash === keyContent(other).hash,
  }
}

async function standingOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<Standing> {
  const { journal, status, drift, problem } = await stateOf(target, site, deps)
  const choice = journal && chosenIn(journal, deps)
  const plan = deps.plans.list().find(({ id }) => id === choice?.planId)
  if (!choice || !plan) return { status, drift, problem }
  const { models } = plan
  const { modelCode, slots, delivery } = choice
  const { gatewayUrl, helperCommand } = expectedOf(plan, { ...choice, toolId: target.id, site }, deps)
  const { environment } = await placeOf(deps.machine, site)
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
export function explainRelayErrors(
  target: WrittenTarget,
  { check, listModels: list = listModels }: Asking,
): Required<Asking> {
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
  message: `The relay does not run, so ${name} cannot reach its plan. Start the relay, or point ${name} at the gateway.`,
})
