import type { ResourceAnswer } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { call, useAction } from '../../ipc'
import type { Request } from './form-values'

/** Asks again for every list that is on the screen; with `things`, for what the pages of single things show as well. */
export function useRefreshResources(): (what?: 'lists' | 'things') => void {
  const queries = useQueryClient()
  return useCallback(
    (what = 'things') =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [name] }) =>
          String(name).startsWith('resources.') && (what === 'things' || name !== 'resources.call'),
      }),
    [queries],
  )
}

interface Running {
  readonly connectionId: string
  /** The thing is gone afterwards: its page must not be asked for again. */
  readonly removes?: boolean | undefined
  readonly onDone: (answer: ResourceAnswer) => void
}

/** Calls the platform once, and stops it when asked to; lists are renewed whatever came of it. */
export function useRun({ connectionId, removes = false, onDone }: Running) {
  const refresh = useRefreshResources()
  const callId = useRef('')
  const running = useAction('resources.call', {
    onSuccess: onDone,
    onSettled: (_, error) => refresh(removes && !error ? 'lists' : 'things'),
  })
  const run = (request: Request): void => {
    if (running.isPending) return
    callId.current = crypto.randomUUID()
    running.mutate({ ...request, connectionId, callId: callId.current })
  }
  const cancel = (): void => {
    if (running.isPending) void call('calls.cancel', { callId: callId.current })
  }
  return { run, cancel, isRunning: running.isPending, failure: running.error?.failure }
}
