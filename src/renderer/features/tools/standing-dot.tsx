import type { SetupView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/badge'
import { standingWord, statusTones } from './tool-status'

/** How a setup stands, as a dot and a word. */
export function StandingDot({ setup }: { readonly setup: Pick<SetupView, 'status' | 'relayOff'> }) {
  const { t } = useTranslation('tools')
  const word = standingWord(setup)
  return <StatusDot tone={statusTones[word]} label={t(`statuses.${word}`)} />
}
