import { ModelCode } from '@shared/contract/common'
import { z } from 'zod'

/** A count as tools write it; what is none is as good as absent. */
export const Count = z.number().nonnegative().transform(Math.round).optional().catch(undefined)

/** An id or a code. */
export const Id = z.string().min(1).max(200)

/** The model that answered. */
export const Model = ModelCode

/** A time in ISO 8601 as ms. */
export const IsoTime = z.string().transform((text, context) => {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  context.addIssue({ code: 'custom', message: 'no time' })
  return z.NEVER
})

/** A time in ms since 1970. */
export const MsTime = z.number().int().positive()

/** Prompt tokens without those that came from the cache, from a count that holds them. */
export function withoutCache(
  prompt: number | undefined,
  ...cached: readonly (number | undefined)[]
): number | undefined {
  if (prompt === undefined) return undefined
  const known = cached.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  return Math.max(0, prompt - known)
}
