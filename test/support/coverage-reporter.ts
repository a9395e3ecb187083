import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { root, secondStartMessage } from './app'
import { attachmentName, Record } from './coverage'
import {
  computeCoverage,
  type OperationDescription,
  platformOperations,
  type TriggeredOperation,
} from './coverage-table'

const tablePath = join(root, 'docs/coverage.md')
const operationsPath = join(root, 'test/fixtures/operations.json')

/** Test counts in the format that scripts/test.mjs reads. */
interface TestTally {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly string[]
  readonly notes: readonly string[]
}

const coverageTestTitle = 'every operation of the platform is called from the window'

const buildFailedTally = (note: string): TestTally => ({ passed: 0, failed: 1, skipped: [], notes: [note] })

/** Operations that a test triggered. */
function listTriggeredOperations(
  { title, location }: TestCase,
  { attachments }: TestResult,
): readonly TriggeredOperation[] {
  const test = `${basename(location.file)}: ${title}`.replaceAll('|', '\\|')
  return attachments
    .filter(({ name }) => name === attachmentName)
    .flatMap(({ body }) => Record.parse(JSON.parse(String(body))))
    .map((row) => ({ ...row, test }))
}

/** Rewrites the table if it is outdated. */
function tallyCoverage(triggered: readonly TriggeredOperation[]): TestTally {
  const operations: readonly OperationDescription[] = JSON.parse(readFileSync(operationsPath, 'utf8'))
  const tableBefore = existsSync(tablePath) ? readFileSync(tablePath, 'utf8') : ''
  const { text, missing } = computeCoverage(operations, triggered, tableBefore)
  const count = platformOperations(operations).length
  if (missing.length > 0) {
    return buildFailedTally(
      `${missing.length} of ${count} operations were not called from the window: ${missing.join(', ')}`,
    )
  }
  if (text === tableBefore)
    return { passed: 1, failed: 0, skipped: [], notes: [`${count} of ${count}: docs/coverage.md`] }
  writeFileSync(tablePath, text)
  return buildFailedTally('docs/coverage.md was stale and is written anew: look at what changed in it, and commit it.')
}

/**
 * Compares the operations that a complete run of the end-to-end tests triggered with the table. Skips a failed or
 * partial run. Writes its outcome to the COVERAGE_TALLY file for the summary.
 */
class CoverageReporter implements Reporter {
  readonly #triggered: TriggeredOperation[] = []
  readonly #startedTwice: string[] = []

  onTestEnd(test: TestCase, result: TestResult): void {
    this.#triggered.push(...listTriggeredOperations(test, result))
    if (result.annotations.some(({ type }) => type === secondStartMessage)) this.#startedTwice.push(test.title)
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult['status'] }> {
    const testResult =
      status === 'passed'
        ? tallyCoverage(this.#triggered)
        : { passed: 0, failed: 0, skipped: [coverageTestTitle], notes: [] }
    const path = process.env.COVERAGE_TALLY
    if (path !== undefined) writeFileSync(path, JSON.stringify(testResult))
    for (const note of testResult.notes) console.log(`\n${note}`)
    for (const title of this.#startedTwice) console.log(`Started twice, because Electron hung: ${title}`)
    return { status: testResult.failed > 0 ? 'failed' : status }
  }

  printsToStdio(): boolean {
    return false
  }
}

export default CoverageReporter
