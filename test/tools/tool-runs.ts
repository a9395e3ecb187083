import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Machine } from '../support/app'
import type { RealTool } from './real-tools'

const InstalledTools = z.record(
  z.string(),
  z.union([z.strictObject({ executable: z.string(), version: z.string() }), z.strictObject({ failure: z.string() })]),
)
const Daemon = z.object({ pid: z.number() })
const maxDaemonWaits = 100

/** Exit code and output of a tool. */
export interface ToolOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A prompt to send with a tool. `key` is the value of the shell variable, for tools that read the key from there. */
export interface ToolPrompt {
  readonly prompt: string
  readonly key: string
}

/** OpenCode retries a missing gateway or a used-up quota for more than a minute. */
const maxRunMs = 150_000
const ansiColourPattern = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** Adds an installed tool to the machine's PATH and returns its version. */
export function addToPath({ id, command }: RealTool, machine: Machine): string {
  const installedTool = InstalledTools.parse(JSON.parse(process.env.REAL_TOOLS ?? '{}'))[id]
  if (!installedTool) throw new Error('Start these tests with "npm run test:tools": it installs the tools.')
  if ('failure' in installedTool) throw new Error(`${id} could not be installed: ${installedTool.failure}`)
  const link = join(machine.bin, command)
  if (!existsSync(link)) symlinkSync(installedTool.executable, link)
  return installedTool.version
}

/** Variables of the shell that starts a tool. */
export function toShellVariables({ keyVariable, env }: RealTool, key: string): Record<string, string> {
  return { ...env, ...(keyVariable ? { [keyVariable]: key } : {}) }
}

/** Sends one prompt to the tool in an empty project, and waits for it to exit. */
export async function runPrompt(tool: RealTool, machine: Machine, { prompt, key }: ToolPrompt): Promise<ToolOutcome> {
  const project = join(machine.home, 'project')
  mkdirSync(project, { recursive: true })
  const program = tool.launcher ? join(machine.home, tool.launcher) : join(machine.bin, tool.command)
  const child = spawn(program, [...tool.oneShot(prompt)], {
    cwd: project,
    env: { ...machine.env, ...toShellVariables(tool, key) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxRunMs,
    killSignal: 'SIGKILL',
  })
  const exitPromise = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      killToolDaemon(tool, machine).then(() => resolve(code), reject)
    })
  })
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitPromise])
  return { code, out: out.replace(ansiColourPattern, ''), err: err.replace(ansiColourPattern, '') }
}

/** Records a tested version for the table in the documents. */
export function recordTriedVersion({ id, requestLine, headers, delivery }: RealTool, version: string): void {
  const [verb, path] = requestLine.split(' ')
  const row = { id, version, request: `${verb} ${path}`, headers, delivery }
  if (process.env.TOOLS_TRIED) appendFileSync(process.env.TOOLS_TRIED, `${JSON.stringify(row)}\n`)
}

/**
 * Kills a leftover daemon and waits for its end. It would keep this run's output open, write into its home while that is
 * deleted, and serve the next run from this home.
 */
async function killToolDaemon({ daemonRecord }: RealTool, { home }: Machine): Promise<void> {
  const record = join(home, daemonRecord ?? '')
  if (daemonRecord === undefined || !existsSync(record)) return
  const { pid } = Daemon.parse(JSON.parse(readFileSync(record, 'utf8')))
  rmSync(record)
  for (let waits = 0; waits < maxDaemonWaits && sendSignal(pid, 'SIGKILL'); waits += 1) await setTimeout(20)
}

/** Returns false if the process has already exited. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
