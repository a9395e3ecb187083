import { randomUUID } from 'node:crypto'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { LedgerEntry } from '../usage/entry'
import type { AnswerSample } from './answer-sample'
import type { Upstream } from './directory'
import { failureKind, lateFailureKind } from './failure-kind'
import { type AnswerFacts, readAnswer } from './read-answer'
import type { Target } from './target'

/** One try as it ended. */
export interface AttemptFacts {
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

const nothing: AnswerSample = { head: Buffer.alloc(0), tail: Buffer.alloc(0), isWhole: true, length: 0 }

/**
 * The ledger's entry, or nothing when requests of this path are not kept. Every try that reached a gateway is one, as the
 * gateway counts them; counting tokens is none unless it fails.
 */
export function entryOf(facts: AttemptFacts, sample: AnswerSample = nothing): LedgerEntry | undefined {
  const { target, status, isEventStream } = facts
  const { records, standard } = target.route
  if (records === 'none') return undefined
  const isRead = records === 'all' && status !== undefined && status < 300
  const answer: AnswerFacts = isRead ? readAnswer(sample, standard, isEventStream) : {}
  const error = facts.error ?? errorOf(facts, sample, answer.lateError)
  if (records === 'failed' && error === undefined) return undefined
  return {
    id: `relay:${randomUUID()}`,
    at: facts.at,
    source: 'relay',
    planId: facts.upstream?.planId,
    keyId: facts.upstream?.keyId,
    toolId: target.toolId,
    modelCode: facts.modelCode ?? answer.modelCode ?? '',
    standard,
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

function errorOf({ target, status }: AttemptFacts, { head }: AnswerSample, late: string | undefined) {
  const { standard } = target.route
  if (status === undefined) return undefined
  if (late !== undefined) return lateFailureKind(late, standard)
  return failureKind({ status, body: status < 300 ? '' : head.toString(), standard })
}

/** To a tenth of a millisecond. */
const rounded = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 10) / 10
