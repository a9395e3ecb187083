import type { LedgerEntry } from '../usage/entry'
import type { AnswerSampler } from './answer-sample'
import { type AttemptFacts, entryOf } from './attempt-entry'
import type { Body } from './collect-body'
import { type BrokenOff, partialAnswer } from './partial-answer'

/** Takes an entry of the ledger; with what was broken off before it told its usage. */
export type RecordEntry = (entry: LedgerEntry, broken?: BrokenOff) => void

/** One try as it ended, with what was kept of its answer. */
export interface FinishedAttempt {
  readonly facts: AttemptFacts
  readonly sampler: AnswerSampler
  readonly body: Body
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

  #finish({ facts, sampler, body }: FinishedAttempt): void {
    const sample = sampler.sample()
    const entry = entryOf(facts, sample)
    const { isEventStream, error, target } = facts
    const { standard } = target.route
    const isBroken = isEventStream && (error === 'aborted' || error === 'cut') && entry?.outputTokens === undefined
    const answer = isBroken && sample.length > 0 ? partialAnswer(sample, standard) : undefined
    sampler.release()
    if (entry !== undefined) this.#record(entry, answer && { standard, body, answer })
  }
}
