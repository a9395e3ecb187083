import { setImmediate } from 'node:timers/promises'
import { databaseBytes, isDamage } from '../../core/sqlite/file'
import { FileHost } from '../../core/sqlite/file-host'
import type { CallHandlers } from '../../core/worker-thread'
import { type OpenLedger, openLedger } from './open-ledger'
import { type Call, type CallName, type Calls, ledgerName, type ThreadOptions } from './protocol'

/** Cache size in KiB. Small, because the ledger is mostly written. */
const backgroundCacheKib = 2000

/** Executes ledger calls. They fail with `usage.unavailable` while the file is unusable. */
export class LedgerHost {
  readonly #host: FileHost<OpenLedger>
  #couldNotWrite = false

  constructor(private readonly options: ThreadOptions) {
    const { retryMs, isBackground, ...place } = options
    const cacheKib = isBackground ? backgroundCacheKib : undefined
    const openLedgerFile = (isSuspect: boolean): OpenLedger => openLedger({ ...place, isSuspect, cacheKib })
    this.#host = new FileHost({ ...ledgerName, retryMs, open: openLedgerFile })
  }

  readonly #answers: CallHandlers<Calls> = {
    add: ([entries]) => this.#add((ledger) => ledger.add(entries)),
    addLog: (input) => this.#change((ledger) => ledger.addLog(...input)),
    forgetLog: ([toolId]) => this.#change((ledger) => ledger.forgetLog(toolId)),
    prune: ([beforeMs]) => this.#prune(beforeMs),
    erase: () => this.#change((ledger) => ledger.erase()),
    series: ([query]) => this.#host.open().series(query),
    shares: ([query]) => this.#host.open().shares(query),
    stacks: ([query]) => this.#host.open().stacks(query),
    requests: ([query]) => this.#host.open().requests(query),
    listHours: (input) => this.#host.open().listHours(...input),
    latency: ([query]) => this.#host.open().latency(query),
    errorsSince: ([from]) => this.#host.open().errorsSince(from),
    relayTotals: () => this.#host.open().relayTotals(),
    getSpan: (input) => this.#host.open().getSpan(...input),
    listLastUses: () => this.#host.open().listLastUses(),
    positions: ([toolId]) => this.#host.open().positions(toolId),
    storage: () => this.#storage(),
    close: () => this.#host.close(),
  }

  answer<Name extends CallName>({ name, input }: Call<Name>): Promise<unknown> {
    return this.#host.run(() => this.#answers[name](input))
  }

  /** Drops new entries if the file was written by a newer app version, because this version cannot write it. */
  #add(work: (ledger: OpenLedger) => void): void {
    try {
      this.#change(work)
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

  #storage(): Awaited<ReturnType<Calls['storage']>> {
    try {
      const { requests, oldest, bytes, setAside } = this.#host.open().contents()
      const state = this.#couldNotWrite ? 'unavailable' : setAside === undefined ? 'ready' : 'damaged'
      const oldestField = oldest === undefined ? {} : { oldest: new Date(oldest).toISOString() }
      return { bytes, requests, ...oldestField, state, ...(setAside !== undefined && { setAside }) }
    } catch (error) {
      if (isDamage(error)) throw error
      return {
        bytes: databaseBytes(this.options.file),
        requests: 0,
        state: this.#host.isNewer ? 'newer' : 'unavailable',
      }
    }
  }
}
