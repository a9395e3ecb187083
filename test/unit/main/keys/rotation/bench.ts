import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Site } from '@shared/contract'
import { expect, onTestFinished } from 'vitest'
import type { StateView } from '../../../../../src/sandbox/control/control'
import { type Sandbox, startSandbox } from '../../../../../src/sandbox/sandbox'
import { askGateway } from '../../../../support/control'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { plainWorld } from '../../../sandbox/plain-world'
import { helperWords, type Machine, type MachineParts, ofPro, openMachine, pro } from './machine'

/** Persistent state of a machine while no program runs. */
export interface Stored {
  settings: Record<string, unknown>
  readonly keychain: MemoryKeychain
}

/** A sandbox and a configured machine, both of which can be reset. */
export interface Bench {
  readonly sandbox: Sandbox
  readonly folder: string
  readonly project: string
  readonly kept: Stored
  /** Id of the machine's plan. */
  readonly planId: string
  readonly keyId: string
  control(path: string, body?: unknown): Promise<unknown>
  /** Starts the app on the persistent state. */
  open(parts?: Partial<MachineParts>): Machine
  /** Resets everything to its initial state. */
  restart(): Promise<void>
  /** Stops the sandbox and removes the machine. `startBench` calls it at the end of the test. */
  close(): Promise<void>
}

/** A tool of the machine with its key delivery and site. */
export interface ToolOfBench {
  readonly toolId: string
  readonly delivery: 'helper' | 'file' | 'plain' | 'envFile' | 'env'
  readonly inProject?: boolean
}

/** Configured tools: one for each key delivery, and one in a project. */
export const defaultTools: readonly ToolOfBench[] = [
  { toolId: 'claude-code', delivery: 'helper' },
  { toolId: 'opencode', delivery: 'file' },
  { toolId: 'cline', delivery: 'plain' },
  { toolId: 'claude-code', delivery: 'plain', inProject: true },
]

/** Opens a bench that closes at the end of the test. */
export async function startBench(tools: readonly ToolOfBench[] = defaultTools): Promise<Bench> {
  const bench = await openBench(tools)
  onTestFinished(bench.close)
  return bench
}

