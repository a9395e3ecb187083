import type { PlanView, SetupView, ToolView } from '@shared/contract'
import { KeyRound, MessageSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { StatusDot } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { RowIcon } from '../../ui/rows'
import { useToolsStore } from './tool-form'
import { getToolStatus, getToolStatusKind, isOnComputer, statusTones, toolPath } from './tool-status'

/** Unique initials, such as "CC" for Claude Code, "Cd" for Codex CLI, "Cn" for Continue. */
function buildInitials(name: string): string {
  const [shortName = name] = name.split(/ CLI$/)
  const capitalLetters = shortName.match(/\p{Lu}/gu) ?? []
  // Take the first and third letter of a single word, because its second letter is often the same vowel.
  return capitalLetters.length > 1
    ? capitalLetters.slice(0, 2).join('')
    : shortName.charAt(0) + (shortName.charAt(2) || shortName.charAt(1))
}

export const ToolInitials = ({ tool }: { tool: Pick<ToolView, 'name'> }) => (
  <RowIcon>{buildInitials(tool.name)}</RowIcon>
)

export function ToolStatusDot(props: {
  readonly setup: Pick<SetupView, 'status' | 'relayOff' | 'conflicts' | 'applied' | 'isOutdated'>
}) {
  const { setup } = props
  const { t } = useTranslation('tools')
  const statusKind = getToolStatusKind(setup)
  return <StatusDot tone={statusTones[statusKind]} label={t(`statuses.${statusKind}`)} />
}

/** Empty state without a plan. */
export function AddPlanHint() {
  const { t } = useTranslation('tools')
  return (
    <Callout
      tone="info"
      title={t('noPlanTitle')}
      actions={[
        { label: t('openSandbox'), to: '/sandbox' },
        { label: t('addPlan'), variant: 'primary', icon: KeyRound, to: '/plans/new' },
      ]}
    >
      {t('noPlanText')}
    </Callout>
  )
}

/** Suggests a first tool to configure or to install. Renders nothing if any tool is configured. */
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

export function InstallHint({ install }: Pick<ToolView, 'install'>) {
  const { t } = useTranslation('tools')
  if (!install) return <span>{t('notInstalled')}</span>
  const isCommand = 'command' in install
  const text = isCommand ? install.command : install.url
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-1">
      {t('notInstalled')} · {t(isCommand ? 'install' : 'installFrom')} <Code>{text}</Code>
      <CopyText text={text} label={t(isCommand ? 'copyInstall' : 'copyInstallPage')} />
    </span>
  )
}
