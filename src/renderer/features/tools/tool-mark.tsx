import type { SetupView, ToolView } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { RowMark } from '../../ui/rows'
import { standingWord, statusTones } from './tool-status'

/** Unique initials, such as "CC" for Claude Code, "Cd" for Codex CLI, "Cn" for Continue. */
function buildInitials(name: string): string {
  const [shortName = name] = name.split(/ CLI$/)
  const capitals = shortName.match(/\p{Lu}/gu) ?? []
  // Take the first and third letter of a single word, because its second letter is often the same vowel.
  return capitals.length > 1
    ? capitals.slice(0, 2).join('')
    : shortName.charAt(0) + (shortName.charAt(2) || shortName.charAt(1))
}

export const ToolMark = ({ tool }: { tool: Pick<ToolView, 'name'> }) => <RowMark>{buildInitials(tool.name)}</RowMark>

export function ToolStatusDot({
  setup,
}: {
  readonly setup: Pick<SetupView, 'status' | 'relayOff' | 'conflicts' | 'applied' | 'isOutdated'>
}) {
  const { t } = useTranslation('tools')
  const word = standingWord(setup)
  return <StatusDot tone={statusTones[word]} label={t(`statuses.${word}`)} />
}

/** Empty state without a plan. */
export function AddPlanFirst() {
  const { t } = useTranslation('tools')
  return (
    <Callout
      tone="info"
      title={t('noPlanTitle')}
      actions={
        <>
          <ButtonLink size="sm" to="/sandbox">
            {t('openSandbox')}
          </ButtonLink>
          <ButtonLink size="sm" variant="primary" icon={KeyRound} to="/plans/new">
            {t('addPlan')}
          </ButtonLink>
        </>
      }
    >
      {t('noPlanText')}
    </Callout>
  )
}
