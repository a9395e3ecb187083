import { dayMs, hourMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../../ui/field'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Select } from '../../../ui/select'
import { Hint } from '../../../ui/text'

interface GraceFieldProps {
  readonly grace: GracePeriodInput
  readonly onChange: (grace: GracePeriodInput) => void
}

export function GraceField({ grace, onChange }: GraceFieldProps) {
  const { t } = useTranslation('rotation')
  const texts = useGraceTexts()
  const isInvalid = toGraceMs(grace) === undefined
  return (
    <div className="flex flex-col items-start gap-1.5">
      <p className="font-medium">{t('grace.label')}</p>
      <SegmentedControl
        label={t('grace.label')}
        value={String(grace.chosen)}
        onValueChange={(value) => onChange({ ...grace, chosen: value === 'custom' ? value : Number(value) })}
        segments={[
          ...gracePeriods.map((ms) => ({ value: String(ms), label: ms === 0 ? t('grace.now') : texts(ms) })),
          { value: 'custom', label: t('grace.custom') },
        ]}
      />
      {grace.chosen === 'custom' ? (
        <div className="mt-1 grid grid-cols-[140px_140px] gap-3">
          <Field label={t('grace.amount')} error={isInvalid ? t('grace.invalid') : undefined}>
            <TextInput
              autoFocus
              inputMode="numeric"
              value={grace.amount}
              onChange={(event) => onChange({ ...grace, amount: event.target.value })}
            />
          </Field>
          <Field label={t('grace.unit')}>
            <Select
              value={grace.unit}
              onValueChange={(unit) => onChange({ ...grace, unit })}
              options={[
                { value: 'hour', label: t('grace.units.hour') },
                { value: 'day', label: t('grace.units.day') },
              ]}
            />
          </Field>
        </div>
      ) : null}
      <Hint>{toGraceMs(grace) === 0 ? t('grace.hintNow') : t('grace.hint')}</Hint>
    </div>
  )
}

/** Maximum grace period of the old key in ms (contract). */
const maxGraceMs = 30 * dayMs

/** Grace periods that are offered, in ms. */
const gracePeriods = [0, hourMs, dayMs, 7 * dayMs] as const

/** Length of each unit in ms. */
const graceUnits = { hour: hourMs, day: dayMs } as const
type GraceUnit = keyof typeof graceUnits

/** Selected grace period: a preset in ms, or a custom amount and unit. */
export interface GracePeriodInput {
  readonly chosen: number | 'custom'
  readonly amount: string
  readonly unit: GraceUnit
}

/** Default grace period: one day. It leaves time to find tools that still use the old key. */
export const defaultGrace: GracePeriodInput = { chosen: dayMs, amount: '3', unit: 'day' }

/** Converts the choice to ms. Undefined for a custom period that is not a whole number or exceeds 30 days. */
export function toGraceMs({ chosen, amount, unit }: GracePeriodInput): number | undefined {
  if (chosen !== 'custom') return chosen
  if (!/^\d{1,3}$/.test(amount.trim())) return undefined
  const graceMs = Number(amount) * graceUnits[unit]
  return graceMs <= maxGraceMs ? graceMs : undefined
}

/** Converts a period to days if it is a whole number of days, or else to hours. */
function toGraceUnits(ms: number): { readonly unit: GraceUnit; readonly count: number } {
  const isComplete = ms % dayMs === 0
  return isComplete ? { unit: 'day', count: ms / dayMs } : { unit: 'hour', count: Math.round(ms / hourMs) }
}

/** Formats a period, such as "7 days". */
export function useGraceTexts(): (ms: number) => string {
  const { t } = useTranslation('rotation')
  return (ms) => {
    const { unit, count } = toGraceUnits(ms)
    return unit === 'day' ? t('grace.days', { count }) : t('grace.hours', { count })
  }
}
