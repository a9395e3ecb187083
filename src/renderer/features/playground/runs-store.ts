import type { MethodOutput, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { call, subscribeToEvent } from '../../ipc'

export type LiveRun = MethodOutput<'playground.runs'>[number]

export const useRunsStore = create<{ readonly entries: Readonly<Record<string, RunEntry>> }>(() => ({ entries: {} }))

/** Maximum number of runs to cache that no component shows. */
const maxCachedRuns = 300

const watchers = new Map<string, number>()

/** Maximum number of runs in one call. A comparison in a large window shows more. */
const maxRequestedRuns = 200
/** Ids of runs to request at the end of the current tick. `requestedIds`: runs whose response is pending. */
const wantedIds = new Set<string>()
const requestedIds = new Set<string>()
let subscribedBridge: Window['companion'] | undefined

/** Applies progress events. Ignores runs that no component shows. They are requested again when needed. */
function applyNews(news: readonly PlaygroundProgress[]): void {
  const entries = { ...useRunsStore.getState().entries }
  for (const progressEvent of news) {
    const { runId } = progressEvent
    const entry = entries[runId]
    if (!entry) continue
    const { live, pending } = entry
    const updatedRun = live && pending.length === 0 ? applyProgress(live, progressEvent) : undefined
    if (updatedRun) entries[runId] = { live: updatedRun, pending }
    else {
      // Text before this event is missing. Request the run and apply the event then.
      entries[runId] = { ...entry, pending: [...pending, progressEvent] }
      requestRun(runId)
    }
  }
  useRunsStore.setState({ entries })
}

function storeRuns(snapshots: readonly LiveRun[]): void {
  const entries = { ...useRunsStore.getState().entries }
  for (const snapshot of snapshots) {
    const { id } = snapshot.run
    // Pending events that the snapshot already includes change nothing.
    const live = entries[id]?.pending.reduce((run, progress) => applyProgress(run, progress) ?? run, snapshot)
    if (live) entries[id] = { live, pending: [] }
  }
  useRunsStore.setState({ entries })
}

async function fetchWantedRuns(): Promise<void> {
  const ids = [...wantedIds]
  wantedIds.clear()
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
  subscribeToEvent('playground.progress', ({ news }) => applyNews(news))
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
    useRunsStore.setState({ entries: { ...entries, [runId]: { pending: [] } } })
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
  return useRunsStore(({ entries }) => entries[runId ?? '']?.live)
}

/** Stops runs and keeps their partial answers. */
export async function stopRuns(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await call('playground.stop', { runIds: [...ids] })
}

/** A run without its answer. The component re-renders only when the run starts and ends. */
export function useRunHead(runId: string | undefined): PlaygroundRun | undefined {
  useEffect(() => (runId === undefined ? undefined : watchRun(runId)), [runId])
  return useRunsStore(({ entries }) => entries[runId ?? '']?.live?.run)
}

/** State of a run. `pending`: events that came while the run is loaded, at first or because events are missing. */
interface RunEntry {
  readonly live?: LiveRun
  readonly pending: readonly PlaygroundProgress[]
}

export const isRunActive = ({ state }: Pick<PlaygroundRun, 'state'>): boolean =>
  state === 'waiting' || state === 'running'

/**
 * Appends a piece of text that starts at offset `at`. Changes nothing if the text already contains it. Returns
 * undefined if text before the piece is missing.
 */
function insertPiece(text: string, { at, piece }: NonNullable<PlaygroundProgress['text']>): string | undefined {
  if (at > text.length) return undefined
  if (at === text.length) return text + piece
  return at + piece.length <= text.length ? text : text.slice(0, at) + piece
}

/** Applies a progress event. Returns undefined if text before it is missing. */
function applyProgress(live: LiveRun, news: PlaygroundProgress): LiveRun | undefined {
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
