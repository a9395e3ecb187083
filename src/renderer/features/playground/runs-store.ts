import type { MethodOutput, PlaygroundProgress, PlaygroundRun } from '@shared/contract'
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, subscribeToEvent } from '../../ipc'

export type LiveRun = MethodOutput<'playground.run'>

/** Key of a run in the query cache. It is outside of the domain `playground`, whose changes reload all its queries. */
const runKey = (runId: string | undefined) => ['run', runId] as const

/** Events by run that came while the run was loaded, at first or because events are missing. */
const pendingEvents = new Map<string, readonly PlaygroundProgress[]>()

async function loadRun(runId: string): Promise<LiveRun> {
  const snapshot = await call('playground.run', { runId })
  // Pending events that the snapshot already includes change nothing.
  const events = pendingEvents.get(runId) ?? []
  pendingEvents.delete(runId)
  return events.reduce((live, progress) => applyProgress(live, progress) ?? live, snapshot)
}

/** Applies progress events. Ignores runs that are not cached. They are loaded when a component shows them. */
function applyNews(queries: QueryClient, news: readonly PlaygroundProgress[]): void {
  for (const progress of news) {
    const { runId } = progress
    const queryKey = runKey(runId)
    const state = queries.getQueryState<LiveRun>(queryKey)
    if (!state) continue
    const isLoading = state.fetchStatus === 'fetching'
    const live = isLoading ? undefined : state.data && applyProgress(state.data, progress)
    if (live) queries.setQueryData(queryKey, live)
    else {
      // Text before this event is missing. Load the run and apply the event then.
      pendingEvents.set(runId, [...(pendingEvents.get(runId) ?? []), progress])
      if (!isLoading) void queries.refetchQueries({ queryKey, exact: true })
    }
  }
}

const subscribedClients = new WeakSet<QueryClient>()

/** Part of a cached run, which events update. The component re-renders only when this part changes. */
function useRunPart<T>(runId: string | undefined, select: (live: LiveRun) => T): T | undefined {
  const queries = useQueryClient()
  useEffect(() => {
    if (subscribedClients.has(queries)) return
    subscribedClients.add(queries)
    subscribeToEvent('playground.progress', ({ news }) => applyNews(queries, news))
  }, [queries])
  const { data } = useQuery({
    queryKey: runKey(runId),
    queryFn: runId === undefined ? skipToken : () => loadRun(runId),
    staleTime: Number.POSITIVE_INFINITY,
    select,
  })
  return data
}

/** A run with its current answer. Undefined while loading. */
export const useRun = (runId: string | undefined): LiveRun | undefined => useRunPart(runId, selectAll)

/** A run without its answer. The component re-renders only when the run starts and ends. */
export const useRunHead = (runId: string | undefined): PlaygroundRun | undefined => useRunPart(runId, selectHead)

const selectAll = (live: LiveRun): LiveRun => live
const selectHead = ({ run }: LiveRun): PlaygroundRun => run

/** A run that a component has shown. */
export const getCachedRun = (queries: QueryClient, runId: string | undefined): LiveRun | undefined =>
  queries.getQueryData<LiveRun>(runKey(runId))

/** Stops runs and keeps their partial answers. */
export async function stopRuns(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await call('playground.stop', { runIds: [...ids] })
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
