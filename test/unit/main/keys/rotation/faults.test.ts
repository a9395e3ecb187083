import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import { type Fault, type FaultyProxy, type PlannedFault, startFaultyProxies } from './bad-line'
import { claude, Harness, openCode, type TestComputer } from './harness'

vi.setConfig({ hookTimeout: 30_000 })

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
  const computer = openComputer()
  line.set(plan)
  const ended = await computer.rotate({ graceMs }).catch(() => undefined)
  const calls = line.calls()
  line.set()
  return { computer, ended, calls }
}

/**
 * Resumes a rotation and returns its final state. Tries twice, since a busy machine can miss the half-second timeout of
 * a call.
 */
async function resumeUntilDone(computer: TestComputer, { id, state }: { id: string; state: string }): Promise<string> {
  let latestState = state
  for (let attemptCount = 0; latestState !== 'done' && attemptCount < 3; attemptCount += 1) {
    latestState = (await computer.resume(id)).state
  }
  return latestState
}

/** Undoes a rotation over the faulty proxy. */
async function undo({ rotation }: TestComputer, id: string, plan?: PlannedFault) {
  line.set(plan)
  await rotation.undo({ id }).catch(() => undefined)
  const { state } = await rotation.settled(id)
  const calls = line.calls()
  line.set()
  return { state, calls }
}

beforeAll(async () => {
  harness = await Harness.start([claude, openCode])
  line = await startFaultyProxies(harness.sandbox.ready)
  calls = (await rotate()).calls
  await harness.restart()
  const { computer, ended } = await rotate(undefined, 3_600_000)
  callsOfUndo = (await undo(computer, ended?.id ?? '')).calls
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
        const { computer, ended } = await rotate({ fault, from: callNumber, isLasting })
        expect(await harness.sendToolRequests(), `when call ${callNumber} failed`).toEqual([200, 200])
        if (ended) expect(await resumeUntilDone(computer, ended), `when call ${callNumber} failed`).toBe('done')
        await harness.requireKeys(ended ? 'rotated' : 'initial')
      }
    })
  },
)

it('a rotation continues by itself when the response with the new key breaks off', async () => {
  await harness.restart()
  const { ended } = await rotate({ fault: { kind: 'cut' }, from: calls.changing[0] ?? 0, isLasting: false })
  expect(ended?.state).toBe('done')
  await harness.requireKeys('rotated')
})

describe.each(faults.map((fault, index) => [...fault, index] as const))(
  'a rotation in which a call %s, and so does every later call,',
  (_, fault, row) => {
    it('can be undone unless the old key is gone', async () => {
      for (const callNumber of chooseChangingCalls(calls, fault, row)) {
        await harness.restart()
        const { computer, ended } = await rotate({ fault, from: callNumber, isLasting: true })
        if (ended === undefined) continue
        const isKeyDeleted = await harness.isOldKeyDeleted()
        const finish = isKeyDeleted ? computer.resume : computer.undo
        expect((await finish(ended.id)).state).toBe(isKeyDeleted ? 'done' : 'undone')
        await harness.requireKeys(isKeyDeleted ? 'rotated' : 'initial')
      }
    })

    it('resumes its undo when the undo failed that way', async () => {
      for (const callNumber of chooseChangingCalls(callsOfUndo, fault, row)) {
        await harness.restart()
        const { computer, ended } = await rotate(undefined, 3_600_000)
        const { id = '' } = ended ?? {}
        let { state } = await undo(computer, id, { fault, from: callNumber, isLasting: true })
        expect(await harness.sendToolRequests(), `when call ${callNumber} failed`).toEqual([200, 200])
        if (state !== 'undone') state = (await computer.undo(id)).state
        expect(state).toBe('undone')
        await harness.requireKeys('initial')
      }
    })
  },
)
