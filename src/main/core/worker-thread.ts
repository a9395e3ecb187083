import { type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '@shared/app-error'
import type { Failure, FailureCode } from '@shared/failure'

/** What a thread can be asked for, by name. */
export type WorkerCalls<Calls> = { readonly [Name in keyof Calls]: (...input: never[]) => unknown }

export type CallInput<Calls extends WorkerCalls<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>
export type CallOutput<Calls extends WorkerCalls<Calls>, Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>

/** One call and its input. */
export type Call<Calls extends WorkerCalls<Calls>, Name extends keyof Calls = keyof Calls> = {
  [CallName in Name]: { readonly name: CallName; readonly input: CallInput<Calls, CallName> }
}[Name]

/** How every call is carried out, inside the thread. */
export type CallHandlers<Calls extends WorkerCalls<Calls>> = {
  readonly [Name in keyof Calls]: (
    input: CallInput<Calls, Name>,
  ) => CallOutput<Calls, Name> | Promise<CallOutput<Calls, Name>>
}

/** A call on its way to the thread. */
interface Question<Calls extends WorkerCalls<Calls>, Name extends keyof Calls = keyof Calls> {
  readonly number: number
  readonly call: Call<Calls, Name>
}

/** What the thread answers. The type of `value` is known to the caller alone: it is what the call of that number returns. */
type Reply = { readonly number: number; readonly value: never } | { readonly number: number; readonly failure: Failure }

/** What a thread is called in messages ("usage ledger"), and the failure of one that cannot be used. */
export interface ThreadName {
  readonly name: string
  readonly unavailable: FailureCode
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: AppError) => void
}

/** How a thread is run. */
interface ThreadOptions<Calls extends WorkerCalls<Calls>> extends ThreadName {
  /** Handed to the thread at its start. */
  readonly workerData?: object
  /** How much room what is young gets in its heap; V8's own choice (48 MB) when absent. */
  readonly youngMb?: number | undefined
  /** How often it is started at most, not counting after a rest; a thread that may not be started any more fails every call. */
  readonly maxStarts?: number
  /** How long it stays without work; for good when absent. */
  readonly idleMs?: number | undefined
  /** What it is asked before it ends without work, as to close its files. */
  readonly lastCall?: Call<Calls>
}

/** A thread as its caller sees it: started by the first call, and again by the next one after it ended, within `mostStarts`. */
export class WorkerThread<Calls extends WorkerCalls<Calls>> {
  #worker: Worker | undefined
  #startsLeft: number
  #idle: NodeJS.Timeout | undefined
  #number = 0
  readonly #waiting = new Map<number, Waiting>()

  constructor(
    private readonly workerPath: string,
    private readonly options: ThreadOptions<Calls>,
  ) {
    this.#startsLeft = options.maxStarts ?? Number.POSITIVE_INFINITY
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Asks the thread. Fails with its `unavailable`, also when the thread ended before it answered. */
  ask<Name extends keyof Calls>(name: Name, input: CallInput<Calls, Name>): Promise<CallOutput<Calls, Name>> {
    const worker = this.#worker ?? this.#start()
    if (!worker) return Promise.reject(this.#gone())
    clearTimeout(this.#idle)
    return new Promise((resolve, reject) => {
      const question: Question<Calls, Name> = { number: this.#number++, call: { name, input } }
      this.#waiting.set(question.number, { resolve, reject })
      // The process stays for what is under way, and for nothing else.
      worker.ref()
      worker.postMessage(question)
    })
  }

  /** Does what is left to do, for `atMostMs` at most, and ends the thread for good. */
  async close(rest: () => Promise<unknown>, atMostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, atMostMs)
    })
    await Promise.race([rest().catch(() => {}), tooLong])
    clearTimeout(timer)
    this.#startsLeft = 0
    await this.end()
  }

  /** Ends the thread; what is under way fails. */
  async end(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    this.#ended(worker)
    await worker.terminate()
  }

  #gone(): AppError {
    const { name, unavailable } = this.options
    return new AppError(unavailable, `The thread of the ${name} ended.`, { retryAfterMs: 0 })
  }

  #start(): Worker | undefined {
    if (this.#startsLeft === 0) return undefined
    this.#startsLeft -= 1
    const { workerData, youngMb } = this.options
    const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }
    const worker = new Worker(this.workerPath, { workerData, resourceLimits })
    worker.on('message', (reply: Reply) => this.#settle(reply))
    // The end follows and tells the rest.
    worker.on('error', () => {})
    worker.on('exit', () => this.#ended(worker))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number)
    this.#waiting.delete(reply.number)
    if (this.#waiting.size === 0) this.#rest()
    if ('value' in reply) {
      waiting?.resolve(reply.value)
      return
    }
    const { code, message, ...details } = reply.failure
    waiting?.reject(new AppError(code, message, details))
  }

  #rest(): void {
    this.#worker?.unref()
    if (this.options.idleMs === undefined) return
    this.#idle = setTimeout(() => void this.#leave(), this.options.idleMs)
    this.#idle.unref()
  }

  /** Ends the thread until the next call, unless that comes before it has ended its work. */
  async #leave(): Promise<void> {
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
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(this.#gone())
  }
}

/** The inside of a thread: answers one question after the other. */
export function answerQuestions<Calls extends WorkerCalls<Calls>>(
  port: MessagePort,
  host: { answer(call: Call<Calls>): Promise<unknown> },
  { name }: Pick<ThreadName, 'name'>,
): void {
  port.on('message', ({ number, call }: Question<Calls>) => {
    host.answer(call).then(
      (value) => port.postMessage({ number, value }),
      (error: unknown) => port.postMessage({ number, failure: toFailure(error, name) }),
    )
  })
}

function toFailure(error: unknown, name: string): Failure {
  if (error instanceof AppError) return error.failure
  const reason = error instanceof Error ? error.name : 'unknown'
  return { code: 'internal.unexpected', message: `The ${name} failed unexpectedly (${reason}).` }
}
