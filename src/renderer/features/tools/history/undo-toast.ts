import type { MethodOutput } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useNavigate } from 'react-router'
import { showFailureToast } from '../../../i18n/failures'
import { call, invalidateDomains } from '../../../ipc'
import { toast } from '../../../ui/toast'

const t = i18next.getFixedT(null, 'history')

/** Path of the page that previews undoing a write and all later ones. */
export const rewindPath = (entryId: string): string => `/history/${encodeURIComponent(entryId)}`

/** Shows a toast with an Undo button, which opens a preview if it cannot restore everything. */
export function useUndoableToast(): (title: string) => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const undoWrite = async (entryId: string): Promise<void> => {
    try {
      const preview = await call('tools.previewRewind', { entryId })
      if (preview.left.length > 0) return void navigate(rewindPath(entryId))
      await call('tools.applyMany', { previewId: preview.previewId })
      await toast(t('undone'))
    } catch (error) {
      showFailureToast()(error)
    } finally {
      invalidateDomains(queries, ['tools', 'plans', 'profiles'])
    }
  }
  return async (title) => {
    // Find the latest write now, because another write may follow before the user presses Undo.
    const [entry] = await call('tools.history', {}).catch((): MethodOutput<'tools.history'> => [])
    await toast(title, entry ? { action: { label: t('undo'), onClick: () => void undoWrite(entry.id) } } : {})
  }
}
