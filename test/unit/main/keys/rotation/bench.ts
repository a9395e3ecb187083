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

/** What a machine keeps while no program runs. */
export interface Stored {
  settings: Record<string, unknown>
  readonly keychain: MemoryKeychain
}

/** A sandbox and a machine that is set up, both of which can be had anew as they were. */
export interface Bench {
  readonly sandbox: Sandbox
  readonly folder: string
  readonly project: string
  readonly kept: Stored
  /** The machine's plan and its key. */
  readonly planId: string
  readonly keyId: string
  control(path: string, body?: unknown): Promise<unknown>
  /** Opens the app anew over what is kept. */
  open(parts?: Partial<MachineParts>): Machine
  /** Everything as it was right after the start. */
  restart(): Promise<void>
  /** Ends the sandbox and removes the machine; `startBench` does it when its test is finished. */
  close(): Promise<void>
}

/** How a tool is set up on the machine: the way to its key, and where. */
export interface ToolOfBench {
  readonly toolId: string
  readonly delivery: 'helper' | 'file' | 'plain' | 'envFile' | 'env'
  readonly inProject?: boolean
}

/** One tool for each way to a key, and one in a project. */
export const defaultTools: readonly ToolOfBench[] = [
  { toolId: 'claude-code', delivery: 'helper' },
  { toolId: 'opencode', delivery: 'file' },
  { toolId: 'cline', delivery: 'plain' },
  { toolId: 'claude-code', delivery: 'plain', inProject: true },
]

/** A bench for the time of a test. */
export async function startBench(tools: readonly ToolOfBench[] = defaultTools): Promise<Bench> {
  const bench = await openBench(tools)
  onTestFinished(bench.close)
  return bench
}

/** Starts a sandbox and sets up a machine: a plan with the sandbox's default key, tools, and a profile that use it. */
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
    // The system frees the lock of a process that was killed; here the one that was goes on in this process, and holds it.
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

/** The settings file of a tool of the bench. */
export function settingsFile(
  { folder, project }: Pick<Bench, 'folder' | 'project'>,
  { toolId, inProject }: ToolOfBench,
): string {
  return inProject ? join(project, '.claude/settings.local.json') : join(folder, 'home', settingsPaths[toolId] ?? '')
}

/** The key that a tool would send now: from its settings, as the tool reads them, without any part of the app. */
export function keyOfTool(bench: Pick<Bench, 'folder' | 'project' | 'kept'>, tool: ToolOfBench): string {
  const text = readFileSync(settingsFile(bench, tool), 'utf8')
  const [, command] = /"apiKeyHelper": "([^"]+)"/.exec(text) ?? []
  if (command !== undefined) return printed(bench.kept, command)
  const [, path] = /\{file:([^}]+)\}/.exec(text) ?? []
  if (path !== undefined) return readFileSync(path, 'utf8').trim()
  return /"(sk-[^"]+)"/.exec(text)?.[1] ?? 'no key'
}

/** What the helper command prints: the keychain's item of the key, as long as the settings know the plan's key. */
function printed({ settings, keychain }: Stored, command: string): string {
  const [planId, keyId] = helperWords(command)
  const isKnown = JSON.stringify(settings.plans).includes(`"id":"${keyId}"`)
  return (isKnown && planId !== '' && keychain.items.get(keyId)) || 'no key'
}

/** The keys of the sandbox's plan, as they really are. */
export async function keysAtAccount(bench: Bench) {
  const state = (await bench.control('state')) as StateView
  const keys = state.plans.find(({ planId }) => planId === pro)?.keys ?? []
  return keys.filter(({ deleted }) => !deleted).map(({ keyId, name, status }) => ({ keyId, name, status }))
}

/** The statuses with which the gateway answers each tool of the bench. */
export function answersToTools(bench: Bench, tools: readonly ToolOfBench[] = defaultTools): Promise<number[]> {
  const { gatewayUrl } = bench.sandbox.ready
  return Promise.all(tools.map((tool) => askGateway(gatewayUrl, keyOfTool(bench, tool))))
}

/** Files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesWith(path, text)
    return readFileSync(path).includes(text) ? [path] : []
  })
}

/** No tool has a dead key; every key that is alive and that the rotation made is kept here; no file but a tool's own holds a key. */
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
