import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { buildProgram } from '../../../../support/build-program'
import { isDeepRun } from '../../../../support/depth'
import { makeProgramFolder } from '../../../support/folders'
import { Harness } from './harness'
import type { ChildInput, ChildOrders } from './killed-child'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let harness: Harness
const folder = makeProgramFolder()
let program = ''

beforeAll(async () => {
  program = await buildProgram(resolve(import.meta.dirname, 'killed-child.ts'), folder)
  harness = await Harness.start()
})

afterAll(() => harness.close())

const settingsFile = () => join(harness.folder, 'data/settings.json')

/** Runs the app in a child process until it ends, and copies its state back to the simulated computer. */
async function runApp(orders: Pick<ChildOrders, 'killAt' | 'isUndo'>): Promise<unknown> {
  const { sandbox, folder: machine, kept, planId, keyId } = harness
  await writeFile(settingsFile(), JSON.stringify(kept.settings), { mode: 0o600 })
  const child = fork(program, [], { stdio: 'inherit' })
  const answer = async ({ number, verb, account, text = '' }: ChildInput): Promise<void> => {
    const storedSecret = verb === 'get' ? await kept.keychain.get(account) : null
    if (verb === 'set') await kept.keychain.set(account, new Secret(text))
    if (verb === 'remove') await kept.keychain.remove(account)
    if (child.connected) child.send({ number, text: storedSecret })
  }
  child.on('message', (input: ChildInput) => void answer(input))
  const { addresses, iam } = sandbox.ready
  child.send({ ready: { addresses, iam }, folder: machine, planId, keyId, ...orders })
  const [, signal]: unknown[] = await once(child, 'exit')
  kept.settings = JSON.parse(await readFile(settingsFile(), 'utf8'))
  return signal
}

const statuses = [200, 200, 200, 200]

const duringKillPoints = ['during repoint', 'during verify']
const beforeKillPoints = RotationStepId.options.map((step) => `before ${step}`)
const afterKillPoints = RotationStepId.options.map((step) => `after ${step}`)
const undoKillPoints = RotationUndoStepId.options.flatMap((step) => [`before ${step}`, `after ${step}`])

/** Selects the moments of the kill: all in deep runs, one in quick runs, because kills.test.ts covers every step. */
const selectKillPoints = (killPoints: readonly string[], telling: string): readonly string[] =>
  isDeepRun ? killPoints : [telling]

/** Starts the app again and returns the rotation that was killed. */
function reopen() {
  const computer = harness.open()
  const [found] = computer.rotation.list()
  if (found === undefined) throw new Error('the rotation is not in the journal')
  return { computer, found }
}

describe.each([
  ...selectKillPoints([...beforeKillPoints, ...afterKillPoints, ...duringKillPoints], 'during repoint').map(
    (killAt) => [killAt, 'resumed'] as const,
  ),
  ...selectKillPoints([...afterKillPoints.slice(0, -1), ...duringKillPoints], 'after add').map(
    (killAt) => [killAt, 'undone'] as const,
  ),
])('an app that is killed %s', (killAt, action) => {
  it(`leaves every tool with a live key and a rotation that can be ${action}`, async () => {
    await harness.restart()
    expect(await runApp({ killAt, isUndo: false })).toBe('SIGKILL')
    expect(await harness.sendToolRequests()).toEqual(statuses)
    const { computer, found } = reopen()
    expect(found).toMatchObject({ state: 'stopped', canResume: true, canUndo: true })
    const finish = action === 'resumed' ? computer.resume : computer.undo
    expect((await finish(found.id)).state).toBe(action === 'resumed' ? 'done' : 'undone')
    await harness.requireKeys(action === 'resumed' ? 'rotated' : 'initial')
  })
})

describe.each(selectKillPoints([...undoKillPoints, 'during giveBack'], 'after enable'))(
  'an app that is killed %s during an undo',
  (killAt) => {
    it('leaves every tool with a live key and continues the undo', async () => {
      await harness.restart()
      const { id, state } = await harness.open().rotate({ graceMs: 3_600_000 })
      expect(state).toBe('waiting')
      expect(await runApp({ killAt, isUndo: true })).toBe('SIGKILL')
      expect(await harness.sendToolRequests()).toEqual(statuses)
      expect((await reopen().computer.resume(id)).state).toBe('undone')
      await harness.requireKeys('initial')
    })
  },
)
