import { AppError } from '@shared/failure'
import { z } from 'zod'

/** The input of a list that comes in pages. */
export const Page = {
  cursor: z.string().max(100).optional().describe('The "nextCursor" of the page before.'),
  limit: z.number().int().min(1).max(200).default(50),
}

/** A part of a list from where a cursor points. Fails with `input.invalid` for a cursor that is none of ours. */
export function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
  limit: number,
): { readonly items: T[]; readonly nextCursor?: string } {
  const from = readCursor(cursor)
  const end = from + limit
  return { items: all.slice(from, end), ...(end < all.length ? { nextCursor: cursorAt(end) } : {}) }
}

/** How many rows come before the page. Fails with `input.invalid`. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const [, from] = /^from:(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (from !== undefined) return Number(from)
  throw new AppError('input.invalid', 'This cursor is not of this server. Begin without one.', { field: 'cursor' })
}

/** The cursor of the page that begins there. */
export const cursorAt = (from: number): string => Buffer.from(`from:${from}`).toString('base64url')
