import type { FileChange, ToolChanges, ToolWarning } from '@shared/contract/tools'
import type { Format } from './editors/editor'
import type { EngineContext } from './environment'
import type { Step } from './files'
import type { Journal } from './journal'
import type { Backup } from './tool-backup'

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
