import type { AddressView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCall } from '../../ipc'

const settleMs = 250

/** What an address as typed means. */
export interface ReadAddress {
  /** The reading of exactly what stands in the field now. */
  readonly address: AddressView | undefined
  /** The last reading there was, to show while the next is on its way. */
  readonly shown: AddressView | undefined
  readonly failure: Failure | undefined
}

/** Has main read an address a moment after it was typed. */
export function useReadAddress(text: string): ReadAddress {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text, settled])
  const isEmpty = settled.trim() === ''
  const query = useCall(
    'plans.readAddress',
    { text: settled.slice(0, 4000) },
    { enabled: !isEmpty, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY },
  )
  const isNow = text === settled && !query.isPlaceholderData && !isEmpty
  return {
    address: isNow ? query.data : undefined,
    shown: isEmpty || query.isError ? undefined : query.data,
    failure: isNow ? query.error?.failure : undefined,
  }
}
