import type { PreviewView } from '@shared/contract'
import type { KeySwitchPreview, KeySwitchResult } from '@shared/contract/handouts'
import { AppError, type Failure, toAppError } from '@shared/failure'
import type { GatewayCheck } from '../../gateway/probe'
import type { WrittenSetup } from '../../tools/setups/setup-views'
import type { SwitchPorts } from './ports'
import {
  createKeyMatcher,
  findKeyUsers,
  isAccepted,
  isSameTool,
  isSwitchedByRoute,
  manualDelivery,
  switchProfilesAndRoutes,
  switchTool,
  testTool,
} from './switch-key'

/** Older keys of a plan and their replacement. Ids are local. */
interface Replacement {
  readonly planId: string
  readonly oldKeyIds: readonly string[]
  readonly newKeyId: string
}

/** Switches this computer's tools to a key from a key file or from another computer's rotation. */
export class KeySwitch {
  constructor(private readonly ports: SwitchPorts & { readonly check: GatewayCheck }) {}

  /** The tools that use one of the keys, in a file or through a relay route. */
  async findTools(planId: string, keyIds: readonly string[]): Promise<readonly WrittenSetup[]> {
    const plan = this.ports.plans.find(planId)
    const users = keyIds.map((keyId) => findKeyUsers(this.ports, createKeyMatcher(plan, keyId)))
    return (await Promise.all(users)).flatMap(({ setups }) => setups)
  }

  /** Previews the change of each tool without writing. */
  async preview({ planId, oldKeyIds, newKeyId }: Replacement): Promise<KeySwitchPreview[]> {
    const previews: KeySwitchPreview[] = []
    for (const { toolId, toolName, site, choice, status, needsRestart } of await this.findTools(planId, oldKeyIds)) {
      const tool = { toolId, toolName, site, needsRestart }
      // A tool that uses the relay needs no file change, because the route names the key.
      if (choice.route === 'relay' || status !== 'configured') previews.push(tool)
      else
        try {
          const change: PreviewView = await this.ports.tools.preview({ ...choice, keyId: newKeyId })
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
        const writtenSetup = usesNewKey
          ? undefined
          : ((await switchTool(this.ports, setup, newKeyId)) ?? manualDelivery(setup))
        const failure = writtenSetup ?? (await this.#test(setup))
        const { toolId, toolName, site, needsRestart } = setup
        const tool = { toolId, toolName, site, needsRestart }
        results.push(failure ? { ...tool, state: 'failed', failure } : { ...tool, state: 'verified' })
      }
    }
    return results
  }

  async #test(previousSetup: WrittenSetup): Promise<Failure | undefined> {
    const currentSetup = (await this.ports.tools.setups()).find(isSameTool(previousSetup))
    return currentSetup && testTool(this.ports, currentSetup)
  }
}
