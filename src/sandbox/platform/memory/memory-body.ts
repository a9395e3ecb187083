import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Strategy, StrategyType } from '../../state/memory-state'

const text = z.string({ error: 'must be a text' })

const textUpTo = (most: number) => {
  const error = `must be a text of 1 to ${most} characters`
  return z.string({ error }).min(1, { error }).max(most, { error })
}

const wholeFrom = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error })
}

const numberFrom = (least: number, most: number) => {
  const error = `must be a number from ${least} to ${most}`
  return z.number({ error }).min(least, { error }).max(most, { error })
}

const oneOf = <Values extends Readonly<Record<string, string>>>({ enum: values }: z.ZodEnum<Values>) =>
  z.enum(values, { error: `must be one of ${Object.values(values).join(', ')}` })

const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape, { error: 'must be a JSON object' })

const StrategyBody = object({
  name: textUpTo(100),
  type: oneOf(StrategyType),
  namespace: textUpTo(500).optional(),
})
type StrategyBody = z.infer<typeof StrategyBody>

const actorNamespace = '/strategies/{strategyId}/actors/{actorId}'

/** Ours: where the records of a strategy go that names no namespace. */
const usualNamespaces: Readonly<Record<StrategyType, string>> = {
  SEMANTIC: actorNamespace,
  SUMMARY: `${actorNamespace}/sessions/{sessionId}`,
  USER_PREFERENCE: actorNamespace,
}

/** Ours: what a memory gets whose creation says nothing of strategies. */
const usualStrategies: readonly StrategyBody[] = [
  { name: 'semantic', type: 'SEMANTIC' },
  { name: 'summary', type: 'SUMMARY' },
  { name: 'user-preference', type: 'USER_PREFERENCE' },
]

/**
 * The body of a new memory. The name's rule and the 1 to 365 days are the spec's ("Limits"); the rule is checked apart,
 * because a wrong name has a code of its own. All other fields, and 90 days when none are given, are ours.
 */
export const MemoryBody = object({
  name: text,
  description: text.optional(),
  eventExpiryDuration: wholeFrom(1, 365).default(90),
  longTermMemoryStrategies: z
    .array(StrategyBody, { error: 'must be a list of strategies' })
    .default(() => [...usualStrategies]),
})

const Role = z.enum(['user', 'assistant', 'system', 'tool'])

/** What a new event says (ours). */
export const EventBody = object({
  role: oneOf(Role).default('user'),
  content: textUpTo(100_000),
})

/** What is looked for: `limit` and `scoreThreshold` are the spec's ("Limits"); `query` and the defaults are ours. */
export const SearchBody = object({
  query: textUpTo(2_000),
  limit: wholeFrom(5, 200).default(10),
  scoreThreshold: numberFrom(0, 1).default(0),
})

/** What a caller sent beside the fields that the sandbox owns; it is kept as it is. */
export const extrasOf = (body: Readonly<Record<string, unknown>>, owned: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !owned.includes(name)))

/** A strategy of a new memory. */
export function newStrategy({ name, type, namespace = usualNamespaces[type], ...rest }: StrategyBody): Strategy {
  return { id: `strategy-${randomUUID()}`, name, type, namespace, ...extrasOf(rest, ['id']) }
}
