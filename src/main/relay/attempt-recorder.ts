import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { UsageErrorKind } from '@shared/contract/usage'
import { findLateErrorStatus } from '../gateway/explain'
import type { ResponseFacts } from '../gateway/model-requests'
import { checkModel } from '../gateway/probe'
import { isHtml } from '../gateway/server-message'
import type { LedgerEntry } from '../usage/ports'
import { toProjectId } from '../usage/project'
import type { BudgetMeter, Reservation } from './budget-meter'
import { failureKind, refusalStatus, sendRefusal } from './error-responses'
import { estimateTokens } from './estimate-tokens'
import type { RelayOptions } from './ports'
import { readJsonObject } from './request-body'
import type { RejectedRequest, Upstream } from './routing-table'
import { isTextGeneration, type Target } from './target'

/** Result of an attempt at an upstream. */
export interface AttemptResult {
  readonly durationMs: number
  readonly firstByteMs?: number | undefined
  /** Status of the response. Undefined without a response. */
  readonly status: number | undefined
  /** Why the attempt ended before a complete response. Undefined if it was complete. */
  readonly error: UsageErrorKind | undefined
  /** Usage, tool calls and other data read from the response. Undefined if the response was not read. */
  readonly read?: ResponseFacts | undefined
  /** Size of the decompressed response in bytes. */
  readonly receivedBytes?: number
  /** Body of an error response, possibly truncated. */
  readonly refusal?: string | undefined
  /** Whether the relay sent its own error in place of the gateway's response. */
  readonly hasFailed?: boolean
}

interface FinishedAttempt extends AttemptResult {
  readonly target: Target
  readonly upstream?: Pick<Upstream, 'planId' | 'keyId'>
  readonly modelCode: string | undefined
  readonly at: number
  readonly body?: Buffer
  /** Header `x-codex-turn-metadata` of Codex, in JSON. */
  readonly turnMetadata?: string | undefined
  /** Budget reservation. Only set for the last attempt of a request. */
  readonly reservation?: Reservation | undefined
}

/** Records each attempt, with estimates of unreported usage. */
export class AttemptRecorder {
  constructor(
    private readonly options: Pick<RelayOptions, 'record' | 'countTokens'>,
    private readonly budgets: BudgetMeter,
  ) {}

  /** Responds with the relay's own error and records it. */
  reject(response: ServerResponse, { target, refusal }: RejectedRequest, modelCode?: string): void {
    sendRefusal(response, refusal)
    const error = refusal.name === 'budget' ? 'budget' : 'relay'
    this.record({ target, modelCode, at: Date.now(), durationMs: 0, status: refusalStatus(refusal.name), error })
  }

  record(attempt: FinishedAttempt): void {
    const entry = toLedgerEntry(attempt)
    if (entry === undefined) return
    const missingTokens = findMissingTokens(entry, attempt)
    if (missingTokens === undefined) {
      this.#record(entry, attempt.reservation)
      return
    }
    const basis = { ...attempt, outputTokens: entry.outputTokens }
    const estimate = estimateTokens(basis, missingTokens, this.options.countTokens)
    // Wait for this estimate before the budget of the next request is checked.
    this.budgets.waitFor(
      estimate.then((counts) => this.#record({ ...entry, ...counts, isEstimated: true }, attempt.reservation)),
    )
  }

  #record(entry: LedgerEntry, reservation: Reservation | undefined): void {
    // A connection test of this app uses a nonexistent model. Its rejection is not a failure of the tool.
    if (entry.modelCode !== checkModel || entry.error === undefined) this.options.record(entry)
    this.budgets.settle(entry, reservation)
  }
}

const unsupportedPathPattern = /not (?:supported|implemented|found|available)|unsupported|invalid url|no route/i

/**
 * The ledger entry, or undefined for unrecorded paths. Each attempt that reached a gateway has one, because the gateway
 * counts each. Token counting is recorded only when it fails.
 */
function toLedgerEntry(attempt: FinishedAttempt): LedgerEntry | undefined {
  const { target, status, read } = attempt
  const { records, standard } = target.route
  if (records === 'none') return undefined
  const error = findError(attempt)
  if (records === 'failed' && error === undefined) return undefined
  // A gateway without the path is not a failure of a model. Some gateways only say it in the message.
  const isPathUnsupported =
    [404, 405, 501].includes(status ?? 0) ||
    ((status ?? 0) >= 400 && unsupportedPathPattern.test(attempt.refusal ?? ''))
  if (records !== 'all' && isPathUnsupported) return undefined
  return {
    id: `relay:${randomUUID()}`,
    at: attempt.at,
    source: 'relay',
    planId: attempt.upstream?.planId,
    keyId: attempt.upstream?.keyId,
    toolId: target.toolId,
    projectId: attempt.turnMetadata && readCodexProject(attempt.turnMetadata),
    modelCode: attempt.modelCode ?? read?.modelCode ?? '',
    standard,
    operation: target.route.operation,
    answerId: read?.responseId,
    ...read?.usage,
    status,
    error,
    firstByteMs: roundMs(attempt.firstByteMs),
    durationMs: roundMs(attempt.durationMs),
  }
}

/** Token counts that an accepted response did not report. A prompt is never empty. */
function findMissingTokens(entry: LedgerEntry, attempt: FinishedAttempt) {
  const { status = 0, target, read, receivedBytes = 0, body } = attempt
  if (target.route.records !== 'all' || status < 200 || status >= 300 || !body?.length) return undefined
  const length = read === undefined || read.isTooLong ? receivedBytes : (read.output?.length ?? 0)
  if (length === 0 && (read?.lateError !== undefined || isHtml(read?.unknown ?? ''))) return undefined
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = entry
  const input = inputTokens + cacheReadTokens + cacheWriteTokens === 0
  const output = length > 0 && (outputTokens === 0 || (read?.isEnded === false && entry.error !== undefined))
  return input || output ? { input, output } : undefined
}

/** Project of a Codex turn: the root of its Git repository. Undefined outside of one. */
function readCodexProject(turnMetadata: string): string | undefined {
  const { workspaces } = readJsonObject(Buffer.from(turnMetadata, 'latin1')) ?? {}
  const [root] = Object.keys(workspaces ?? {})
  return root && toProjectId(root)
}

function findError({ target, status, error, refusal, read, hasFailed }: FinishedAttempt): UsageErrorKind | undefined {
  const { standard } = target.route
  if (error !== undefined || status === undefined) return error
  if (status >= 300) return failureKind({ status, body: refusal ?? '', standard })
  if (read?.lateError !== undefined)
    return failureKind({ status: findLateErrorStatus(read.lateError), body: read.lateError, standard })
  if (read?.unknown && isTextGeneration(target.route)) return 'path'
  if (hasFailed) return 'server'
  if (read === undefined || !isTextGeneration(target.route)) return undefined
  // A stream counts as interrupted if it has no end mark, no finish reason and no usage.
  const isComplete = read.isEnded || read.isTooLong || read.usage?.outputTokens !== undefined
  return isComplete ? undefined : 'cut'
}

/** Rounds to a tenth of a millisecond. */
const roundMs = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 10) / 10
