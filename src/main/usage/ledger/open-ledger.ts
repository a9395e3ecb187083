import { existsSync } from 'node:fs'
import type { Database } from '../../sqlite'
import { type FilePlace, identityOf, openFile, removeCopies, sizeOf } from '../../sqlite/file'
import type { Ledger } from '../ports'
import { contents, errorsSince, hoursOf, spanOf } from './facts'
import { eraseAll, forgetLog, pruneSome } from './forget'
import { migrations } from './migrations'
import { page } from './pages'
import { series } from './series'
import { shares } from './shares'
import { Store } from './store'
import { warmDays } from './warm'
import { writeEntries } from './write'

type Answering = Omit<Ledger, 'flush' | 'prune' | 'close' | 'storage'>
type Answers = {
  readonly [Name in keyof Answering]: (...input: Parameters<Answering[Name]>) => Awaited<ReturnType<Answering[Name]>>
}

/** The ledger in the calling thread: every call is done when it returns, and fails with SQLite's error. */
export interface OpenLedger extends Answers {
  /** Does a part of `prune`; whether more is left. */
  pruneSome(before: number): boolean
  /** Reads ahead what questions about a long time need, a part at each step. */
  warm(): Iterator<void>
  contents(): Omit<ReturnType<typeof contents>, 'setAside'> & {
    readonly bytes: number
    readonly setAside: string | undefined
  }
  /** Whether the file that was opened still is the one at its path. */
  isInPlace(): boolean
  close(): void
}

/** A file, and the zone that its days are of; the system's when none is named. `migrations` when no steps are. */
export interface LedgerPlace extends Pick<FilePlace, 'file' | 'isSuspect'>, Partial<Pick<FilePlace, 'steps'>> {
  readonly zone?: string | undefined
}

/** Opens the ledger; see `openFile` for how it fails. */
export function openLedger({ zone, steps = migrations, ...place }: LedgerPlace): OpenLedger {
  const db = openFile({ ...place, steps })
  const wanted = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const store = new Store(db, wanted)
  store.keepDaysOf(wanted)
  return { ...questions(store), ...changes(store, place.file), ...fileFacts(store, place.file, db) }
}

const questions = (store: Store) => ({
  series: ({ filter, step }: Parameters<Ledger['series']>[0]) => series(store, filter, step),
  shares: ({ filter, ...parts }: Parameters<Ledger['shares']>[0]) => shares(store, filter, parts),
  requests: (query: Parameters<Ledger['requests']>[0]) => page(store, query),
  hoursOf: (planId: string, from: number) => hoursOf(store, planId, from),
  errorsSince: (from: number) => errorsSince(store, from),
  spanOf: (...input: Parameters<Ledger['spanOf']>) => spanOf(store, ...input),
  positions: (toolId: string) =>
    store.db
      .rows('path, state', 'SELECT path, state FROM log_positions WHERE tool = ?', toolId)
      .map((row) => ({ toolId, path: row.text(0), state: row.text(1) })),
})

const changes = (store: Store, file: string) => ({
  add: (entries: Parameters<Ledger['add']>[0]) => writeEntries(store, entries),
  addLog: (...input: Parameters<Ledger['addLog']>) => writeEntries(store, ...input),
  forgetLog: (toolId: string) => forgetLog(store, toolId),
  pruneSome: (before: number) => pruneSome(store, before),
  erase: () => {
    eraseAll(store)
    removeCopies(file)
  },
})

const fileFacts = (store: Store, file: string, db: Database) => {
  const opened = identityOf(file)
  return {
    contents: () => {
      const { setAside, ...rest } = contents(store)
      return { ...rest, bytes: sizeOf(file), setAside: setAside !== '' && existsSync(setAside) ? setAside : undefined }
    },
    warm: () => warmDays(db),
    isInPlace: () => identityOf(file) === opened,
    close: () => db.close(),
  }
}
