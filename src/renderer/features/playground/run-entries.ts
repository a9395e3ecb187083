import type { MethodOutput, PlaygroundProgress, PlaygroundRun } from '@shared/contract'

type Snapshot = MethodOutput<'playground.runs'>[number]

/** What the window knows of a run. `pending`: news that came before what they follow on; `isBehind`: main is being asked for all of it. */
export interface RunEntry {
  readonly live?: Snapshot
  readonly pending: readonly PlaygroundProgress[]
  readonly isBehind: boolean
}

/** Whether more may come of a run. */
export const isUnderWay = ({ state }: Pick<PlaygroundRun, 'state'>): boolean =>
  state === 'waiting' || state === 'running'

interface Piece {
  readonly at: number
  readonly piece: string
}

/** Puts a piece where it belongs; pieces that are there already change nothing, and one that leaves a gap gives nothing. */
export function withPiece(text: string, { at, piece }: Piece): string | undefined {
  if (at > text.length) return undefined
  if (at === text.length) return text + piece
  return at + piece.length <= text.length ? text : text.slice(0, at) + piece
}

/** The snapshot with one piece of news, or nothing when something between them is missing. */
function advanced(live: Snapshot, news: PlaygroundProgress): Snapshot | undefined {
  const text = news.text ? withPiece(live.answer.text, news.text) : live.answer.text
  const thinking = news.thinking ? withPiece(live.answer.thinking ?? '', news.thinking) : live.answer.thinking
  if (text === undefined || (news.thinking && thinking === undefined)) return undefined
  const toolCalls = news.toolCalls ?? live.answer.toolCalls
  return {
    // Once it has ended, nothing that was on its way before sets it back.
    run: news.run && (isUnderWay(live.run) || !isUnderWay(news.run)) ? news.run : live.run,
    answer: { text, ...(thinking !== undefined && { thinking }), ...(toolCalls && { toolCalls }) },
  }
}

/** The entry after a piece of news. */
export function withNews(entry: RunEntry, news: PlaygroundProgress): RunEntry {
  const live = entry.live && !entry.isBehind ? advanced(entry.live, news) : undefined
  if (live) return { live, pending: [], isBehind: false }
  return { ...entry, pending: [...entry.pending, news], isBehind: true }
}

/** The entry once main has told all it knows: what came meanwhile is put on top, what it holds already changes nothing. */
export function withSnapshot(entry: RunEntry, snapshot: Snapshot): RunEntry {
  let live = snapshot
  for (const news of entry.pending) live = advanced(live, news) ?? live
  return { live, pending: [], isBehind: false }
}
