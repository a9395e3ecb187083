import type { ConnectionView, MethodInput } from '@shared/contract'
import { useEffect, useRef, useState } from 'react'
import { useCall } from '../../../ipc'
import { linesOf } from './log-lines'
import { type Loaded, nothingLoaded, withNewer } from './merge-lines'

/** How often a log is asked for while it is followed, in ms. */
export const followMs = 3000

/** Which part of which log. */
export interface LogSource {
  readonly runtimeId: string
  /** Nothing for the runtime's own. */
  readonly endpointId: string | undefined
  readonly from: number
  readonly limit: number
}

/** The call that asks for a part of a log. */
export const logCall = (
  { id: connectionId }: ConnectionView,
  { runtimeId, endpointId, from, limit }: LogSource,
): MethodInput<'resources.call'> => ({
  connectionId,
  operation: endpointId === undefined ? 'runtime.agentRuntimes.logs' : 'runtime.endpoints.logs',
  path: { id: runtimeId, ...(endpointId !== undefined && { endpointId }) },
  body: { from, limit },
})

/**
 * The lines that a call asks for. While it is followed it is asked again and again, not while the window is hidden, and what is new is
 * added; otherwise each answer stands in the place of the one before.
 */
export function useLogs(asked: MethodInput<'resources.call'>, isFollowing: boolean) {
  const query = useCall('resources.call', asked, {
    refetchInterval: isFollowing ? followMs : false,
    refetchOnWindowFocus: isFollowing,
    staleTime: 0,
  })
  const { data } = query
  const of = JSON.stringify(asked)
  const [held, setHeld] = useState<Loaded & { readonly of: string }>({ ...nothingLoaded, of })
  const following = useRef(isFollowing)
  following.current = isFollowing
  useEffect(() => {
    if (!data) return
    const came = linesOf(data.data)
    setHeld((before) => {
      const isMore = following.current && before.of === of
      return { ...(isMore ? withNewer(before, came) : { ...nothingLoaded, lines: came }), of }
    })
  }, [data, of])
  const loaded: Loaded = held.of === of ? held : nothingLoaded
  return { query, loaded }
}
