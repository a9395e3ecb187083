import { expect, test } from 'vitest'
import { duration, printStepFailure, progressPrinter, StepFailure, share } from '../../../scripts/lib/steps.mjs'

test.each([
  [20, '0.1 s'],
  [449, '0.4 s'],
  [12_400, '12 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('formats %i ms as "%s"', (ms, expected) => expect(duration(ms)).toBe(expected))

test('never shows more than the total', () => {
  expect(share(300_000_000, 196_000_000)).toBe('100 % of 196 MB')
})

test('reports a failure with its reason, its remedy and the end of the output', () => {
  const output = `${'noise\n'.repeat(50)}npm error code ENOTFOUND\n`
  const text = printStepFailure(new StepFailure('It failed.', { reason: 'no network', remedy: 'plug it in', output }))
  expect(text).toContain('npm error code ENOTFOUND\nError: It failed.\n  Cause:  no network\n  Remedy: plug it in')
  expect(text.split('\n')).toHaveLength(18)
})

test('writes no progress outside a terminal before ten seconds, and no control characters', () => {
  const outputLines: string[] = []
  const progressOutput = progressPrinter({ write: (text) => outputLines.push(text) })
  progressOutput.report('1 %')
  progressOutput.clear()
  expect(outputLines).toEqual([])
})

test('rewrites one line in a terminal', () => {
  const outputLines: string[] = []
  const progressOutput = progressPrinter({ isTTY: true, write: (text) => outputLines.push(text) })
  progressOutput.report('1 %')
  progressOutput.clear()
  expect(outputLines.join('')).toBe('\r\u001b[K   1 %\r\u001b[K')
})
