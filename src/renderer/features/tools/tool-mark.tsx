import type { SetupView, ToolView } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { RowMark } from '../../ui/rows'
import { standingWord, statusTones } from './tool-status'

/** The initials of a tool in a frame: "CC", "OC". */
export function ToolMark({ tool }: { tool: Pick<ToolView, 'name'> }) {
  const capitals = tool.name.match(/\p{Lu}/gu) ?? []
  const initials = capitals.length > 1 ? capitals.slice(0, 2).join('') : tool.name.slice(0, 2)
  return <RowMark>{initials}</RowMark>
}

/** How a setup stands, as a dot and a word. */
export function StandingDot({ setup }: { readonly setup: Pick<SetupView, 'status' | 'relayOff' | 'conflicts'> }) {
  const { t } = useTranslation('tools')
  const word = standingWord(setup)
  return <StatusDot tone={statusTones[word]} label={t(`statuses.${word}`)} />
}

/** Says that a tool needs a plan, with the ways to one. */
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
