import type { ConnectionPart, ConnectionTestView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { create } from 'zustand'
import { call, toFailure } from '../../ipc'
import { type PartAddress, parts } from './entries'

export type PartTest =
  | { readonly state: 'testing'; readonly callId: string }
  | { readonly state: 'done'; readonly outcome: ConnectionTestView }
  /** The test could not run because of this failure. */
  | { readonly state: 'broken'; readonly failure: Failure }

export type PartTests = Readonly<Partial<Record<ConnectionPart, PartTest>>>

/** Results of the last connection tests, kept until the window closes. */
export const useTestStore = create<{
  readonly tests: Readonly<Record<string, PartTests>>
  readonly store: (id: string, part: ConnectionPart, test: PartTest | undefined) => void
}>((set) => ({
  tests: {},
  store: (id, part, test) =>
    set(({ tests }) => {
      const { [part]: _, ...remaining } = tests[id] ?? {}
      return { tests: { ...tests, [id]: test ? { ...remaining, [part]: test } : remaining } }
    }),
}))

const noTests: PartTests = {}

export const useConnectionTests = (id: string): PartTests => useTestStore(({ tests }) => tests[id]) ?? noTests

const findTest = (id: string, part: ConnectionPart): PartTest | undefined => useTestStore.getState().tests[id]?.[part]

/** Starts a test. Ignores results of earlier or cancelled tests. */
export async function startTest(id: string, part: ConnectionPart): Promise<void> {
  cancelTest(id, part)
  const callId = crypto.randomUUID()
  const { store } = useTestStore.getState()
  store(id, part, { state: 'testing', callId })
  const testOutcome = await call('connections.test', { id, part, callId }).then(
    (outcome): PartTest => ({ state: 'done', outcome }),
    (error: unknown): PartTest => ({ state: 'broken', failure: toFailure(error) }),
  )
  const currentTest = findTest(id, part)
  if (currentTest?.state === 'testing' && currentTest.callId === callId) store(id, part, testOutcome)
}

export function cancelTest(id: string, part: ConnectionPart): void {
  const test = findTest(id, part)
  if (test?.state !== 'testing') return
  useTestStore.getState().store(id, part, undefined)
  // Ignore a failed cancellation, because the test may already have ended.
  void call('calls.cancel', { callId: test.callId }).catch(() => undefined)
}

/** Cancels tests and discards results of a connection that was changed or removed. */
export function clearTests(id: string): void {
  for (const { part } of parts) cancelTest(id, part)
  useTestStore.setState(({ tests: { [id]: _, ...tests } }) => ({ tests }))
}

export function getTestFailure(test: PartTest | undefined): Failure | undefined {
  if (test?.state === 'broken') return test.failure
  return test?.state === 'done' && !test.outcome.ok ? test.outcome.failure : undefined
}

export function countTests(partAddresses: readonly PartAddress[], tests: PartTests) {
  const testingCount = partAddresses.filter(({ part }) => tests[part]?.state === 'testing').length
  const testedCount = partAddresses.filter(({ part }) => tests[part] !== undefined).length - testingCount
  const failedCount = partAddresses.filter(({ part }) => getTestFailure(tests[part]) !== undefined).length
  return { count: partAddresses.length, testing: testingCount, done: testedCount, failed: failedCount }
}
