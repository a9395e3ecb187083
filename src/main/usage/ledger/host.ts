import { setImmediate } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import { isDamage, NewerFile, sizeOf } from './ledger-file'
import { type OpenLedger, openLedger } from './open-ledger'
import type { Call, CallName, Inputs, Outputs, ThreadOptions } from './protocol'
import { explain } from './unavailable'

type Answers = { readonly [Name in CallName]: (input: Inputs[Name]) => Outputs[Name] | Promise<Outputs[Name]> }

/**
 * Keeps the ledger open for as long as its file can be used: opens it anew when the file was replaced or found damaged and, after a while, when
 * it could not be opened. Calls fail with `usage.unavailable` meanwhile.
 */
export class LedgerHost {
  #ledger: OpenLedger | undefined
  #isNewer = false
  #isSuspect = false
  #couldNotWrite = false
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ThreadOptions) {}

  readonly #answers: Answers = {
    add: ([entries]) => this.#add((ledger) => ledger.add(entries)),
    addLog: (input) => this.#change((ledger) => ledger.addLog(...input)),
    forgetLog: ([toolId]) => this.#change((ledger) => ledger.forgetLog(toolId)),
    prune: ([before]) => this.#prune(before),
    erase: () => this.#change((ledger) => ledger.erase()),
    series: ([query]) => this.#open().series(query),
    shares: ([query]) => this.#open().shares(query),
    requests: ([query]) => this.#open().requests(query),
    hoursOf: (input) => this.#open().hoursOf(...input),
    errorsSince: ([from]) => this.#open().errorsSince(from),
    spanOf: (input) => this.#open().spanOf(...input),
    positions: ([toolId]) => this.#open().positions(toolId),
    storage: () => this.#storage(),
    close: () => this.#letGo(),
  }

  /** Carries out one call. */
  async answer<Name extends CallName>(call: Call<Name>): Promise<unknown> {
    try {
      return await this.#carryOut(call).catch((error: unknown) => {
        if (!isDamage(error)) throw error
        this.#letGo()
        this.#isSuspect = true
        return this.#carryOut(call)
      })
    } catch (error) {
      throw explain(error, this.options.retryMs)
    }
  }

  async #carryOut<Name extends CallName>({ name, input }: Call<Name>): Promise<unknown> {
    return await this.#answers[name](input)
  }

  /** What is added to a file of a newer version is dropped: nobody could keep it. */
  #add(work: (ledger: OpenLedger) => void): void {
    try {
      this.#change(work)
    } catch (error) {
      if (!this.#isNewer) throw error
    }
  }

  #change(work: (ledger: OpenLedger) => void): void {
    const ledger = this.#open()
    try {
      work(ledger)
      this.#couldNotWrite = false
    } catch (error) {
      this.#couldNotWrite = true
      throw error
    }
  }

  async #prune(before: number): Promise<void> {
    while (this.#open().pruneSome(before)) await setImmediate()
  }

  #storage(): Outputs['storage'] {
    try {
      const { requests, oldest, bytes, setAside } = this.#open().contents()
      const state = this.#couldNotWrite ? 'unavailable' : setAside === undefined ? 'ready' : 'damaged'
      const dated = oldest === undefined ? {} : { oldest: new Date(oldest).toISOString() }
      return { bytes, requests, ...dated, state, ...(setAside !== undefined && { setAside }) }
    } catch (error) {
      if (isDamage(error)) throw error
      return { bytes: sizeOf(this.options.file), requests: 0, state: this.#isNewer ? 'newer' : 'unavailable' }
    }
  }

  #open(): OpenLedger {
    if (this.#ledger && !this.#ledger.isInPlace()) this.#letGo()
    if (this.#ledger) return this.#ledger
    const { retryMs, ...place } = this.options
    if (Date.now() - this.#failedAt < retryMs) {
      throw new AppError('usage.unavailable', 'The usage ledger could not be opened a moment ago.')
    }
    try {
      this.#ledger = openLedger({ ...place, isSuspect: this.#isSuspect })
      this.#isSuspect = false
      this.#isNewer = false
      return this.#ledger
    } catch (error) {
      this.#failedAt = Date.now()
      this.#isNewer = error instanceof NewerFile
      throw error
    }
  }

  #letGo(): void {
    const ledger = this.#ledger
    this.#ledger = undefined
    try {
      ledger?.close()
    } catch {
      // What was to be saved is: only the log could not be written into the file.
    }
  }
}
