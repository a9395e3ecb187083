import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RotationView, type Site, type ToolChoice } from '@shared/contract'
import { expect, onTestFinished, vi } from 'vitest'
import { startSandbox } from '../../../../../src/sandbox/sandbox'
import { callControl, sendChatRequest } from '../../../../support/control'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { plainWorld } from '../../../sandbox/plain-world'
import type { StateView } from '../../../sandbox/support'
import { type Machine, type MachineParts, openMachine, parseHelperCommand, proPlanId, proPlanRef } from './machine'

/** State of a simulated computer that persists between runs of the app. */
export interface StoredState {
  settings: Record<string, unknown>
  readonly keychain: MemoryKeychain
}

/** The app on a simulated computer, with functions that run a rotation of its key until it ends or waits. */
export type TestComputer = ReturnType<Harness['open']>

/** A configured tool with its key delivery and settings location. */
export interface HarnessTool {
  readonly toolId: string
  readonly delivery: 'helper' | 'file' | 'plain' | 'envFile' | 'env'
  readonly inProject?: boolean
}

/** A tool that reads its key with a helper command. */
export const claude = { toolId: 'claude-code', delivery: 'helper' } as const

/** A tool that reads its key from a file, once. */
export const openCode = { toolId: 'opencode', delivery: 'file' } as const

/** Configured tools: one for each key delivery, and one in a project. */
export const defaultTools: readonly HarnessTool[] = [
  claude,
  openCode,
  { toolId: 'cline', delivery: 'plain' },
  { toolId: 'claude-code', delivery: 'plain', inProject: true },
]

/** Keys of the plan before a rotation and after it. */
const initialKeys = ['default-key ACTIVE', 'old-laptop DISABLED']
const finalKeys = ['old-laptop DISABLED', expect.stringMatching(/^default-key-\d{4}-\d\d-\d\d ACTIVE$/)]

/** Creates a test environment that closes at the end of the test. */
export async function startHarness(tools: readonly HarnessTool[] = defaultTools): Promise<Harness> {
  const harness = await Harness.start(tools)
  onTestFinished(() => harness.close())
  return harness
}

/** Like `startHarness`, and opens the app. */
export async function startComputer(tools?: readonly HarnessTool[], parts?: Partial<MachineParts>) {
  const harness = await startHarness(tools)
  return { harness, computer: harness.open(parts) }
}

