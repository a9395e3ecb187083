import { exitCode, shutDownAll } from './processes.mjs'
import { isEntryPoint } from './project.mjs'
import { printStepFailure } from './steps.mjs'

const parentCheckMs = 1000

let isShuttingDown = false

/**
 * Runs `work` if Node was started with this module. Prints the reason of a failure, ends all child processes on a
 * signal, and exits with the code that `work` returns.
 * @param {string} moduleUrl
 * @param {(args: string[]) => Promise<number | void>} work
 */
export async function script(moduleUrl, work) {
  if (!isEntryPoint(moduleUrl)) return
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => endProgram(signal))
  exitWithParent()
  // Without this, electron-builder exits with 0 as soon as the event loop is empty, even after a failure.
  process.once('beforeExit', () => process.exit())
  try {
    process.exitCode = (await work(process.argv.slice(2))) ?? 0
  } catch (error) {
    console.error(printStepFailure(error))
    process.exitCode = 1
  }
}

/** npm runs scripts in a shell that ends on a signal without forwarding it. */
function exitWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void endProgram('SIGTERM')
  }, parentCheckMs).unref()
}

/** @param {NodeJS.Signals} signal */
async function endProgram(signal) {
  if (isShuttingDown) return
  isShuttingDown = true
  await shutDownAll(signal)
  process.exit(exitCode(null, signal))
}
