import { basename } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped names of tests that did not run
 * @property {string[]} [broken] names of tests that failed, each with the first line of its reason
 * @property {string[]} notes remarks about the phase
 * @property {TimedTest[]} [slowest] the tests that took longest, slowest first
 *
 * @typedef {{ name: string, ms: number }} TimedTest
 */

const slowestCount = 10
const slowestNameLength = 140
const maxReasonLength = 300

/**
 * Result of a command that counts as one test.
 * @param {number} code its exit code
 * @returns {Tally}
 */
export function runOneTest(code) {
  return code === 0
    ? { passed: 1, failed: 0, skipped: [], notes: [] }
    : createFailedTally(`ended with exit code ${code}`)
}

/**
 * Result of a phase that could not run or has no report.
 * @param {string} reason
 * @returns {Tally}
 */
export function createFailedTally(reason) {
  return { passed: 0, failed: 1, skipped: [], notes: [reason] }
}

/**
 * Result of a test runner. A crash, or a report without a test, counts as one failure.
 * @param {Tally | undefined} counted from its report, undefined if unreadable
 * @param {number} code the runner's exit code
 * @returns {Tally}
 */
export function judgeTestRun(counted, code) {
  if (counted === undefined) return createFailedTally(`gave no report (exit code ${code})`)
  if (counted.passed + counted.failed === 0) return { ...createFailedTally('ran no test'), skipped: counted.skipped }
  if (code === 0 || counted.failed > 0) return counted
  return { ...counted, failed: 1, notes: [...counted.notes, `no test failed, yet it ended with exit code ${code}`] }
}

/**
 * Reads the tally of an additional check from its report. A missing report counts as one failure.
 * @param {string} text
 * @param {string} name
 * @returns {Tally}
 */
export function parseTestCounts(text, name) {
  try {
    return JSON.parse(text)
  } catch {
    return createFailedTally(`${name} gave no report`)
  }
}

/**
 * Adds two results of one phase.
 * @param {Tally} one
 * @param {Tally} other
 * @returns {Tally}
 */
export function addTallies(one, other) {
  return {
    ...one,
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: [...one.skipped, ...other.skipped],
    notes: [...one.notes, ...other.notes],
  }
}

/**
 * Result of end-to-end tests that could not run. Each counts as failed.
 * @param {string} listing the report of a run that only lists the tests
 * @param {string} reason
 * @returns {Tally}
 */
export function countSkipped(listing, reason) {
  const suites = /** @type {PlaywrightSuite[] | undefined} */ (extractList(listing, 'suites'))
  return { ...createFailedTally(`not run: ${reason}`), failed: Math.max(1, listSpecs(suites ?? []).length) }
}

/**
 * Types of the fields that are read from the JSON reports of Vitest and Playwright. Times are in milliseconds.
 * @typedef {{ fullName: string, status: string, duration?: number | null, failureMessages?: string[] }} VitestTest
 * @typedef {{ name: string, status: string, message?: string, assertionResults?: VitestTest[] }} VitestFile
 * @typedef {{ duration: number, error?: { message?: string } }} PlaywrightResult
 * @typedef {{ status: string, results?: PlaywrightResult[] }} PlaywrightTest
 * @typedef {{ title: string, file?: string, tests: PlaywrightTest[] }} PlaywrightSpec
 * @typedef {{ specs?: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite
 */

/**
 * Counts a vitest JSON report. A file that could not be loaded counts as one failure.
 * @param {string} text
 * @returns {Tally | undefined}
 */
export function countVitest(text) {
  const files = /** @type {VitestFile[] | undefined} */ (extractList(text, 'testResults'))
  if (files === undefined) return undefined
  const testCounts = emptyTally()
  const testDurations = []
  for (const { name, status, message, assertionResults: tests = [] } of files) {
    for (const test of tests) {
      const testTitle = `${basename(name)}: ${test.fullName}`
      addToTally(testCounts, test.status, testTitle, test.failureMessages?.[0])
      testDurations.push({ name: testTitle, ms: test.duration ?? 0 })
    }
    if (status !== 'failed' || tests.some((test) => test.status === 'failed')) continue
    testCounts.failed += 1
    testCounts.notes.push(`${name}: ${message || 'could not be loaded'}`)
  }
  return { ...testCounts, slowest: listSlowestTests(testDurations) }
}

