import { randomUUID } from 'node:crypto'
import type { OperationKind, OperationView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, type Failure } from '@shared/failure'
import { z } from 'zod'
import type { Sleep } from '../core/net/deadline'
import type { Clock } from '../core/ports'
import type { OperationRecord, SettingsStore } from '../core/settings/settings'
import type { CallArguments } from './build-request'
import type { PlatformClient } from './platform-client'
import { type NextPoll, PollingLoops } from './polling-loops'
import type { OperationId } from './services'

interface OperationsDeps {
  readonly settings: SettingsStore
  readonly getClient: (connectionId: string) => Promise<PlatformClient>
  readonly connectionNames: () => ReadonlyMap<string, string>
  readonly clock: Clock
  readonly sleep: Sleep
  /** Random number in [0, 1) for jitter. */
  readonly random: () => number
}

/** Time in ms after which repeated transient failures end the operation. */
const timeoutMs = 15 * minuteMs
const maxEndedOperations = 50

/** Asynchronous platform operations, polled to their end across restarts (spec, "States", Platform API key). */
export class Operations {
  readonly #loops: PollingLoops
  /** Start of repeated transient failures, by operation. */
  readonly #uncertainSinceMs = new Map<string, number>()

  constructor(private readonly deps: OperationsDeps) {
    this.#loops = new PollingLoops({ ...deps, poll: (id, signal) => this.#poll(id, signal) })
  }

  /** Newest first. */
  list(): OperationView[] {
    const names = this.deps.connectionNames()
    return this.#all().map((record) => toView(record, names))
  }

  /**
   * Starts polling an operation. Replaces a running operation of another kind for the same resource. Fails with
   * `connection.notFound`.
   */
  follow(
    connectionId: string,
    { kind, subject }: { readonly kind: OperationKind; readonly subject: string },
  ): OperationView {
    const names = this.deps.connectionNames()
    const connectionName = names.get(connectionId)
    if (connectionName === undefined) {
      throw new AppError('connection.notFound', 'This connection was removed. Choose another.')
    }
    const runningOperations = this.#all().filter(
      (operation) =>
        operation.connectionId === connectionId && operation.subject === subject && operation.state === 'running',
    )
    const knownOperation = runningOperations.find((operation) => operation.kind === kind)
    const record = knownOperation ?? this.#begin({ kind, subject, connectionId, connectionName })
    for (const operation of runningOperations) if (operation.kind !== kind) this.dismiss(operation.id)
    this.#loops.start(record.id)
    return toView(record, names)
  }

  /** Retries a failed operation, and keeps a running one. Fails with `input.invalid` for an unknown one. */
  retry(id: string): void {
    this.deps.settings.transaction(() => {
      const record = this.#record(id)
      if (record.state !== 'failed') return
      const { endedAt: _, failure: _failure, ...rest } = record
      this.#replace({ ...rest, state: 'running' })
    })
    this.#loops.start(id)
  }

  /** Removes an operation and stops polling it. */
  dismiss(id: string): void {
    this.#loops.abort(id)
    this.#write((operations) => operations.filter((operation) => operation.id !== id))
  }

  /** Resumes running operations, at start or when another process added one. */
  resume(): void {
    for (const { id, state } of this.#all()) if (state === 'running') this.#loops.start(id)
  }

  /** Stops polling on exit. Operations resume at the next start. */
  stop(): void {
    this.#loops.stop()
  }

  /**
   * Resolves when the operation has ended or polling stopped. Fails with `net.cancelled`, or `input.invalid` for an
   * unknown operation.
   */
  async wait(id: string, signal: AbortSignal = new AbortController().signal): Promise<OperationView> {
    if (this.#record(id).state === 'running') this.#loops.start(id)
    await this.#loops.wait(id, signal, 'Waiting was canceled. The operation continues on the platform.')
    return toView(this.#record(id), this.deps.connectionNames())
  }

  /** Polls once, unless the operation has ended here or in another process. */
  async #poll(id: string, signal: AbortSignal): Promise<NextPoll | undefined> {
    const record = this.#find(id)
    const progress = record?.state === 'running' ? await this.#ask(record, signal) : undefined
    if (progress === undefined || signal.aborted) return undefined
    const nowMs = this.deps.clock().getTime()
    const sinceMs = this.#uncertainSinceMs.get(id) ?? nowMs
    if (progress.kind === 'inDoubt' && nowMs - sinceMs < timeoutMs) {
      this.#uncertainSinceMs.set(id, sinceMs)
      return { minDelayMs: Math.min(progress.failure.retryAfterMs ?? 0, timeoutMs) }
    }
    this.#uncertainSinceMs.delete(id)
    if (progress.kind === 'underWay') return {}
    this.#end(id, progress.kind === 'done' ? { state: 'succeeded' } : { state: 'failed', failure: progress.failure })
    return undefined
  }

  async #ask({ kind, connectionId, subject }: OperationRecord, signal: AbortSignal): Promise<Progress> {
    try {
      const client = await this.deps.getClient(connectionId)
      const { data } = await client.call('aip.apiKeys.get', { path: { name: subject } }, { signal })
      // Platform API keys are created when `ACTIVE`, and deleted when GET returns 404 (spec, "States").
      const isCreated = kind === 'apiKey.create' && Resource.safeParse(data).data?.status === 'ACTIVE'
      return { kind: isCreated ? 'done' : 'underWay' }
    } catch (error) {
      if (!(error instanceof AppError)) {
        const message = "Couldn't follow the operation. Look for its result on the platform."
        return { kind: 'failed', failure: { code: 'internal.unexpected', message } }
      }
      const { failure } = error
      if (failure.code === 'api.notFound' && kind === 'apiKey.delete') return { kind: 'done' }
      return { kind: retryableCodes.includes(failure.code) ? 'inDoubt' : 'failed', failure }
    }
  }

  /** Records the end of an operation, unless another process has ended or dismissed it. */
  #end(id: string, end: { state: 'succeeded' } | { state: 'failed'; failure: Failure }): void {
    this.deps.settings.transaction(() => {
      const record = this.#find(id)
      if (record?.state !== 'running') return
      this.#replace({ ...record, ...end, endedAt: this.deps.clock().toISOString() })
    })
  }

  #begin(
    operationFields: Pick<OperationRecord, 'kind' | 'subject' | 'connectionId' | 'connectionName'>,
  ): OperationRecord {
    const startedAt = this.deps.clock().toISOString()
    const record: OperationRecord = { id: randomUUID(), ...operationFields, state: 'running', startedAt }
    this.#write((operations) => {
      const expiredOperations = operations.filter(({ state }) => state !== 'running').slice(maxEndedOperations)
      return [record, ...operations.filter((operation) => !expiredOperations.includes(operation))]
    })
    return record
  }

  #find(id: string): OperationRecord | undefined {
    return this.#all().find((operation) => operation.id === id)
  }

  #record(id: string): OperationRecord {
    const record = this.#find(id)
    if (record) return record
    throw new AppError('input.invalid', 'This operation is no longer in the list.', { field: 'id' })
  }

  #replace(record: OperationRecord): void {
    this.#write((operations) => operations.map((operation) => (operation.id === record.id ? record : operation)))
  }

  #write(change: (operations: readonly OperationRecord[]) => OperationRecord[]): void {
    this.deps.settings.update(({ operations }) => ({ operations: change(operations) }))
  }

  #all(): OperationRecord[] {
    return this.deps.settings.read().operations
  }
}

