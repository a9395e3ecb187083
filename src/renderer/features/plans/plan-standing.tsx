import { useTranslation } from 'react-i18next'
import { StatusDot, type Tone } from '../../ui/badge'
import type { Standing } from './entries'

const tones: Record<Standing, Tone> = {
  active: 'success',
  works: 'success',
  provisioning: 'accent',
  renewalFailing: 'danger',
  expired: 'danger',
  fails: 'danger',
  unchecked: 'neutral',
}

/** How a plan stands, as a dot and its word; it pulses while the platform is at it. */
export function StandingDot({ standing, word }: { readonly standing: Standing; readonly word: string }) {
  return <StatusDot tone={tones[standing]} label={word} pulse={standing === 'provisioning'} />
}

/** How a plan stands, in the language of the window. */
export function PlanStanding({ standing }: { readonly standing: Standing }) {
  const { t } = useTranslation('plans')
  return <StandingDot standing={standing} word={t(`account.standings.${standing}`)} />
}
