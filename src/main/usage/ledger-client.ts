import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckView, PlanView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { type CallInput, type CallOutput, WorkerThread } from '../core/worker-thread'
import { toErrorKind } from '../gateway/explain'
import type { GatewayCheck, GatewayProbeRequest } from '../gateway/probe'
import type { LedgerCalls } from './ledger/ledger-host'
import { type LedgerEntry, ledgerName } from './ports'

/** Paths of the ledger and its worker. Times in ms. */
interface LedgerOptions {
  readonly dataDir: string
  /** Path of the built `usage-worker.ts`. */
  readonly workerPath: string
  /** Time zone of days, weeks and months. Default: the system's. */
  readonly zone?: string | undefined
  /** Whether the worker thread runs at low priority with little memory, so that the relay's threads get more. */
  readonly isBackground?: boolean | undefined
  /** Time in ms without requests after which the worker thread exits, to free 8 MB. Undefined: it never exits. */
  readonly idleMs?: number | undefined
  /** Time in ms for which entries are collected into a batch. */
  readonly flushMs?: number | undefined
  /** Delay in ms before an unusable file is opened again. */
  readonly retryMs?: number | undefined
  readonly onTrouble?: ((trouble: LedgerProblem) => void) | undefined
}

/** State of entries that could not be written. `waiting`: queued for a retry. `kept`: saved later. `lost`: dropped. */
export type LedgerProblem =
  | { readonly kind: 'waiting'; readonly failure: Failure }
  | { readonly kind: 'kept' }
  | { readonly kind: 'lost'; readonly requests: number }

/** Maximum entries per transaction. */
const batchSize = 2000
/** Maximum number of queued entries: 25 s at 2,000 requests per second, about 20 MB. */
const maxWaiting = 50_000
const closeTimeoutMs = 3000
/** Limit for young objects in MB in a worker that mainly writes. Under load it uses 16 MB of memory instead of 42. */
const backgroundYoungMb = 3
/** Idle timeout of the worker. Longer than typical pauses between requests, because a restart takes 50 ms of CPU. */
const backgroundIdleMs = 20_000

/** Responses when no ledger file exists. Starting the worker only to get them would take 14 MB and 50 ms of CPU. */
const emptyResults: {
  readonly [Name in Exclude<
    keyof LedgerCalls,
    'add' | 'addLog' | 'forgetLog' | 'erase' | 'close' | 'storage'
  >]: CallOutput<LedgerCalls, Name>
} = {
  shares: [],
  stacks: [],
  latency: [],
  requests: { entries: [] },
  listHours: [],
  countSince: [],
  relayTotals: [],
  getSpan: { requests: 0 },
  listLastUses: [],
  positions: [],
  prune: undefined,
}

/** Local request ledger (SQLite), served by a worker thread. */
export type Ledger = ReturnType<typeof createLedger>

/** Ledger of a data folder. The first call starts its worker thread. */
export function createLedger(options: LedgerOptions) {
  const { dataDir, workerPath, zone, isBackground, flushMs = 250, retryMs = 30_000, onTrouble = () => {} } = options
  const { idleMs = isBackground ? backgroundIdleMs : undefined } = options
  const file = join(dataDir, 'usage.sqlite')
  const thread = new WorkerThread<LedgerCalls>(workerPath, {
    ...ledgerName,
    maxStarts: 2,
    workerData: { file, zone, retryMs, isBackground },
    youngMb: isBackground ? backgroundYoungMb : undefined,
    idleMs,
    lastCall: { name: 'close', input: [] },
  })
  const query =
    <Name extends keyof typeof emptyResults>(name: Name) =>
    (...input: CallInput<LedgerCalls, Name>): Promise<CallOutput<LedgerCalls, Name>> =>
      thread.isRunning || existsSync(file) ? thread.ask(name, input) : Promise.resolve(emptyResults[name])
  const addEntries = (entries: readonly LedgerEntry[]) => thread.ask('add', [entries])
  const queue = new LedgerQueue({ keep: addEntries, flushMs, retryMs, onTrouble })
  return {
    /** Saved within half a second in a batch. Never rejects; `storage` reports a full disk. */
    add: (entries: readonly LedgerEntry[]): void => queue.add(entries),
    /** Waits until everything added so far is on disk. */
    flush: (): Promise<void> => queue.flush(),
    shares: query('shares'),
    stacks: query('stacks'),
    latency: query('latency'),
    requests: query('requests'),
    listHours: query('listHours'),
    countSince: query('countSince'),
    relayTotals: query('relayTotals'),
    getSpan: query('getSpan'),
    listLastUses: query('listLastUses'),
    positions: query('positions'),
    prune: query('prune'),
    addLog: (...input: CallInput<LedgerCalls, 'addLog'>) => thread.ask('addLog', input),
    forgetLog: (toolId: string) => thread.ask('forgetLog', [toolId]),
    storage: (): Promise<CallOutput<LedgerCalls, 'storage'>> =>
      thread.ask('storage', []).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error
        return { bytes: 0, requests: 0, state: 'unavailable' }
      }),
    erase: async (): Promise<void> => {
      queue.clear()
      await thread.ask('erase', [])
    },
    close: async (): Promise<void> => {
      const flushEntries = async (): Promise<void> => {
        await queue.flush()
        if (thread.isRunning) await thread.ask('close', [])
      }
      await thread.close(flushEntries, closeTimeoutMs)
      queue.end()
    },
  }
}

