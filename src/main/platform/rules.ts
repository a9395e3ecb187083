import { z } from 'zod'

const text = (longest: number, pattern: RegExp, says: string) => z.string(says).max(longest, says).regex(pattern, says)

const whole = (from: number, to: number) => {
  const says = `must be a whole number from ${from} to ${to}`
  return z.int(says).min(from, says).max(to, says)
}

const between = (from: number, to: number, unit = '') => {
  const says = `must be a number from ${from} to ${to}${unit}`
  return z.number(says).min(from, says).max(to, says)
}

/** Names of agent identities and authentication providers (spec, "Limits"). */
export const identityName = text(50, /^[a-zA-Z0-9_-]+$/, 'takes 1 to 50 letters, digits, - and _')

/** Names of memories (spec, "Limits"); the spec's pattern allows an empty one. */
const memoryName = text(50, /^[a-zA-Z0-9._-]*$/, 'takes up to 50 letters, digits, ., - and _')

/** Names of platform API keys; the spec writes the pattern as a quoted string does, so its `\\-` is a hyphen. */
export const apiKeyName = text(50, /^[a-z0-9-]{5,50}$/, 'takes 5 to 50 small letters, digits and -')

/** Names of token plans (spec, "Plan name"). */
const planName = text(50, /^[a-zA-Z0-9_.-]+$/, 'is required and takes 1 to 50 letters, digits, _, - and .')

/** A body of which only some fields are known; `fields` says what they must be, all others pass. */
const body = (fields: z.ZodRawShape) => z.looseObject(fields, 'must be a JSON object')

/** What creates something with a name; the name is checked when there is one. */
export const named = (name: z.ZodType) => body({ name: name.optional() })

/** Replicas and thresholds (percent) of a runtime; these three field names are ours (decisions 5). */
export const runtimeBody = body({
  replicas: whole(1, 10).optional(),
  cpuUtilizationThreshold: between(25, 75, ' percent').optional(),
  memoryUtilizationThreshold: between(25, 75, ' percent').optional(),
})

/** The part of a log that is asked for. */
export const logBody = body({ from: whole(0, 5000).optional(), limit: whole(1, 1000).optional() })

/** A new memory; `eventExpiryDuration` (days) is a field name of ours (decisions 5). */
export const memoryBody = body({ name: memoryName.optional(), eventExpiryDuration: whole(1, 365).optional() })

/** A semantic search. */
export const searchBody = body({ limit: whole(5, 200).optional(), scoreThreshold: between(0, 1).optional() })

/** A purchase in the console: the plan's name is required. */
export const purchaseBody = body({ name: planName })
