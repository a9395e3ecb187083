import { useSyncExternalStore } from 'react'
import { CallError } from '../../ipc'
import type { Json } from '../resources'

/** Rows of one page; `total` when the server says how many there are in all. */
export interface LoadedRows {
  readonly rows: readonly Json[]
  readonly total?: number | undefined
}

interface RowPagesOptions {
  /** How many rows a page has. */
  readonly size: number
  /** How many rows there are; nothing when the server does not say: then there is one more page as long as the last was full. */
  readonly count: number | undefined
  /** What is known of the first page. */
  readonly first: readonly Json[]
  /** Asks for a page, counted from 0. */
  readonly load: (page: number) => Promise<LoadedRows>
}

const mostPages = 20
const mostAsked = 2

/** Rows of a long list by their place. It holds at most 20 pages, those used last, and asks for what is wanted, two pages at a time. */
export class RowPages {
  readonly #options: RowPagesOptions
  readonly #pages = new Map<number, readonly Json[]>()
  readonly #asked = new Set<number>()
  readonly #failed = new Map<number, CallError>()
  readonly #listeners = new Set<() => void>()
  #wanted: readonly number[] = []
  #count: number
  #isCounted: boolean
  #version = 0
  /** Answers of an older generation are dropped. */
  #generation = 0

  constructor(options: RowPagesOptions) {
    this.#options = options
    const { count, first, size } = options
    this.#isCounted = count !== undefined || first.length < size
    this.#count = count ?? this.#countWith(0, first.length)
    this.#pages.set(0, first)
  }

  /** How many rows there are, as far as it is known. */
  get count(): number {
    return this.#count
  }

  /** Whether `count` is all of them. */
  get isCounted(): boolean {
    return this.#isCounted
  }

  get size(): number {
    return this.#options.size
  }

  /** Why a page that is wanted could not be loaded. */
  get failure(): CallError | undefined {
    return this.#wanted.map((page) => this.#failed.get(page)).find((error) => error !== undefined)
  }

  /** Changes whenever something else is there. */
  readonly version = (): number => this.#version

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The row at a place; nothing while it is not loaded. */
  rowAt(index: number): Json | undefined {
    return this.#pages.get(Math.floor(index / this.size))?.[index % this.size]
  }

  /** All rows that are held, with their places, in their order. */
  held(): readonly (readonly [number, Json])[] {
    return [...this.#pages.keys()]
      .sort((a, b) => a - b)
      .flatMap((page) => (this.#pages.get(page) ?? []).map((row, at) => [page * this.size + at, row] as const))
  }

  /** Says which rows are on the screen, the last excluded; those that are missing are asked for. */
  want(from: number, to: number): void {
    this.wantPlaces(Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at))
  }

  /** Says which rows are on the screen when they do not follow each other. */
  wantPlaces(places: readonly number[]): void {
    const there = places.filter((place) => place >= 0 && place < this.#count)
    this.#wanted = [...new Set(there.map((place) => Math.floor(place / this.size)))]
    for (const page of this.#wanted) this.#use(page)
    this.#ask()
  }

  /** Asks again for what failed. */
  retry(): void {
    this.#failed.clear()
    this.#ask()
    this.#tell()
  }

  #use(page: number): void {
    const rows = this.#pages.get(page)
    if (!rows) return
    this.#pages.delete(page)
    this.#pages.set(page, rows)
  }

  #ask(): void {
    for (const page of this.#wanted) {
      if (this.#asked.size >= mostAsked) return
      if (this.#pages.has(page) || this.#asked.has(page) || this.#failed.has(page)) continue
      this.#asked.add(page)
      void this.#load(page)
    }
  }

  async #load(page: number): Promise<void> {
    const generation = this.#generation
    try {
      const loaded = await this.#options.load(page)
      if (generation === this.#generation) this.#take(page, loaded)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      this.#failed.set(page, error)
    } finally {
      this.#asked.delete(page)
    }
    this.#ask()
    this.#tell()
  }

  #take(page: number, { rows, total }: LoadedRows): void {
    if (total !== undefined && total !== this.#count) {
      // Rows came or went meanwhile: what is held stands at other places now.
      this.#pages.clear()
      this.#generation += 1
      this.#isCounted = true
      this.#count = total
    }
    this.#pages.set(page, rows)
    if (!this.#isCounted) {
      this.#isCounted = rows.length < this.size
      this.#count = this.#isCounted
        ? this.#countWith(page, rows.length)
        : Math.max(this.#count, this.#countWith(page, rows.length))
    }
    this.#forget()
  }

  /** How many rows there are when a page has so many: with a full one there may be one more. */
  #countWith(page: number, rows: number): number {
    return page * this.size + rows + (rows >= this.size ? 1 : 0)
  }

  #forget(): void {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) return
      if (!this.#wanted.includes(page)) this.#pages.delete(page)
    }
  }

  #tell(): void {
    this.#version += 1
    for (const listener of this.#listeners) listener()
  }
}

/** Draws anew whenever other rows are there; gives what changes then. */
export const useRowPages = (pages: RowPages): number => useSyncExternalStore(pages.subscribe, pages.version)
