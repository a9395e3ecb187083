import type { ComparisonCase, ComparisonSetup } from './contract'

type RowSetup = Pick<ComparisonSetup, 'repeats' | 'cases'>

/** Maximum rows of a comparison. Each test case has one row per run. */
export const maxComparisonRows = 200

/** Number of runs per test case, reduced to keep at most `maxComparisonRows` rows. */
export const getRepeatCount = ({ repeats = 1, cases }: RowSetup): number =>
  Math.max(1, Math.min(repeats, Math.floor(maxComparisonRows / Math.max(1, cases.length))))

interface ComparisonRow {
  /** Undefined in a comparison without test cases. */
  readonly testCase: ComparisonCase | undefined
  /** Number of the test case, counted from 1. */
  readonly number: number
  /** Number of the run, counted from 1. */
  readonly repeat: number
}

/** Rows of a comparison. Without test cases, it has one row per run. */
export const listComparisonRows = (setup: RowSetup): readonly ComparisonRow[] =>
  (setup.cases.length === 0 ? [undefined] : setup.cases).flatMap((testCase, index) =>
    Array.from({ length: getRepeatCount(setup) }, (_, repeatIndex) => ({
      testCase,
      number: index + 1,
      repeat: repeatIndex + 1,
    })),
  )
