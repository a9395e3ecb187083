import { comparePath } from '../playground/paths'

/** A comparison. */
export const comparisonPath = (id: string): string => `${comparePath}/${encodeURIComponent(id)}`
