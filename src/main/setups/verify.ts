import type { CheckView, Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { requestAddress } from '../gateway/address'
import type { WrittenTarget } from '../tools/target'
import { readToolSettings } from '../tools/tool-settings'
import { placeOf } from './config-scopes'
import type { ExaminationDeps } from './doctor-input'
import { throughRelay } from './relay-errors'
import { ownHelperOf } from './setup-request'
import { chosenIn, stateOf } from './setup-views'

/**
 * One real small request with the address, key and model that a tool's own files give it now; a key that is not in them
 * is the one it was set up with. Fails with `tool.*`, `plan.notFound` or `vault.*`.
 */
export async function verifySetup(target: WrittenTarget, site: Site, deps: ExaminationDeps): Promise<CheckView> {
  const { machine, plans, relay, runHelper } = deps
  const { journal } = await stateOf(target, site, deps)
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
  const found = await readToolSettings(question, { place: await placeOf(machine, site), runHelper })
  const kept = () => (isRelayed ? relay.tokenOf(target.id) : plans.secretOf(plans.find(planId), keyId))
  const { check } = isRelayed ? throughRelay(target, deps) : deps
  return check({
    base: found.base,
    key: found.key ?? (await kept()),
    requestAddress: requestAddress(found.base, target.checkSuffix ?? target.requestSuffix),
    standard: target.standard,
    modelCode: found.modelCode ?? modelCode,
  })
}
