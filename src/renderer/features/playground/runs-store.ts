import type { EventPayload, MethodOutput, PlaygroundAnswer, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { create } from 'zustand'
import { call, hear } from '../../ipc'

/** What frames are for: a clock in ms, and a way to be called in the next one. */
interface Frames {
  readonly nowMs: () => number
  readonly next: (run: () => void) => void
}

/** So long one thing rests between two turns, in ms: for each that comes at the same time, and at least and at most. */
const frameDelayMs = { each: 33, least: 50, most: 100 } as const

/** What takes long to draw rests so many times as long. */
const restForCost = 6

/** Whatever was not new for so long, in ms, does not come at the same time as others. */
const quietMs = 1000

const ofWindow: Frames = {
  nowMs: () => performance.now(),
  next: (run) => void requestAnimationFrame(run),
}

/**
 * Draws several things that grow at once one after the other: one in a frame, the one that waits longest first, and none so
 * often that no time is left for anything else.
 */
export class FrameScheduler {
  readonly #draw: (id: string) => void
  readonly #frames: Frames
  /** In the order of asking; true for what is not to wait. */
  readonly #waiting = new Map<string, boolean>()
  /** When each may be drawn again. */
  readonly #restsUntil = new Map<string, number>()
  #isComing = false

  constructor(draw: (id: string) => void, frames: Frames = ofWindow) {
    this.#draw = draw
    this.#frames = frames
  }

  /** Something of it is new. `isUrgent`: it goes before others and does not rest first. */
  requestFrame(id: string, isUrgent = false): void {
    this.#waiting.set(id, isUrgent || this.#waiting.get(id) === true)
    this.#requestFrame()
  }

  #requestFrame(): void {
    if (this.#isComing) return
    this.#isComing = true
    this.#frames.next(() => this.#turn())
  }

  #turn(): void {
    this.#isComing = false
    const id = this.#next(this.#frames.nowMs())
    if (id !== undefined) this.#take(id)
    if (this.#waiting.size > 0) this.#requestFrame()
  }

  #next(nowMs: number): string | undefined {
    const ids = [...this.#waiting.keys()]
    return (
      ids.find((id) => this.#waiting.get(id) === true) ?? ids.find((id) => (this.#restsUntil.get(id) ?? 0) <= nowMs)
    )
  }

  #take(id: string): void {
    this.#waiting.delete(id)
    const before = this.#frames.nowMs()
    this.#draw(id)
    const nowMs = this.#frames.nowMs()
    for (const [other, until] of this.#restsUntil) if (until < nowMs - quietMs) this.#restsUntil.delete(other)
    const together = new Set([id, ...this.#restsUntil.keys()]).size
    const rest = Math.min(frameDelayMs.most, Math.max(frameDelayMs.least, together * frameDelayMs.each))
    this.#restsUntil.set(id, nowMs + Math.max(rest, (nowMs - before) * restForCost))
  }
}

/** A run and its answer so far. */
export interface LiveRun {
  readonly run: PlaygroundRun
  readonly answer: PlaygroundAnswer
}

type News = EventPayload<'playground.progress'>['news']
type Snapshots = MethodOutput<'playground.runs'>

interface RunsStore {
  readonly entries: Readonly<Record<string, RunEntry>>
}

/** The runs that somebody looks at. Read it through `useRun`. */
export const useRuns = create<RunsStore>(() => ({ entries: {} }))

/** How many runs nobody looks at any more are kept for going back to them. */
const restingRuns = 300
const maxRequestedRuns = 200

const watchers = new Map<string, number>()

/** Asked for at the end of this turn; and all whose answer is not there yet. */
let wanted = new Set<string>()
const asked = new Set<string>()
let heardFrom: Window['companion'] | undefined

/** News of runs whose turn to be drawn has not come. */
const untold = new Map<string, PlaygroundProgress[]>()
const turns = new FrameScheduler(showNews)

/** Takes in what main tells, to be drawn run by run; runs that nobody looks at are left out, for they are asked for once somebody does. */
function hearNews(news: News): void {
  const { entries } = useRuns.getState()
  for (const one of news) {
    if (!entries[one.runId]) continue
    untold.set(one.runId, [...(untold.get(one.runId) ?? []), one])
    turns.requestFrame(one.runId, one.run !== undefined)
  }
}

function showNews(runId: string): void {
  const { entries } = useRuns.getState()
  const news = untold.get(runId) ?? []
  untold.delete(runId)
  const before = entries[runId]
  if (!before) return
  const after = news.reduce(withNews, before)
  if (after.isBehind) requestRun(runId)
  // Drawn at once, so that the turns know what it costs.
  flushSync(() => useRuns.setState({ entries: { ...entries, [runId]: after } }))
}

function takeIn(snapshots: Snapshots): void {
  const { entries } = useRuns.getState()
  const changed = Object.fromEntries(
    snapshots.flatMap((snapshot) => {
      const before = entries[snapshot.run.id]
      return before ? [[snapshot.run.id, withSnapshot(before, snapshot)] as const] : []
    }),
  )
  useRuns.setState({ entries: { ...entries, ...changed } })
}

async function askForWanted(): Promise<void> {
  const ids = [...wanted]
  wanted = new Set()
  for (let at = 0; at < ids.length; at += maxRequestedRuns) {
    const some = ids.slice(at, at + maxRequestedRuns)
    // A run that cannot be told of stays unknown; the next news of it asks again.
    takeIn(await call('playground.runs', { ids: some }).catch(() => []))
    for (const id of some) asked.delete(id)
  }
}

/** Asks for a run together with all others that are wanted at this moment. */
function requestRun(runId: string): void {
  if (asked.has(runId)) return
  asked.add(runId)
  if (wanted.size === 0) queueMicrotask(() => void askForWanted())
  wanted.add(runId)
}

/** Hears of progress from the first run on that somebody looks at. */
function listenOnce(): void {
  if (heardFrom === window.companion) return
  heardFrom = window.companion
  hear('playground.progress', ({ news }) => hearNews(news))
}

function forgetResting(): void {
  const { entries } = useRuns.getState()
  const resting = Object.entries(entries).filter(
    ([id, { live }]) => !watchers.has(id) && live !== undefined && !isUnderWay(live.run),
  )
  if (resting.length <= restingRuns) return
  const gone = new Set(resting.slice(0, resting.length - restingRuns / 2).map(([id]) => id))
  useRuns.setState({ entries: Object.fromEntries(Object.entries(entries).filter(([id]) => !gone.has(id))) })
}

function watch(runId: string): () => void {
  listenOnce()
  watchers.set(runId, (watchers.get(runId) ?? 0) + 1)
  const { entries } = useRuns.getState()
  if (!entries[runId]) {
    useRuns.setState({ entries: { ...entries, [runId]: { pending: [], isBehind: true } } })
    requestRun(runId)
  }
  return () => {
    const count = (watchers.get(runId) ?? 1) - 1
    if (count > 0) watchers.set(runId, count)
    else watchers.delete(runId)
    forgetResting()
  }
}

/** A run with its answer, kept up to date while it is shown; nothing while it is not known. The component renders again for this run only. */
export function useRun(runId: string | undefined): LiveRun | undefined {
  useEffect(() => (runId === undefined ? undefined : watch(runId)), [runId])
  return useRuns(({ entries }) => (runId === undefined ? undefined : entries[runId]?.live))
}

/** Stops runs; what has come of their answers stays. */
export async function stopRuns(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await call('playground.stop', { runIds: [...ids] })
}

/** How a run stands, without its answer: renders again at its beginning and its end only. */
export function useRunHead(runId: string | undefined): PlaygroundRun | undefined {
  useEffect(() => (runId === undefined ? undefined : watch(runId)), [runId])
  return useRuns(({ entries }) => (runId === undefined ? undefined : entries[runId]?.live?.run))
}

type Snapshot = MethodOutput<'playground.runs'>[number]

/** What the window knows of a run. `pending`: news that came before what they follow on; `isBehind`: main is being asked for all of it. */
interface RunEntry {
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
