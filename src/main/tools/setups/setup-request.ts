import type { Delivery, PlanView, Route, Site, ToolChoice } from '@shared/contract'
import { AppError } from '@shared/failure'
import { shellQuote } from '../../core/environment'
import type { Vault } from '../../core/vault/vault'
import type { UsablePlan } from '../../plans/plan-directory'
import type { Plans } from '../../plans/plans'
import type { RelayPort } from '../../relay/routing/routes'
import type { ToolRequest } from '../apply'
import { listRoutes, type WrittenTarget } from '../target'
import { wslHelperArgv } from '../wsl'

type KnownPlan = UsablePlan | PlanView

export type PlanSource = Pick<Plans, 'find' | 'list' | 'readSecret' | 'learnModels'>

export interface RequestDeps {
  readonly plans: PlanSource
  readonly vault: Vault
  readonly relay: RelayPort
  readonly launcher: { readonly path: string }
  readonly platform: NodeJS.Platform
}

const withKeyInFile: readonly Delivery[] = ['file', 'envFile', 'plain']

/** Builds the engine request for a setup. Reads the key if a file needs it. Fails with `key.notFound` or `vault.*`. */
export async function buildToolRequest(
  target: WrittenTarget,
  choice: ToolChoice,
  deps: RequestDeps,
): Promise<ToolRequest> {
  const { plans } = deps
  await plans.learnModels(plans.find(choice.planId).id)
  const plan = plans.find(choice.planId)
  const delivery = choice.delivery ?? target.deliveries[0]
  const route = requireRoute(target, choice)
  const key = loadKey(plan, choice.keyId)
  const { moveCommentsToCopy, keep, settingsToRemove, site } = choice
  const expectedRequest = buildExpectedRequest(plan, { ...choice, delivery, route, keyId: key.id, site }, deps)
  const request = { ...expectedRequest, moveCommentsToCopy, keep, settingsToRemove }
  if (delivery === 'helper' || delivery === 'env') {
    // A helper command runs in another process, so a key that only this process can read is not enough.
    const state = await deps.vault.state()
    const message = 'Without a keychain no helper command can get the key'
    if (state.kind !== 'keychain')
      throw new AppError('vault.unavailable', `${message} (${state.reason}). ${state.install}`, { field: 'delivery' })
  }
  // Tools authenticate to the relay with a token, so each tool needs one, whatever its key delivery.
  const token = route === 'relay' ? await deps.relay.readToken(target.id) : undefined
  if (!withKeyInFile.includes(delivery)) return request
  return { ...request, key: token ?? (await plans.readSecret(plan, key.id)) }
}

/** Route of the requested setup, or the tool's default. Fails with `input.invalid` for an unsupported route. */
function requireRoute(target: WrittenTarget, { route = listRoutes(target)[0], site }: ToolChoice): Route {
  if (!listRoutes(target).includes(route)) {
    const routeName = route === 'relay' ? 'the relay' : "the plan's gateway itself"
    throw new AppError('input.invalid', `${target.name} can't be configured for ${routeName}.`, { field: 'route' })
  }
  if (route === 'relay' && site?.kind === 'wsl') {
    const message = `${target.name} in ${site.distribution} may not reach the relay, which listens on Windows for Windows only. Connect it directly to the gateway.`
    throw new AppError('input.invalid', message, { field: 'route' })
  }
  return route
}

export function buildExpectedRequest(
  { id: planId, gatewayUrl, models, contextTokens, modelFacts, defaultKeyId }: KnownPlan,
  { toolId, modelCode, slots, delivery, route, keyId, site }: Omit<ToolChoice, 'planId'>,
  { relay, launcher, platform }: Pick<RequestDeps, 'relay' | 'launcher' | 'platform'>,
): ToolRequest {
  const key = keyId ?? defaultKeyId ?? ''
  const isRelayed = route === 'relay'
  const args = ['key', 'print', ...(isRelayed ? ['--relay', toolId] : ['--plan', planId, '--key', key])]
  const isWslSite = site?.kind === 'wsl'
  const helperArgv = isWslSite ? wslHelperArgv(launcher.path, args) : [launcher.path, ...args]
  return {
    planId,
    keyId: key,
    gatewayUrl: isRelayed ? relay.getRelayRoot(toolId) : gatewayUrl,
    models,
    contextTokens,
    modelFacts,
    modelCode,
    slots,
    delivery,
    route,
    helperArgv,
    helperCommand: helperArgv && shellQuote(helperArgv, isWslSite ? 'linux' : platform),
  }
}

/** The key of this id, or the plan's default key. Fails with `key.notFound`. */
export function loadKey({ name, keys, defaultKeyId }: KnownPlan, keyId: string | undefined): KnownPlan['keys'][number] {
  const key = keys.find(({ id }) => id === (keyId ?? defaultKeyId))
  if (key) return key
  const message = keyId === undefined ? `The plan ${name} has no key.` : `The plan ${name} no longer has this key.`
  throw new AppError('key.notFound', message)
}

/** Start of the helper commands that this app writes. Other commands in a tool's settings are never executed. */
export const findOwnHelper = ({ kind }: Site, { launcher, platform }: Pick<RequestDeps, 'launcher' | 'platform'>) =>
  kind === 'wsl' ? '' : shellQuote([launcher.path, 'key', 'print'], platform)