/** Starts a sandbox and a machine with a plan, its default key, configured tools and a profile. */
export async function openBench(tools: readonly ToolOfBench[] = defaultTools): Promise<Bench> {
  const sandbox = await startSandbox({ gatewayPort: 0, platformPort: 0, begin: plainWorld })
  const root = mkdtempSync(join(tmpdir(), 'companion-rotation-'))
  const folder = join(root, 'machine')
  const project = join(folder, 'project')
  for (const path of [project, join(folder, 'home'), join(folder, 'data')]) mkdirSync(path, { recursive: true })
  const kept: Stored = { settings: {}, keychain: new MemoryKeychain() }
  const machines: Machine[] = []
  const open = (parts: Partial<MachineParts> = {}): Machine => {
    const { ready } = sandbox
    // The system would free the lock of a killed process. Here that process is this one, which still holds it.
    rmSync(join(folder, 'data', 'tools.lock'), { force: true })
    const machine = openMachine({ ready, folder, store: memoryStore(kept), keychain: kept.keychain, ...parts })
    machines.push(machine)
    return machine
  }
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const { platformUrl, controlToken } = sandbox.ready
    const response = await fetch(`${platformUrl}/sandbox/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${controlToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { planId, keyId } = await setUp(open(), tools, project)
  cpSync(folder, join(root, 'as-it-was'), { recursive: true })
  const asItWas = { settings: structuredClone(kept.settings), items: [...kept.keychain.items] }
  return {
    ...{ sandbox, folder, project, kept, planId, keyId, control, open },
    async restart() {
      await Promise.all(machines.splice(0).map((machine) => machine.abandon()))
      await control('reset', {})
      rmSync(folder, { recursive: true, force: true })
      cpSync(join(root, 'as-it-was'), folder, { recursive: true })
      kept.settings = structuredClone(asItWas.settings)
      kept.keychain.items.clear()
      for (const [name, value] of asItWas.items) kept.keychain.items.set(name, value)
    },
    async close() {
      await Promise.all(machines.map((machine) => machine.abandon()))
      await sandbox.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function setUp({ account, plans, tools, profiles }: Machine, wanted: readonly ToolOfBench[], project: string) {
  await account.keepKey({ ...ofPro, keyId: 'key-pro-default' })
  const [plan] = plans.list()
  const [key] = plan?.keys ?? []
  if (!plan || !key) throw new Error('no key')
  for (const { toolId, delivery, inProject = false } of wanted) {
    const site: Site = inProject ? { kind: 'project', folder: project } : { kind: 'user' }
    const choice = { toolId, site, planId: plan.id, keyId: key.id, modelCode: 'aurora-large', delivery }
    await tools.carryOut((await tools.preview(choice)).previewId)
  }
  if (wanted.length > 0) await profiles.saveCurrent('work')
  return { planId: plan.id, keyId: key.id }
}

const settingsPaths: Readonly<Record<string, string>> = {
  'claude-code': '.claude/settings.json',
  opencode: '.config/opencode/opencode.json',
  cline: '.cline/data/settings/providers.json',
}

export function settingsFile(
  { folder, project }: Pick<Bench, 'folder' | 'project'>,
  { toolId, inProject }: ToolOfBench,
): string {
  return inProject ? join(project, '.claude/settings.local.json') : join(folder, 'home', settingsPaths[toolId] ?? '')
}

/** Returns the key that a tool would send, read from its settings without any code of the app. */
export function keyOfTool(bench: Pick<Bench, 'folder' | 'project' | 'kept'>, tool: ToolOfBench): string {
  const text = readFileSync(settingsFile(bench, tool), 'utf8')
  const [, command] = /"apiKeyHelper": "([^"]+)"/.exec(text) ?? []
  if (command !== undefined) return printed(bench.kept, command)
  const [, path] = /\{file:([^}]+)\}/.exec(text) ?? []
  if (path !== undefined) return readFileSync(path, 'utf8').trim()
  return /"(sk-[^"]+)"/.exec(text)?.[1] ?? 'no key'
}

/** Output of the helper command: the key from the keychain while the settings still contain it. */
function printed({ settings, keychain }: Stored, command: string): string {
  const [planId, keyId] = helperWords(command)
  const isKnown = JSON.stringify(settings.plans).includes(`"id":"${keyId}"`)
  return (isKnown && planId !== '' && keychain.items.get(keyId)) || 'no key'
}

/** The sandbox's record of the plan's keys. */
export async function keysAtAccount(bench: Bench) {
  const state = (await bench.control('state')) as StateView
  const keys = state.plans.find(({ planId }) => planId === pro)?.keys ?? []
  return keys.filter(({ deleted }) => !deleted).map(({ keyId, name, status }) => ({ keyId, name, status }))
}

/** Gateway status for each tool of the bench. */
export function answersToTools(bench: Bench, tools: readonly ToolOfBench[] = defaultTools): Promise<number[]> {
  const { gatewayUrl } = bench.sandbox.ready
  return Promise.all(tools.map((tool) => askGateway(gatewayUrl, keyOfTool(bench, tool))))
}

/** Lists files below a folder that contain a text. */
function filesWith(folder: string, text: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesWith(path, text)
    return readFileSync(path).includes(text) ? [path] : []
  })
}

/**
 * Requires that no tool has a dead key, that each live key of the rotation is saved, and that only tools' own files
 * contain a key.
 */
export async function requireSound(bench: Bench, tools: readonly ToolOfBench[] = defaultTools): Promise<void> {
  expect(await answersToTools(bench, tools)).toEqual(tools.map(() => 200))
  const { account, plans, vault } = bench.open()
  const seeded = ['key-pro-default', 'key-pro-old-laptop']
  const [plan] = plans.list()
  for (const { keyId } of await keysAtAccount(bench)) {
    if (seeded.includes(keyId)) continue
    const local = plan?.keys.find(({ origin }) => origin?.keyId === keyId)
    expect(local, `the key ${keyId} is lost`).toBeDefined()
    const atAccount = await account.readSecret({ ...ofPro, keyId })
    expect((await vault.get(local?.id ?? '')).expose()).toBe(atAccount.expose())
  }
  const texts = [...bench.kept.keychain.items.values()]
  const mayHold = [...tools.map((tool) => settingsFile(bench, tool)), join(bench.folder, 'data/key-files')]
  for (const text of texts) {
    expect(JSON.stringify(bench.kept.settings)).not.toContain(text)
    const found = filesWith(bench.folder, text).filter((path) => !mayHold.some((may) => path.startsWith(may)))
    expect(found).toEqual([])
  }
  const left = filesWith(join(bench.folder, 'data/key-files'), '').length
  expect(left).toBe(tools.filter(({ delivery }) => delivery === 'file').length)
}
