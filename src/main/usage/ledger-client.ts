import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type Failure } from '@shared/failure'
import { type InputOf, type OutputOf, WorkerThread } from '../worker-thread'
import { type Calls, ledgerName } from './ledger/protocol'
import type { Ledger, LedgerEntry } from './ports'

/** The file of the ledger in a data folder. */
const ledgerFile = (dataDir: string): string => join(dataDir, 'usage.sqlite')

/** Where the ledger is, and its thread's program. Times in ms. */
interface LedgerOptions {
  readonly dataDir: string
  /** The built `usage-worker.ts`. */
  readonly workerPath: string
  /** The zone that days, weeks and months are of; the system's. */
  readonly zone?: string | undefined
  /** Whether to write with what the threads that tools wait for leave of the processor, and little memory. */
  readonly isBackground?: boolean | undefined
  /** How long its thread stays without work, which takes 8 MB; for good when absent. */
  readonly idleMs?: number | undefined
  /** How long entries wait for others. */
  readonly flushMs?: number | undefined
  /** How long a file that cannot be used is left alone. */
  readonly retryMs?: number | undefined
  readonly onTrouble?: ((trouble: LedgerTrouble) => void) | undefined
}

/** What becomes of entries while the file cannot be written: told when they begin to wait, when they are kept, and if they are lost. */
export type LedgerTrouble =
  | { readonly kind: 'waiting'; readonly failure: Failure }
  | { readonly kind: 'kept' }
  | { readonly kind: 'lost'; readonly requests: number }

/** Entries that one transaction keeps at most. */
const batchSize = 2000
/** Some 25 seconds at 2,000 requests a second, or days of one person; about 20 MB. */
const maxWaiting = 50_000
const closeMs = 3000
/** For a thread that mostly writes: enough for it, and behind a load of small requests it holds 16 MB instead of 42. */
const backgroundYoungMb = 3
/** Not for each pause between two requests: to start it again takes 50 ms of a processor. */
const backgroundIdleMs = 20_000

type Change = 'add' | 'addLog' | 'forgetLog' | 'erase' | 'close'

/** What is read of a ledger that has no file yet. To start its thread for that would take 14 MB and 50 ms of a processor. */
const ofNone: { readonly [Name in Exclude<keyof Calls, Change | 'storage'>]: OutputOf<Calls, Name> } = {
  series: [],
  shares: [],
  stacks: [],
  latency: [],
  requests: { entries: [] },
  hoursOf: [],
  errorsSince: [],
  relayTotals: [],
  spanOf: { requests: 0 },
  positions: [],
  prune: undefined,
}

/** The ledger of a data folder, in a thread of its own that is started by the first call. */
export function createLedger(options: LedgerOptions): Ledger {
  const { dataDir, workerPath, zone, isBackground, flushMs = 250, retryMs = 30_000, onTrouble = () => {} } = options
  const { idleMs = isBackground ? backgroundIdleMs : undefined } = options
  const file = ledgerFile(dataDir)
  const thread = new WorkerThread<Calls>(workerPath, {
    ...ledgerName,
    mostStarts: 2,
    workerData: { file, zone, retryMs, isBackground },
    youngMb: isBackground ? backgroundYoungMb : undefined,
    idleMs,
    lastCall: { name: 'close', input: [] },
  })
  const read = <Name extends keyof typeof ofNone>(name: Name, input: InputOf<Calls, Name>) =>
    thread.isRunning || existsSync(file) ? thread.ask(name, input) : Promise.resolve(ofNone[name])
  const keep = (entries: readonly LedgerEntry[]) => thread.ask('add', [entries])
  const queue = new LedgerQueue({ keep, flushMs, retryMs, onTrouble })
  return {
    add: (entries) => queue.add(entries),
    flush: () => queue.flush(),
    series: (...input) => read('series', input),
    shares: (...input) => read('shares', input),
    stacks: (...input) => read('stacks', input),
    latency: (...input) => read('latency', input),
    requests: (...input) => read('requests', input),
    hoursOf: (...input) => read('hoursOf', input),
    errorsSince: (...input) => read('errorsSince', input),
    relayTotals: () => read('relayTotals', []),
    spanOf: (...input) => read('spanOf', input),
    forgetLog: (...input) => thread.ask('forgetLog', input),
    positions: (...input) => read('positions', input),
    addLog: (...input) => thread.ask('addLog', input),
    storage: () => thread.ask('storage', []).catch(unavailable),
    prune: (...input) => read('prune', input),
    erase: async () => {
      queue.clear()
      await thread.ask('erase', [])
    },
    close: () => close(queue, thread),
  }
}

