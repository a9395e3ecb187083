import type { Measure } from './measures'
import type { Point } from './points'

/** A row of the table behind a chart; a figure that is not known is absent. */
export interface ChartRow {
  readonly key: number
  readonly point: Point
  readonly values: readonly (number | undefined)[]
}

/** The columns of the table behind a chart, by what they hold. */
export type ChartColumn = Measure['parts'][number]['id'] | 'total' | 'previous'

/** What stands in each column: the parts, their sum where there are several, and the span before where it is compared. */
export function chartColumns({ parts }: Measure, isCompared: boolean): readonly ChartColumn[] {
  return [
    ...parts.map(({ id }) => id),
    ...(parts.length > 1 ? (['total'] as const) : []),
    ...(isCompared ? (['previous'] as const) : []),
  ]
}

/** The rows of the table behind a chart: every step that is over or under way. */
export function chartRows(measure: Measure, points: readonly Point[], isCompared: boolean): readonly ChartRow[] {
  const { parts, total } = measure
  return points
    .filter(({ state }) => state !== 'future')
    .map((point) => {
      const { counts, previous, start } = point
      const values = [
        ...parts.map(({ of }) => counts && of(counts)),
        ...(parts.length > 1 ? [counts && total(counts)] : []),
        ...(isCompared ? [previous && total(previous)] : []),
      ]
      return { key: start.getTime(), point, values }
    })
}