const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.failure.code === 'usage.unavailable'

/** Write queue of the ledger. Saves batches in sequence. */
class LedgerQueue {
  #waiting: LedgerEntry[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  /** Whether the last batch was not saved. A running timer then delays the retry. */
  #isInTrouble = false
  #lost = 0

  constructor(
    private readonly options: {
      /** Saves entries. Fails with `usage.unavailable` if a later retry may succeed, and with other codes otherwise. */
      readonly keep: (entries: readonly LedgerEntry[]) => Promise<void>
      readonly flushMs: number
      readonly retryMs: number
      readonly onTrouble: (trouble: LedgerProblem) => void
    },
  ) {}

  add(entries: readonly LedgerEntry[]): void {
    this.#waiting.push(...entries)
    if (this.#waiting.length > maxWaiting + batchSize)
      this.#lost += this.#waiting.splice(0, this.#waiting.length - maxWaiting).length
    if (this.#sending || (this.#isInTrouble && this.#timer)) return
    if (this.#waiting.length >= batchSize) this.#sendNow()
    else this.#timer ??= setTimeout(() => this.#sendNow(), this.options.flushMs)
  }

  /** Resolves when all queued entries are saved. Rejects if the current attempt fails. */
  flush(): Promise<void> {
    // If an earlier attempt failed, try again and report only the result of the new attempt.
    return this.#sending?.catch(() => this.#send()) ?? this.#send()
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = []
  }

  end(): void {
    const requests = this.#lost + this.#waiting.length
    this.clear()
    if (requests > 0) this.options.onTrouble({ kind: 'lost', requests })
  }

  #sendNow(): void {
    // Ignore a failure, because a failed batch is sent again later.
    this.#send().catch(() => {})
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
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
        // Drop the batch: a retry would fail again and block the queue.
        if (!isUnavailable(error)) continue
        this.#waiting = [...entries, ...this.#waiting]
        if (!this.#isInTrouble) this.options.onTrouble({ kind: 'waiting', failure: error.failure })
        this.#isInTrouble = true
        // Retries on a full disk do not keep the process alive.
        this.#timer = setTimeout(() => this.#sendNow(), error.failure.retryAfterMs ?? this.options.retryMs).unref()
        throw error
      }
    }
  }
}

interface AppRequestsDeps {
  /** Adds entries to the ledger without waiting for them to be saved. */
  readonly add: (entries: readonly LedgerEntry[]) => void
  /** Whether an address belongs to the relay. The relay records its requests itself. */
  readonly isRelayed: (requestAddress: string) => boolean
  readonly plans: () => readonly Pick<PlanView, 'id' | 'gatewayUrl' | 'keys'>[]
}

/** Records the usage of a connection test. Tests without a model use no tokens and are not recorded. */
export function recordCheckRequest(check: GatewayCheck, deps: AppRequestsDeps): GatewayCheck {
  return async (question) => {
    const view = await check(question)
    const { modelCode, durationMs, standard, requestAddress } = view
    const error = view.ok ? undefined : toErrorKind(view.failure.code)
    const isSent = view.ok || error !== undefined
    if (modelCode === undefined || !isSent || deps.isRelayed(requestAddress)) return view
    deps.add([
      {
        id: `app:${randomUUID()}`,
        source: 'app',
        toolId: 'companion',
        at: Date.parse(view.at) - durationMs,
        modelCode,
        standard,
        durationMs,
        ...(view.ok
          ? { inputTokens: view.inputTokens, outputTokens: view.outputTokens, status: 200 }
          : { status: view.status, error }),
        ...findOwner(question, view, deps.plans()),
      },
    ])
    return view
  }
}

/** Finds the plan by gateway and key. Keys are compared in masked form. */
function findOwner(
  { key }: GatewayProbeRequest,
  { requestAddress }: CheckView,
  plans: ReturnType<AppRequestsDeps['plans']>,
): Pick<LedgerEntry, 'planId' | 'keyId'> {
  const plan = plans.find(
    ({ gatewayUrl, keys }) => requestAddress.startsWith(gatewayUrl) && keys.some(({ masked }) => masked === key.masked),
  )
  return { planId: plan?.id, keyId: plan?.keys.find(({ masked }) => masked === key.masked)?.id }
}
