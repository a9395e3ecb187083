import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Machine, root } from './app'

/** The built command line. */
export const cliPath = join(root, 'out/main/cli.cjs')

/** Exit code and output of a command. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface CommandOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

const require = createRequire(import.meta.url)
let isRunning = false

/**
 * Runs the built `companion` in the test process, with the machine's environment and the real keychain. Starting Node takes
 * much longer than a command. Runs one at a time. Use `startCompanion` for parallel or interrupted runs, for runs without
 * a keychain, and for tests of start and exit.
 */
export async function runCompanion(
  machine: Machine,
  args: readonly string[],
  { input = '', env = {} }: CommandOptions = {},
): Promise<CommandOutcome> {
  if (isRunning) throw new Error(`companion ${args.join(' ')}: another command runs; use companionProcess.`)
  const { runCommand }: typeof import('../../src/main/cli') = require(cliPath)
  const [stdout, stderr] = [memoryStream(), memoryStream()]
  const [outerEnv, outerExitCode] = [{ ...process.env }, process.exitCode]
  isRunning = true
  replaceEnvironment({ ...machine.env, ...env })
  process.exitCode = undefined
  try {
    const stdin = new PassThrough().end(input)
    await runCommand(['--data-dir', machine.dataDir, ...args], { stdin: () => stdin, stdout, stderr })
    return { code: Number(process.exitCode ?? 0), out: stdout.text(), err: stderr.text() }
  } finally {
    process.exitCode = outerExitCode
    replaceEnvironment(outerEnv)
    isRunning = false
  }
}

/** Runs `companion` in a separate Node process. */
export async function startCompanion(
  machine: Machine,
  args: readonly string[],
  { input = '', env = {} }: CommandOptions = {},
): Promise<CommandOutcome> {
  const command = [cliPath, '--data-dir', machine.dataDir, ...args]
  const child = spawn(process.execPath, command, { env: { ...machine.env, ...env } })
  child.stdin.end(input)
  const closePromise = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closePromise])
  return { code, out, err }
}

function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  Object.assign(process.env, env)
}

function memoryStream() {
  const outputLines: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _, callback) => {
      outputLines.push(String(chunk))
      callback()
    },
  })
  return Object.assign(stream, { text: () => outputLines.join('') })
}
