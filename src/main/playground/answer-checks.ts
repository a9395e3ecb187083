import type { CheckResult, ComparisonCase } from '@shared/contract'
import { AppError } from '@shared/failure'
import { runWithTimeout } from '../core/time-limit'
import { parseJson } from '../gateway/server-message'
import { type CheckJson, expectJson } from './expected-json'

type Check = Pick<ComparisonCase, 'check' | 'expected'>

const maxCachedResults = 5000
const results = new Map<string, { readonly key: string; readonly result: CheckResult }>()

/**
 * Checks the text of an ended run, which `readText` reads if the result is not cached. Undefined without a check or an
 * expected value.
 */
export function checkAnswer(
  { check, expected = '' }: Check,
  runId: string,
  readText: () => string,
): CheckResult | undefined {
  if (check === undefined || (check !== 'json' && expected.trim() === '')) return undefined
  const key = `${check} ${expected}`
  const cached = results.get(runId)
  if (cached?.key === key) return cached.result
  const result = compare(check, expected, readText())
  const [oldestRunId] = results.keys()
  if (results.size >= maxCachedResults && oldestRunId !== undefined) results.delete(oldestRunId)
  results.set(runId, { key, result })
  return result
}

const passed: CheckResult = { isPassed: true }
const mismatch: CheckResult = { isPassed: false, reason: 'mismatch' }

function compare(check: NonNullable<Check['check']>, expected: string, text: string): CheckResult {
  switch (check) {
    case 'equals':
      return normalize(text) === normalize(expected) ? passed : mismatch
    case 'contains':
      return text.includes(expected) ? passed : mismatch
    case 'regex':
      return matchPattern(expected, text)
    case 'json':
      return parseJson(text) === undefined ? { isPassed: false, reason: 'notJson' } : passed
    case 'schema':
      return matchSchema(expected, text)
  }
}

const normalize = (text: string): string => text.replaceAll('\r\n', '\n').trim()

const regexTimeoutMs = 250
const maxSlowPatterns = 200
/** Patterns that took too long once. They are not tried on other answers. */
const slowPatterns = new Set<string>()

/** `/pattern/flags`, or a pattern without flags. */
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
