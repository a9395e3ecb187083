import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { readText } from '../http/body'
import { Refused } from '../http/refused'
import { invalidInput } from './refusals'

/** Deeper bodies are refused (ours): they could be read, but not written again into the state file. */
const mostLevels = 64

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

function isDeep(value: unknown): boolean {
  let layer = [value].filter(isTree)
  for (let level = 1; level <= mostLevels && layer.length > 0; level += 1) {
    layer = layer.flatMap((tree) => Object.values(tree).filter(isTree))
  }
  return layer.length > 0
}

const kinds: Readonly<Record<string, string>> = { int: 'whole number', record: 'object' }

function sayKind(expected: string): string {
  const kind = kinds[expected] ?? expected
  return `must be ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
}

/** What a value must be, where the schema itself does not say it. */
const sayIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'invalid_type') return sayKind(issue.expected)
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.origin === 'number' && issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.origin === 'number' && issue.code === 'too_big') return `must be at most ${issue.maximum}`
  return undefined
}

/** 400 for the first thing that is wrong with a value, naming the field. */
export function refuseInput({ issues: [issue] }: z.ZodError): Refused {
  return invalidInput(`${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'not accepted'}`)
}

/** A body as its schema reads it. Throws 400. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  if (isDeep(body)) throw invalidInput(`The body is nested more than ${mostLevels} levels deep.`)
  const parsed = schema.safeParse(body, { error: sayIssue })
  if (!parsed.success) throw refuseInput(parsed.error)
  return parsed.data
}

/** The JSON body of a request; none at all counts as `{}` (ours). Throws 400 for what is not JSON, and 413. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const text = await readText(request, limitBytes)
  try {
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    throw new Refused({ status: 400, code: 'INVALID_JSON', message: 'The body is not valid JSON.' })
  }
}
