import type { OperationView } from '@shared/contract'
import { useEffect, useRef } from 'react'
import { useFailureWords } from '../../i18n/failures'
import { toast } from '../../ui/toast'
import { useOperationWords } from './use-operation-words'

/** One ending of one operation: watched again, it may fail a second time. */
const endingOf = ({ id, endedAt }: OperationView): string => `${id} ${endedAt ?? ''}`

const isNew = ({ endedAt }: OperationView): boolean =>
  endedAt !== undefined && Date.parse(endedAt) >= performance.timeOrigin

/** Announces an operation that fails while the window is open, once; what had failed before is in the list only. */
export function useAnnounceFailures(operations: readonly OperationView[] | undefined): void {
  const words = useOperationWords()
  const explain = useFailureWords()
  const announced = useRef(new Set<string>())
  useEffect(() => {
    for (const one of operations ?? []) {
      if (one.state !== 'failed' || !isNew(one) || announced.current.has(endingOf(one))) continue
      announced.current.add(endingOf(one))
      const why = one.failure && explain(one.failure).title
      void toast(words(one), { tone: 'danger', ...(why ? { description: why } : {}) })
    }
  }, [operations, words, explain])
}
