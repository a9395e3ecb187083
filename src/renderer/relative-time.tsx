import type { ConnectionView } from '@shared/contract'
import { useEffect, useState } from 'react'
import { formatRelative } from './format'
import { useCall } from './ipc'

const refreshIntervalMs = 30_000

/** Current time, updated twice a minute for relative times. */
export function useNow(): Date {
  const [currentTime, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), refreshIntervalMs)
    return () => clearInterval(timer)
  }, [])
  return currentTime
}

/** Converts local time to server time, which decides when a plan ends and renews. */
export const toServerTime = (currentTime: Date, { aheadMs = 0 }: { readonly aheadMs?: number | undefined }): Date =>
  aheadMs === 0 ? currentTime : new Date(currentTime.getTime() + aheadMs)

/** Current time on a connection's server clock. Defaults to the active connection. */
export function useServerNow(): (connectionId?: string) => Date {
  const currentTime = useNow()
  const { data = [] } = useCall('connections.list', {})
  return (connectionId) => {
    const isMatch = ({ id, isActive }: ConnectionView): boolean => (connectionId ? id === connectionId : isActive)
    return toServerTime(currentTime, data.find(isMatch) ?? {})
  }
}

/** Relative time on the server's clock. */
export function PlatformTime({ at, connectionId }: { readonly at: string; readonly connectionId?: string }) {
  return <RelativeTimeText at={at} currentTime={useServerNow()(connectionId)} />
}

export function RelativeTime({ at, aheadMs }: { readonly at: string; readonly aheadMs?: number | undefined }) {
  return <RelativeTimeText at={at} currentTime={toServerTime(useNow(), { aheadMs })} />
}

function RelativeTimeText({ at, currentTime }: { readonly at: string; readonly currentTime: Date }) {
  const { short, exact } = formatRelative(at, currentTime)
  return (
    <time dateTime={at} title={exact}>
      {short}
    </time>
  )
}
