import type { ToolView } from '@shared/contract'
import { Copy, FileText, RefreshCw, SlidersHorizontal, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { call, useAction } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { toolPath } from './tool-status'

/** Opens the folder of a tool's settings file; says in a toast when that fails. */
export function useShowFile(): (toolId: string) => void {
  const words = useFailureWords()
  const { mutate } = useAction('tools.showFile', {
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger', description: words(failure).remedy }),
  })
  return (toolId) => mutate({ toolId })
}

/** Everything that can be done with a tool, for its menu. */
export function useToolMenu(tool: ToolView): readonly MenuItem[] {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const showFile = useShowFile()
  const { id, applied } = tool
  const copyAddress = async (): Promise<void> => {
    if (!applied) return
    await call('app.copyText', { text: applied.requestAddress })
    await toast(t('addressCopied'), { description: applied.requestAddress })
  }
  return [
    {
      label: t('actions.verify'),
      icon: RefreshCw,
      disabled: !applied,
      onSelect: () => navigate(toolPath(id, 'verify')),
    },
    {
      label: applied ? t('actions.change') : t('actions.configure'),
      icon: SlidersHorizontal,
      onSelect: () => navigate(toolPath(id, 'configure')),
    },
    { label: t('actions.copyAddress'), icon: Copy, disabled: !applied, onSelect: () => void copyAddress() },
    { label: t('actions.showFile'), icon: FileText, onSelect: () => showFile(id) },
    'separator',
    {
      label: t('actions.undo'),
      icon: Undo2,
      disabled: !applied,
      onSelect: () => navigate(toolPath(id, 'undo')),
    },
  ]
}
