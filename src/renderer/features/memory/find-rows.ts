import type { Json } from '../resources/resource'
import { searchedRows } from '../resources/search-rows'

/** The places of the rows that have every word of a text. */
export const foundIn = (rows: readonly (readonly [number, Json])[], find: string): readonly number[] =>
  rows.flatMap(([place, row]) => (searchedRows([row], find).length > 0 ? [place] : []))
