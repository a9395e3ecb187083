import type { MethodOutput } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call, invalidateDomains } from '../../ipc'
import { toast } from '../../ui/toast'

/** The page with what going back to before a write would put back. */
export const rewindPath = (entryId: string): string => `/history/${encodeURIComponent(entryId)}`

const noEntries = (): MethodOutput<'tools.history'> => []

/** Says in a toast that something was written, with an undo that goes back to before it: at once where all can be put back, else by its page. */
export function useSayWritten(): (title: string) => Promise<void> {
  const { t } = useTranslation('history')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const words = useFailureWords()
  const undo = async (entryId: string): Promise<void> => {
    try {
      const preview = await call('tools.previewRewind', { entryId })
      if (preview.left.length > 0) return void navigate(rewindPath(entryId))
      await call('tools.applyMany', { previewId: preview.previewId })
      await toast(t('undone'))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const { title, remedy } = words(error.failure)
      await toast(title, { tone: 'danger', description: remedy })
    } finally {
      invalidateDomains(queries, ['tools', 'plans', 'profiles'])
    }
  }
  return async (title) => {
    // Asked for now: by the time of the undo something else may have been written.
    const [entry] = await call('tools.history', {}).catch(noEntries)
    await toast(title, entry ? { action: { label: t('undo'), onClick: () => void undo(entry.id) } } : {})
  }
}
