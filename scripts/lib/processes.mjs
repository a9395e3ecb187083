import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { processTable } from './process-table.mjs'

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [shell]
 * @property {boolean} [keepOutput] keeps what the command prints instead of showing it
 * @property {number} [timeoutMs]
 * @property {(child: import('node:child_process').ChildProcess) => void} [onStart]
 *
 * @typedef {object} RunResult
 * @property {number} code the exit code; 128 and more for a signal, 127 when the command could not be started
 * @property {string} output what the command printed, when it was kept
 * @property {boolean} timedOut
 */

const leaderTimeoutMs = 2000
const shutdownGraceMs = 5000
const killGracePeriodMs = 1000
const pollIntervalMs = 50
const outputLimit = 1_000_000
const hasGroups = process.platform !== 'win32'

/** @type {Set<import('node:child_process').ChildProcess>} */
const runningChildren = new Set()
/** @type {Set<() => Promise<void> | void>} */
const cleanupTasks = new Set()
let isShuttingDown = false

/**
 * Starts a process in its own group, so that a kill reaches its children and Ctrl+C reaches it only once. The caller
 * must end it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function startProcess(command, args, options) {
  return spawn(command, [...args], { ...options, detached: hasGroups })
}

/**
 * Runs a command to its end. Never rejects: a failure is in the exit code of the result.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<RunResult>}
 */
export async function run(command, args, options = {}) {
  const { keepOutput = false, timeoutMs, onStart, ...rest } = options
  if (isShuttingDown) await new Promise(() => {})
  const child = startProcess(command, args, { ...rest, stdio: keepOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
  runningChildren.add(child)
  onStart?.(child)
  const capturedOutput = collectOutput(child)
  let hasTimedOut = false
  const timer = setTimeout(
    () => {
      hasTimedOut = true
      void endProcess(child, 'SIGTERM')
    },
    timeoutMs ?? 2 ** 31 - 1,
  )
  const code = await waitForExit(child)
  clearTimeout(timer)
  runningChildren.delete(child)
  if (isShuttingDown) await new Promise(() => {})
  return { code, output: capturedOutput(), timedOut: hasTimedOut }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => string}
 */
function collectOutput(child) {
  let text = ''
  /** @param {Buffer} chunk */
  const add = (chunk) => {
    text = (text + chunk.toString()).slice(-outputLimit)
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  child.once('error', (error) => add(Buffer.from(error.message)))
  return () => text
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function waitForExit(child) {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (code, signal) => resolve(exitCode(code, signal)))
    // A child that outlives its parent may keep the pipes open forever.
    child.once('exit', (code, signal) => setTimeout(() => resolve(exitCode(code, signal)), 1000).unref())
  })
}

/**
 * Exit code as in a shell: 128 plus the number of the signal that ended the program.
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
export function exitCode(code, signal) {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal]
}

/**
 * Ends a process and its group. Signals the process first, so that it can end its children in order, then the rest of
 * the group. Sends SIGKILL after five seconds.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
export async function endProcess(child, signal) {
  const startedMs = Date.now()
  // Sends SIGTERM instead of SIGHUP, because many programs ignore SIGHUP.
  if (hasLeader(child)) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  for (let isStopRequested = false; isAlive(child); ) {
    const elapsedMs = Date.now() - startedMs
    if (elapsedMs > shutdownGraceMs + killGracePeriodMs) return
    if (elapsedMs > shutdownGraceMs) signalGroup(child, 'SIGKILL')
    else if (!isStopRequested && (elapsedMs > leaderTimeoutMs || !hasLeader(child))) {
      signalGroup(child, 'SIGTERM')
      isStopRequested = true
    }
    await wait(pollIntervalMs)
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function hasLeader(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/**
 * Whether the process or, where supported, its process group is alive.
 * @param {import('node:child_process').ChildProcess} child
 */
function isAlive(child) {
  if (child.pid === undefined) return false
  if (hasLeader(child)) return true
  if (!hasGroups) return false
  try {
    process.kill(-child.pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || processTable().some((row) => row.group === child.pid && row.state !== 'Z')
}

/**
 * Signals a process and its group.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(child, signal) {
  if (child.pid === undefined) return
  try {
    if (hasGroups) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // Ignores a process group that has already ended.
  }
}

/**
 * Registers a cleanup for an early end of this script. Returns a function that unregisters it.
 * @param {() => Promise<void> | void} cleanup
 */
export function addCleanup(cleanup) {
  cleanupTasks.add(cleanup)
  return () => cleanupTasks.delete(cleanup)
}

/**
 * Ends all running commands, then runs the cleanups in reverse order.
 * @param {NodeJS.Signals} signal
 */
export async function shutDownAll(signal) {
  isShuttingDown = true
  await Promise.all([...runningChildren].map((child) => endProcess(child, signal)))
  for (const cleanup of [...cleanupTasks].reverse()) await cleanup()
}
