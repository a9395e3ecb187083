import { join } from 'node:path'
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
  readonly graceMs: number
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

interface StoredRotation {
  readonly steps: readonly { readonly id: string; readonly state: string }[]
  readonly undoSteps: readonly { readonly id: string; readonly state: string }[]
  readonly tools: readonly { readonly state: string }[]
}

const listStepStates = ({ rotations = [] }: { readonly rotations?: readonly StoredRotation[] }) => {
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
  const killSelf = (): void => process.kill(process.pid, 'SIGKILL') && undefined
  const readStepStates = (settings: unknown) => listStepStates(settings as Parameters<typeof listStepStates>[0])
  return {
    read: () => store.read(),
    onChange: (listener) => store.onChange(listener),
    change(work) {
      const momentsBefore = JSON.stringify(readStepStates(store.read()))
      const outcome = store.change((currentSettings) => {
        const commandResult = work(currentSettings)
        if (
          JSON.stringify(readStepStates(commandResult.stored)) !== momentsBefore &&
          readStepStates(commandResult.stored).aboutTo.includes(killAt)
        )
          killSelf()
        return commandResult
      })
      if (
        JSON.stringify(readStepStates(store.read())) !== momentsBefore &&
        readStepStates(store.read()).noted.includes(killAt)
      )
        killSelf()
      return outcome
    },
  }
}

async function executeOrders({ ready, folder, planId, keyId, graceMs, isUndo, killAt }: ChildOrders): Promise<void> {
  const store = killOnWrite(openSettingsFile({ dataDir: join(folder, 'data') }), killAt)
  const { rotation, abandon } = openMachine({ ready, folder, store, keychain })
  const { id } = isUndo
    ? await rotation.undo({ id: rotation.list()[0]?.id ?? '' })
    : await rotation.start({ planId, keyId, graceMs, disableAfterMs: 0 })
  await rotation.settled(id)
  await abandon()
  process.disconnect()
}

process.once('message', (orders: ChildOrders) => void executeOrders(orders))
