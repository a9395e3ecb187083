import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import { type Fault, type FaultyProxy, type PlannedFault, startFaultyProxies } from './bad-line'
import {
  claude,
  finalKeys,
  type Harness,
  initialKeys,
  listAccountKeyNames,
  openCode,
  openHarness,
  requireConsistentState,
  resumeRotation,
  rotateKey,
  sendToolRequests,
  undoRotation,
} from './bench'

vi.setConfig({ hookTimeout: 30_000 })

const tools = [claude, openCode]

const status = (code: number, isUnheard = true): Fault => ({ kind: 'status', status: code, isUnheard })

const faults: readonly (readonly [name: string, fault: Fault])[] = [
  ['is answered 500 without being carried out', status(500)],
  ['is carried out and answered 500', status(500, false)],
  ['is answered 401', status(401)],
  ['is answered 409', status(409)],
  ['does not reach the server', { kind: 'refused' }],
  ['is carried out, and its answer breaks off', { kind: 'cut' }],
  ['is carried out, and its answer never comes', { kind: 'silent' }],
]

type Calls = ReturnType<FaultyProxy['calls']>

let harness: Harness
let line: FaultyProxy
let calls: Calls
let callsOfUndo: Calls

const openComputer = () =>
  harness.open({ ready: line.ready, fetchLike: line.fetchLike, sleep: line.sleep, timeoutMs: 500 })

/** Rotates over the faulty proxy until the end. Returns undefined if the rotation could not start. */
async function rotate(plan?: PlannedFault, graceMs = 0) {
  const { rotation } = openComputer()
  line.set(plan)
  const endedRotation = await rotateKey({ rotation }, harness, { graceMs }).catch(() => undefined)
  const calls = line.calls()
  line.set()
  return { rotation, ended: endedRotation, calls }
}

type Rotation = Awaited<ReturnType<typeof rotate>>['rotation']

/**
 * Resumes a rotation and returns its final state. Tries twice, since a busy machine can miss the half-second timeout of
 * a call.
 */
async function resumeUntilDone(rotation: Rotation, { id, state }: { id: string; state: string }): Promise<string> {
  let latestState = state
  for (let attemptCount = 0; latestState !== 'done' && attemptCount < 3; attemptCount += 1) {
    latestState = (await resumeRotation({ rotation }, id)).state
  }
  return latestState
}

/** Undoes a rotation over the faulty proxy. */
async function undo({ rotation, id }: { rotation: Rotation; id: string }, plan?: PlannedFault) {
  line.set(plan)
  await rotation.undo({ id }).catch(() => undefined)
  const endedRotation = await rotation.settled(id)
  const calls = line.calls()
  line.set()
  return { ended: endedRotation, calls }
}

beforeAll(async () => {
  harness = await openHarness(tools)
  line = await startFaultyProxies(harness.sandbox.ready)
  calls = (await rotate()).calls
  await harness.restart()
  const { rotation, ended } = await rotate(undefined, 3_600_000)
  callsOfUndo = (await undo({ rotation, id: ended?.id ?? '' })).calls
})

afterAll(async () => {
  await line.close()
  await harness.close()
})

const survivableFaults = faults.filter(([, { kind }]) => kind === 'cut' || kind === 'status')

const rows = [
  ...faults.map(([name, fault]) => [`${name}, and so does every later call,`, fault, true] as const),
  ...survivableFaults.map(([name, fault]) => [`${name}, but no other does,`, fault, false] as const),
]

/**
 * Selects the calls at which a test row injects its fault. Quick runs take a different share for each row, so that all
 * rows together cover every call. Incomplete responses to changes are always covered, because the app does not know
 * whether the change was made.
 */
function chooseCalls({ count, changing }: Calls, { kind }: Fault, row: number, requestsSql: number): number[] {
  const isFaultedCall = (call: number): boolean =>
    isDeepRun || call % requestsSql === row || (kind === 'cut' && changing.includes(call))
  return Array.from({ length: count }, (_, index) => index + 1).filter(isFaultedCall)
}

/** Quick runs of an undo try only calls that change something, since others leave the same state behind. */
function chooseChangingCalls(someCalls: Calls, fault: Fault, row: number): number[] {
  const chosenCalls = chooseCalls(someCalls, fault, row, faults.length)
  return isDeepRun ? chosenCalls : chosenCalls.filter((call) => someCalls.changing.includes(call))
}

describe.each(rows.map((row, index) => [...row, index] as const))(
  'a rotation in which a call %s',
  (_, fault, isLasting, row) => {
    it('resumes to its end', async () => {
      for (const callNumber of chooseCalls(calls, fault, row, rows.length)) {
        await harness.restart()
        const { rotation, ended } = await rotate({ fault, from: callNumber, isLasting })
        expect(await sendToolRequests(harness, tools), `when call ${callNumber} failed`).toEqual([200, 200])
        if (ended === undefined) expect(await listAccountKeyNames(harness)).toEqual(initialKeys)
        else {
          expect(await resumeUntilDone(rotation, ended), `when call ${callNumber} failed`).toBe('done')
          expect(await listAccountKeyNames(harness)).toEqual(finalKeys)
        }
        await requireConsistentState(harness, tools)
      }
    })
  },
)

it('a rotation continues by itself when the response with the new key breaks off', async () => {
  await harness.restart()
  const { ended } = await rotate({ fault: { kind: 'cut' }, from: calls.changing[0] ?? 0, isLasting: false })
  expect(ended?.state).toBe('done')
  expect(await listAccountKeyNames(harness)).toEqual(finalKeys)
})

describe.each(faults.map((fault, index) => [...fault, index] as const))(
  'a rotation in which a call %s, and so does every later call,',
  (_, fault, row) => {
    it('can be undone unless the old key is gone', async () => {
      for (const callNumber of chooseChangingCalls(calls, fault, row)) {
        await harness.restart()
        const { rotation, ended } = await rotate({ fault, from: callNumber, isLasting: true })
        if (ended === undefined) continue
        const isKeyDeleted = !(await listAccountKeyNames(harness)).some((name) => name.startsWith('default-key '))
        const finish = isKeyDeleted ? resumeRotation : undoRotation
        expect((await finish({ rotation }, ended.id)).state).toBe(isKeyDeleted ? 'done' : 'undone')
        expect(await listAccountKeyNames(harness)).toEqual(isKeyDeleted ? finalKeys : initialKeys)
        await requireConsistentState(harness, tools)
      }
    })

    it('resumes its undo when the undo failed that way', async () => {
      for (const callNumber of chooseChangingCalls(callsOfUndo, fault, row)) {
        await harness.restart()
        const { rotation, ended } = await rotate(undefined, 3_600_000)
        const { id = '' } = ended ?? {}
        const undoResult = await undo({ rotation, id }, { fault, from: callNumber, isLasting: true })
        expect(await sendToolRequests(harness, tools), `when call ${callNumber} failed`).toEqual([200, 200])
        if (undoResult.ended.state !== 'undone') await rotation.undo({ id })
        expect((await rotation.settled(id)).state).toBe('undone')
        expect(await listAccountKeyNames(harness)).toEqual(initialKeys)
        await requireConsistentState(harness, tools)
      }
    })
  },
)
