import { randomUUID } from 'node:crypto'
import type { PlaygroundProgress, PlaygroundRun, PlaygroundTarget, PlaygroundWire } from '@shared/contract'
import type { UsageErrorKind } from '@shared/contract/usage'
import { withoutThinkTags } from '@shared/playground'
import { toFailure } from '../core/log'
import type { Log } from '../core/ports'
import { type ConcurrencyLimiter, limitConcurrency } from '../core/work-queue'
import { toErrorKind } from '../gateway/explain'
import type { ResponseReader } from '../gateway/model-requests'
import { estimateTokens } from '../relay/estimate-tokens'
import type { LedgerEntry } from '../usage/ports'
import type { CheckJson } from './answer-checks'
import { toShortenedJson } from './code'
import { appQuitReason, LiveRun, type RunOutcome, streamRun } from './send-run'
import type { KeptRun } from './store/store'
import type { PlaygroundStore } from './store-client'
import type { OpenTarget, Purpose } from './targets'

/** Interval of progress events in ms. */
const batchDelayMs = 50

export interface RunJob {
  readonly run: PlaygroundRun
  readonly target: OpenTarget
  /** Builds the JSON body when the run starts. Fails with an `AppError`. */
  readonly body: () => unknown
  readonly reader: () => ResponseReader
  /** Stops the run when it aborts. */
  readonly signal?: AbortSignal
  /** Called with each piece of the answer's text. */
  readonly onText?: (piece: string) => void
  /** Whether the run waits while 4 other limited runs of the same host are active. */
  readonly isLimited?: boolean
  readonly checkJson?: CheckJson | undefined
  /** Whether the run is saved in the playground's database. Default true. */
  readonly isKept?: boolean
  /** Coding tool for which the run is recorded in the ledger. Default: the playground. */
  readonly toolId?: string | undefined
}

interface RunsDeps {
  readonly store: Pick<PlaygroundStore, 'saveRun'>
  readonly sendProgress: (news: PlaygroundProgress[]) => void
  /** Called when a run has ended and is saved. */
  readonly onEnded: () => void
  readonly addUsage: (entries: readonly LedgerEntry[]) => void
  /** Whether an address is the relay's. The relay records its own requests. */
  readonly isRelayed: (address: string) => boolean
  readonly otherModels: (planId: string, modelCode: string) => readonly string[]
  /** Counts the tokens of texts, for estimates. */
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>
  /** Remaining tokens of a model's allowance. Undefined if unknown. */
  readonly getRemainingTokens: (planId: string, modelCode: string) => number | undefined
  readonly log: Log
}

interface ActiveRun {
  readonly job: RunJob
  readonly live: LiveRun
  readonly stopping: AbortController
  saving: Promise<void> | undefined
  readonly over: Promise<KeptRun>
  end(storedRun: KeptRun): void
}

/** The request of a run that was sent. */
interface SentRequest {
  /** Exact JSON of the body. */
  readonly body: string
  /** Remaining tokens of the model's allowance before the run. */
  readonly remainingBefore: number | undefined
}

const maxConcurrentPerHost = 4
const saveMs = 1000

export function createRun({ target, requestAddress }: OpenTarget, kind: Purpose): PlaygroundRun {
  const runFields = { id: randomUUID(), kind, target, requestAddress, startedAt: new Date().toISOString() }
  return { ...runFields, state: 'running', isStream: kind !== 'embeddings' }
}

/**
 * Active requests. Each streams its response, reports progress to the window, is saved every second and at its end, and
 * is recorded in the ledger.
 */
export class Runs {
  /** Runs with progress that was not sent yet. */
  readonly #changed = new Set<ActiveRun>()
  #progressTimer: NodeJS.Timeout | undefined
  readonly #entries = new Map<string, ActiveRun>()
  readonly #turns = new Map<string, ConcurrencyLimiter>()
  #saving: NodeJS.Timeout | undefined

  constructor(private readonly deps: RunsDeps) {}

