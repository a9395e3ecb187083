import type { CheckView } from '@shared/contract'
import type { KeySwitchPreview, KeySwitchResult } from '@shared/contract/register'
import { AppError, type Failure, type FailureCode, toAppError } from '@shared/failure'
import { toFailure } from '../../core/log'
import type { RelayRouteRecord } from '../../core/settings/records'
import type { ProfileRecord } from '../../core/settings/settings'
import type { GatewayCheck } from '../../gateway/probe'
import type { UsablePlan } from '../../plans/plan-directory'
import { listUpstreams as listKeys, setRouteKey } from '../../relay/routing/routes'
import type { WrittenSetup } from '../../tools/setups/setup-views'
import { isSameSite } from '../../tools/target'
import type { SwitchPorts } from './ports'

export type ToolRef = Pick<WrittenSetup, 'toolId' | 'site'>

export const isSameTool =
  ({ toolId, site }: ToolRef) =>
  (tool: ToolRef): boolean =>
    tool.toolId === toolId && isSameSite(tool.site, site)

export const toSwitchedTool = ({ toolId, toolName, site, needsRestart }: WrittenSetup) => ({
  toolId,
  toolName,
  site,
  needsRestart,
})

interface KeyChoice {
  readonly planId: string
  readonly keyId?: string | undefined
}

export interface KeyUsingSetups {
  readonly setups: readonly WrittenSetup[]
  readonly profiles: readonly ProfileRecord[]
  readonly ways: readonly RelayRouteRecord[]
}

export function createKeyMatcher(
  { id, defaultKeyId }: Pick<UsablePlan, 'id' | 'defaultKeyId'>,
  targetKeyId: string | undefined,
) {
  return ({ planId, keyId }: KeyChoice): boolean =>
    targetKeyId !== undefined && planId === id && (keyId ?? defaultKeyId) === targetKeyId
}

/** Finds tools, profiles and routes that use a key, without tools whose settings the user removed. */
export async function findKeyUsers(
  { tools, settings }: Pick<SwitchPorts, 'tools' | 'settings'>,
  uses: (choice: KeyChoice) => boolean,
): Promise<KeyUsingSetups> {
  const setups = (await tools.setups()).filter(({ status, choice }) => status !== 'absent' && uses(choice))
  const { profiles, relay } = settings.read()
  return {
    setups,
    profiles: profiles.filter(({ entries }) => entries.some(uses)),
    ways: relay.ways.filter((relayRoute) => listKeys(relayRoute).some(uses)),
  }
}

export const isUnused = ({ setups, profiles, ways }: KeyUsingSetups): boolean =>
  setups.length === 0 && profiles.length === 0 && ways.length === 0

/** Switches profiles and relay routes from one key of a plan to another. Returns the names of the profiles. */
export async function switchProfilesAndRoutes(
  { plans, settings, relay }: SwitchPorts,
  planId: string,
  { from, to }: { readonly from: string | undefined; readonly to: { readonly id: string; readonly name: string } },
): Promise<string[]> {
  const matchesKey = createKeyMatcher(plans.find(planId), from)
  const names = settings.read().profiles.flatMap(({ name, entries }) => (entries.some(matchesKey) ? [name] : []))
  if (names.length > 0) {
    const key = { keyId: to.id, keyName: to.name }
    settings.update(({ profiles }) => ({
      profiles: profiles.map((profile) => ({
        ...profile,
        entries: profile.entries.map((entry) => (matchesKey(entry) ? { ...entry, ...key } : entry)),
      })),
    }))
  }
  if (settings.read().relay.ways.some((relayRoute) => listKeys(relayRoute).some(matchesKey)))
    await relay.change((ways) => setRouteKey(ways, matchesKey, to.id))
  return names
}

/** Whether switching the relay route also switched this tool. Its files do not contain the key. */
export const isSwitchedByRoute =
  (ways: readonly RelayRouteRecord[]) =>
  ({ toolId, choice }: WrittenSetup): boolean =>
    choice.route === 'relay' && ways.some((relayRoute) => relayRoute.toolId === toolId)

/** Writes the same configuration with another key. Keeps settings that were modified outside this app. */
export async function switchTool(
  { tools, log }: SwitchPorts,
  { toolName, status, problem, choice }: WrittenSetup,
  keyId: string,
): Promise<Failure | undefined> {
  if (status === 'unreadable')
    return problem ?? { code: 'file.unreadable', message: `The settings of ${toolName} cannot be read.` }
  if (status !== 'configured') return createModifiedFailure(toolName)
  try {
    await tools.carryOut((await tools.preview({ ...choice, keyId })).previewId)
    return undefined
  } catch (error) {
    return toFailure(error, log, 'rotation.repoint', `${toolName} could not be written.`)
  }
}

