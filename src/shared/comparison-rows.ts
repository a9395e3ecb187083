import type { ComparisonSetup } from './contract'

/** Most rows of a comparison: its test cases, each as often as its runs are repeated. */
export const maxComparisonRows = 200

/** Number of runs per cell. Limited, so that the rows of a comparison are at most `maxComparisonRows`. */
export const getRepeatCount = ({ repeats = 1, cases }: Pick<ComparisonSetup, 'repeats' | 'cases'>): number =>
  Math.max(1, Math.min(repeats, Math.floor(maxComparisonRows / Math.max(1, cases.length))))
