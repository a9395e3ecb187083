import { Worker } from 'node:worker_threads'
import { AppError } from '@shared/failure'
import type { CallsOf, DatabaseName, InputOf, OutputOf, Question, Reply } from './protocol'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: AppError) => void
}

/** A database's thread as its caller sees it. A thread that ends by itself is started once more; a second end is the last. */
export class DatabaseThread<Calls extends CallsOf<Calls>> {
  #worker: Worker | undefined
  #startsLeft = 2
  #number = 0
  readonly #waiting = new Map<number, Waiting>()

  constructor(
    private readonly workerPath: string,
    private readonly options: object,
    private readonly named: DatabaseName,
  ) {}

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Asks the thread. Fails with the database's `unavailable`, also when the thread ended before it answered. */
  ask<Name extends keyof Calls>(name: Name, input: InputOf<Calls, Name>): Promise<OutputOf<Calls, Name>> {
    const worker = this.#worker ?? this.#start()
    if (!worker) return Promise.reject(this.#gone())
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
    await this.#end()
  }

  async #end(): Promise<void> {
    this.#startsLeft = 0
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #gone(): AppError {
    const { name, unavailable } = this.named
    return new AppError(unavailable, `The thread of the ${name} ended.`, { retryAfterMs: 0 })
  }

  #start(): Worker | undefined {
    if (this.#startsLeft === 0) return undefined
    this.#startsLeft -= 1
    const worker = new Worker(this.workerPath, { workerData: this.options })
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
    if (this.#waiting.size === 0) this.#worker?.unref()
    if ('value' in reply) {
      waiting?.resolve(reply.value)
      return
    }
    const { code, message, ...details } = reply.failure
    waiting?.reject(new AppError(code, message, details))
  }

  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(this.#gone())
  }
}
