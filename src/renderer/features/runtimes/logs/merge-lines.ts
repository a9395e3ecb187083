import { type LogLine, textOfLine } from './log-lines'

/** The lines that are loaded, of one request or of several that followed one another. */
export interface Loaded {
  readonly lines: readonly LogLine[]
  /** Lines between two answers may never have been told. */
  readonly hasGap: boolean
  /** Lines that were let go at the beginning. */
  readonly dropped: number
}

/** Nothing loaded yet. */
export const nothingLoaded: Loaded = { lines: [], hasGap: false, dropped: 0 }

/** How many lines are kept while a log is followed. */
const mostKept = 20_000

/** The lines that are not among those there, counted: a line may well be said twice. */
function newOf(there: readonly LogLine[], came: readonly LogLine[]): readonly LogLine[] {
  const counts = new Map<string, number>()
  for (const line of there.slice(-2 * came.length)) {
    const text = textOfLine(line)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return came.filter((line) => {
    const text = textOfLine(line)
    const left = counts.get(text) ?? 0
    counts.set(text, left - 1)
    return left <= 0
  })
}

/** Adds what a later answer tells to what is loaded; the oldest are let go beyond `most`. */
export function withNewer(loaded: Loaded, came: readonly LogLine[], most = mostKept): Loaded {
  const { lines, hasGap, dropped } = loaded
  const fresh = newOf(lines, came)
  if (fresh.length === 0) return loaded
  const all = [...lines, ...fresh]
  const tooMany = Math.max(0, all.length - most)
  return {
    lines: tooMany > 0 ? all.slice(tooMany) : all,
    hasGap: hasGap || (lines.length > 0 && fresh.length === came.length),
    dropped: dropped + tooMany,
  }
}
