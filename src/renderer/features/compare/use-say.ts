import { useFailureWords } from '../../i18n/failures'
import type { CallError } from '../../ipc'
import { toast } from '../../ui/toast'

/** Says in a toast that something failed, and what helps. */
export function useSayFailure(): (error: CallError) => void {
  const words = useFailureWords()
  return ({ failure }) => {
    const { title, remedy } = words(failure)
    void toast(title, { tone: 'danger', description: remedy })
  }
}
