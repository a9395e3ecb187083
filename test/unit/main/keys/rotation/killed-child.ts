import { join } from 'node:path'
import type { RotationRecord } from '../../../../../src/main/core/settings/records'
import type { RawStore } from '../../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import type { Keychain } from '../../../../../src/main/core/vault/keychain'
import type { ReadyMessage } from '../../../../../src/sandbox/sandbox'
import { openMachine } from './machine'

/** Arguments from the parent test. */
export interface ChildOrders {
  readonly ready: Pick<ReadyMessage, 'addresses' | 'iam'>
  readonly folder: string
  readonly planId: string
  readonly keyId: string
  /** Undo a rotation instead of starting one. */
  readonly isUndo: boolean
  /**
   * Step at which the process kills itself. `before STEP` is right after its start is recorded, `after STEP` right before its
   * end is recorded, `during STEP` between them.
   */
  readonly killAt: string
}

/** A keychain call that the child process sends to its parent, which has the keychain. */
export interface ChildInput {
  readonly number: number
  readonly verb: 'get' | 'set' | 'remove'
  readonly account: string
  readonly text?: string
}

let requestCount = 0

function callParent(question: Omit<ChildInput, 'number'>): Promise<string | null> {
  requestCount += 1
  const number = requestCount
  return new Promise((resolve) => {
    const listen = (answer: { number: number; text: string | null }) => {
      if (answer.number !== number) return
      process.off('message', listen)
      resolve(answer.text)
    }
    process.on('message', listen)
    process.send?.({ number, ...question })
  })
}

const keychain: Keychain = {
  get: (account) => callParent({ verb: 'get', account }),
  set: async (account, secret) => {
    await callParent({ verb: 'set', account, text: secret.expose() })
  },
  remove: async (account) => {
    await callParent({ verb: 'remove', account })
  },
}

const listStepStates = (settings: unknown) => {
  const { rotations = [] } = settings as { readonly rotations?: readonly RotationRecord[] }
  const [record] = rotations
  const steps = [...(record?.steps ?? []), ...(record?.undoSteps ?? [])]
  const runningSteps = steps.filter(({ state }) => state === 'running').map(({ id }) => id)
  const finishedSteps = steps.filter(({ state }) => ['done', 'skipped', 'failed'].includes(state)).map(({ id }) => id)
  const areToolStatesMixed = new Set(record?.tools.map(({ state }) => state)).size > 1
  return {
    noted: [
      ...runningSteps.map((id) => `before ${id}`),
      ...runningSteps.flatMap((id) => (areToolStatesMixed ? [`during ${id}`] : [])),
    ],
    aboutTo: finishedSteps.map((id) => `after ${id}`),
  }
}

/** A settings store that kills the process during a write. */
function killOnWrite(store: RawStore, killAt: string): RawStore {
  return {
    read: () => store.read(),
    onChange: (listener) => store.onChange(listener),
    change(work) {
      const statesBefore = JSON.stringify(listStepStates(store.read()))
      const killIfReached = (settings: unknown, moment: 'noted' | 'aboutTo'): void => {
        const states = listStepStates(settings)
        if (JSON.stringify(states) === statesBefore || !states[moment].includes(killAt)) return
        process.kill(process.pid, 'SIGKILL')
      }
      const outcome = store.change((currentSettings) => {
        const commandResult = work(currentSettings)
        killIfReached(commandResult.stored, 'aboutTo')
        return commandResult
      })
      killIfReached(store.read(), 'noted')
      return outcome
    },
  }
}

async function executeOrders({ ready, folder, planId, keyId, isUndo, killAt }: ChildOrders): Promise<void> {
  const store = killOnWrite(openSettingsFile({ dataDir: join(folder, 'data') }), killAt)
  const { rotation, abandon } = openMachine({ ready, folder, store, keychain })
  const { id } = isUndo
    ? await rotation.undo({ id: rotation.list()[0]?.id ?? '' })
    : await rotation.start({ planId, keyId, graceMs: 0, disableAfterMs: 0 })
  await rotation.settled(id)
  await abandon()
  process.disconnect()
}

process.once('message', (orders: ChildOrders) => void executeOrders(orders))