export async function testTool(
  { tools }: Pick<SwitchPorts, 'tools'>,
  { toolId, toolName, site, status, problem }: WrittenSetup,
): Promise<Failure | undefined> {
  if (status !== 'configured') return problem ?? createModifiedFailure(toolName)
  try {
    const check = await tools.verify({ toolId, site })
    return check.ok || isAccepted(check) ? undefined : check.failure
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}

export const createModifiedFailure = (toolName: string): Failure => ({
  code: 'file.changed',
  message: `The settings of ${toolName} were modified outside this app, so they were not changed. Configure it again with the key to use, or undo it there, then continue.`,
})

const deliveriesOutsideApp: readonly string[] = ['env', 'inTool']

export function manualDelivery({ toolName, choice }: WrittenSetup): Failure | undefined {
  if (choice.route === 'relay' || !deliveriesOutsideApp.includes(choice.delivery ?? '')) return undefined
  const message = `${toolName} gets its key from a place where this app can't write. Put the other key there, then mark it as done.`
  return { code: 'rotation.keyByHand', message }
}

/** Failures that the gateway reports only after it accepted the key. */
const acceptedKeyCodes: readonly FailureCode[] = ['gateway.modelNotInPlan', 'gateway.quotaExhausted']

/** Whether the gateway accepted the key, even if it refused the request for another reason. */
export const isAccepted = (check: CheckView): boolean => check.ok || acceptedKeyCodes.includes(check.failure.code)

interface Replacement {
  readonly planId: string
  readonly oldKeyIds: readonly string[]
  readonly newKeyId: string
}

/** Switches this computer's tools to a key from a key file or from another computer's rotation. */
export class KeySwitch {
  constructor(private readonly ports: SwitchPorts & { readonly check: GatewayCheck }) {}

  async findTools(planId: string, keyIds: readonly string[]): Promise<readonly WrittenSetup[]> {
    const plan = this.ports.plans.find(planId)
    const users = keyIds.map((keyId) => findKeyUsers(this.ports, createKeyMatcher(plan, keyId)))
    return (await Promise.all(users)).flatMap(({ setups }) => setups)
  }

  async preview({ planId, oldKeyIds, newKeyId }: Replacement): Promise<KeySwitchPreview[]> {
    const previews: KeySwitchPreview[] = []
    for (const setup of await this.findTools(planId, oldKeyIds)) {
      const { choice, status } = setup
      const tool = toSwitchedTool(setup)
      // A tool that uses the relay needs no file change, because the route names the key.
      const isUnchanged = choice.route === 'relay' || status !== 'configured'
      try {
        const change = isUnchanged ? undefined : await this.ports.tools.preview({ ...choice, keyId: newKeyId })
        previews.push({ ...tool, change })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        previews.push({ ...tool, failure: error.failure })
      }
    }
    return previews
  }

  /**
   * Tests the new key, then switches and tests each tool separately. A second call switches what failed. Fails with
   * `vault.*` or `gateway.*` before any switch when the new key is unreadable or rejected.
   */
  async switchTools({ planId, oldKeyIds, newKeyId }: Replacement): Promise<KeySwitchResult[]> {
    const { plans, tools, check } = this.ports
    const plan = plans.find(planId)
    const newKey = plan.keys.find(({ id }) => id === newKeyId)
    if (newKey === undefined) throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
    const [modelCode] = plan.models
    const secret = await plans.readSecret(plan, newKeyId)
    const answer = await check({ url: plan.gatewayUrl, standard: 'chat-completions', key: secret, modelCode })
    if (!answer.ok && !isAccepted(answer)) throw toAppError(answer.failure)
    // A write that was killed half-way must be rolled back before the next one.
    await tools.recover()
    const results: KeySwitchResult[] = []
    for (const oldKeyId of oldKeyIds) {
      const setupsUsingKey = await findKeyUsers(this.ports, createKeyMatcher(plan, oldKeyId))
      await switchProfilesAndRoutes(this.ports, planId, { from: oldKeyId, to: newKey })
      for (const setup of setupsUsingKey.setups) {
        const usesNewKey = oldKeyId === newKeyId || isSwitchedByRoute(setupsUsingKey.ways)(setup)
        const writeFailure = usesNewKey
          ? undefined
          : ((await switchTool(this.ports, setup, newKeyId)) ?? manualDelivery(setup))
        const failure = writeFailure ?? (await this.#test(setup))
        results.push({ ...toSwitchedTool(setup), state: failure ? 'failed' : 'verified', failure })
      }
    }
    return results
  }

  async #test(previousSetup: WrittenSetup): Promise<Failure | undefined> {
    const currentSetup = (await this.ports.tools.setups()).find(isSameTool(previousSetup))
    return currentSetup && testTool(this.ports, currentSetup)
  }
}
