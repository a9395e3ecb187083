/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped names of tests that did not run
 * @property {string[]} notes what a person should know about the phase
 */

/**
 * The tally of a command that counts as one test.
 * @param {number} code its exit code
 * @returns {Tally}
 */
export function oneTest(code) {
  return code === 0 ? { passed: 1, failed: 0, skipped: [], notes: [] } : failedPhase(`ended with exit code ${code}`)
}

/**
 * The tally of a phase that could not run or gave no report.
 * @param {string} reason
 * @returns {Tally}
 */
export function failedPhase(reason) {
  return { passed: 0, failed: 1, skipped: [], notes: [reason] }
}

/**
 * The tally of a test runner's phase; a crash, or a report without a test, counts as one failure.
 * @param {Tally | undefined} counted what its report says; undefined without a readable report
 * @param {number} code the runner's exit code
 * @returns {Tally}
 */
export function judge(counted, code) {
  if (counted === undefined) return failedPhase(`gave no report (exit code ${code})`)
  if (counted.passed + counted.failed === 0) return { ...failedPhase('ran no test'), skipped: counted.skipped }
  if (code === 0 || counted.failed > 0) return counted
  return { ...counted, failed: 1, notes: [...counted.notes, `no test failed, yet it ended with exit code ${code}`] }
}

/**
 * The tally of a check that a runner made beside its tests and wrote into a file; one that is missing counts as one failure.
 * @param {string} text
 * @param {string} name
 * @returns {Tally}
 */
export function readTally(text, name) {
  try {
    return JSON.parse(text)
  } catch {
    return failedPhase(`${name} gave no report`)
  }
}

/**
 * Two tallies of one phase.
 * @param {Tally} one
 * @param {Tally} other
 * @returns {Tally}
 */
export function together(one, other) {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: [...one.skipped, ...other.skipped],
    notes: [...one.notes, ...other.notes],
  }
}

/**
 * The parts of the two reports that count.
 * @typedef {{ fullName: string, status: string }} VitestTest
 * @typedef {{ name: string, status: string, message?: string, assertionResults?: VitestTest[] }} VitestFile
 * @typedef {{ title: string, tests: { status: string }[] }} PlaywrightSpec
 * @typedef {{ specs?: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite
 */

/**
 * The tests of a vitest JSON report; a file that could not be loaded counts as one failure.
 * @param {string} text
 * @returns {Tally | undefined}
 */
export function countVitest(text) {
  const files = /** @type {VitestFile[] | undefined} */ (listIn(text, 'testResults'))
  if (files === undefined) return undefined
  const tally = emptyTally()
  for (const { name, status, message, assertionResults: tests = [] } of files) {
    for (const test of tests) count(tally, test.status, test.fullName)
    if (status !== 'failed' || tests.some((test) => test.status === 'failed')) continue
    tally.failed += 1
    tally.notes.push(`${name}: ${message || 'could not be loaded'}`)
  }
  return tally
}

/**
 * The tests of a Playwright JSON report; errors outside of a test count as one failure each.
 * @param {string} text
 * @returns {Tally | undefined}
 */
export function countPlaywright(text) {
  const suites = /** @type {PlaywrightSuite[] | undefined} */ (listIn(text, 'suites'))
  if (suites === undefined) return undefined
  const errors = /** @type {{ message?: string }[]} */ (listIn(text, 'errors') ?? [])
  const notes = errors.map(({ message }) => message ?? 'an error outside of a test')
  const tally = { ...emptyTally(), failed: notes.length, notes }
  for (const { title, tests } of specsOf(suites)) {
    for (const { status } of tests) count(tally, status, title)
  }
  return tally
}

/**
 * @param {PlaywrightSuite[]} suites
 * @returns {PlaywrightSpec[]}
 */
function specsOf(suites) {
  return suites.flatMap((suite) => [...(suite.specs ?? []), ...specsOf(suite.suites ?? [])])
}

/**
 * Counts one test by the words of both runners; what is not known counts as failed.
 * @param {Tally} tally
 * @param {string} status
 * @param {string} name
 */
function count(tally, status, name) {
  if (['skipped', 'pending', 'todo', 'disabled'].includes(status)) tally.skipped.push(name)
  else if (['passed', 'expected'].includes(status)) tally.passed += 1
  else tally.failed += 1
}

/** @returns {Tally} */
function emptyTally() {
  return { passed: 0, failed: 0, skipped: [], notes: [] }
}

/**
 * The list under a key of a JSON text; undefined when there is none.
 * @param {string} text
 * @param {string} key
 * @returns {unknown[] | undefined}
 */
function listIn(text, key) {
  try {
    const list = JSON.parse(text)[key]
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/**
 * The lines that close a test run: one for each phase, its skipped tests and notes, and the sum as the last line.
 * @param {ReadonlyMap<string, Tally>} phases
 */
export function summary(phases) {
  const width = Math.max(...[...phases.keys()].map((name) => name.length))
  const lines = [...phases].flatMap(([name, { passed, failed, skipped, notes }]) => [
    `${name.padEnd(width)}  ${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
    ...skipped.map((test) => `  skipped: ${test}`),
    ...notes.map((note) => `  ${note.split('\n').slice(0, 3).join('\n  ')}`),
  ])
  const { passed, failed } = sum(phases)
  return [...lines, '', `${passed} passed, ${failed} failed`]
}

/** @param {ReadonlyMap<string, Tally>} phases */
export function sum(phases) {
  const tallies = [...phases.values()]
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
  }
}
