import type { Route } from '@shared/contract/tools'
import type { Content } from './content'
import type { Json } from './editors/json-value'
import type { OpenEdit } from './owned'
import type { Place } from './plan'
import type { Start, StartingFile } from './starting-point'
import type { TargetInput, WrittenTarget } from './target'

/** The file that holds nothing but the key; `isNew` unless an earlier apply wrote the same. */
export type KeyFile = {
  readonly path: string
  readonly content: Content
  readonly digest: string
  readonly isNew: boolean
}

/** The commented original beside a file that has to become strict; `isNew` unless an earlier apply put it there. */
export type CommentsCopy = { readonly path: string; readonly content: Content; readonly isNew: boolean }

/** What an apply starts from. */
export type Work = {
  readonly target: WrittenTarget
  readonly input: TargetInput
  readonly start: Start
  readonly place: Place
  readonly mayMoveComments: boolean
  readonly keep: readonly string[]
  readonly takeOut: readonly string[]
}

/** One settings file worked out: what it is without us, and what it becomes. */
export type NewFile = {
  readonly start: StartingFile
  readonly original: Uint8Array | undefined
  /** The settings without us. */
  readonly current: Json
  readonly edits: readonly OpenEdit[]
  /** Undefined: no file. */
  readonly after: Content | undefined
  readonly holdsKey: boolean
  /** True when the original has comments or trailing commas that its tool cannot read. */
  readonly movesComments: boolean
  readonly mode: number
  readonly copy: CommentsCopy | undefined
  /** The folders that have to be made for it. */
  readonly newFolders: readonly string[]
}

/** Everything about one apply, worked out and not yet done. */
export type Application = Work & {
  readonly planId: string
  readonly keyId: string | undefined
  readonly route: Route
  /** In the order in which they are written. */
  readonly files: readonly NewFile[]
  readonly keyFile: KeyFile | undefined
  /** The digest of a key that stands in plain text in one of the files. */
  readonly keyDigest: string | undefined
  readonly salt: string
}
