import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ensureBuild } from '../../scripts/ensure-build.mjs'
import { withDesktop } from '../../scripts/lib/desktop.mjs'
import { listProcessesWith } from '../../scripts/lib/process-table.mjs'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import type { ReadyMessage } from '../../src/sandbox/sandbox'
import { callControl, sendChatRequest } from '../support/control'

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 180_000 })

const shell = promisify(execFile)
const plan = 'sandbox-pro'
/** Tools of the holder, with the name of their program and its output for `--version`. */
const tools = [
  { id: 'claude-code', program: 'claude', version: '2.1.330 (Claude Code)' },
  { id: 'opencode', program: 'opencode', version: '1.18.33' },
]

/** The model of `sendChatRequest`. */
const usedModel = { planId: 'plan-sandbox-pro', modelCode: 'aurora-small' }
const requestIntervalMs = 20

/** Home of one person, with a separate desktop and keychain. */
interface Home {
  readonly env: NodeJS.ProcessEnv
  readonly folder: string
  readonly home: string
  readonly bin: string
  readonly dataDir: string
  readonly desktopFolder: string
}

/** A fault after the nth write of a command to a file of its home or to the keychain. */
interface Fault {
  readonly kind: 'kill' | 'stall'
  readonly write: number
}

let root = ''
beforeAll(async () => {
  await ensureBuild()
  root = mkdtempSync(join(tmpdir(), 'two-homes-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function createHome(name: string, env: NodeJS.ProcessEnv, desktopFolder: string): Home {
  const folder = mkdtempSync(join(root, `${name}-`))
  const [home, bin, dataDir] = [join(folder, 'home'), join(folder, 'bin'), join(folder, 'data')]
  for (const path of [home, bin, dataDir]) mkdirSync(path)
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }
  return { folder, home, bin, dataDir, desktopFolder, env: { ...env, ...own, PATH: `${bin}${delimiter}${env.PATH}` } }
}

function signalKeychain({ desktopFolder }: Home, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const ids = listProcessesWith('PRIVATE_DESKTOP', desktopFolder).filter(
    (id) => readFileSync(`/proc/${id}/comm`, 'utf8').trim() === 'gnome-keyring-d',
  )
  expect(ids).not.toEqual([])
  for (const id of ids) process.kill(id, signal)
}

/** Runs the built command line, with a fault if given, and counts its writes. */
async function run(home: Home, args: readonly string[], { input = '', fault }: { input?: string; fault?: Fault } = {}) {
  const command = [resolveFromRoot('out/main/cli.cjs'), '--data-dir', home.dataDir, ...args]
  let writeCount = 0
  const child = spawn(process.execPath, command, { env: home.env })
  const onWrite = (): void => {
    writeCount += 1
    if (writeCount !== fault?.write) return
    if (fault.kind === 'kill') child.kill('SIGKILL')
    else signalKeychain(home, 'SIGSTOP')
  }
  const watchers = [home.folder, join(home.desktopFolder, 'data')].map((path) =>
    watch(path, { recursive: true }, onWrite),
  )
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  for (const watcher of watchers) watcher.close()
  if (fault?.kind === 'stall' && writeCount >= fault.write) signalKeychain(home, 'SIGCONT')
  return { code, out, err, writeCount }
}

async function succeed(home: Home, args: readonly string[], input = '') {
  const outcome = await run(home, args, { input })
  expect(outcome.code, `${args.join(' ')}: ${outcome.err}${outcome.out}`).toBe(0)
  return outcome
}

async function withSandbox<T>(work: (ready: ReadyMessage) => Promise<T>): Promise<T> {
  const args = [resolveFromRoot('out/main/sandbox.cjs'), '--gateway-port', '0', '--platform-port', '0', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(child.stdout, 'data')
    return await work(JSON.parse(String(line)))
  } finally {
    child.kill('SIGKILL')
  }
}

/** A lead with the account, and a holder whose two tools use a key that the lead issued. */
class TwoHomes {
  #number = 0

  constructor(
    readonly lead: Home,
    readonly holder: Home,
    readonly gatewayUrl: string,
  ) {}

  async setUp({ addresses, iam: { tokenUrl, clientId, clientSecret } }: ReadyMessage): Promise<void> {
    const file = join(this.lead.home, 'connection.json')
    const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
    writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
    await succeed(this.lead, ['connection', 'add', '--file', file, '--secret-stdin'], clientSecret)
    for (const { program, version } of tools)
      writeFileSync(join(this.holder.bin, program), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 })
    const open = await this.#issue([])
    const { out } = await succeed(this.holder, open.args, open.input)
    await succeed(this.lead, ['handout', 'acknowledge', readCode(out)])
    for (const { id } of tools) await succeed(this.holder, ['configure', id, '--plan', plan])
  }

  /** Rotates the holder's key once, with faults in the lead's and the holder's command. Returns their writes. */
  async rotate(faults: { readonly lead?: Fault; readonly holder?: Fault } = {}) {
    const oldName = this.#number === 0 ? 'An' : `An-${this.#number}`
    this.#number += 1
    const newName = `An-${this.#number}`
    const [oldKey = ''] = await this.#toolKeys()
    const { id, leadWrites } = await this.#startUntilWaiting(oldName, newName, faults.lead)
    expect(await sendChatRequest(this.gatewayUrl, oldKey)).toBe(200)

    const { args, input } = await this.#issue(['--key', newName])
    const opened = await run(this.holder, args, { input, ...(faults.holder && { fault: faults.holder }) })
    await this.#requireWorkingTools(`after opening ${newName}, ${JSON.stringify(faults)}`)
    const code = readCode((await succeed(this.holder, args, input)).out)
    expect(await this.#toolKeys()).not.toContain(oldKey)
    await succeed(this.lead, ['handout', 'acknowledge', code])
    await succeed(this.lead, ['rotate', 'resume', id])
    expect(await sendChatRequest(this.gatewayUrl, oldKey)).toBe(401)
    await this.#requireWorkingTools(`after the rotation to ${newName}`)
    return { leadWrites, holderWrites: opened.writeCount }
  }

  /** The key in the file that OpenCode reads. */
  readFileKey(): string {
    const openCode = readFileSync(join(this.holder.home, '.config/opencode/opencode.json'), 'utf8')
    const [, keyFile = ''] = /\{file:([^}]+)\}/.exec(openCode) ?? []
    return readFileSync(keyFile, 'utf8').trimEnd()
  }

  async #toolKeys(): Promise<string[]> {
    const { env, home } = this.holder
    const { apiKeyHelper } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'))
    const { stdout } = await shell('/bin/sh', ['-c', apiKeyHelper], { env, cwd: '/' })
    return [stdout.trimEnd(), this.readFileKey()]
  }

  async #requireWorkingTools(moment: string): Promise<void> {
    for (const key of await this.#toolKeys()) expect(await sendChatRequest(this.gatewayUrl, key), moment).toBe(200)
  }

  /** Creates a key file. Returns the command with which the holder imports it. */
  async #issue(keyArgs: readonly string[]): Promise<{ args: readonly string[]; input: string }> {
    const file = join(this.lead.home, `${this.#number}.age`)
    const createArgs = ['handout', 'create', '--plan', plan, '--holder', 'An', ...keyArgs, '--out', file]
    const [, passphrase = ''] = /: ([a-z]+(?:-[a-z]+){5})$/m.exec((await succeed(this.lead, createArgs)).err) ?? []
    return { args: ['handout', 'open', file, '--passphrase-stdin', '--accept'], input: `${passphrase}\n` }
  }

  /** Starts a rotation, and after a fault resumes it until it waits for the holder. */
  async #startUntilWaiting(oldName: string, newName: string, fault?: Fault) {
    const args = ['rotate', 'start', '--plan', plan, '--key', oldName, '--name', newName, '--grace', '0', '--yes']
    const { writeCount: leadWrites } = await run(this.lead, args, fault && { fault })
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await this.#requireWorkingTools(`after starting ${newName}, ${JSON.stringify(fault)}`)
      const listed = (await succeed(this.lead, ['--json', 'rotate', 'status'])).out
      const rotations: { id: string; state: string; oldKeyName: string }[] = JSON.parse(listed)
      const rotation = rotations.find(({ oldKeyName }) => oldKeyName === oldName)
      if (rotation?.state === 'waiting') return { id: rotation.id, leadWrites }
      await run(this.lead, rotation ? ['rotate', 'resume', rotation.id] : args)
    }
    throw new Error(`The rotation to ${newName} does not wait for its holder.`)
  }
}

