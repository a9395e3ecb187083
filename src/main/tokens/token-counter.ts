import { Worker } from 'node:worker_threads'
import { minuteMs } from '@shared/durations'

/** What the thread is asked, and what it answers: one number for each text. */
export interface CountQuestion {
  readonly number: number
  readonly texts: readonly string[]
}
export interface CountReply {
  readonly number: number
  readonly counts: readonly number[]
}

const idleMs = minuteMs

/** Counts tokens in a thread that is started by the first question, and again after it ended. */
export class TokenCounter {
  readonly #workerPath: string
  readonly #waiting = new Map<
    number,
    { resolve: (counts: readonly number[]) => void; reject: (error: Error) => void }
  >()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #number = 0

  /** `workerPath` is the built `count-worker.ts`. */
  constructor(workerPath: string) {
    this.#workerPath = workerPath
  }

  /** Tokens of each text. Rejects when the thread cannot run. */
  count(texts: readonly string[]): Promise<readonly number[]> {
    const worker = this.#worker ?? this.#start()
    clearTimeout(this.#idle)
    return new Promise((resolve, reject) => {
      const question: CountQuestion = { number: this.#number++, texts }
      this.#waiting.set(question.number, { resolve, reject })
      // The process stays for what is under way, and for nothing else.
      worker.ref()
      worker.postMessage(question)
    })
  }

  /** Ends the thread; what is under way is rejected. */
  async end(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#workerPath)
    worker.on('message', ({ number, counts }: CountReply) => {
      this.#waiting.get(number)?.resolve(counts)
      this.#waiting.delete(number)
      if (this.#waiting.size === 0) this.#rest(worker)
    })
    // The end follows and tells the rest.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#ended(worker))
    this.#worker = worker
    return worker
  }

  #rest(worker: Worker): void {
    worker.unref()
    this.#idle = setTimeout(() => void worker.terminate(), idleMs)
    this.#idle.unref()
  }

  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(new Error('The thread that counts tokens ended.'))
  }
}
