import type { ConnectionView } from '@shared/contract'

/** A memory whose contents a tab shows. */
export interface OpenMemory {
  readonly connection: ConnectionView
  readonly memoryId: string
}
