import { setImmediate } from 'node:timers/promises'
import type { UsageStorage } from '@shared/contract/usage'
import { databaseBytes, FileHost, isDamage } from '../../core/sqlite/file'
import type { Call } from '../../core/worker-thread'
import { type LedgerThreadOptions, ledgerName } from '../ports'
import { type OpenLedger, openLedger } from './open-ledger'

/** Cache size in KiB. Small, because the ledger is mostly written. */
const backgroundCacheKib = 2000

type LedgerStorage = Omit<UsageStorage, 'retentionDays'>

/** Calls of the ledger's worker thread. */
export type LedgerCalls = Omit<OpenLedger, 'pruneSome' | 'contents'> & {
  /** Deletes single requests before a time. Sums stay. */
  prune(beforeMs: number): void
  storage(): LedgerStorage
}

/** Executes ledger calls. They fail with `usage.unavailable` while the file is unusable. */
export class LedgerHost {
  readonly #host: FileHost<OpenLedger>
  #couldNotWrite = false

  constructor(private readonly options: LedgerThreadOptions) {
    const { retryMs, isBackground, ...place } = options
    const cacheKib = isBackground ? backgroundCacheKib : undefined
    const openLedgerFile = (isSuspect: boolean): OpenLedger => openLedger({ ...place, isSuspect, cacheKib })
    this.#host = new FileHost({ ...ledgerName, file: place.file, retryMs, open: openLedgerFile })
  }

  answer(call: Call<LedgerCalls>): Promise<unknown> {
    return this.#host.run(() => {
      switch (call.name) {
        case 'add':
          return this.#add(call.input)
        case 'addLog':
        case 'forgetLog':
        case 'erase':
          return this.#change((ledger) => Reflect.apply(ledger[call.name], undefined, call.input))
        case 'prune':
          return this.#prune(...call.input)
        case 'storage':
          return this.#storage()
        case 'close':
          return this.#host.close()
        default:
          return Reflect.apply(this.#host.open()[call.name], undefined, call.input)
      }
    })
  }

  /** Drops new entries if the file was written by a newer app version, because this version cannot write it. */
  #add(input: Parameters<OpenLedger['add']>): void {
    try {
      this.#change((ledger) => ledger.add(...input))
    } catch (error) {
      if (!this.#host.isNewer) throw error
    }
  }

  #change(work: (ledger: OpenLedger) => void): void {
    const ledger = this.#host.open()
    try {
      work(ledger)
      this.#couldNotWrite = false
    } catch (error) {
      this.#couldNotWrite = true
      throw error
    }
  }

  async #prune(beforeMs: number): Promise<void> {
    while (this.#host.open().pruneSome(beforeMs)) await setImmediate()
  }

  #storage(): LedgerStorage {
    try {
      const contents = this.#host.open().contents()
      const state = this.#couldNotWrite ? 'unavailable' : contents.setAside === undefined ? 'ready' : 'damaged'
      return { ...contents, state }
    } catch (error) {
      if (isDamage(error)) throw error
      const state = this.#host.isNewer ? 'newer' : 'unavailable'
      return { bytes: databaseBytes(this.options.file), requests: 0, state }
    }
  }
}
