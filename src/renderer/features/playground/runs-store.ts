import type { EventPayload, MethodOutput, PlaygroundAnswer, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { create } from 'zustand'
import { call, subscribeToEvent } from '../../ipc'

/** Frame clock, replaceable in tests. Times in ms. */
interface FrameTimer {
  readonly nowMs: () => number
  readonly next: (run: () => void) => void
}

/** Minimum delay in ms between two renders of an item: `perItem` for each active item, but from `min` to `max`. */
const frameDelayMs = { perItem: 33, min: 50, max: 100 } as const

/** Minimum delay between two renders of an item, as a multiple of the last render's duration. */
const renderTimeMultiplier = 6

/** Items without updates for this time in ms do not count as active. */
const idleMs = 1000

const animationFrames: FrameTimer = {
  nowMs: () => performance.now(),
  next: (run) => void requestAnimationFrame(run),
}

/**
 * Schedules renders of streaming items, one per frame, so that time remains for other work. The item that waits
 * longest is rendered first.
 */
export class FrameScheduler {
  readonly #draw: (id: string) => void
  readonly #frames: FrameTimer
  /** Ids of items that wait for a render, in order. The value is true for urgent items. */
  readonly #waiting = new Map<string, boolean>()
  /** By item id, the time in ms before which the item must not render again. */
  readonly #restsUntil = new Map<string, number>()
  #isComing = false

  constructor(draw: (id: string) => void, frames: FrameTimer = animationFrames) {
    this.#draw = draw
    this.#frames = frames
  }

  /** Requests a render of an item. An urgent item is rendered before others and without delay. */
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
    const startMs = this.#frames.nowMs()
    this.#draw(id)
    const nowMs = this.#frames.nowMs()
    for (const [otherId, untilMs] of this.#restsUntil) if (untilMs < nowMs - idleMs) this.#restsUntil.delete(otherId)
    const activeCount = new Set([id, ...this.#restsUntil.keys()]).size
    const renderIntervalMs = Math.min(frameDelayMs.max, Math.max(frameDelayMs.min, activeCount * frameDelayMs.perItem))
    this.#restsUntil.set(id, nowMs + Math.max(renderIntervalMs, (nowMs - startMs) * renderTimeMultiplier))
  }
}

export interface LiveRun {
  readonly run: PlaygroundRun
  readonly answer: PlaygroundAnswer
}

type ProgressEvents = EventPayload<'playground.progress'>['news']
type Snapshots = MethodOutput<'playground.runs'>

interface RunsStore {
  readonly entries: Readonly<Record<string, RunEntry>>
}

export const useRunsStore = create<RunsStore>(() => ({ entries: {} }))

/** Maximum number of runs to cache that no component shows. */
const maxCachedRuns = 300
const maxRequestedRuns = 200

const watchers = new Map<string, number>()

/** Ids of runs to request at the end of the current tick. `requestedIds`: runs whose response is pending. */
let wantedIds = new Set<string>()
const requestedIds = new Set<string>()
let subscribedBridge: Window['companion'] | undefined

/** Progress events that are applied in the next frame. */
const pendingProgress = new Map<string, PlaygroundProgress[]>()
const frameScheduler = new FrameScheduler(renderPending)

/** Queues progress events by run. Ignores runs that no component shows. They are requested again when needed. */
function queueProgress(news: ProgressEvents): void {
  const { entries } = useRunsStore.getState()
  for (const progressEvent of news) {
    if (!entries[progressEvent.runId]) continue
    pendingProgress.set(progressEvent.runId, [...(pendingProgress.get(progressEvent.runId) ?? []), progressEvent])
    frameScheduler.requestFrame(progressEvent.runId, progressEvent.run !== undefined)
  }
}

function renderPending(runId: string): void {
  const { entries } = useRunsStore.getState()
  const pendingEvents = pendingProgress.get(runId) ?? []
  pendingProgress.delete(runId)
  const entryBefore = entries[runId]
  if (!entryBefore) return
  const entryAfter = pendingEvents.reduce(applyProgressEvent, entryBefore)
  if (entryAfter.isBehind) requestRun(runId)
  // Render synchronously, so that the scheduler can measure how long it takes.
  flushSync(() => useRunsStore.setState({ entries: { ...entries, [runId]: entryAfter } }))
}

function storeRuns(snapshots: Snapshots): void {
  const { entries } = useRunsStore.getState()
  const changedEntries = Object.fromEntries(
    snapshots.flatMap((snapshot) => {
      const entryBefore = entries[snapshot.run.id]
      return entryBefore ? [[snapshot.run.id, withSnapshot(entryBefore, snapshot)] as const] : []
    }),
  )
  useRunsStore.setState({ entries: { ...entries, ...changedEntries } })
}

async function fetchWantedRuns(): Promise<void> {
  const ids = [...wantedIds]
  wantedIds = new Set()
  for (let start = 0; start < ids.length; start += maxRequestedRuns) {
    const idsInBatch = ids.slice(start, start + maxRequestedRuns)
    // If the request fails, the runs stay unknown. Their next event requests them again.
    storeRuns(await call('playground.runs', { ids: idsInBatch }).catch(() => []))
    for (const id of idsInBatch) requestedIds.delete(id)
  }
}

/** Requests a run. All runs that are requested in the same tick share a call. */
function requestRun(runId: string): void {
  if (requestedIds.has(runId)) return
  requestedIds.add(runId)
  if (wantedIds.size === 0) queueMicrotask(() => void fetchWantedRuns())
  wantedIds.add(runId)
}

/** Subscribes to run events when the first component shows a run. */
function listenOnce(): void {
  if (subscribedBridge === window.companion) return
  subscribedBridge = window.companion
  subscribeToEvent('playground.progress', ({ news }) => queueProgress(news))
}

function evictUnobserved(): void {
  const { entries } = useRunsStore.getState()
  const finishedEntries = Object.entries(entries).filter(
    ([id, { live }]) => !watchers.has(id) && live !== undefined && !isRunActive(live.run),
  )
  if (finishedEntries.length <= maxCachedRuns) return
  const evictedIds = new Set(finishedEntries.slice(0, finishedEntries.length - maxCachedRuns / 2).map(([id]) => id))
  useRunsStore.setState({ entries: Object.fromEntries(Object.entries(entries).filter(([id]) => !evictedIds.has(id))) })
}

function watchRun(runId: string): () => void {
  listenOnce()
  watchers.set(runId, (watchers.get(runId) ?? 0) + 1)
  const { entries } = useRunsStore.getState()
  if (!entries[runId]) {
    useRunsStore.setState({ entries: { ...entries, [runId]: { pending: [], isBehind: true } } })
    requestRun(runId)
  }
  return () => {
    const count = (watchers.get(runId) ?? 1) - 1
    if (count > 0) watchers.set(runId, count)
    else watchers.delete(runId)
    evictUnobserved()
  }
}

/** A run with its current answer. Undefined while loading. The component re-renders only when this run changes. */
export function useRun(runId: string | undefined): LiveRun | undefined {
  useEffect(() => (runId === undefined ? undefined : watchRun(runId)), [runId])
  return useRunsStore(({ entries }) => (runId === undefined ? undefined : entries[runId]?.live))
}

/** Stops runs and keeps their partial answers. */
export async function stopRuns(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await call('playground.stop', { runIds: [...ids] })
}

/** A run without its answer. The component re-renders only when the run starts and ends. */
export function useRunHead(runId: string | undefined): PlaygroundRun | undefined {
  useEffect(() => (runId === undefined ? undefined : watchRun(runId)), [runId])
  return useRunsStore(({ entries }) => (runId === undefined ? undefined : entries[runId]?.live?.run))
}

type Snapshot = MethodOutput<'playground.runs'>[number]

/**
 * State of a run. `pending`: events that came before their predecessors. `isBehind`: the complete state was requested
 * because events are missing.
 */
interface RunEntry {
  readonly live?: Snapshot
  readonly pending: readonly PlaygroundProgress[]
  readonly isBehind: boolean
}

export const isRunActive = ({ state }: Pick<PlaygroundRun, 'state'>): boolean =>
  state === 'waiting' || state === 'running'

interface TextUpdate {
  readonly at: number
  readonly piece: string
}

/**
 * Appends a piece of text that starts at offset `at`. Changes nothing if the text already contains it. Returns
 * undefined if text before the piece is missing.
 */
export function insertPiece(text: string, { at, piece }: TextUpdate): string | undefined {
  if (at > text.length) return undefined
  if (at === text.length) return text + piece
  return at + piece.length <= text.length ? text : text.slice(0, at) + piece
}

/** Applies a progress event. Returns undefined if text before it is missing. */
function applyProgress(live: Snapshot, news: PlaygroundProgress): Snapshot | undefined {
  const text = news.text ? insertPiece(live.answer.text, news.text) : live.answer.text
  const newThinking = news.thinking ? insertPiece(live.answer.thinking ?? '', news.thinking) : live.answer.thinking
  if (text === undefined || (news.thinking && newThinking === undefined)) return undefined
  const toolCalls = news.toolCalls ?? live.answer.toolCalls
  return {
    // Ignore progress of a run that has already ended.
    run: news.run && (isRunActive(live.run) || !isRunActive(news.run)) ? news.run : live.run,
    answer: { text, ...(newThinking !== undefined && { thinking: newThinking }), ...(toolCalls && { toolCalls }) },
  }
}

export function applyProgressEvent(entry: RunEntry, news: PlaygroundProgress): RunEntry {
  const updatedLiveRun = entry.live && !entry.isBehind ? applyProgress(entry.live, news) : undefined
  if (updatedLiveRun) return { live: updatedLiveRun, pending: [], isBehind: false }
  return { ...entry, pending: [...entry.pending, news], isBehind: true }
}

/** Applies pending events to a newly loaded state. Events that it already includes change nothing. */
export function withSnapshot(entry: RunEntry, snapshot: Snapshot): RunEntry {
  let updatedRun = snapshot
  for (const progress of entry.pending) updatedRun = applyProgress(updatedRun, progress) ?? updatedRun
  return { live: updatedRun, pending: [], isBehind: false }
}
