import type { MethodInput, ResourceSet } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { CallError, call } from '../../ipc'
import { type OpenMemory, recordKey } from './names'
import { RowPages } from './row-pages'
import { foundIn } from './tab-parts'

/** The call that lists the records of a namespace. */
export const recordsCall = (
  { connectionId, memoryId }: { readonly connectionId: string; readonly memoryId: string },
  namespace: string,
  limit: number,
): Omit<MethodInput<'resources.call'>, 'callId'> => ({
  connectionId,
  operation: 'memory.records.list',
  path: { id: memoryId },
  query: { namespace, limit },
})

/** The records of a namespace, at most so many; they are asked for anew when any of this changes. */
export function useRecords({ connection, memoryId }: OpenMemory, namespace: string, wished: number) {
  const connectionId = connection.id
  const loader = useMemo(
    () =>
      new RecordLoader(
        {
          open: ({ limit, first, callId }) =>
            call('resources.openSet', { ...recordsCall({ connectionId, memoryId }, namespace, limit), first, callId }),
          slice: async (setId, from, count) => (await call('resources.slice', { setId, from, count })).rows,
          close: (setId) => void call('resources.closeSet', { setId }),
          cancel: (callId) => void call('calls.cancel', { callId }),
        },
        wished,
      ),
    [connectionId, memoryId, namespace, wished],
  )
  useEffect(() => {
    void loader.load()
    return () => loader.close()
  }, [loader])
  return { loader, ...useSyncExternalStore(loader.subscribe, loader.state) }
}

/** What records are asked of: main, which holds the lists. */
interface RecordPorts {
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

/** What was found in a list so far. */
export interface SetSearch {
  readonly places: readonly number[]
  readonly looked: number
}

/** How long one stops typing before the list is looked through, in ms. */
const restMs = 250

/** Looks through all records that are loaded; nothing while nothing is looked for. */
export function useSetSearch(set: OpenSet | undefined, find: string): SetSearch | undefined {
  const [found, setFound] = useState<SetSearch>()
  const wanted = find.trim()
  const setId = set?.setId
  const total = set?.total ?? 0
  useEffect(() => {
    setFound(undefined)
    if (wanted === '' || setId === undefined) return
    let isStopped = false
    const begin = (): void => {
      scanSet({
        total,
        find: wanted,
        slice: async (from, count) => (await call('resources.slice', { setId, from, count })).rows,
        tell: (places, looked) => setFound({ places, looked }),
        isStopped: () => isStopped,
      }).catch((error: unknown) => {
        // The list is no longer held: its table says so and offers to load it again.
        if (!(error instanceof CallError)) throw error
      })
    }
    const timer = setTimeout(begin, restMs)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [setId, total, wanted])
  return wanted === '' ? undefined : (found ?? { places: [], looked: 0 })
}

const step = 500

interface Scan {
  readonly total: number
  readonly find: string
  readonly slice: (from: number, count: number) => Promise<ResourceSet['rows']>
  /** Told after each step what was found so far, and how many rows were looked through. */
  readonly tell: (places: readonly number[], looked: number) => void
  readonly isStopped: () => boolean
}

/** Looks through a list that main holds, slice by slice; only the places of what is found are kept. */
export async function scanSet({ total, find, slice, tell, isStopped }: Scan): Promise<void> {
  const places: number[] = []
  for (let from = 0; from < total && !isStopped(); from += step) {
    const rows = await slice(from, step)
    if (isStopped()) return
    places.push(
      ...foundIn(
        rows.map((row, at) => [from + at, row] as const),
        find,
      ),
    )
    tell([...places], Math.min(total, from + step))
  }
}
