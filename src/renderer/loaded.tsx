import type { ReactNode } from 'react'
import { ExplainedFailure } from './failures/explained-failure'
import type { CallError } from './ipc'
import { SkeletonRows } from './ui/skeleton'

interface Query<T> {
  readonly data: T | undefined
  readonly error: CallError | null
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

/** Combines two queries. The result has data when both have. */
export const joinQueries = <A, B>(a: Query<A>, b: Query<B>): Query<readonly [A, B]> => ({
  data: a.data === undefined || b.data === undefined ? undefined : [a.data, b.data],
  error: a.error ?? b.error,
  isFetching: a.isFetching || b.isFetching,
  refetch: () => [a.refetch(), b.refetch()],
})

export function Loaded<T>(props: {
  readonly query: Query<T>
  /** Number of rows of the placeholder while loading. */
  readonly rows?: number
  /** Placeholder while loading that is not a list of rows. */
  readonly skeleton?: ReactNode
  readonly children: (data: T) => ReactNode
}) {
  const { query, rows = 3, skeleton = <SkeletonRows rows={rows} />, children } = props
  const { data, error, isFetching, refetch } = query
  const failureView = error && (
    <ExplainedFailure failure={error.failure} handlers={{ tryAgain: () => void refetch() }} busy={isFetching} />
  )
  if (data === undefined) return failureView ?? skeleton
  return (
    <>
      {failureView}
      {children(data)}
    </>
  )
}
