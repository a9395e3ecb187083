import { join } from 'node:path'
import type { CheckView, Route, Site, ToolChoice } from '@shared/contract'
import { AppError } from '@shared/failure'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../src/main/core/secret'
import { createVault } from '../../../../../src/main/core/vault/vault'
import type { GatewayProbeRequest } from '../../../../../src/main/gateway/probe'
import { Plans } from '../../../../../src/main/plans/plans'
import { findKeyUses } from '../../../../../src/main/tools/journal'
import type { SetupEnvironment } from '../../../../../src/main/tools/setups/config-scopes'
import { Tools } from '../../../../../src/main/tools/tools'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { createRoutes } from '../../../../support/routes'
import { makeFolder } from '../../../support/folders'

export const secret = new Secret('sk-tools-0123456789abcdefgh')
export const gatewayUrl = 'https://gw.example.com'
export const checkedAt = '2026-01-01T00:00:00.000Z'

interface ToolsHarnessOptions {
  readonly isLocked?: boolean
  readonly route?: Route
  readonly platform?: NodeJS.Platform
  readonly vars?: Readonly<Record<string, string>>
  /** Text of the key helper if its file is missing. */
  readonly lostLauncher?: string | undefined
}

/** All tools in a home with two plans, and a relay that starts when a tool needs it. Choices use `route`. */
export async function createToolsHarness(options: ToolsHarnessOptions = {}) {
  const { isLocked = false, route, platform = 'linux', vars = {}, lostLauncher } = options
  const folder = makeFolder()
  const [home, dataDir] = [join(folder, 'home'), join(folder, 'data')]
  const clock = () => new Date(checkedAt)
  const keychain = new MemoryKeychain()
  keychain.isLocked = isLocked
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: true })
  const settings = memorySettings()
  const world = { isOn: false, failure: undefined as AppError['failure'] | undefined }
  const ownRelay = {
    isOn: () => world.isOn,
    ready: async () => {
      if (world.failure) throw new AppError(world.failure.code, world.failure.message)
      world.isOn = true
    },
  }
  const relay = createRoutes({ settings, vault, own: ownRelay })
  const probeRequests: GatewayProbeRequest[] = []
  const answer: { view: CheckView } = {
    view: { ok: true, at: checkedAt, standard: 'messages', requestAddress: 'x', durationMs: 1 },
  }
  const check = async (question: GatewayProbeRequest) => {
    probeRequests.push(question)
    return answer.view
  }
  const findUses = () => findKeyUses({ dataDir, settings })
  const plans = new Plans({ settings, vault, check, clock, findUses })
  const commands: string[] = []
  const environment = createEnvironment({ home, platform, vars: { HOME: home, ...vars } })
  const machine: SetupEnvironment = {
    place: { environment, dataDir, disk: realDisk, clock },
    distributions: { list: async () => [], open: async () => ({ environment, disk: realDisk }) },
  }
  const tools = new Tools({
    plans,
    vault,
    relay,
    check,
    listModels: async () => ({ kind: 'unknown' }),
    machine,
    loginShell: async () => ({}),
    detect: async () => ({ installed: true, version: '1.2.3' }),
    launcher: { path: '/app/bin/companion', ensure: () => undefined, lost: () => lostLauncher },
    runHelper: async (command) => {
      commands.push(command)
      const tool = /--relay ([\w-]+)$/.exec(command)?.[1]
      const key = tool === undefined ? secret : await relay.readToken(tool)
      return `${key.expose()}\n`
    },
  })
  const plan = await plans.add({ name: 'team', gatewayUrl, models: ['large', 'small'] }, secret)
  const spare = await plans.add({ name: 'spare', gatewayUrl, models: ['large', 'small'] }, secret)
  const choice = (toolId: string, overrides: Partial<ToolChoice> = {}): ToolChoice => ({
    toolId,
    planId: plan.id,
    modelCode: 'large',
    route,
    ...overrides,
  })
  return {
    tools,
    plans,
    plan,
    spare,
    settings,
    relay,
    world,
    probeRequests,
    answer,
    commands,
    claude: join(home, '.claude', 'settings.json'),
    openCode: join(home, '.config', 'opencode', 'opencode.json'),
    choice,
    apply: async (toolId: string, overrides: Partial<ToolChoice> = {}) =>
      tools.carryOut((await tools.preview(choice(toolId, overrides))).previewId),
    restore: async (toolId: string, site?: Site) =>
      tools.carryOut((await tools.previewRestore({ toolId, site })).previewId),
    ways: () => settings.read().relay.ways,
    clock,
    home,
    machine,
  }
}
