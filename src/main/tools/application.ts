import type { Content } from './content'
import type { Json } from './editors/json-value'
import type { OpenEdit } from './owned'
import type { Place } from './plan'
import type { StartingPoint } from './starting-point'
import type { Target, TargetInput } from './target'

/** The file that holds nothing but the key. */
export type KeyFile = { readonly path: string; readonly content: Content; readonly digest: string }

/** The commented original beside a file that has to become strict; `isNew` unless an earlier apply put it there. */
export type CommentsCopy = { readonly path: string; readonly content: Content; readonly isNew: boolean }

/** A settings file worked out: what it is without us, and what it becomes. */
export type NewSettings = {
  readonly original: Uint8Array | undefined
  /** The settings without us. */
  readonly current: Json
  readonly edits: readonly OpenEdit[]
  readonly after: Content
  /** True when the original has comments or trailing commas that its tool cannot read. */
  readonly movesComments: boolean
}

/** What an apply starts from. */
export type Work = {
  readonly target: Target
  readonly input: TargetInput
  readonly start: StartingPoint
  readonly place: Place
}

/** Everything about one apply, worked out and not yet done. */
export type Application = Work &
  NewSettings & {
    readonly planId: string
    readonly mode: number
    readonly keyFile: KeyFile | undefined
    readonly copy: CommentsCopy | undefined
    /** The folders that have to be made for the settings file. */
    readonly newFolders: readonly string[]
    readonly salt: string
  }
