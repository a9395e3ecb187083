import type { ConnectionPart, ConnectionTestView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { create } from 'zustand'
import { CallError, call } from '../../ipc'
import { type Part, parts } from './entries'

/** The test of one part: under way, or what came of it. */
export type PartTest =
  | { readonly state: 'testing'; readonly callId: string }
  | { readonly state: 'done'; readonly outcome: ConnectionTestView }
  /** It could not even be made. */
  | { readonly state: 'broken'; readonly failure: Failure }

/** The tests of one connection. */
export type PartTests = Readonly<Partial<Record<ConnectionPart, PartTest>>>

interface TestStore {
  readonly tests: Readonly<Record<string, PartTests>>
  readonly store: (id: string, part: ConnectionPart, test: PartTest | undefined) => void
}

/** The last test of every part of every connection, for as long as the window lives. */
export const useTests = create<TestStore>((set) => ({
  tests: {},
  store: (id, part, test) =>
    set(({ tests }) => {
      const { [part]: _, ...remaining } = tests[id] ?? {}
      return { tests: { ...tests, [id]: test ? { ...remaining, [part]: test } : remaining } }
    }),
}))

const noTests: PartTests = {}

/** The tests of one connection. */
export const useConnectionTests = (id: string): PartTests => useTests(({ tests }) => tests[id]) ?? noTests

const findTest = (id: string, part: ConnectionPart): PartTest | undefined => useTests.getState().tests[id]?.[part]

const toFailure = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: String(error) }

/** Tests one part; what an earlier or a cancelled test of it still says is not heard any more. */
export async function startTest(id: string, part: ConnectionPart): Promise<void> {
  cancelTest(id, part)
  const callId = crypto.randomUUID()
  const { store } = useTests.getState()
  store(id, part, { state: 'testing', callId })
  const ended = await call('connections.test', { id, part, callId }).then(
    (outcome): PartTest => ({ state: 'done', outcome }),
    (error: unknown): PartTest => ({ state: 'broken', failure: toFailure(error) }),
  )
  const current = findTest(id, part)
  if (current?.state === 'testing' && current.callId === callId) store(id, part, ended)
}

/** Stops the test of a part, when one is under way. */
export function cancelTest(id: string, part: ConnectionPart): void {
  const test = findTest(id, part)
  if (test?.state !== 'testing') return
  useTests.getState().store(id, part, undefined)
  // One that ended by itself meanwhile needs no stopping.
  void call('calls.cancel', { callId: test.callId }).catch(() => undefined)
}

/** Forgets what the tests of a connection gave: it was changed or removed, so they say nothing any more. */
export function forgetTests(id: string): void {
  for (const { part } of parts) cancelTest(id, part)
  useTests.setState(({ tests: { [id]: _, ...tests } }) => ({ tests }))
}

/** The failure a test ended with, if it did. */
export function failureIn(test: PartTest | undefined): Failure | undefined {
  if (test?.state === 'broken') return test.failure
  return test?.state === 'done' && !test.outcome.ok ? test.outcome.failure : undefined
}

/** How many of these parts are being tested, were tested, and failed. */
export function countTests(of: readonly Part[], tests: PartTests) {
  const testing = of.filter(({ part }) => tests[part]?.state === 'testing').length
  const done = of.filter(({ part }) => tests[part] !== undefined).length - testing
  const failed = of.filter(({ part }) => failureIn(tests[part]) !== undefined).length
  return { count: of.length, testing, done, failed }
}