/**
 * Counts a Playwright JSON report. Errors outside of a test count as one failure each.
 * @param {string} text
 * @returns {Tally | undefined}
 */
export function countPlaywright(text) {
  const suites = /** @type {PlaywrightSuite[] | undefined} */ (extractList(text, 'suites'))
  if (suites === undefined) return undefined
  const errors = /** @type {{ message?: string }[]} */ (extractList(text, 'errors') ?? [])
  const notes = errors.map(({ message }) => message ?? 'an error outside of a test')
  const testCounts = { ...emptyTally(), failed: notes.length, notes }
  const testDurations = []
  for (const { title, file, tests } of listSpecs(suites)) {
    for (const { status, results = [] } of tests) {
      const testTitle = file === undefined ? title : `${basename(file)}: ${title}`
      addToTally(testCounts, status, testTitle, results.find(({ error }) => error !== undefined)?.error?.message)
      testDurations.push({ name: testTitle, ms: results.reduce((total, { duration }) => total + duration, 0) })
    }
  }
  return { ...testCounts, slowest: listSlowestTests(testDurations) }
}

/** @param {TimedTest[]} times */
function listSlowestTests(times) {
  return times
    .filter(({ ms }) => ms > 0)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, slowestCount)
}

/**
 * @param {PlaywrightSuite[]} suites
 * @returns {PlaywrightSpec[]}
 */
function listSpecs(suites) {
  return suites.flatMap((suite) => [...(suite.specs ?? []), ...listSpecs(suite.suites ?? [])])
}

/**
 * Counts one test by the status words of both runners. An unknown status counts as failed.
 * @param {Counted} tally
 * @param {string} status
 * @param {string} name
 * @param {string} [reason] cause of the failure, of which only the first line is used
 */
function addToTally(tally, status, name, reason = 'no reason was given') {
  if (['skipped', 'pending', 'todo', 'disabled'].includes(status)) tally.skipped.push(name)
  else if (['passed', 'expected'].includes(status)) tally.passed += 1
  else {
    tally.failed += 1
    const firstLine = stripVTControlCharacters(reason).split('\n')[0] ?? ''
    tally.broken.push(`${name} (${firstLine.slice(0, maxReasonLength)})`)
  }
}

/**
 * @typedef {Tally & { broken: string[] }} Counted
 * @returns {Counted}
 */
function emptyTally() {
  return { passed: 0, failed: 0, skipped: [], broken: [], notes: [] }
}

/**
 * Reads the list with this key from a JSON text. Undefined if missing.
 * @param {string} text
 * @param {string} key
 * @returns {unknown[] | undefined}
 */
function extractList(text, key) {
  try {
    const list = JSON.parse(text)[key]
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/**
 * Summary of a test run: a line per phase, with its failed, slowest and skipped tests and its notes.
 * @param {ReadonlyMap<string, Tally>} phases
 */
export function summary(phases) {
  const width = Math.max(...[...phases.keys()].map((name) => name.length))
  return [...phases].flatMap(([name, { passed, failed, skipped, notes, broken = [], slowest = [] }]) => [
    `${name.padEnd(width)}  ${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
    ...broken.map((test) => `  failed: ${test}`),
    ...slowest.map((test) => `  ${seconds(test.ms)}  ${test.name.slice(0, slowestNameLength)}`),
    ...skipped.map((test) => `  skipped: ${test}`),
    ...notes.map((note) => `  ${note.split('\n').slice(0, 3).join('\n  ')}`),
  ])
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`.padStart(8)
}

/**
 * Last line of a test run's output: the numbers of passed and failed tests.
 * @param {ReadonlyMap<string, Tally>} phases
 */
export function closingLine(phases) {
  const { passed, failed } = sum(phases)
  return `${passed} passed, ${failed} failed`
}

/** @param {ReadonlyMap<string, Tally>} phases */
export function sum(phases) {
  const phaseCounts = [...phases.values()]
  return {
    passed: phaseCounts.reduce((total, { passed }) => total + passed, 0),
    failed: phaseCounts.reduce((total, { failed }) => total + failed, 0),
  }
}
