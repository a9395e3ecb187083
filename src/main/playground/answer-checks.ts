import { type Context, createContext, Script } from 'node:vm'
import type { CheckResult, ComparisonCase, PlaygroundParameters, PlaygroundRun } from '@shared/contract'
import { AppError } from '@shared/failure'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parseSchema } from '../gateway/model-requests'
import { parseExternalJson } from '../gateway/server-message'

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
const notJson: CheckResult = { isPassed: false, reason: 'notJson' }
const timeout: CheckResult = { isPassed: false, reason: 'timeout' }

function compare(check: NonNullable<ComparisonCase['check']>, expected: string, text: string): CheckResult {
  switch (check) {
    case 'equals':
      return normalize(text) === normalize(expected) ? passed : mismatch
    case 'contains':
      return text.includes(expected) ? passed : mismatch
    case 'regex':
      return matchPattern(expected, text)
    case 'json':
      return parseExternalJson(text) === undefined ? notJson : passed
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
  if (slowPatterns.has(expected)) return timeout
  const [, body = expected, flags = ''] = /^\/(.+)\/([a-z]*)$/su.exec(expected) ?? []
  try {
    // A sticky or global expression would start where its last match ended.
    const pattern = new RegExp(body, flags.replaceAll(/[gy]/g, ''))
    const result = runWithTimeout(regexTimeoutMs, () => pattern.test(text))
    if (result) return result.value ? passed : mismatch
    if (slowPatterns.size >= maxSlowPatterns) slowPatterns.clear()
    slowPatterns.add(expected)
    return timeout
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
    return json.violation === undefined ? notJson : { ...mismatch, violation: json.violation }
  } catch (error) {
    return { isPassed: false, reason: 'invalidSchema', ...toViolation(error) }
  }
}

const toViolation = (error: unknown): { violation?: string } =>
  error instanceof AppError || error instanceof SyntaxError ? { violation: error.message.slice(0, 300) } : {}

export type CheckJson = (text: string) => NonNullable<PlaygroundRun['json']>

const maxViolationLength = 300
/** A `pattern` of a schema may take exponential time. */
const schemaTimeoutMs = 1000

/** The check for an answer that has to be JSON, or undefined. Fails with `input.invalid` for a schema that cannot be used. */
export function expectJson({ jsonMode, schema = '' }: PlaygroundParameters): CheckJson | undefined {
  if (schema.trim() === '') return jsonMode ? (text) => ({ isValid: parseExternalJson(text) !== undefined }) : undefined
  const validate = compileSchema(schema)
  return (text) => {
    const value = parseExternalJson(text)
    if (value === undefined) return { isValid: false }
    const result = runWithTimeout(schemaTimeoutMs, () => validate(value))
    if (!result) return { isValid: false, violation: 'The schema takes too long to check.' }
    if (result.value) return { isValid: true }
    const { instancePath = '', message = '' } = validate.errors?.[0] ?? {}
    return { isValid: false, violation: `${instancePath || '/'} ${message}`.slice(0, maxViolationLength) }
  }
}

function compileSchema(text: string): ValidateFunction {
  // Schemas of earlier drafts name a meta-schema that this validator does not load.
  const { $schema: _, ...schema } = parseSchema(text)
  try {
    const validate = runWithTimeout(schemaTimeoutMs, () =>
      new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema),
    )
    if (validate) return validate.value
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, maxViolationLength) : ''
    throw new AppError('input.invalid', `The schema cannot be used. ${reason}`, { field: 'schema', cause })
  }
  throw new AppError('input.invalid', 'The schema takes too long to read.', { field: 'schema' })
}

const computeScript = new Script('compute()')
const computeGlobals: { compute?: () => void } = {}
let computeContext: Context | undefined

/** Runs synchronous code, also a regular expression. Returns undefined if it was interrupted by the timeout. */
function runWithTimeout<Result>(timeoutMs: number, compute: () => Result): { value: Result } | undefined {
  let result: { value: Result } | undefined
  computeGlobals.compute = () => {
    result = { value: compute() }
  }
  try {
    computeContext ??= createContext(computeGlobals)
    computeScript.runInContext(computeContext, { timeout: timeoutMs })
    return result
  } catch (error) {
    // The error may come from the other context, where it is no instance of this context's `Error`.
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
