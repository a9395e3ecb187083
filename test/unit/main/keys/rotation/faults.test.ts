import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeep } from '../../../../support/depth'
import { type BadLine, type Fault, type FaultPlan, startBadLine } from './bad-line'
import { answersToTools, type Bench, keysAtAccount, openBench, requireSound, type ToolOfBench } from './bench'

vi.setConfig({ hookTimeout: 30_000 })

const tools: readonly ToolOfBench[] = [
  { toolId: 'claude-code', delivery: 'helper' },
  { toolId: 'opencode', delivery: 'file' },
]

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

type Calls = ReturnType<BadLine['calls']>

let bench: Bench
let line: BadLine
let calls: Calls
let callsOfUndo: Calls

const open = () => bench.open({ ready: line.ready, fetchLike: line.fetchLike, sleep: line.sleep, timeoutMs: 500 })

/** Rotates over the faulty proxy until the end. Returns undefined if the rotation could not start. */
async function rotate(plan?: FaultPlan, graceMs = 0) {
  const { rotation } = open()
  line.set(plan)
  const begun = await rotation
    .start({ planId: bench.planId, keyId: bench.keyId, graceMs, disableAfterMs: 0 })
    .catch(() => undefined)
  const ended = begun && (await rotation.settled(begun.id))
  const calls = line.calls()
  line.set()
  return { rotation, ended, calls }
}

type Rotation = Awaited<ReturnType<typeof rotate>>['rotation']

/**
 * Resumes a rotation and returns its final state. Tries twice, since a busy machine can miss the half-second timeout of
 * a call.
 */
async function resumed(rotation: Rotation, { id, state }: { id: string; state: string }): Promise<string> {
  let latest = state
  for (let tries = 0; latest !== 'done' && tries < 3; tries += 1) {
    rotation.resume({ id })
    latest = (await rotation.settled(id)).state
  }
  return latest
}

/** Undoes a rotation over the faulty proxy. */
async function undo({ rotation, id }: { rotation: Rotation; id: string }, plan?: FaultPlan) {
  line.set(plan)
  await rotation.undo({ id }).catch(() => undefined)
  const ended = await rotation.settled(id)
  const calls = line.calls()
  line.set()
  return { ended, calls }
}

const namesAtAccount = async () => (await keysAtAccount(bench)).map(({ name, status }) => `${name} ${status}`)
const newKey = expect.stringMatching(/^default-key-\d{4}-\d\d-\d\d ACTIVE$/)
const asBefore = ['default-key ACTIVE', 'old-laptop DISABLED']
const asAfter = ['old-laptop DISABLED', newKey]

beforeAll(async () => {
  bench = await openBench(tools)
  line = await startBadLine(bench.sandbox.ready)
  calls = (await rotate()).calls
  await bench.restart()
  const { rotation, ended } = await rotate(undefined, 3_600_000)
  callsOfUndo = (await undo({ rotation, id: ended?.id ?? '' })).calls
})

afterAll(async () => {
  await line.close()
  await bench.close()
})

const passing = faults.filter(([, { kind }]) => kind === 'cut' || kind === 'status')

const rows = [
  ...faults.map(([name, fault]) => [`${name}, and so does every later call,`, fault, true] as const),
  ...passing.map(([name, fault]) => [`${name}, but no other does,`, fault, false] as const),
]

/**
 * The calls at which a row injects its fault. Quick runs take a different share for each row, so that the rows together
 * cover every call. When the response to a change breaks off, which leaves the app in doubt, every change is covered
 * too.
 */
function chooseCalls({ count, changing }: Calls, { kind }: Fault, row: number, ofRows: number): number[] {
  const isTried = (call: number): boolean =>
    isDeep || call % ofRows === row || (kind === 'cut' && changing.includes(call))
  return Array.from({ length: count }, (_, at) => at + 1).filter(isTried)
}

describe.each(rows.map((row, at) => [...row, at] as const))(
  'a rotation in which a call %s',
  (_, fault, isLasting, row) => {
    it('resumes to its end', async () => {
      for (const from of chooseCalls(calls, fault, row, rows.length)) {
        await bench.restart()
        const { rotation, ended } = await rotate({ fault, from, isLasting })
        expect(await answersToTools(bench, tools), `when call ${from} failed`).toEqual([200, 200])
        if (ended === undefined) expect(await namesAtAccount()).toEqual(asBefore)
        else {
          expect(await resumed(rotation, ended), `when call ${from} failed`).toBe('done')
          expect(await namesAtAccount()).toEqual(asAfter)
        }
        await requireSound(bench, tools)
      }
    })
  },
)

it('a rotation continues by itself when the response with the new key breaks off', async () => {
  await bench.restart()
  const { ended } = await rotate({ fault: { kind: 'cut' }, from: calls.changing[0] ?? 0, isLasting: false })
  expect(ended?.state).toBe('done')
  expect(await namesAtAccount()).toEqual(asAfter)
})

describe.each(faults.map((fault, at) => [...fault, at] as const))(
  'a rotation in which a call %s, and so does every later call,',
  (_, fault, row) => {
    it('can be undone unless the old key is gone', async () => {
      for (const from of chooseCalls(calls, fault, row, faults.length)) {
        await bench.restart()
        const { rotation, ended } = await rotate({ fault, from, isLasting: true })
        if (ended === undefined) continue
        const isGone = !(await namesAtAccount()).some((name) => name.startsWith('default-key '))
        if (isGone) rotation.resume(ended)
        else await rotation.undo(ended)
        expect((await rotation.settled(ended.id)).state).toBe(isGone ? 'done' : 'undone')
        expect(await namesAtAccount()).toEqual(isGone ? asAfter : asBefore)
        await requireSound(bench, tools)
      }
    })

    it('resumes its undo when the undo failed that way', async () => {
      for (const from of chooseCalls(callsOfUndo, fault, row, faults.length)) {
        await bench.restart()
        const { rotation, ended } = await rotate(undefined, 3_600_000)
        const { id = '' } = ended ?? {}
        const undone = await undo({ rotation, id }, { fault, from, isLasting: true })
        expect(await answersToTools(bench, tools), `when call ${from} failed`).toEqual([200, 200])
        if (undone.ended.state !== 'undone') await rotation.undo({ id })
        expect((await rotation.settled(id)).state).toBe('undone')
        expect(await namesAtAccount()).toEqual(asBefore)
        await requireSound(bench, tools)
      }
    })
  },
)
