import { setTimeout } from 'node:timers/promises'
import type { Send } from '../../../../../src/main/core/net/send'
import type { Keychain } from '../../../../../src/main/core/vault/keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { createDeferred } from '../../../renderer/support/later'
import { unsyncedDisk } from '../../tools/support/quick-disk'
import type { StoredState } from './harness'
import type { FetchLike, MachineParts } from './machine'

/** A point between two persistent effects of a rotation, with the current step and the effect that follows. */
export interface StepBoundary {
  readonly step: string
  readonly what: string
}

/**
 * Simulates a power failure at the nth boundary. A boundary precedes every effect that another program could see. After
 * the failure the run has no effects: calls never return, and files, settings and keys stay unchanged.
 */
export class PowerCut {
  readonly boundaries: StepBoundary[] = []
  readonly #cutAt: number
  readonly #kept: StoredState
  #isOff = false
  readonly #cut = createDeferred<void>()

  constructor(storedState: StoredState, cutAt = Number.POSITIVE_INFINITY) {
    this.#kept = storedState
    this.#cutAt = cutAt
  }

  /** Waits until work ends or the power fails. Throws errors that the power failure did not cause. */
  async run(work: Promise<unknown>): Promise<void> {
    const result = work.catch((error: unknown) => (this.#isOff ? undefined : Promise.reject(error)))
    await Promise.race([result, this.#cut.promise])
  }

  /** Parts of a simulated computer that stop working at the power failure. */
  parts(): Partial<MachineParts> {
    return {
      store: memoryStore(this.#kept, (parts) => this.#checkPower(`settings ${parts}`)),
      keychain: this.#keychain(),
      throughSend: (send: Send) => (request) => {
        const { pathname } = new URL(request.url)
        const changes = request.method !== 'GET' && pathname.startsWith('/console')
        const sendRequest = () => send(request)
        return changes ? this.#before(`${request.method} ${pathname}`, sendRequest) : this.#held(sendRequest)
      },
      fetchLike: ((address, init) => this.#held(() => fetch(address, init))) satisfies FetchLike,
      disk: {
        ...unsyncedDisk,
        create: (path, mode) => this.#held(() => unsyncedDisk.create(path, mode)),
        mkdir: (path, mode) => this.#held(() => unsyncedDisk.mkdir(path, mode)),
        rmdir: (path) => this.#held(() => unsyncedDisk.rmdir(path)),
        rename: (from, to) => this.#before('rename', () => unsyncedDisk.rename(from, to)),
        unlink: (path) => this.#before('unlink', () => unsyncedDisk.unlink(path)),
      },
      sleep: (ms, signal) => this.#held(() => setTimeout(ms >= 30_000 ? 10_000 : ms / 100, undefined, { signal })),
    }
  }

  #keychain(): Keychain {
    const { keychain } = this.#kept
    return {
      get: (account) => this.#held(() => keychain.get(account)),
      set: (account, secret) => this.#before('keychain set', () => keychain.set(account, secret)),
      remove: (account) => this.#before('keychain remove', () => keychain.remove(account)),
    }
  }

  #before<T>(operation: string, work: () => Promise<T>): Promise<T> {
    this.#pass(operation)
    return this.#held(work)
  }

  async #held<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isOff) {
      const result = await work()
      if (!this.#isOff) return result
    }
    return new Promise<never>(() => {})
  }

  /** Fails when the power is off, in a call that cannot be suspended. Error handlers have no effects either. */
  #checkPower(operation: string): void {
    this.#pass(operation)
    if (this.#isOff) throw new Error('The power is off.')
  }

  #pass(operation: string): void {
    if (this.#isOff) return
    this.boundaries.push({ step: readStep(this.#kept), what: operation })
    if (this.boundaries.length < this.#cutAt) return
    this.#isOff = true
    this.#cut.answer()
  }
}

interface Steps {
  readonly steps: readonly { readonly id: string; readonly state: string }[]
  readonly undoSteps: readonly { readonly id: string; readonly state: string }[]
  readonly direction: string
}

/** Returns the step of the rotation that is running or comes next. */
function readStep({ settings }: StoredState): string {
  const [record] = (settings.rotations ?? []) as Steps[]
  const steps = record?.direction === 'back' ? record.undoSteps : record?.steps
  return steps?.find(({ state }) => !['done', 'skipped'].includes(state))?.id ?? (record ? 'end' : 'start')
}
