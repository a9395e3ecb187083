import type { MethodInput, MethodOutput } from '@shared/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type CallError, useCall } from '../../ipc'

const settleMs = 180

/** The value as it was once it had not changed for a moment; the first one at once. */
function useSettled<T>(value: T | undefined): T | undefined {
  const [settled, setSettled] = useState(value)
  const [now, before] = [JSON.stringify(value), JSON.stringify(settled)]
  useEffect(() => {
    if (now === before) return
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [now, before, value])
  return settled ?? value
}

/** What a choice gives, as it is on the screen. */
export interface Shown<T> {
  readonly preview: T | undefined
  readonly error: CallError | null
  /** What is on the screen is not (or not yet) that of the present choice. */
  readonly isOld: boolean
  readonly refresh: () => void
}

type Previewing = 'tools.preview' | 'tools.previewMany' | 'tools.guide'

const nothing: { readonly [N in Previewing]: MethodInput<N> } = {
  'tools.preview': { toolId: '', planId: '', modelCode: '-' },
  'tools.previewMany': { choices: [] },
  'tools.guide': { toolId: '', planId: '', modelCode: '-' },
}

/** What a choice gives; nothing is asked for without one. While the next answer is on its way the former stays on the screen, marked as old. */
export function useShown<N extends Previewing>(
  name: N,
  input: MethodInput<N> | undefined,
): Shown<MethodOutput<N>> & { readonly isAsking: boolean } {
  const settled = useSettled(input)
  const query = useCall(name, settled ?? nothing[name], {
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const isSettled = JSON.stringify(settled) === JSON.stringify(input)
  return {
    preview: input === undefined || query.isError ? undefined : query.data,
    error: input === undefined ? null : query.error,
    // Asking again for the same choice keeps what is shown: a press on it counts, and main refuses it if a file changed.
    isOld: !isSettled || query.isPlaceholderData || (query.isFetching && query.isError),
    isAsking: query.isFetching,
    refresh: () => void query.refetch(),
  }
}
