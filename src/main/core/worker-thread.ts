import { type MessagePort, Worker } from 'node:worker_threads'
import { AppError, toAppError } from '@shared/app-error'
import type { Failure, FailureCode } from '@shared/failure'

export type WorkerCalls<Calls> = { readonly [Name in keyof Calls]: (...input: never[]) => unknown }

export type CallInput<Calls extends WorkerCalls<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>
export type CallOutput<Calls extends WorkerCalls<Calls>, Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>

export type Call<Calls extends WorkerCalls<Calls>, Name extends keyof Calls = keyof Calls> = {
  [CallName in Name]: { readonly name: CallName; readonly input: CallInput<Calls, CallName> }
}[Name]

interface WorkerRequest<Calls extends WorkerCalls<Calls>, Name extends keyof Calls = keyof Calls> {
  readonly number: number
  readonly call: Call<Calls, Name>
}

/** Reply of the thread to the call with this number. The type of `value` depends on the call. */
type Reply = { readonly number: number; readonly value: never } | { readonly number: number; readonly failure: Failure }

/** Name of a thread in error messages, such as "usage ledger", and the failure code when it is unavailable. */
export interface ThreadName {
  readonly name: string
  readonly unavailable: FailureCode
}

interface ThreadOptions<Calls extends WorkerCalls<Calls>> extends ThreadName {
  readonly workerData?: object
  /** Size of V8's young generation in MB. Default: V8's 48 MB. */
  readonly youngMb?: number | undefined
  /** Maximum number of starts, not counting those after an idle stop. Beyond it, every call fails. */
  readonly maxStarts?: number
  /** Idle timeout in ms. Default: none. */
  readonly idleMs?: number | undefined
  /** Call that the thread gets before an idle stop, to close its files. */
  readonly lastCall?: Call<Calls>
}

/** A worker thread that starts on demand, and restarts after a crash within `maxStarts`. */
export class WorkerThread<Calls extends WorkerCalls<Calls>> {
  #worker: Worker | undefined
  #startsLeft: number
  #idle: NodeJS.Timeout | undefined
  #number = 0
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: AppError) => void }>()

  constructor(
    private readonly workerPath: string,
    private readonly options: ThreadOptions<Calls>,
  ) {
    this.#startsLeft = options.maxStarts ?? Number.POSITIVE_INFINITY
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Calls the thread. Fails with its `unavailable` code, also when the thread ends before its reply. */
  ask<Name extends keyof Calls>(name: Name, input: CallInput<Calls, Name>): Promise<CallOutput<Calls, Name>> {
    const worker = this.#worker ?? this.#start()
    if (!worker) return Promise.reject(this.#createGoneError())
    clearTimeout(this.#idle)
    return new Promise((resolve, reject) => {
      const workerRequest: WorkerRequest<Calls, Name> = { number: this.#number++, call: { name, input } }
      this.#waiting.set(workerRequest.number, { resolve, reject })
      // Keep the process alive while calls are pending.
      worker.ref()
      worker.postMessage(workerRequest)
    })
  }

  /** Runs remaining work for at most `atMostMs`, then ends the thread permanently. */
  async close(finishWork: () => Promise<unknown>, atMostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeoutPromise = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, atMostMs)
    })
    await Promise.race([finishWork().catch(() => {}), timeoutPromise])
    clearTimeout(timer)
    this.#startsLeft = 0
    await this.end()
  }

  /** Ends the thread. Pending calls fail. */
  async end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    this.#ended(worker)
    await worker.terminate()
  }

  #createGoneError(): AppError {
    const { name, unavailable } = this.options
    return new AppError(unavailable, `The thread of the ${name} ended.`, { retryAfterMs: 0 })
  }

  #start(): Worker | undefined {
    if (this.#startsLeft === 0) return undefined
    this.#startsLeft -= 1
    const { workerData, youngMb } = this.options
    const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }
    const worker = new Worker(this.workerPath, { workerData, resourceLimits })
    worker.on('message', (reply: Reply) => {
      const pendingCall = this.#waiting.get(reply.number)
      this.#waiting.delete(reply.number)
      if (this.#waiting.size === 0) this.#rest()
      if ('value' in reply) pendingCall?.resolve(reply.value)
      else pendingCall?.reject(toAppError(reply.failure))
    })
    // An error is followed by the exit event, which rejects pending calls.
    worker.on('error', () => {})
    worker.on('exit', () => this.#ended(worker))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #rest(): void {
    this.#worker?.unref()
    if (this.options.idleMs === undefined) return
    this.#idle = setTimeout(() => void this.#stopIdle(), this.options.idleMs)
    this.#idle.unref()
  }

  /** Ends the idle thread, unless a call arrives first. */
  async #stopIdle(): Promise<void> {
    const { lastCall } = this.options
    if (lastCall) await this.ask(lastCall.name, lastCall.input).catch(() => {})
    if (!this.#worker || this.#waiting.size > 0) return
    this.#startsLeft += 1
    await this.end()
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    clearTimeout(this.#idle)
    const pendingCalls = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of pendingCalls) reject(this.#createGoneError())
  }
}

/** Runs inside the thread. Answers calls in sequence. */
export function serveWorkerCalls<Calls extends WorkerCalls<Calls>>(
  port: MessagePort,
  host: { answer(call: Call<Calls>): Promise<unknown> },
  { name }: Pick<ThreadName, 'name'>,
): void {
  port.on('message', ({ number, call }: WorkerRequest<Calls>) => {
    host.answer(call).then(
      (value) => port.postMessage({ number, value }),
      (error: unknown) => {
        const reason = error instanceof Error ? error.name : 'unknown'
        const message = `The ${name} failed unexpectedly (${reason}).`
        const failure = error instanceof AppError ? error.failure : { code: 'internal.unexpected', message }
        port.postMessage({ number, failure })
      },
    )
  })
}
