import type { PlanView, ToolView } from '@shared/contract'
import { MessageSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { InstallHint } from './tool-header'
import { getToolStatus, isOnComputer, toolPath } from './tool-status'
import { useToolsStore } from './tools-store'

/**
 * Suggests a first tool to configure: an installed one, or how to install one. Renders nothing if any tool is
 * configured.
 */
export function FirstToolSuggestion({ tools, plan }: { readonly tools: readonly ToolView[]; readonly plan: PlanView }) {
  const { t } = useTranslation('tools')
  const pickTools = useToolsStore((store) => store.pick)
  if (tools.some((tool) => getToolStatus(tool).status !== 'absent')) return null
  // Suggest the first installed tool, because the list starts with the most common tools.
  const likelyTool = tools.find((tool) => tool.kind === 'written' && tool.installed)
  const example = tools.find((tool) => tool.kind === 'written' && tool.install !== undefined)
  if (likelyTool) {
    return (
      <Callout
        tone="info"
        title={t('first.title', { tool: likelyTool.name })}
        actions={[
          {
            label: t('first.preview'),
            variant: 'primary',
            to: toolPath(likelyTool.id, 'configure'),
            onClick: () => pickTools(likelyTool.id, { planId: plan.id }),
          },
        ]}
      >
        {t('first.text', { plan: plan.name })}
      </Callout>
    )
  }
  if (!example || tools.some(isOnComputer)) return null
  return (
    <Callout
      tone="info"
      title={t('first.none')}
      actions={[{ label: t('first.playground'), icon: MessageSquare, to: '/playground' }]}
    >
      <p>{t('first.noneText', { tool: example.name })}</p>
      <InstallHint install={example.install} />
    </Callout>
  )
}
