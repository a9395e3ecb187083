import type { SetupView, ToolView } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { RowIcon } from '../../ui/rows'
import { getToolStatusKind, statusTones } from './tool-status'

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

interface ToolStatusDotProps {
  readonly setup: Pick<SetupView, 'status' | 'relayOff' | 'conflicts' | 'applied' | 'isOutdated'>
}

export function ToolStatusDot({ setup }: ToolStatusDotProps) {
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
