/** Writes one event; what it is called, and its fields. */
export type Write = (type: string, fields: Readonly<Record<string, unknown>>) => void

/** Where an item is in the answer. */
export interface ItemPlace {
  readonly id: string
  readonly index: number
}

/** How an item ends: as it should, or cut. */
export type ItemEnd = 'completed' | 'incomplete'

/** An item of the answer that is being written. */
export interface OutputItem {
  add(text: string): void
  /** The item as it stands in the answer; undefined when it cannot stand there unfinished. */
  close(end: ItemEnd): object | undefined
}
