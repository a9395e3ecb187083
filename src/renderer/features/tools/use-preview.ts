import type { MethodInput, PreviewView } from '@shared/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type CallError, useCall } from '../../ipc'

type PreviewInput = MethodInput<'tools.preview'>

const settleMs = 180

/** The value as it was once it had not changed for a moment; the first one at once. */
function useSettled(value: PreviewInput | undefined): PreviewInput | undefined {
  const [settled, setSettled] = useState(value)
  const [now, before] = [JSON.stringify(value), JSON.stringify(settled)]
  useEffect(() => {
    if (now === before) return
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [now, before, value])
  return settled ?? value
}

export interface ShownPreview {
  readonly preview: PreviewView | undefined
  readonly error: CallError | null
  /** The preview on the screen is not (or not yet) the one of the present choice. */
  readonly isOld: boolean
  readonly refresh: () => void
}

const nothing: PreviewInput = { toolId: '', planId: '', modelCode: '-' }

/** What a choice would change. While the next preview is on its way the former stays on the screen, marked as old. */
export function usePreview(input: PreviewInput | undefined): ShownPreview {
  const settled = useSettled(input)
  const query = useCall('tools.preview', settled ?? nothing, {
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const isSettled = JSON.stringify(settled) === JSON.stringify(input)
  return {
    preview: input === undefined || query.isError ? undefined : query.data,
    error: input === undefined ? null : query.error,
    isOld: !isSettled || query.isPlaceholderData || query.isFetching,
    refresh: () => void query.refetch(),
  }
}
