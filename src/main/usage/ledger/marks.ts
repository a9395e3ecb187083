import { hash } from 'node:crypto'
import type { LedgerEntry } from '../entry'

/** In ms. */
export const utcDayMs = 86_400_000
/** So many bits of a hash stand beside a day in one number. */
const besideDay = 2 ** 37

/**
 * The number that an entry's row is found by. Rows of the relay and of the app are never told again later, so that the day goes first and new
 * rows lie side by side in the index; a tool's log may date the same entry otherwise next time.
 */
export const idMark = ({ id, at, source }: LedgerEntry): number => (source === 'toolLog' ? hashOf(id) : dayMark(id, at))

/** The number that an answer's row is found by, unless it is dated a day apart. */
export const answerMark = ({ answerId, at }: LedgerEntry): number | null =>
  answerId === undefined ? null : dayMark(answerId, at)

/** What the mark of the same answer may be when somebody else dates it. */
export const nearMarks = (mark: number): readonly number[] => [mark - besideDay, mark, mark + besideDay]

const dayMark = (text: string, at: number): number => Math.floor(at / utcDayMs) * besideDay + (hashOf(text) % besideDay)

/** 48 bits that stand for a text. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16)
}
