import type { PlaygroundParameters, PlaygroundRun } from '@shared/contract'
import { AppError } from '@shared/failure'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { runWithTimeout } from '../core/time-limit'
import { parseSchema } from '../gateway/model-requests'
import { parseExternalJson } from '../gateway/server-message'

/** Checks the text of an answer. */
export type CheckJson = (text: string) => NonNullable<PlaygroundRun['json']>

const maxViolationLength = 300
/** A `pattern` of a schema may take exponential time. */
const timeoutMs = 1000

/** The check for an answer that has to be JSON, or undefined. Fails with `input.invalid` for a schema that cannot be used. */
export function expectJson({ jsonMode, schema = '' }: PlaygroundParameters): CheckJson | undefined {
  if (schema.trim() === '') return jsonMode ? (text) => ({ isValid: parseExternalJson(text) !== undefined }) : undefined
  const validate = compile(schema)
  return (text) => {
    const value = parseExternalJson(text)
    if (value === undefined) return { isValid: false }
    const result = runWithTimeout(timeoutMs, () => validate(value))
    if (!result) return { isValid: false, violation: 'The schema takes too long to check.' }
    if (result.value) return { isValid: true }
    const { instancePath = '', message = '' } = validate.errors?.[0] ?? {}
    return { isValid: false, violation: `${instancePath || '/'} ${message}`.slice(0, maxViolationLength) }
  }
}

function compile(text: string): ValidateFunction {
  // Schemas of earlier drafts name a meta-schema that this validator does not load.
  const { $schema: _, ...schema } = parseSchema(text)
  try {
    const validate = runWithTimeout(timeoutMs, () =>
      new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema),
    )
    if (validate) return validate.value
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, maxViolationLength) : ''
    throw new AppError('input.invalid', `The schema cannot be used. ${reason}`, { field: 'schema', cause })
  }
  throw new AppError('input.invalid', 'The schema takes too long to read.', { field: 'schema' })
}