function readCode(opened: string): string {
  const [, code = ''] = /Confirmation code, send it back: (\S+)/.exec(opened) ?? []
  expect(code, opened).not.toBe('')
  return code
}

/** Runs `work` while OpenCode's key is used all the time. No request may fail. */
async function inTwoHomes(work: (homes: TwoHomes) => Promise<void>): Promise<void> {
  const desktop = { privateHome: true }
  const inDesktops = (leadEnv: NodeJS.ProcessEnv, leadFolder: string) =>
    withDesktop(async (holderEnv, { folder }) => {
      const [lead, holder] = [createHome('lead', leadEnv, leadFolder), createHome('holder', holderEnv, folder)]
      await withSandbox(async (ready) => {
        const homes = new TwoHomes(lead, holder, ready.gatewayUrl)
        await homes.setUp(ready)
        const statuses: number[] = []
        let isOver = false
        const requests = (async () => {
          while (!isOver) {
            statuses.push(await sendChatRequest(ready.gatewayUrl, homes.readFileKey()))
            // Keep the quota from running out.
            if (statuses.length % 200 === 0) await callControl(ready, '/models', { ...usedModel, requestsUsed: 0 })
            await wait(requestIntervalMs)
          }
        })()
        await work(homes).finally(() => {
          isOver = true
        })
        await requests
        console.log(`${statuses.length} requests`)
        expect(statuses.length).toBeGreaterThan(50)
        expect(statuses.filter((status) => status !== 200)).toEqual([])
      })
    }, desktop)
  await withDesktop((env, { folder }) => inDesktops(env, folder), desktop)
}

/** `count` numbers that divide the writes of a command evenly. */
const spread = (writeCount: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => 1 + Math.floor((at * writeCount) / count))

test('no request of a holder fails when lead and holder are killed at each part of a rotation', async () => {
  await inTwoHomes(async (homes) => {
    const { leadWrites, holderWrites } = await homes.rotate()
    console.log({ leadWrites, holderWrites })
    const [leadKills, holderKills] = [spread(leadWrites, 10), spread(holderWrites, 10)]
    for (const [at, write] of leadKills.entries())
      await homes.rotate({ lead: { kind: 'kill', write }, holder: { kind: 'kill', write: holderKills[at] ?? 1 } })
  })
})

test('no request of a holder fails when the keychain of lead or holder stalls during a rotation', async () => {
  await inTwoHomes(async (homes) => {
    const { leadWrites, holderWrites } = await homes.rotate()
    for (const write of spread(leadWrites, 3)) await homes.rotate({ lead: { kind: 'stall', write } })
    for (const write of spread(holderWrites, 3)) await homes.rotate({ holder: { kind: 'stall', write } })
  })
})
