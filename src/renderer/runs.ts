import type { Failure } from '@shared/failure'
import { useEffect, useEffectEvent } from 'react'
import { useSearchParams } from 'react-router'
import { create } from 'zustand'
import { call, toFailure } from './ipc'

/** State of a check that takes a while, such as a diagnosis. */
export type Run<Result> =
  | { readonly state: 'waiting' }
  | { readonly state: 'running'; readonly callId: string }
  | { readonly state: 'done'; readonly result: Result }
  /** The check could not run because of this failure. */
  | { readonly state: 'broken'; readonly failure: Failure }

/** Stores the last run of each check by key, until the window closes. */
export function createRuns<Result>() {
  const useRuns = create<Readonly<Record<string, Run<Result> | undefined>>>(() => ({}))
  const get = (key: string): Run<Result> | undefined => useRuns.getState()[key]
  const set = (key: string, run: Run<Result> | undefined): void => useRuns.setState({ [key]: run })
  const cancel = (key: string): void => {
    const run = get(key)
    if (run?.state === 'waiting') set(key, undefined)
    if (run?.state !== 'running') return
    set(key, undefined)
    // Ignore a failure to cancel, because the run may already have ended.
    void call('calls.cancel', { callId: run.callId }).catch(() => undefined)
  }
  /** Runs a check. Ignores results of earlier or cancelled runs. */
  const start = async (key: string, check: (callId: string) => Promise<Result>): Promise<void> => {
    cancel(key)
    const callId = crypto.randomUUID()
    set(key, { state: 'running', callId })
    const endedRun = await check(callId).then(
      (result): Run<Result> => ({ state: 'done', result }),
      (error: unknown): Run<Result> => ({ state: 'broken', failure: toFailure(error) }),
    )
    const run = get(key)
    if (run?.state === 'running' && run.callId === callId) set(key, endedRun)
  }
  /** Runs checks in sequence. Skips checks that were cancelled while waiting. */
  const startAll = async (checks: ReadonlyMap<string, (callId: string) => Promise<Result>>): Promise<void> => {
    for (const key of checks.keys()) {
      cancel(key)
      set(key, { state: 'waiting' })
    }
    for (const [key, check] of checks) {
      if (get(key)?.state === 'waiting') await start(key, check)
    }
  }
  return { useRuns, get, set, start, startAll, cancel }
}

/** Failure of the check, or failure because of which the check could not run. */
export function getRunFailure(
  run: Run<{ readonly ok: true } | { readonly ok: false; readonly failure: Failure }> | undefined,
): Failure | undefined {
  if (run?.state === 'broken') return run.failure
  return run?.state === 'done' && !run.result.ok ? run.result.failure : undefined
}

/** Starts checks when the page address contains a parameter, and removes the parameter. */
export function useRunOnOpen(parameter: string, start: () => void): void {
  const [search, setSearch] = useSearchParams()
  const isRequested = search.has(parameter)
  const startOnce = useEffectEvent(() => {
    setSearch((previousSearch) => [...previousSearch].filter(([name]) => name !== parameter), { replace: true })
    start()
  })
  useEffect(() => {
    if (isRequested) startOnce()
  }, [isRequested])
}