  /**
   * Starts a run. The store has it already, unless it is not kept. Resolves when it has ended and is saved. Never
   * rejects.
   */
  start(job: RunJob): Promise<KeptRun> {
    let end: ActiveRun['end'] = () => undefined
    const over = new Promise<KeptRun>((resolve) => {
      end = resolve
    })
    const live = new LiveRun(job.run, job.target)
    const entry: ActiveRun = { job, live, stopping: new AbortController(), saving: undefined, over, end }
    this.#entries.set(job.run.id, entry)
    this.#saving ??= setInterval(() => this.#saveAll(), saveMs)
    if (job.isLimited) this.#waitForSlot(entry)
    else void this.#go(entry)
    const stop = (): void => void this.stop([job.run.id])
    job.signal?.addEventListener('abort', stop, { once: true })
    if (job.signal?.aborted) stop()
    return over
  }

  /** Current state of an active run, or undefined. */
  live(id: string): KeptRun | undefined {
    return this.#entries.get(id)?.live.kept()
  }

  /** Request and response so far of an active run. */
  wire(id: string): PlaygroundWire | undefined {
    return this.#entries.get(id)?.live.wire.view()
  }

  /** Stops runs, by default all, and resolves when they are saved. Ignores unknown ids. */
  async stop(ids: readonly string[] = [...this.#entries.keys()], reason?: unknown): Promise<void> {
    const entries = ids.flatMap((id) => this.#entries.get(id) ?? [])
    for (const entry of entries) {
      entry.stopping.abort(reason)
      const state = reason === appQuitReason ? 'cut' : 'stopped'
      if (entry.live.run.state === 'waiting') void this.#finish(entry, { end: { state }, facts: {} })
    }
    await Promise.all(entries.map(({ over }) => over))
  }

  /** Stops all runs because the app quits. */
  end(): Promise<void> {
    return this.stop(undefined, appQuitReason)
  }

  #waitForSlot(entry: ActiveRun): void {
    const { host } = new URL(entry.job.target.requestAddress)
    const runInSlot = this.#turns.get(host) ?? limitConcurrency(maxConcurrentPerHost)
    this.#turns.set(host, runInSlot)
    entry.live.run = { ...entry.live.run, state: 'waiting' }
    this.#noteProgress(entry)
    void runInSlot(async () => {
      if (!entry.stopping.signal.aborted) await this.#go(entry)
    })
  }

  async #go(entry: ActiveRun): Promise<void> {
    const { job, live } = entry
    live.run = { ...live.run, state: 'running' }
    try {
      const value = job.body()
      const body = JSON.stringify(value)
      live.begin(toShortenedJson(value))
      this.#noteProgress(entry)
      const { target, reader } = job
      const remainingBefore =
        target.target.kind === 'plan'
          ? this.deps.getRemainingTokens(target.target.planId, target.target.modelCode)
          : undefined
      const onNews = (): void => this.#noteProgress(entry)
      const { signal } = entry.stopping
      const outcome = await streamRun(live, { target, body, reader, signal, onNews })
      await this.#finish(entry, outcome, { body, remainingBefore })
    } catch (error) {
      const message = 'The request failed unexpectedly. The log file has the details.'
      const failure = toFailure(error, this.deps.log, 'playground.run', message)
      await this.#finish(entry, { end: { state: 'failed', failure }, facts: {} })
    }
  }

  /** Ends a run and saves it. `sent` is undefined for a run that was never sent. */
  async #finish(entry: ActiveRun, { end, facts }: RunOutcome, sent?: SentRequest): Promise<void> {
    const { live: liveRun, job } = entry
    const { target } = liveRun.run
    if (liveRun.run.durationMs !== undefined) return
    const isExhausted = end.failure?.code === 'gateway.quotaExhausted' && target.kind === 'plan'
    const models = isExhausted ? this.deps.otherModels(target.planId, target.modelCode) : []
    const estimate = sent && (await this.#estimate(liveRun, sent.body, { end, facts }))
    liveRun.end({ ...end, ...(models.length > 0 ? { otherModels: [...models] } : {}) }, { ...facts, ...estimate })
    if (estimate) liveRun.run = { ...liveRun.run, isEstimated: true }
    if (job.checkJson && liveRun.hasAnswer && !liveRun.toolCalls)
      liveRun.run = { ...liveRun.run, json: job.checkJson(withoutThinkTags(liveRun.answer()).text) }
    const usage = sent && !this.deps.isRelayed(job.target.requestAddress) && toLedgerEntry(liveRun.run, job)
    if (usage) this.deps.addUsage([usage])
    const remainingBefore = sent?.remainingBefore ?? 0
    const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = liveRun.run
    // An allowance counts all kinds of tokens (spec, "What the service does").
    const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
    if (tokens > 0 && remainingBefore > 0) liveRun.run = { ...liveRun.run, allowanceShare: tokens / remainingBefore }
    await this.#save(entry)
    this.#entries.delete(liveRun.run.id)
    if (this.#entries.size === 0) {
      clearInterval(this.#saving)
      this.#saving = undefined
    }
    this.#noteProgress(entry)
    this.#sendProgress()
    entry.end(liveRun.kept())
    this.deps.onEnded()
  }

  /** Estimates the usage of an interrupted answer that the server did not report. */
  async #estimate(liveRun: LiveRun, body: string, { end, facts }: RunOutcome) {
    const { usage } = facts
    if (end.state === 'done' || !liveRun.hasAnswer || usage?.outputTokens !== undefined) return undefined
    const missing = { input: usage?.inputTokens === undefined, output: true }
    const estimate = await estimateTokens({ body: Buffer.from(body), read: facts }, missing, this.deps.countTokens)
    return { usage: { ...usage, ...estimate } }
  }

