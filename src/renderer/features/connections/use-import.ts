import type { ConnectionView } from '@shared/contract'
import { useAction } from '../../ipc'
import { newDraft, useDrafts } from './drafts'
import { entriesOf } from './entries'

/** Asks for a connection file and fills a form in with what it holds; what stood there before can be brought back. */
export function useImport(connection: ConnectionView | undefined, onFilled?: () => void) {
  const of = connection?.id ?? newDraft
  const reading = useAction('connections.readFile')
  const { drafts, keep } = useDrafts()
  const choose = (): void => {
    if (reading.isPending) return
    reading.mutate(
      {},
      {
        onSuccess: ({ draft: read }) => {
          if (!read) return
          const before = drafts[of]?.entries ?? entriesOf(connection)
          // What was pasted for this form stays: a file never holds a secret.
          const entries = { ...entriesOf(read), pending: before.pending }
          keep(of, { entries, imported: { corrections: read.corrections, before } })
          onFilled?.()
        },
      },
    )
  }
  return { choose, isReading: reading.isPending, failure: reading.error?.failure, reset: reading.reset }
}
