import type { Holder } from '@shared/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useCall } from '../../ipc'
import { useSettled } from './use-handout'

const longestText = 100_000

/** The holders that a pasted text names, as main reads it: each once; what was left out is told. */
export function useNames(text: string) {
  const settled = useSettled(text).slice(0, longestText)
  const isEmpty = settled.trim() === ''
  const { data, error, isFetching } = useCall(
    'handouts.readNames',
    { text: settled },
    { enabled: !isEmpty, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY },
  )
  const holders: readonly Holder[] = isEmpty ? [] : (data?.holders ?? [])
  return {
    holders,
    left: isEmpty ? [] : (data?.left ?? []),
    failure: isEmpty ? undefined : error?.failure,
    /** What stands in the field has been read. */
    isRead: !isFetching && settled === text.slice(0, longestText),
  }
}
