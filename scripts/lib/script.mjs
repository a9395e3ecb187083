import { endEverything, exitCode } from './processes.mjs'
import { isEntryPoint } from './project.mjs'
import { explain } from './steps.mjs'

const parentCheckMs = 1000

let isEnding = false

/**
 * Runs a script's work when Node was started with that script: explains failures, ends everything on a signal, and
 * gives the number that `work` returns as exit code.
 * @param {string} moduleUrl
 * @param {(args: string[]) => Promise<number | void>} work
 */
export async function script(moduleUrl, work) {
  if (!isEntryPoint(moduleUrl)) return
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => end(signal))
  endWithNpm()
  // electron-builder would end the process with 0 once nothing is left to do, also after a failure.
  process.once('beforeExit', () => process.exit())
  try {
    process.exitCode = (await work(process.argv.slice(2))) ?? 0
  } catch (error) {
    console.error(explain(error))
    process.exitCode = 1
  }
}

/** npm runs scripts through a shell, which ends on a signal without passing it on. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void end('SIGTERM')
  }, parentCheckMs).unref()
}

/** @param {NodeJS.Signals} signal */
async function end(signal) {
  if (isEnding) return
  isEnding = true
  await endEverything(signal)
  process.exit(exitCode(null, signal))
}
