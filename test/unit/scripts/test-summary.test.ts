import { expect, test } from 'vitest'
import {
  addTallies,
  countPlaywright,
  countSkipped,
  countVitest,
  judgeTestRun,
  parseTestCounts,
  runOneTest,
  summary,
} from '../../../scripts/lib/test-summary.mjs'

const passedTest = { fullName: 'works', status: 'passed' }
const failedTest = { fullName: 'breaks', status: 'failed' }
const skippedTest = { fullName: 'is left out', status: 'pending' }

function buildVitestReport(...files: readonly object[]): string {
  return JSON.stringify({ testResults: files })
}

function playwright(statuses: readonly string[], errors: readonly object[] = []): string {
  const specs = statuses.map((status) => ({ title: `a ${status} test`, tests: [{ status }] }))
  return JSON.stringify({ suites: [{ specs: specs.slice(0, 1), suites: [{ specs: specs.slice(1) }] }], errors })
}

test('counts the tests of a unit test report and names the skipped ones', () => {
  const file = { name: 'a.test.ts', status: 'failed', assertionResults: [passedTest, failedTest, skippedTest] }
  const skipped = ['a.test.ts: is left out']
  expect(countVitest(buildVitestReport(file))).toMatchObject({ passed: 1, failed: 1, skipped, notes: [] })
})

test('counts a test file that could not be loaded as a failure', () => {
  const brokenFile = { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] }
  const passedFile = { name: 'a', status: 'passed', assertionResults: [passedTest] }
  const testCounts = countVitest(buildVitestReport(passedFile, brokenFile))
  expect(testCounts).toMatchObject({ passed: 1, failed: 1, notes: ['b.test.ts: no such module'] })
})

test('counts end-to-end tests at every depth, a flaky one as failed', () => {
  const report = playwright(['expected', 'expected', 'unexpected', 'flaky', 'skipped'])
  expect(countPlaywright(report)).toMatchObject({ passed: 2, failed: 2, skipped: ['a skipped test'] })
})

test('counts an error outside of any test as a failure', () => {
  const report = playwright(['expected'], [{ message: 'no window' }])
  expect(countPlaywright(report)).toMatchObject({ failed: 1, notes: ['no window'] })
})

test.each([
  ['no report', undefined, 1],
  ['no report, though it ended well', undefined, 0],
  ['a report that is no JSON', countVitest('<html>'), 0],
  ['a report without its list', countPlaywright('{}'), 0],
  ['no test', countVitest(buildVitestReport()), 0],
  ['only skipped tests', countPlaywright(playwright(['skipped'])), 0],
])('counts a phase with %s as one failure', (_name, counted, code) => {
  expect(judgeTestRun(counted, code)).toMatchObject({ passed: 0, failed: 1 })
})

test('counts a failing runner without a failed test as one more failure', () => {
  const playwrightTally = countPlaywright(playwright(['expected', 'expected']))
  expect(judgeTestRun(playwrightTally, 1)).toMatchObject({ passed: 2, failed: 1 })
  expect(judgeTestRun(playwrightTally, 0)).toMatchObject({ passed: 2, failed: 0 })
})

test('counts a check with the tests, and as a failure without a report', () => {
  const expectedTally = { passed: 2, failed: 0, skipped: [], notes: [] }
  const check = { passed: 0, failed: 1, skipped: [], notes: ['3 of 69 operations were not called'] }
  const withCheck = addTallies(expectedTally, parseTestCounts(JSON.stringify(check), 'coverage'))
  expect(judgeTestRun(withCheck, 1)).toEqual({ ...check, passed: 2 })
  const withoutReport = addTallies(expectedTally, parseTestCounts('', 'coverage'))
  expect(withoutReport).toMatchObject({ failed: 1, notes: ['coverage gave no report'] })
})

test('counts tests that could not run as failed', () => {
  const listing = playwright(['expected', 'expected', 'expected'])
  const notes = ['not run: System packages are missing.']
  expect(countSkipped(listing, 'System packages are missing.')).toMatchObject({ passed: 0, failed: 3, notes })
  expect(countSkipped('', 'System packages are missing.')).toMatchObject({ passed: 0, failed: 1 })
})

test('lists each failed test in its phase, with the first line of its reason', () => {
  const multilineFailedTest = { ...failedTest, failureMessages: ['\u001b[31mError: 3 is not 4\u001b[39m\n  at line 7'] }
  const failedFile = { name: '/some/where/a.test.ts', status: 'failed', assertionResults: [multilineFailedTest] }
  const unitCounts = countVitest(buildVitestReport(failedFile)) ?? runOneTest(1)
  const unitSummary = summary(new Map([['unit tests', unitCounts]]))
  expect(unitSummary).toContain('  failed: a.test.ts: breaks (Error: 3 is not 4)')
  const results = [{ duration: 5, error: { message: 'no such button\n  Call log:' } }]
  const specs = [{ title: 'presses it', file: 'a.spec.ts', tests: [{ status: 'unexpected', results }] }]
  const endToEndTally = countPlaywright(JSON.stringify({ suites: [{ specs }] })) ?? runOneTest(1)
  const endToEndSummary = summary(new Map([['end to end', endToEndTally]]))
  expect(endToEndSummary).toContain('  failed: a.spec.ts: presses it (no such button)')
})