  /** Schedules a progress event for a run. */
  #noteProgress(entry: ActiveRun): void {
    this.#changed.add(entry)
    this.#progressTimer ??= setTimeout(() => this.#sendProgress(), batchDelayMs)
  }

  /** Sends the progress of all runs in one event. */
  #sendProgress(): void {
    clearTimeout(this.#progressTimer)
    this.#progressTimer = undefined
    const news = [...this.#changed].map(({ job, live }) => {
      const progress = live.takeProgress()
      if (progress.text) job.onText?.(progress.text.piece)
      return progress
    })
    this.#changed.clear()
    this.deps.sendProgress(news)
  }

  #saveAll(): void {
    for (const entry of this.#entries.values())
      if (entry.live.isUnsaved && entry.saving === undefined) void this.#save(entry)
  }

  /** Saves a run. Never writes it twice at the same time, so that a slow disk does not build up a queue. */
  async #save(entry: ActiveRun): Promise<void> {
    await entry.saving
    const { store, log } = this.deps
    entry.live.isUnsaved = false
    if (entry.job.isKept === false) return
    entry.saving = store.saveRun(entry.live.kept()).catch((error: unknown) => log.error('playground.saveRun', error))
    await entry.saving
    entry.saving = undefined
  }
}

/** Error kinds by status, for platform and local servers whose failure code is too general. */
const statusKinds: Readonly<Record<number, UsageErrorKind>> = {
  401: 'key',
  402: 'plan',
  403: 'model',
  404: 'path',
  429: 'rateLimit',
}

/** The ledger entry of an ended run. Undefined if nothing was sent. */
function toLedgerEntry(
  run: PlaygroundRun,
  { target: { standard, keyId }, toolId = 'playground' }: RunJob,
): LedgerEntry | undefined {
  const { id, target, startedAt, status, durationMs, firstTokenMs } = run
  const error = toUsageErrorKind(run)
  if (status === undefined && error === undefined) return undefined
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, isEstimated } = run
  return {
    id: `app:${id}`,
    source: 'app',
    toolId,
    at: Date.parse(startedAt),
    modelCode: target.modelCode,
    standard,
    ...(target.kind === 'plan' && { planId: target.planId, keyId }),
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    isEstimated,
    status,
    durationMs,
    firstByteMs: firstTokenMs,
    error,
  }
}

function toUsageErrorKind({ state, failure, status }: PlaygroundRun): UsageErrorKind | undefined {
  if (state === 'done') return undefined
  // A run in state `cut` without a failure was interrupted because the app quit.
  if (state === 'stopped' || failure === undefined) return 'aborted'
  const kind = toErrorKind(failure.code)
  if (state === 'cut') return kind === 'network' || kind === undefined ? 'cut' : kind
  if (kind !== undefined || status === undefined) return kind
  return statusKinds[status] ?? (status >= 500 ? 'server' : 'badRequest')
}

export interface PlaygroundContext {
  readonly store: PlaygroundStore
  readonly runs: Runs
  /**
   * Sends nothing. Fails with `playground.noTarget`, `plan.*`, `key.*`, `connection.*`, `api.notConfigured`, `vault.*`
   * or `address.*`.
   */
  readonly open: (target: PlaygroundTarget, purpose: Purpose) => Promise<OpenTarget>
  /** Called when stored data has changed. */
  readonly onChanged: () => void
}
