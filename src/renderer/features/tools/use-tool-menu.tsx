import type { MethodInput, ToolView } from '@shared/contract'
import { Clock, Copy, FileText, RefreshCw, SlidersHorizontal, Stethoscope, TextCursorInput, Undo2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call, useCall } from '../../ipc'
import { useCurrentPlan } from '../../session'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { setupKey, siteText, type ToolHere, toolAt } from './sites'
import { previewInput, resolveToolForm } from './tool-form'
import { toolPath } from './tool-status'
import { useToolsStore } from './tools-store'
import { useShowFile } from './use-tool-actions'

const SnippetsDialog = lazy(async () => ({ default: (await import('./snippets-dialog')).SnippetsDialog }))

/** The page with everything this app wrote to a tool. */
const historyPath = (toolId: string): string => `/history?tool=${encodeURIComponent(toolId)}`

/** The page that examines a tool. */
const doctorPath = ({ id, site }: Pick<ToolHere, 'id' | 'site'>): string =>
  `/tools/${encodeURIComponent(id)}/doctor${site.kind === 'user' ? '' : `?at=${encodeURIComponent(siteText(site))}`}`

interface ToolMenu {
  readonly itemsOf: (tool: ToolHere) => readonly MenuItem[]
  /** To be rendered once, beside the menu. */
  readonly dialog: ReactNode
}

/** The choice that a tool's form would show, for its text to copy. */
function useChoiceOf(): (tool: ToolHere) => MethodInput<'tools.snippets'> | undefined {
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const all = useToolsStore((store) => store.picked)
  return (tool) => {
    const picked = all[setupKey(tool.id, tool.site)] ?? {}
    return previewInput(tool, resolveToolForm({ tool, plans, currentPlan, picked }), picked)
  }
}

function useCopyAddress(): (applied: ToolView['applied']) => Promise<void> {
  const { t } = useTranslation('tools')
  return async (applied) => {
    if (!applied) return
    await call('app.copyText', { text: applied.requestAddress })
    await toast(t('addressCopied'), { description: applied.requestAddress })
  }
}

function useWrittenItems(onCopyAsText: (choice: MethodInput<'tools.snippets'>) => void) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const showFile = useShowFile()
  const choiceOf = useChoiceOf()
  const copyAddress = useCopyAddress()
  return (tool: ToolHere): readonly MenuItem[] => {
    const { id, site, applied } = tool
    const choice = choiceOf(tool)
    const go = (path: string) => (): void => void navigate(path)
    const isNew = !applied
    return [
      { label: t('actions.verify'), icon: RefreshCw, disabled: isNew, onSelect: go(toolPath(id, 'verify', site)) },
      { label: t('actions.doctor'), icon: Stethoscope, disabled: isNew, onSelect: go(doctorPath(tool)) },
      {
        label: isNew ? t('actions.setUp') : t('actions.change'),
        icon: SlidersHorizontal,
        onSelect: go(toolPath(id, 'configure', site)),
      },
      'separator',
      { label: t('actions.copyAddress'), icon: Copy, disabled: isNew, onSelect: () => void copyAddress(applied) },
      {
        label: t('actions.copyAsText'),
        icon: TextCursorInput,
        disabled: choice === undefined,
        onSelect: () => choice && onCopyAsText(choice),
      },
      { label: t('actions.showFile'), icon: FileText, onSelect: () => showFile(toolAt(id, site)) },
      { label: t('actions.history'), icon: Clock, onSelect: go(historyPath(id)) },
      'separator',
      { label: t('actions.undo'), icon: Undo2, disabled: isNew, onSelect: go(toolPath(id, 'undo', site)) },
    ]
  }
}

/** Everything that can be done with a tool, for its menu; nothing for one that this app writes no files of. */
export function useToolMenu(): ToolMenu {
  const [copied, setCopied] = useState<MethodInput<'tools.snippets'>>()
  const written = useWrittenItems(setCopied)
  return {
    itemsOf: (tool) => (tool.kind === 'written' ? written(tool) : []),
    dialog: copied ? (
      <Suspense fallback={null}>
        <SnippetsDialog choice={copied} open onClose={() => setCopied(undefined)} />
      </Suspense>
    ) : null,
  }
}
