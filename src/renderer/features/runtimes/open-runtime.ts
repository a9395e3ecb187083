import type { ConnectionView } from '@shared/contract'
import type { Subject } from '../resources/resource'

/** A runtime that a tab shows more of. */
export interface OpenRuntime {
  readonly connection: ConnectionView
  readonly runtimeId: string
  readonly subject: Subject
}
