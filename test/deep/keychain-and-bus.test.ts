import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuild } from '../../scripts/ensure-build.mjs'
import { withDesktop } from '../../scripts/lib/desktop.mjs'
import { listProcessesWith } from '../../scripts/lib/process-table.mjs'
import { probeSecretService, sessionBusPath } from '../../src/main/core/vault/secret-service'
import type { ReadyMessage } from '../../src/sandbox/sandbox'
import { seed } from '../support/depth'

const outFolder = resolve(import.meta.dirname, '../../out/main')
/** A rotation calls the keychain several times, each for at most 3 s. */
const maxCommandMs = 25_000

let folder = ''
beforeAll(async () => {
  await ensureBuild()
  folder = mkdtempSync(join(tmpdir(), 'keychain-and-bus-'))
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  readonly isLate: boolean
}

/** Runs the built command line, and kills it if it takes too long. */
async function run(env: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [join(outFolder, 'cli.cjs'), ...args], { env })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    child.kill('SIGKILL')
  }, maxCommandMs)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const closePromise = new Promise<[number | null, NodeJS.Signals | null]>((resolveExit) =>
    child.once('close', (code, signal) => resolveExit([code, signal])),
  )
  const [outputText, complained, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closePromise,
  ])
  clearTimeout(timer)
  return { code, signal, out: outputText, err: complained, isLate: isTimedOut }
}

/** Runs a separate sandbox during `work`. */
async function withSandbox<T>(env: NodeJS.ProcessEnv, work: (ready: ReadyMessage) => Promise<T>): Promise<T> {
  const args = [join(outFolder, 'sandbox.cjs'), '--gateway-port', '0', '--platform-port', '0', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolveLine) =>
    child.stdout.once('data', (bytes) => resolveLine(String(bytes))),
  )
  try {
    return await work(JSON.parse(line))
  } finally {
    child.kill('SIGKILL')
  }
}

interface Step {
  readonly name: string
  readonly args: readonly string[]
  readonly input?: string
}

/** A sequence of commands that a user runs. Each is a step into which the test injects a fault. */
function session({ addresses, iam, gatewayUrl, plans }: ReadyMessage, machineFolder: string): readonly Step[] {
  const connection = join(machineFolder, 'connection.json')
  const { tokenUrl, clientId, clientSecret } = iam
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(connection, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const key = plans.find(({ name }) => name === 'sandbox-pro')?.keys[0]?.key ?? ''
  const addPlanArgs = ['plan', 'add', '--name', 'lent', '--gateway', gatewayUrl, '--key-stdin']
  const rotateArgs = ['rotate', 'start', '--plan', 'sandbox-pro', '--key', 'default-key', '--grace', '0', '--yes']
  const keyFilePath = join(machineFolder, 'kit.age')
  return [
    { name: 'connect', args: ['connection', 'add', '--file', connection, '--secret-stdin'], input: clientSecret },
    { name: 'add a plan', args: addPlanArgs, input: key },
    { name: 'print its key', args: ['key', 'print', '--plan', 'lent'] },
    { name: 'keep a key', args: ['key', 'keep', 'sandbox-pro', 'default-key'] },
    { name: 'rotate it', args: rotateArgs },
    {
      name: 'hand it out',
      args: ['handout', 'create', '--plan', 'sandbox-pro', '--holder', 'ann', '--out', keyFilePath],
    },
    { name: 'remove a plan', args: ['plan', 'remove', 'lent'] },
  ]
}

const keychainFaults = [
  { service: 'gnome-keyring-d', signal: 'SIGSTOP' },
  { service: 'gnome-keyring-d', signal: 'SIGKILL' },
  { service: 'dbus-daemon', signal: 'SIGSTOP' },
  { service: 'dbus-daemon', signal: 'SIGKILL' },
] as const

const isService = (id: number, service: string): boolean => {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim() === service
  } catch {
    return false
  }
}

