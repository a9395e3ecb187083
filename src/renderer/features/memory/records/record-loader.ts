import type { ResourceSet } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { CallError } from '../../../ipc'
import { RowPages } from '../long-table/row-pages'
import { recordKey } from '../names'

/** What records are asked of: main, which holds the lists. */
export interface RecordPorts {
  /** Asks for at most so many records; ends with `cancel` of the same id. */
  readonly open: (asked: {
    readonly limit: number
    readonly first: number
    readonly callId: string
  }) => Promise<ResourceSet>
  readonly slice: (setId: string, from: number, count: number) => Promise<ResourceSet['rows']>
  readonly close: (setId: string) => void
  readonly cancel: (callId: string) => void
}

/** A list of records that main holds. */
export interface OpenSet {
  readonly setId: string
  readonly total: number
  readonly pages: RowPages
  /** With how many it was asked for. */
  readonly limit: number
}

export interface RecordState {
  readonly set: OpenSet | undefined
  /** So many are being asked for. */
  readonly asking: number | undefined
  /** When that began, in ms. */
  readonly sinceMs: number
  /** Why none, or no more, came. */
  readonly failure: Failure | undefined
  /** The platform refused to give so many at once. */
  readonly refused: number | undefined
  readonly isStopped: boolean
  /** Counts the lists whose rows stand at other places than those before. */
  readonly generation: number
}

/** With how many one begins. */
const firstLimit = 100
/** How many records may be asked for at once, most first; the spec names no most. */
export const limits = [100_000, 10_000, 1000, firstLimit] as const

const pageSize = 200
const refusals = ['api.badRequest', 'input.invalid', 'api.refused', 'api.tooLarge']

const begun: RecordState = {
  set: undefined,
  asking: undefined,
  sinceMs: 0,
  failure: undefined,
  refused: undefined,
  isStopped: false,
  generation: 0,
}

/** Loads the records of a namespace: a hundred first, and when there may be more all that were wished for, in the background. */
export class RecordLoader {
  readonly #ports: RecordPorts
  readonly #wished: number
  readonly #listeners = new Set<() => void>()
  #state = begun
  #callId = ''
  /** Counts the times that all was asked for: an older time goes no further. */
  #run = 0
  #isClosed = false

  constructor(ports: RecordPorts, wished: number) {
    this.#ports = ports
    this.#wished = wished
  }

  readonly state = (): RecordState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks anew for all of it. */
  async load(): Promise<void> {
    if (this.#state.asking !== undefined) this.#ports.cancel(this.#callId)
    this.#isClosed = false
    this.#run += 1
    const run = this.#run
    this.#set({ failure: undefined, refused: undefined, isStopped: false })
    const first = Math.min(firstLimit, this.#wished)
    const failure = await this.#open(first)
    if (run !== this.#run) return
    if (failure) {
      this.#set({ failure, asking: undefined })
      return
    }
    const isFull = (this.#state.set?.total ?? 0) >= first
    if (isFull && this.#wished > first) await this.#openMore(run)
  }

  /** Asks for no more; what is there stays. */
  stop(): void {
    if (this.#state.asking === undefined) return
    this.#set({ isStopped: true })
    this.#ports.cancel(this.#callId)
  }

  /** Lets go of everything. */
  close(): void {
    this.#isClosed = true
    this.#run += 1
    if (this.#state.asking !== undefined) this.#ports.cancel(this.#callId)
    if (this.#state.set) this.#ports.close(this.#state.set.setId)
    this.#state = begun
  }

  async #openMore(run: number): Promise<void> {
    for (const limit of limits.filter((one) => one <= this.#wished && one > firstLimit)) {
      const failure = await this.#open(limit)
      if (run !== this.#run || this.#state.isStopped || failure === undefined) return
      if (!refusals.includes(failure.code)) {
        this.#set({ failure })
        return
      }
      this.#set({ refused: limit })
    }
  }

  async #open(limit: number): Promise<Failure | undefined> {
    const callId = crypto.randomUUID()
    this.#callId = callId
    this.#set({ asking: limit, sinceMs: Date.now() })
    try {
      const opened = await this.#ports.open({ limit, first: pageSize, callId })
      if (this.#isClosed || this.#callId !== callId) this.#ports.close(opened.setId)
      else this.#take(opened, limit)
      return undefined
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      return error.failure
    } finally {
      if (this.#callId === callId) this.#set({ asking: undefined })
    }
  }

  #take({ setId, total, rows }: ResourceSet, limit: number): void {
    const before = this.#state.set
    const pages = new RowPages({
      size: pageSize,
      count: total,
      first: rows,
      load: async (page) => ({ rows: await this.#ports.slice(setId, page * pageSize, pageSize) }),
    })
    const isContinued = before !== undefined && begins(pages, before)
    this.#set({
      set: { setId, total, pages, limit },
      generation: this.#state.generation + (isContinued ? 0 : 1),
    })
    if (before) this.#ports.close(before.setId)
  }

  #set(change: Partial<RecordState>): void {
    if (this.#isClosed) return
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** Whether a list begins with the rows of another, so that its places still hold. */
function begins(pages: RowPages, { pages: before, total }: OpenSet): boolean {
  const known = Math.min(total, firstLimit)
  return Array.from({ length: known }, (_, at) => at).every((at) => {
    const [now, then] = [pages.rowAt(at), before.rowAt(at)]
    return then === undefined || (now !== undefined && recordKey(now) === recordKey(then))
  })
}
