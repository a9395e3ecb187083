import { randomUUID } from 'node:crypto'
import type { Standard } from '@shared/contract/common'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { LedgerEntry } from '../usage/ports'
import type { Reservation } from './budget-meter'
import { failureKind } from './error-responses'
import { type AnswerFacts, type AnswerSample, type BrokenOff, partialAnswer, readAnswer } from './read-answer'
import type { Upstream } from './routing-table'
import type { Target } from './target'

/** One try as it ended. */
interface AttemptFacts {
  readonly target: Target
  readonly upstream: Pick<Upstream, 'planId' | 'keyId'> | undefined
  readonly modelCode: string | undefined
  readonly at: number
  readonly durationMs: number
  readonly firstByteMs: number | undefined
  /** Absent when no answer came. */
  readonly status: number | undefined
  readonly isEventStream: boolean
  /** What ended it, when that was not the answer. */
  readonly error: UsageErrorKind | undefined
}

const noSample: AnswerSample = { head: Buffer.alloc(0), tail: Buffer.alloc(0), isWhole: true, length: 0 }

/**
 * The ledger's entry, or nothing when requests of this path are not kept. Every try that reached a gateway is one, as the
 * gateway counts them; counting tokens is none unless it fails.
 */
export function toLedgerEntry(facts: AttemptFacts, sample: AnswerSample = noSample): LedgerEntry | undefined {
  const { target, status, isEventStream } = facts
  const { records, standard } = target.route
  if (records === 'none') return undefined
  const isRead = records !== 'failed' && status !== undefined && status < 300
  const answer: AnswerFacts = isRead ? readAnswer(sample, standard, isEventStream) : {}
  const error = facts.error ?? errorOf(facts, sample, answer.lateError)
  if (records === 'failed' && error === undefined) return undefined
  if (records !== 'all' && isNotOffered(status)) return undefined
  return {
    id: `relay:${randomUUID()}`,
    at: facts.at,
    source: 'relay',
    planId: facts.upstream?.planId,
    keyId: facts.upstream?.keyId,
    toolId: target.toolId,
    modelCode: facts.modelCode ?? answer.modelCode ?? '',
    standard,
    operation: target.route.operation,
    answerId: answer.answerId,
    inputTokens: answer.inputTokens,
    outputTokens: answer.outputTokens,
    cacheReadTokens: answer.cacheReadTokens,
    cacheWriteTokens: answer.cacheWriteTokens,
    status,
    error,
    firstByteMs: rounded(facts.firstByteMs),
    durationMs: rounded(facts.durationMs),
  }
}

/** A path that the gateway does not have is no failure of a model. */
const isNotOffered = (status: number | undefined): boolean => status === 404 || status === 405 || status === 501

/** Why an answer that began well failed, by the error it ended with: the servers', but for an allowance at its end. */
function lateFailureKind(error: string, standard: Standard): UsageErrorKind {
  return failureKind({ status: 400, body: error, standard }) === 'quota' ? 'quota' : 'server'
}

function errorOf({ target, status }: AttemptFacts, { head }: AnswerSample, late: string | undefined) {
  const { standard } = target.route
  if (status === undefined) return undefined
  if (late !== undefined) return lateFailureKind(late, standard)
  return failureKind({ status, body: status < 300 ? '' : head.toString(), standard })
}

/** To a tenth of a millisecond. */
const rounded = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 10) / 10

/** Takes an entry of the ledger; with what was broken off before it told its usage, and the room that budgets hold for it. */
export type RecordEntry = (entry: LedgerEntry, broken?: BrokenOff, reservation?: Reservation) => void

/** One try as it ended, with what was kept of its answer. */
export interface FinishedAttempt {
  readonly facts: AttemptFacts
  readonly sampler: AnswerSampler
  /** The request's, of one that broke off: held while entries wait, those of all others would grow old in V8's heap. */
  readonly body: Buffer | undefined
  /** Of a request that budgets count, with its last try. */
  readonly reservation?: Reservation | undefined
}

const mostWaiting = 64

