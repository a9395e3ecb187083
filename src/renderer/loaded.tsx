import type { ReactNode } from 'react'
import { ExplainedFailure } from './failures/explained-failure'
import type { CallError } from './ipc'

interface Query<T> {
  readonly data: T | undefined
  readonly error: CallError | null
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

export function Loaded<T>({
  query,
  skeleton,
  children,
}: {
  readonly query: Query<T>
  readonly skeleton: ReactNode
  readonly children: (data: T) => ReactNode
}) {
  const { data, error, isFetching, refetch } = query
  const failureView = error ? (
    <ExplainedFailure failure={error.failure} handlers={{ tryAgain: () => void refetch() }} busy={isFetching} />
  ) : null
  if (data === undefined) return failureView ?? skeleton
  return (
    <>
      {failureView}
      {children(data)}
    </>
  )
}
