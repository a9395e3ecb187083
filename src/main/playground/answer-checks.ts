import type { AnswerCheck, CheckResult, ComparisonCase } from '@shared/contract'
import { AppError } from '@shared/failure'
import { runWithTimeout } from '../core/time-limit'
import { parseExternalJson } from '../gateway/server-message'
import { type CheckJson, expectJson } from './expected-json'

const maxCachedResults = 5000
const results = new Map<string, { readonly key: string; readonly result: CheckResult }>()

/**
 * Checks the text of an ended run, which `readText` reads if the result is not cached. Undefined without a check or an
 * expected value.
 */
export function checkAnswer(
  { check, expected = '' }: Pick<ComparisonCase, 'check' | 'expected'>,
  runId: string,
  readText: () => string,
): CheckResult | undefined {
  if (check === undefined || (check !== 'json' && expected.trim() === '')) return undefined
  const key = `${check} ${expected}`
  const cachedResult = results.get(runId)
  if (cachedResult?.key === key) return cachedResult.result
  const result = compare(check, expected, readText())
  const [oldestRunId] = results.keys()
  if (results.size >= maxCachedResults && oldestRunId !== undefined) results.delete(oldestRunId)
  results.set(runId, { key, result })
  return result
}

const passed: CheckResult = { isPassed: true }
const mismatch: CheckResult = { isPassed: false, reason: 'mismatch' }

function compare(check: AnswerCheck, expected: string, text: string): CheckResult {
  switch (check) {
    case 'equals':
      return normalize(text) === normalize(expected) ? passed : mismatch
    case 'contains':
      return text.includes(expected) ? passed : mismatch
    case 'regex':
      return matchPattern(expected, text)
    case 'json':
      return parseExternalJson(text) === undefined ? { isPassed: false, reason: 'notJson' } : passed
    case 'schema':
      return matchSchema(expected, text)
  }
}

const normalize = (text: string): string => text.replaceAll('\r\n', '\n').trim()

const regexTimeoutMs = 250
const maxSlowPatterns = 200
/** Patterns that timed out once. They are not run again. */
const slowPatterns = new Set<string>()

/** Matches `/pattern/flags`, or a pattern without flags. */
function matchPattern(expected: string, text: string): CheckResult {
  if (slowPatterns.has(expected)) return { isPassed: false, reason: 'timeout' }
  const [, body = expected, flags = ''] = /^\/(.+)\/([a-z]*)$/su.exec(expected) ?? []
  try {
    // A sticky or global expression would start where its last match ended.
    const pattern = new RegExp(body, flags.replaceAll(/[gy]/g, ''))
    const result = runWithTimeout(regexTimeoutMs, () => pattern.test(text))
    if (result) return result.value ? passed : mismatch
    if (slowPatterns.size >= maxSlowPatterns) slowPatterns.clear()
    slowPatterns.add(expected)
    return { isPassed: false, reason: 'timeout' }
  } catch (error) {
    return { isPassed: false, reason: 'invalidPattern', ...toViolation(error) }
  }
}

let lastSchema: { readonly text: string; readonly check: CheckJson | undefined } | undefined

function matchSchema(schema: string, text: string): CheckResult {
  try {
    if (lastSchema?.text !== schema) lastSchema = { text: schema, check: expectJson({ schema }) }
    const json = lastSchema.check?.(text)
    if (!json || json.isValid) return passed
    return json.violation === undefined
      ? { isPassed: false, reason: 'notJson' }
      : { isPassed: false, reason: 'mismatch', violation: json.violation }
  } catch (error) {
    return { isPassed: false, reason: 'invalidSchema', ...toViolation(error) }
  }
}

const toViolation = (error: unknown): { violation?: string } =>
  error instanceof AppError || error instanceof SyntaxError ? { violation: error.message.slice(0, 300) } : {}
