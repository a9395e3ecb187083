import type { FileChange, ToolWarning } from '@shared/contract/tools'
import type { Disk } from './disk'
import type { ToolEnvironment } from './environment'
import type { FileWrite } from './files'

/** Where the engine works: the tools' surroundings, this app's own folder, and the disk. */
export type Place = {
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

/** Everything that will be done, decided beforehand; nothing is written before `commit`. */
export type ToolPlan = {
  readonly kind: 'apply' | 'restore'
  readonly toolId: string
  readonly files: readonly FileChange[]
  readonly warnings: readonly ToolWarning[]
  readonly base?: string
  readonly requestAddress?: string
  readonly preconditions: readonly Precondition[]
  /** In this order, so that a crash between any two leaves something that can be restored. */
  readonly steps: readonly Step[]
  /** What only tidies up afterwards: the tool is as wanted even when one of these fails. */
  readonly tidying: readonly Step[]
}
