import { setTimeout } from 'node:timers/promises'
import type { Send } from '../../../../../src/main/core/net/send'
import type { Keychain } from '../../../../../src/main/core/vault/keychain'
import { memoryStore } from '../../../../support/memory-settings'
import { quickDisk } from '../../tools/support/quick-disk'
import type { Stored } from './bench'
import type { FetchLike, MachineParts } from './machine'

/** A point between two things that outlive a run: the step of the rotation, and what is about to be done. */
export interface Boundary {
  readonly step: string
  readonly what: string
}

/**
 * The power of a machine, cut at the nth boundary. There is one before everything that changes what another program could see,
 * which is the one after what was changed before it. From then on nothing of the run has an effect: no call returns, no file,
 * no setting, no key changes. What was done stays.
 */
export class Power {
  readonly boundaries: Boundary[] = []
  readonly #cutAt: number
  readonly #kept: Stored
  #isOff = false
  #cut: () => void = () => {}
  /** Resolves when it is cut. */
  readonly isCut = new Promise<void>((resolve) => {
    this.#cut = resolve
  })

  constructor(kept: Stored, cutAt = Number.POSITIVE_INFINITY) {
    this.#kept = kept
    this.#cutAt = cutAt
  }

  /** Throws what was not of the cut's doing. */
  unlessCut(error: unknown): Promise<never> {
    return this.#isOff ? new Promise<never>(() => {}) : Promise.reject(error)
  }

  /** The parts of a machine that depend on it. */
  parts(): Partial<MachineParts> {
    return {
      store: memoryStore(this.#kept, (parts) => this.#checkPower(`settings ${parts}`)),
      keychain: this.#keychain(),
      throughSend: (send: Send) => (request) => {
        const { pathname } = new URL(request.url)
        const changes = request.method !== 'GET' && pathname.startsWith('/console')
        const work = () => send(request)
        return changes ? this.#before(`${request.method} ${pathname}`, work) : this.#held(work)
      },
      fetchLike: ((address, init) => this.#held(() => fetch(address, init))) satisfies FetchLike,
      disk: {
        ...quickDisk,
        create: (path, mode) => this.#held(() => quickDisk.create(path, mode)),
        mkdir: (path, mode) => this.#held(() => quickDisk.mkdir(path, mode)),
        rmdir: (path) => this.#held(() => quickDisk.rmdir(path)),
        rename: (from, to) => this.#before('rename', () => quickDisk.rename(from, to)),
        unlink: (path) => this.#before('unlink', () => quickDisk.unlink(path)),
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

  #before<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#pass(what)
    return this.#held(work)
  }

  async #held<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isOff) {
      const result = await work()
      if (!this.#isOff) return result
    }
    return new Promise<never>(() => {})
  }

  /** Where nothing can be held, the rest of a run is cut off by an error, whose handlers have no effect either. */
  #checkPower(what: string): void {
    this.#pass(what)
    if (this.#isOff) throw new Error('The power is off.')
  }

  #pass(what: string): void {
    if (this.#isOff) return
    this.boundaries.push({ step: readStep(this.#kept), what })
    if (this.boundaries.length < this.#cutAt) return
    this.#isOff = true
    this.#cut()
  }
}

interface Steps {
  readonly steps: readonly { readonly id: string; readonly state: string }[]
  readonly undoSteps: readonly { readonly id: string; readonly state: string }[]
  readonly direction: string
}

/** The step that is under way, or the next one. */
function readStep({ settings }: Stored): string {
  const [record] = (settings.rotations ?? []) as Steps[]
  const steps = record?.direction === 'back' ? record.undoSteps : record?.steps
  return steps?.find(({ state }) => !['done', 'skipped'].includes(state))?.id ?? (record ? 'end' : 'start')
}
