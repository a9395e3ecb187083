import { useRef } from 'react'
import { call, useAction } from '../../ipc'
import { type CheckWish, useCheckStore } from './check-store'

const filled = ({ url, ...rest }: CheckWish) => ({
  url: url.trim(),
  ...Object.fromEntries(
    Object.entries(rest).flatMap(([field, value]) => (value.trim() === '' ? [] : [[field, value.trim()]])),
  ),
})

/** Checks a container with what is typed, and stops when asked to. What was found stays until the next check is done. */
export function useCheck() {
  const { wish, find } = useCheckStore()
  const callId = useRef('')
  const checking = useAction('containers.check', { onSuccess: find })
  const isRunning = checking.isPending
  const failure = checking.error?.failure
  return {
    isRunning,
    wasCancelled: failure?.code === 'net.cancelled',
    failure: failure?.code === 'net.cancelled' ? undefined : failure,
    start: (): void => {
      if (isRunning || wish.url.trim() === '') return
      find(undefined)
      callId.current = crypto.randomUUID()
      checking.mutate({ callId: callId.current, ...filled(wish) })
    },
    cancel: (): void => void call('calls.cancel', { callId: callId.current }),
  }
}
