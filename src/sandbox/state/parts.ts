import { z } from 'zod'

/** A moment: ISO 8601 UTC in the sandbox's clock. */
export const instant = z.iso.datetime()

/** A whole number from 0. */
export const amount = z.number().int().nonnegative()

/** What every platform resource has. Whatever else a caller sent with it is kept beside these and given back. */
export const row = { createdAt: instant, updatedAt: instant }
