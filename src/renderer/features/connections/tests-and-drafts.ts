import type { ConnectionDraft, ConnectionPart, ConnectionTestView } from '@shared/contract'
import { create } from 'zustand'
import { call } from '../../ipc'
import { createRuns, getRunFailure, type Run } from '../../runs'
import { type Entries, type PartAddress, parts } from './entries'

export type PartTest = Run<ConnectionTestView>

/** Tests of a connection by part. */
export type PartTests = Readonly<Record<string, PartTest | undefined>>

const runs = createRuns<ConnectionTestView>()

const toKey = (id: string, part: ConnectionPart): string => `${id} ${part}`

export function useConnectionTests(id: string): PartTests {
  const tests = runs.useRuns()
  return Object.fromEntries(parts.map(({ part }) => [part, tests[toKey(id, part)]]))
}

export const startTest = (id: string, part: ConnectionPart): Promise<void> =>
  runs.start(toKey(id, part), (callId) => call('connections.test', { id, part, callId }))

export const cancelTest = (id: string, part: ConnectionPart): void => runs.cancel(toKey(id, part))

/** Cancels tests and discards results of a connection that was changed or removed. */
export function clearTests(id: string): void {
  for (const { part } of parts) {
    cancelTest(id, part)
    runs.set(toKey(id, part), undefined)
  }
}

export function countTests(partAddresses: readonly PartAddress[], tests: PartTests) {
  const testingCount = partAddresses.filter(({ part }) => tests[part]?.state === 'running').length
  const testedCount = partAddresses.filter(({ part }) => tests[part] !== undefined).length - testingCount
  const failedCount = partAddresses.filter(({ part }) => getRunFailure(tests[part]) !== undefined).length
  return { count: partAddresses.length, testing: testingCount, done: testedCount, failed: failedCount }
}

interface Draft {
  readonly entries: Entries
  readonly imported?: { readonly corrections: ConnectionDraft['corrections']; readonly before: Entries } | undefined
}

/** Draft key of a new connection. No connection has an empty id. */
export const newDraft = ''

/** Drafts of connection forms by connection id, kept until the window closes. */
export const useDrafts = create<Readonly<Record<string, Draft | undefined>>>(() => ({}))

export const storeDraft = (draftId: string, draft: Draft | undefined): void => useDrafts.setState({ [draftId]: draft })