/** A sandbox and a simulated computer with a plan, its default key, configured tools and a profile. Can be reset. */
export class Harness {
  readonly kept: StoredState = { settings: {}, keychain: new MemoryKeychain() }
  readonly #root = mkdtempSync(join(tmpdir(), 'companion-rotation-'))
  readonly folder = join(this.#root, 'machine')
  readonly project = join(this.folder, 'project')
  /** Ids of the plan and the key on the simulated computer. */
  planId = ''
  keyId = ''
  readonly #computers: Machine[] = []
  #initialState: { settings: StoredState['settings']; items: [string, string][] } = { settings: {}, items: [] }

  private constructor(
    readonly sandbox: Awaited<ReturnType<typeof startSandbox>>,
    readonly tools: readonly HarnessTool[],
  ) {}

  static async start(tools: readonly HarnessTool[] = defaultTools): Promise<Harness> {
    const sandbox = await startSandbox({ gatewayPort: 0, platformPort: 0, begin: plainWorld })
    const harness = new Harness(sandbox, tools)
    await harness.#setUp()
    return harness
  }

  async #setUp(): Promise<void> {
    const { folder, project, kept } = this
    for (const path of [project, join(folder, 'home'), join(folder, 'data')]) mkdirSync(path, { recursive: true })
    const { account, plans, tools, profiles } = this.open()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    const [plan] = plans.list()
    this.planId = plan?.id ?? ''
    this.keyId = plan?.keys[0]?.id ?? ''
    for (const { toolId, delivery, inProject = false } of this.tools) {
      const site: Site = inProject ? { kind: 'project', folder: project } : { kind: 'user' }
      await configureTool({ tools }, { toolId, site, planId: this.planId, keyId: this.keyId, delivery })
    }
    if (this.tools.length > 0) await profiles.saveCurrent('work')
    cpSync(folder, join(this.#root, 'as-it-was'), { recursive: true })
    this.#initialState = { settings: structuredClone(kept.settings), items: [...kept.keychain.items] }
  }

  /** Creates the app's features with the stored state, like a start of the app. */
  open(parts: Partial<MachineParts> = {}) {
    const { folder, kept, planId, keyId } = this
    // Remove the lock file: after a real kill the system would release it, but here this process still holds it.
    rmSync(join(folder, 'data', 'tools.lock'), { force: true })
    const store = memoryStore(kept)
    const machine = openMachine({ ready: this.sandbox.ready, folder, store, keychain: kept.keychain, ...parts })
    this.#computers.push(machine)
    const { rotation } = machine
    return {
      ...machine,
      /** Rotates the key. By default, the old key is disabled and deleted immediately. */
      async rotate(options: Partial<Parameters<typeof rotation.start>[0]> = {}) {
        const { id } = await rotation.start({ planId, keyId, graceMs: 0, disableAfterMs: 0, ...options })
        return RotationView.parse(await rotation.settled(id))
      },
      async resume(id: string) {
        rotation.resume({ id })
        return rotation.settled(id)
      },
      async undo(id: string) {
        await rotation.undo({ id })
        return rotation.settled(id)
      },
      /** Continues waiting rotations until this one is done. */
      async follow(id: string): Promise<void> {
        rotation.engine.follow()
        await vi.waitFor(() => expect(rotation.find(id).state).toBe('done'))
        await rotation.engine.end()
      },
    }
  }

  control(path: string, body?: unknown): Promise<unknown> {
    return callControl(this.sandbox.ready, `/${path}`, body)
  }

  /** Resets the sandbox and the computer to their initial state. */
  async restart(): Promise<void> {
    await Promise.all(this.#computers.splice(0).map((computer) => computer.abandon()))
    await this.control('reset', {})
    rmSync(this.folder, { recursive: true, force: true })
    cpSync(join(this.#root, 'as-it-was'), this.folder, { recursive: true })
    this.kept.settings = structuredClone(this.#initialState.settings)
    this.kept.keychain.items.clear()
    for (const [name, value] of this.#initialState.items) this.kept.keychain.items.set(name, value)
  }

  /** Stops the sandbox and deletes the simulated computer. `startHarness` calls it at the end of the test. */
  async close(): Promise<void> {
    await Promise.all(this.#computers.map((computer) => computer.abandon()))
    await this.sandbox.close()
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Names and status of the plan's keys in the sandbox, without deleted ones. */
  async listKeys() {
    const state = (await this.control('state')) as StateView
    const keys = state.plans.find(({ planId }) => planId === proPlanId)?.keys ?? []
    return keys.filter(({ deleted }) => !deleted).map(({ keyId, name, status }) => ({ keyId, name, status }))
  }

  async listKeyNames(): Promise<string[]> {
    return (await this.listKeys()).map(({ name, status }) => `${name} ${status}`)
  }

  /** Whether the rotation has deleted the old key. */
  async isOldKeyDeleted(): Promise<boolean> {
    return !(await this.listKeys()).some(({ name }) => name === 'default-key')
  }

  /** Sends a request with each tool's key and returns the gateway's status codes. */
  sendToolRequests(tools = this.tools): Promise<number[]> {
    const { gatewayUrl } = this.sandbox.ready
    return Promise.all(tools.map((tool) => sendChatRequest(gatewayUrl, readToolKey(this, tool))))
  }

  /** Fails unless the plan has its keys as before or after a rotation, and the state is consistent. */
  async requireKeys(expected: 'initial' | 'rotated'): Promise<void> {
    expect(await this.listKeyNames()).toEqual(expected === 'initial' ? initialKeys : finalKeys)
    await this.requireConsistentState()
  }

  /**
   * Fails if a tool has an invalid key, if a valid key of the rotation is not saved, or if a file other than the tools'
   * own contains a key.
   */
  async requireConsistentState(tools = this.tools): Promise<void> {
    expect(await this.sendToolRequests(tools)).toEqual(tools.map(() => 200))
    const { account, plans, vault } = this.open()
    const seededKeyIds = ['key-pro-default', 'key-pro-old-laptop']
    const [plan] = plans.list()
    for (const { keyId } of await this.listKeys()) {
      if (seededKeyIds.includes(keyId)) continue
      const localKey = plan?.keys.find(({ origin }) => origin?.keyId === keyId)
      expect(localKey, `the key ${keyId} is lost`).toBeDefined()
      const accountSecret = await account.readSecret({ ...proPlanRef, keyId })
      expect((await vault.get(localKey?.id ?? '')).expose()).toBe(accountSecret.expose())
    }
    const texts = [...this.kept.keychain.items.values()]
    const pathsWithSecrets = [...tools.map((tool) => settingsFile(this, tool)), join(this.folder, 'data/key-files')]
    for (const text of texts) {
      expect(JSON.stringify(this.kept.settings)).not.toContain(text)
      const filesWithSecret = listFilesContaining(this.folder, text).filter(
        (path) => !pathsWithSecrets.some((may) => path.startsWith(may)),
      )
      expect(filesWithSecret).toEqual([])
    }
    const keyFileCount = listFilesContaining(join(this.folder, 'data/key-files'), '').length
    expect(keyFileCount).toBe(tools.filter(({ delivery }) => delivery === 'file').length)
  }
}

/** Configures a tool with a key of the plan. */
export const configureTool = async (
  { tools }: Pick<TestComputer, 'tools'>,
  choice: Omit<ToolChoice, 'modelCode'> & Partial<ToolChoice>,
) => tools.carryOut((await tools.preview({ modelCode: 'aurora-large', ...choice })).previewId)

const settingsPaths: Readonly<Record<string, string>> = {
  'claude-code': '.claude/settings.json',
  opencode: '.config/opencode/opencode.json',
  cline: '.cline/data/settings/providers.json',
}

export function settingsFile(
  { folder, project }: Pick<Harness, 'folder' | 'project'>,
  { toolId, inProject }: HarnessTool,
): string {
  return inProject ? join(project, '.claude/settings.local.json') : join(folder, 'home', settingsPaths[toolId] ?? '')
}

/** Returns the key that a tool would send, read from its settings without any code of the app. */
export function readToolKey(place: Pick<Harness, 'folder' | 'project' | 'kept'>, tool: HarnessTool): string {
  const text = readFileSync(settingsFile(place, tool), 'utf8')
  const [, command] = /"apiKeyHelper": "([^"]+)"/.exec(text) ?? []
  if (command !== undefined) return printHelperSecret(place.kept, command)
  const [, path] = /\{file:([^}]+)\}/.exec(text) ?? []
  if (path !== undefined) return readFileSync(path, 'utf8').trim()
  return /"(sk-[^"]+)"/.exec(text)?.[1] ?? 'no key'
}

/** Simulates the helper command: returns the key from the keychain if the settings still contain it. */
function printHelperSecret({ settings, keychain }: StoredState, command: string): string {
  const [planId, keyId] = parseHelperCommand(command)
  const isKnown = JSON.stringify(settings.plans).includes(`"id":"${keyId}"`)
  return (isKnown && planId !== '' && keychain.items.get(keyId)) || 'no key'
}

/** Lists files below a folder that contain a text. */
function listFilesContaining(folder: string, text: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFilesContaining(path, text)
    return readFileSync(path).includes(text) ? [path] : []
  })
}
