import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Site, ToolChoice } from '@shared/contract'
import { expect, onTestFinished, vi } from 'vitest'
import { startSandbox } from '../../../../../src/sandbox/sandbox'
import { callControl, sendChatRequest } from '../../../../support/control'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { plainWorld } from '../../../sandbox/plain-world'
import type { StateView } from '../../../sandbox/support'
import { type MachineParts, openMachine, parseHelperCommand, proPlanId, proPlanRef, type TestComputer } from './machine'

/** State of a simulated computer that persists between runs of the app. */
export interface StoredState {
  settings: Record<string, unknown>
  readonly keychain: MemoryKeychain
}

/** A sandbox and a simulated computer with configured tools, both of which can be reset. */
export type Harness = Awaited<ReturnType<typeof openHarness>>

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

/** Creates a test environment that closes at the end of the test. */
export async function startHarness(tools: readonly HarnessTool[] = defaultTools): Promise<Harness> {
  const registerHarness = await openHarness(tools)
  onTestFinished(registerHarness.close)
  return registerHarness
}

/** Like `startHarness`, and opens the app. */
export async function startComputer(tools?: readonly HarnessTool[], parts?: Partial<MachineParts>) {
  const harness = await startHarness(tools)
  return { harness, computer: harness.open(parts) }
}