/** View of an operation. If the connection was removed, shows its last name. */
function toView({ connectionName, ...record }: OperationRecord, names: ReadonlyMap<string, string>): OperationView {
  return { ...record, connectionName: names.get(record.connectionId) ?? connectionName }
}

/** Calls that continue on the platform after their response (spec, "States", Platform API key). */
const kindByCall: Readonly<Partial<Record<OperationId, OperationKind>>> = {
  'aip.apiKeys.create': 'apiKey.create',
  'aip.apiKeys.delete': 'apiKey.delete',
}

export const hasFollowUp = (id: OperationId): boolean => kindByCall[id] !== undefined

/** Operation to poll after a call. Undefined for a call that is finished when its response arrives. */
export function toFollowedOperation(
  id: OperationId,
  { path, body }: CallArguments,
): { readonly kind: OperationKind; readonly subject: string } | undefined {
  const kind = kindByCall[id]
  const name = kind === 'apiKey.create' ? z.looseObject({ name: z.unknown() }).safeParse(body).data?.name : path?.name
  const subject = z.string().min(1).safeParse(name).data
  return kind && subject ? { kind, subject } : undefined
}

const Resource = z.looseObject({ status: z.string() })

/** Result of one poll of an operation. `inDoubt` means a transient failure. */
type Progress =
  | { readonly kind: 'done' }
  | { readonly kind: 'underWay' }
  | { readonly kind: 'inDoubt' | 'failed'; readonly failure: Failure }

/** Failures after which polling continues. `api.notFound` is one of them, because a new key may not be listed yet. */
const retryableCodes: readonly Failure['code'][] = [
  'api.notFound',
  'api.rateLimited',
  'api.serverError',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.cut',
  'net.proxy',
  'net.other',
  // Poll again, because the connection was changed during the call, and the next poll uses a new client.
  'net.cancelled',
]