function unavailable(error: unknown): Awaited<ReturnType<Ledger['storage']>> {
  if (error instanceof AppError && error.failure.code === 'usage.unavailable') {
    return { bytes: 0, requests: 0, state: 'unavailable' }
  }
  throw error
}

/** Keeps what waits, as long as that does not take too long, and ends the thread. */
async function close(queue: LedgerQueue, thread: WorkerThread<Calls>): Promise<void> {
  const keep = async (): Promise<void> => {
    await queue.flush()
    if (thread.isRunning) await thread.ask('close', [])
  }
  await thread.close(keep, closeMs)
  queue.end()
}

interface QueueOptions {
  /** Saves entries; fails with `usage.unavailable` when that may work later. */
  readonly keep: (entries: readonly LedgerEntry[]) => Promise<void>
  readonly flushMs: number
  /** How long to wait after a failure that does not say it. */
  readonly retryMs: number
  readonly onTrouble: (trouble: LedgerTrouble) => void
}

/** Entries on their way into the ledger. They are saved in batches, one after the other. */
class LedgerQueue {
  #waiting: LedgerEntry[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  /** After a failure nothing is sent before its time. */
  #isResting = false
  #isInTrouble = false
  #lost = 0

  constructor(private readonly options: QueueOptions) {}

  add(entries: readonly LedgerEntry[]): void {
    this.#waiting.push(...entries)
    if (this.#waiting.length > maxWaiting + batchSize) {
      const oldest = this.#waiting.splice(0, this.#waiting.length - maxWaiting)
      this.#lost += oldest.length
    }
    if (this.#sending || this.#isResting) return
    if (this.#waiting.length >= batchSize) this.#sendNow()
    else this.#timer ??= setTimeout(() => this.#sendNow(), this.options.flushMs)
  }

  /** Waits until everything is saved; fails when it cannot be saved now. */
  flush(): Promise<void> {
    // Ignore an earlier failed send; only the current state matters.
    return this.#sending?.catch(() => this.#send()) ?? this.#send()
  }

  /** Forgets what waits. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = []
  }

  /** Gives up what waits. */
  end(): void {
    const requests = this.#lost + this.#waiting.length
    this.clear()
    if (requests > 0) this.options.onTrouble({ kind: 'lost', requests })
  }

  #sendNow(): void {
    // A failed batch is sent again later.
    this.#send().catch(() => {})
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isResting = false
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const entries = this.#waiting.splice(0, batchSize)
      if (entries.length === 0) return
      try {
        await this.options.keep(entries)
        if (this.#isInTrouble) this.options.onTrouble({ kind: 'kept' })
        this.#isInTrouble = false
      } catch (error) {
        // Any other failure would repeat and block the entries that follow.
        if (!(error instanceof AppError) || error.failure.code !== 'usage.unavailable') continue
        this.#waiting = [...entries, ...this.#waiting]
        if (!this.#isInTrouble) this.options.onTrouble({ kind: 'waiting', failure: error.failure })
        this.#isInTrouble = true
        this.#rest(error.failure.retryAfterMs ?? this.options.retryMs)
        throw error
      }
    }
  }

  #rest(ms: number): void {
    this.#isResting = true
    this.#timer = setTimeout(() => this.#sendNow(), ms)
    // A full disk does not keep the process alive.
    this.#timer.unref()
  }
}
