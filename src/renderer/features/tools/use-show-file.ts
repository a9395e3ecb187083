import type { MethodInput } from '@shared/contract'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { toast } from '../../ui/toast'

/** Opens the folder of one of a tool's files (the one with the address when none is named); says in a toast when that fails. */
export function useShowFile(): (which: MethodInput<'tools.showFile'>) => void {
  const words = useFailureWords()
  const { mutate } = useAction('tools.showFile', {
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger', description: words(failure).remedy }),
  })
  return mutate
}