/** Expected error output: the reason why a command failed, or the step at which a rotation failed. */
const pattern = /^(companion|failed [a-z ]+): .{20,}/m
const planNames = async (env: NodeJS.ProcessEnv, data: readonly string[]): Promise<string[]> => {
  const { out: listed } = await run(env, [...data, '--json', 'plan', 'list'])
  const plans: { readonly name: string }[] = JSON.parse(listed)
  return plans.map(({ name }) => name)
}

/** Runs all commands up to a step, injects the fault `delayMs` after that step starts, and removes it if possible. */
async function runWithFault(
  stepIndex: number,
  { service, signal }: (typeof keychainFaults)[number],
  delayMs: number,
): Promise<void> {
  const machineFolder = mkdtempSync(join(folder, 'machine-'))
  const data = ['--data-dir', join(machineFolder, 'data')]
  await withDesktop(
    (env, desktop) =>
      withSandbox(env, async (ready) => {
        const steps = session(ready, machineFolder)
        for (const { name, args, input } of steps.slice(0, stepIndex)) {
          const { code, err } = await run(env, [...data, ...args], input)
          expect([name, code, err.includes('companion:')]).toEqual([name, 0, false])
        }
        const ids = listProcessesWith('PRIVATE_DESKTOP', desktop.folder).filter((id) => isService(id, service))
        expect(ids).not.toEqual([])
        const send = (sentSignal: NodeJS.Signals): void => {
          for (const id of ids) process.kill(id, sentSignal)
        }
        const step = steps[stepIndex]
        if (delayMs === 0) send(signal)
        const stepRun = run(env, [...data, ...(step?.args ?? [])], step?.input)
        if (delayMs > 0) await wait(delayMs).then(() => send(signal))
        const exitResult = await stepRun
        // A successful command needs no message. A command that hangs in the keychain library must print one before it
        // is killed.
        if (exitResult.code !== 0) expect(exitResult.err).toMatch(pattern)
        expect([
          step?.name,
          exitResult.isLate,
          exitResult.code === 0 || exitResult.code === 1 || exitResult.signal === 'SIGKILL',
        ]).toEqual([step?.name, false, true])
        expect(exitResult.err).not.toContain('unexpectedly')
        if (signal === 'SIGSTOP') send('SIGCONT')
        // Account plans are not listed while the connection's secret is unreadable. The last step removes one.
        const confirmedPlans = [
          ...(stepIndex > 1 && stepIndex < 6 ? ['lent'] : []),
          ...(stepIndex > 3 ? ['sandbox-pro'] : []),
        ]
        const namesAfter = await planNames(env, data)
        expect(namesAfter).toEqual(expect.arrayContaining(confirmedPlans))
        if (signal !== 'SIGSTOP' || !namesAfter.includes('lent')) return
        const printedKey = await run(env, [...data, 'key', 'print', '--plan', 'lent'])
        expect([printedKey.code, printedKey.out.trim()]).toEqual([0, steps[1]?.input])
      }),
    { privateHome: true },
  )
}

describe.each(keychainFaults)(
  '$service and $signal',
  (fault) => {
    test.each([0, 1, 2, 3, 4, 5, 6])(
      'at step %i nothing hangs, errors have messages, and confirmed data exists',
      async (stepIndex) => {
        await runWithFault(stepIndex, fault, 0)
        await runWithFault(stepIndex, fault, 100 + ((seed * 137) % 500))
      },
    )
  },
  120_000,
)

test('checking for a locked keychain never ends it, however often and concurrently', async () => {
  await withDesktop(
    async (env, desktop) => {
      const path = sessionBusPath(env) ?? ''
      const pollSecretService = async (): Promise<void> => {
        for (let attempt = 0; attempt < 4_000; attempt += 1)
          expect(await probeSecretService(path, 5_000)).toBe('answers')
      }
      await Promise.all([pollSecretService(), pollSecretService(), pollSecretService()])
      const keychains = listProcessesWith('PRIVATE_DESKTOP', desktop.folder).filter((id) =>
        isService(id, 'gnome-keyring-d'),
      )
      expect(keychains).toHaveLength(1)
    },
    { privateHome: true },
  )
})
