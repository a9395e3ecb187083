import { useEffect, useState } from 'react'
import { useFormats } from './format'

const refreshMs = 30_000

/** The present moment, renewed twice a minute, for what is shown relative to it. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), refreshMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** The present moment by the clock of the place that a plan is of, by which it ends and is renewed. */
export const nowThere = (now: Date, { aheadMs = 0 }: { readonly aheadMs?: number | undefined }): Date =>
  aheadMs === 0 ? now : new Date(now.getTime() + aheadMs)

/** How far a moment is from now, with the exact one as its title; stays right while it is on the screen. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow()
  const { short, exact } = useFormats().relative(at, now)
  return (
    <time dateTime={at} title={exact}>
      {short}
    </time>
  )
}