/** Starts a sandbox and creates a simulated computer with a plan, its default key, configured tools and a profile. */
export async function openHarness(tools: readonly HarnessTool[] = defaultTools) {
  const sandbox = await startSandbox({ gatewayPort: 0, platformPort: 0, begin: plainWorld })
  const root = mkdtempSync(join(tmpdir(), 'companion-rotation-'))
  const folder = join(root, 'machine')
  const project = join(folder, 'project')
  for (const path of [project, join(folder, 'home'), join(folder, 'data')]) mkdirSync(path, { recursive: true })
  const storedState: StoredState = { settings: {}, keychain: new MemoryKeychain() }
  const machines: TestComputer[] = []
  /** Creates the app's features with the stored state, like a start of the app. */
  const openComputer = (parts: Partial<MachineParts> = {}): TestComputer => {
    const { ready } = sandbox
    // Remove the lock file: after a real kill the system would release it, but here this process still holds it.
    rmSync(join(folder, 'data', 'tools.lock'), { force: true })
    const machine = openMachine({
      ready,
      folder,
      store: memoryStore(storedState),
      keychain: storedState.keychain,
      ...parts,
    })
    machines.push(machine)
    return machine
  }
  const control = (path: string, body?: unknown) => callControl(sandbox.ready, `/${path}`, body)
  const { planId, keyId } = await setUp(openComputer(), tools, project)
  cpSync(folder, join(root, 'as-it-was'), { recursive: true })
  const initialState = { settings: structuredClone(storedState.settings), items: [...storedState.keychain.items] }
  return {
    sandbox,
    folder,
    project,
    kept: storedState,
    /** Ids of the plan and the key on the simulated computer. */
    planId,
    keyId,
    control,
    open: openComputer,
    /** Resets the sandbox and the computer to their initial state. */
    async restart() {
      await Promise.all(machines.splice(0).map((machine) => machine.abandon()))
      await control('reset', {})
      rmSync(folder, { recursive: true, force: true })
      cpSync(join(root, 'as-it-was'), folder, { recursive: true })
      storedState.settings = structuredClone(initialState.settings)
      storedState.keychain.items.clear()
      for (const [name, value] of initialState.items) storedState.keychain.items.set(name, value)
    },
    /** Stops the sandbox and deletes the simulated computer. `startHarness` calls it at the end of the test. */
    async close() {
      await Promise.all(machines.map((machine) => machine.abandon()))
      await sandbox.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function setUp(
  { account, plans, tools, profiles }: TestComputer,
  requestedTools: readonly HarnessTool[],
  project: string,
) {
  await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
  const [plan] = plans.list()
  const [key] = plan?.keys ?? []
  if (!plan || !key) throw new Error('no key')
  for (const { toolId, delivery, inProject = false } of requestedTools) {
    const site: Site = inProject ? { kind: 'project', folder: project } : { kind: 'user' }
    await configureTool({ tools }, { toolId, site, planId: plan.id, keyId: key.id, delivery })
  }
  if (requestedTools.length > 0) await profiles.saveCurrent('work')
  return { planId: plan.id, keyId: key.id }
}

type Computer = Pick<TestComputer, 'rotation'>
type RotationOptions = Partial<Parameters<TestComputer['rotation']['start']>[0]>

/** Rotates the key until the rotation ends or waits. By default, the old key is disabled and deleted immediately. */
export async function rotateKey({ rotation }: Computer, { planId, keyId }: Harness, options: RotationOptions = {}) {
  const { id } = await rotation.start({ planId, keyId, graceMs: 0, disableAfterMs: 0, ...options })
  return rotation.settled(id)
}

export function resumeRotation({ rotation }: Computer, id: string) {
  rotation.resume({ id })
  return rotation.settled(id)
}

export async function undoRotation({ rotation }: Computer, id: string) {
  await rotation.undo({ id })
  return rotation.settled(id)
}

/** Continues waiting rotations until this one is done. */
export async function followRotation({ rotation }: Computer, id: string): Promise<void> {
  rotation.engine.follow()
  await vi.waitFor(() => expect(rotation.find(id).state).toBe('done'))
  await rotation.engine.end()
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
export function readToolKey(bench: Pick<Harness, 'folder' | 'project' | 'kept'>, tool: HarnessTool): string {
  const text = readFileSync(settingsFile(bench, tool), 'utf8')
  const [, command] = /"apiKeyHelper": "([^"]+)"/.exec(text) ?? []
  if (command !== undefined) return printHelperSecret(bench.kept, command)
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

/** Names and status of the plan's keys in the sandbox, without deleted ones. */
export async function listAccountKeys(bench: Harness) {
  const state = (await bench.control('state')) as StateView
  const keys = state.plans.find(({ planId }) => planId === proPlanId)?.keys ?? []
  return keys.filter(({ deleted }) => !deleted).map(({ keyId, name, status }) => ({ keyId, name, status }))
}

export const listAccountKeyNames = async (bench: Harness): Promise<string[]> =>
  (await listAccountKeys(bench)).map(({ name, status }) => `${name} ${status}`)

/** Keys of the plan before a rotation and after it. */
export const initialKeys = ['default-key ACTIVE', 'old-laptop DISABLED']
export const finalKeys = ['old-laptop DISABLED', expect.stringMatching(/^default-key-\d{4}-\d\d-\d\d ACTIVE$/)]

/** Sends a request with each tool's key and returns the gateway's status codes. */
export function sendToolRequests(bench: Harness, tools: readonly HarnessTool[] = defaultTools): Promise<number[]> {
  const { gatewayUrl } = bench.sandbox.ready
  return Promise.all(tools.map((tool) => sendChatRequest(gatewayUrl, readToolKey(bench, tool))))
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

/**
 * Fails if a tool has an invalid key, if a valid key of the rotation is not saved, or if a file other than the tools'
 * own contains a key.
 */
export async function requireConsistentState(
  bench: Harness,
  tools: readonly HarnessTool[] = defaultTools,
): Promise<void> {
  expect(await sendToolRequests(bench, tools)).toEqual(tools.map(() => 200))
  const { account, plans, vault } = bench.open()
  const seededKeyIds = ['key-pro-default', 'key-pro-old-laptop']
  const [plan] = plans.list()
  for (const { keyId } of await listAccountKeys(bench)) {
    if (seededKeyIds.includes(keyId)) continue
    const localKey = plan?.keys.find(({ origin }) => origin?.keyId === keyId)
    expect(localKey, `the key ${keyId} is lost`).toBeDefined()
    const accountSecret = await account.readSecret({ ...proPlanRef, keyId })
    expect((await vault.get(localKey?.id ?? '')).expose()).toBe(accountSecret.expose())
  }
  const texts = [...bench.kept.keychain.items.values()]
  const pathsWithSecrets = [...tools.map((tool) => settingsFile(bench, tool)), join(bench.folder, 'data/key-files')]
  for (const text of texts) {
    expect(JSON.stringify(bench.kept.settings)).not.toContain(text)
    const filesWithSecret = listFilesContaining(bench.folder, text).filter(
      (path) => !pathsWithSecrets.some((may) => path.startsWith(may)),
    )
    expect(filesWithSecret).toEqual([])
  }
  const keyFileCount = listFilesContaining(join(bench.folder, 'data/key-files'), '').length
  expect(keyFileCount).toBe(tools.filter(({ delivery }) => delivery === 'file').length)
}