/**
 * Makes entries of what has ended, a few at a time: one after the other in the midst of requests costs several times as
 * much as one behind the other, and tools wait for it. What was broken off is not kept waiting, as its request is held.
 */
export class FinishedAttempts {
  readonly #record: RecordEntry
  readonly #waitMs: number
  #waiting: FinishedAttempt[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(record: RecordEntry, waitMs: number) {
    this.#record = record
    this.#waitMs = waitMs
  }

  add(finished: FinishedAttempt): void {
    this.#waiting.push(finished)
    const isUrgent = this.#waitMs === 0 || finished.facts.error !== undefined
    if (isUrgent || this.#waiting.length >= mostWaiting) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), this.#waitMs)
  }

  /** Records what waits. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const finished = this.#waiting
    this.#waiting = []
    for (const one of finished) this.#finish(one)
  }

  #finish({ facts, sampler, body, reservation }: FinishedAttempt): void {
    const sample = sampler.sample()
    const entry = toLedgerEntry(facts, sample)
    const { isEventStream, error, target } = facts
    const { standard } = target.route
    const isBroken = isEventStream && (error === 'aborted' || error === 'cut') && entry?.outputTokens === undefined
    const answer = isBroken && sample.length > 0 ? partialAnswer(sample, standard) : undefined
    sampler.release()
    if (entry !== undefined) this.#record(entry, answer && body && { standard, body, answer }, reservation)
  }
}

const headBytes = 4 * 1024
const ringBytes = 8 * 1024
const mostPooled = 64
const nothing: Buffer = Buffer.alloc(0)

const pool: Buffer[] = []

/**
 * Keeps the beginning and the end of what passes, in memory that is used again: a few hundred nanoseconds for each chunk,
 * and always the same space for a stream of any length.
 */
export class AnswerSampler {
  /** The only chunk so far is not copied: most answers have no other. */
  #first: Buffer | undefined
  #slab: Buffer | undefined
  #total = 0

  add(chunk: Buffer): void {
    if (this.#total === 0) {
      this.#first = chunk
      this.#total = chunk.length
      return
    }
    if (this.#first !== undefined) {
      this.#slab = pool.pop() ?? Buffer.allocUnsafeSlow(headBytes + ringBytes)
      this.#total = 0
      const first = this.#first
      this.#first = undefined
      this.#copy(first, this.#slab)
    }
    if (this.#slab !== undefined) this.#copy(chunk, this.#slab)
  }

  /** Valid until `release`. */
  sample(): AnswerSample {
    if (this.#first !== undefined) return { head: this.#first, tail: nothing, isWhole: true, length: this.#total }
    if (this.#slab === undefined) return { head: nothing, tail: nothing, isWhole: true, length: 0 }
    const head = this.#slab.subarray(0, Math.min(this.#total, headBytes))
    const inRing = Math.max(0, this.#total - headBytes)
    const end = headBytes + (inRing % ringBytes)
    if (inRing <= ringBytes) {
      return { head, tail: this.#slab.subarray(headBytes, headBytes + inRing), isWhole: true, length: this.#total }
    }
    const tail = Buffer.concat([this.#slab.subarray(end), this.#slab.subarray(headBytes, end)])
    return { head, tail, isWhole: false, length: this.#total }
  }

  release(): void {
    if (this.#slab !== undefined && pool.length < mostPooled) pool.push(this.#slab)
    this.#slab = undefined
    this.#first = undefined
  }

  #copy(chunk: Buffer, slab: Buffer): void {
    const toHead = Math.min(chunk.length, Math.max(0, headBytes - this.#total))
    if (toHead > 0) chunk.copy(slab, this.#total, 0, toHead)
    // Of more than fits only the end matters, but each byte keeps its place in the ring.
    const from = Math.max(toHead, chunk.length - ringBytes)
    const place = (this.#total + from - headBytes) % ringBytes
    if (from < chunk.length) {
      const room = ringBytes - place
      chunk.copy(slab, headBytes + place, from, Math.min(chunk.length, from + room))
      if (chunk.length - from > room) chunk.copy(slab, headBytes, from + room, chunk.length)
    }
    this.#total += chunk.length
  }
}
