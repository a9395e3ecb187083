const quietProgressMs = 10_000
const liveProgressMs = 200

/** A failure with cause and fix for the user. */
export class StepFailure extends Error {
  /**
   * @param {string} message
   * @param {{ reason: string, remedy: string, output?: string }} details
   */
  constructor(message, { reason, remedy, output = '' }) {
    super(message)
    this.name = 'StepFailure'
    this.reason = reason
    this.remedy = remedy
    this.output = output
  }
}

/**
 * Formats a duration: "0.4 s", "12 s", "1 min 5 s".
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.max(0.1, ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/**
 * Formats progress, for example "45 % of 196 MB".
 * @param {number} done
 * @param {number} total
 */
export function share(done, total) {
  return `${Math.min(100, Math.floor((100 * done) / total))} % of ${Math.round(total / 1_000_000)} MB`
}

export function printLine(line = '') {
  process.stdout.write(`${line}\n`)
}

/**
 * Prints progress. A terminal gets one updated line, other outputs a line every ten seconds.
 * @param {{ isTTY?: boolean, write: (text: string) => unknown }} output
 */
export function progressPrinter(output) {
  const isTerminal = output.isTTY === true
  let lastReportMs = isTerminal ? 0 : Date.now()
  let isLineShown = false
  return {
    /** @param {string} text */
    report(text) {
      const nowMs = Date.now()
      if (nowMs - lastReportMs < (isTerminal ? liveProgressMs : quietProgressMs)) return
      lastReportMs = nowMs
      output.write(isTerminal ? `\r\x1b[K   ${text}` : `   ${text}\n`)
      isLineShown = isTerminal
    },
    clear() {
      if (isLineShown) output.write('\r\x1b[K')
      isLineShown = false
    },
  }
}

/**
 * @typedef {object} Progress
 * @property {(text: string) => void} report prints the progress of the step
 * @property {(sentence: string) => void} conclude sets the last line, instead of "done"
 */

/**
 * Prints the title of a step, runs the step, and prints its duration.
 * @template T
 * @param {string} title
 * @param {(progress: Progress) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const startedMs = Date.now()
  const progressOutput = progressPrinter(process.stdout)
  let conclusion = ''
  const setConclusion = (/** @type {string} */ sentence) => {
    conclusion = sentence
  }
  printLine(`-> ${title} ...`)
  try {
    const result = await work({ report: progressOutput.report, conclude: setConclusion })
    progressOutput.clear()
    printLine(`   ${conclusion || `done in ${duration(Date.now() - startedMs)}`}`)
    return result
  } catch (error) {
    progressOutput.clear()
    printLine(`   failed after ${duration(Date.now() - startedMs)}`)
    throw error
  }
}

/**
 * Formats an error for the user. A `StepFailure` has its reason and remedy, and no stack.
 * @param {unknown} error
 */
export function printStepFailure(error) {
  if (!(error instanceof StepFailure)) {
    return `Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  }
  const outputTail = error.output.trim().split('\n').slice(-15).join('\n').replace(/^/gm, '  | ')
  const lines = [`Error: ${error.message}`, `  Cause:  ${error.reason}`, `  Remedy: ${error.remedy}`]
  return error.output.trim() === '' ? lines.join('\n') : [outputTail, ...lines].join('\n')
}
