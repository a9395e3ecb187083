import type { FileChange, Site, ToolChanges, ToolWarning } from '@shared/contract/tools'
import type { Disk } from './disk'
import type { Format } from './editors/editor'
import type { ToolEnvironment } from './environment'
import type { FileWrite } from './files'
import type { Journal } from './journal'
import type { Backup } from './tool-backup'

/** Where the engine works: a site's surroundings, this app's own folder, and the disk. */
export type EngineContext = {
  readonly site: Site
  readonly environment: ToolEnvironment
  readonly dataDir: string
  readonly disk: Disk
  readonly clock: () => Date
}

/** One thing that is done to the disk. */
export type Step =
  | ({ readonly kind: 'write' } & FileWrite)
  | { readonly kind: 'remove'; readonly path: string; readonly expect?: string | null }
  | { readonly kind: 'makeFolders'; readonly paths: readonly string[]; readonly mode: number }
  | { readonly kind: 'pruneFolders'; readonly paths: readonly string[] }

/** A file that must still be what it was when the plan was made: where it leads, and its hash (null: no file). */
export type Precondition = { readonly path: string; readonly realPath: string; readonly hash: string | null }

/** One file of a tool before and after a write; `before` undefined and `after` null: no file. */
export type UndoFile = {
  readonly path: string
  readonly realPath: string
  readonly format: Format
  readonly before: Backup | undefined
  readonly after: string | null
}

/** What undoing a plan needs, whenever it is wanted: it goes into the history before the first step. */
export type UndoData = {
  readonly journal: Journal | undefined
  readonly files: readonly UndoFile[]
  /** The journal as it will be; undefined: none. */
  readonly next: Journal | undefined
  /** Folders and key files that the plan makes. */
  readonly newFolders: readonly string[]
  readonly newKeyFiles: readonly string[]
}

/** Everything that will be done to one tool at one site, decided beforehand; nothing is written before `commit`. */
export type ChangeSet = {
  readonly kind: ToolChanges['kind'] | 'letGo'
  readonly toolId: string
  readonly place: EngineContext
  readonly files: readonly FileChange[]
  readonly warnings: readonly ToolWarning[]
  readonly base?: string
  readonly requestAddress?: string
  readonly preconditions: readonly Precondition[]
  /** In this order, so that a crash between any two leaves something that can be undone. */
  readonly steps: readonly Step[]
  /** What only tidies up afterwards: the tool is as wanted even when one of these fails. */
  readonly tidying: readonly Step[]
  readonly past: UndoData
}
