import { dayMs, hourMs, memoryOverlapMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { getEndOfDay, toDateField } from '../../../format'
import { Field, TextInput } from '../../../ui/field'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Hint } from '../../../ui/text'

const choices = ['now', 'after', 'day', 'confirmed'] as const
type DisableChoice = (typeof choices)[number]

/** When to disable the old key. `chosen` is undefined until the user chooses. */
interface DisableWhen {
  readonly chosen: DisableChoice | undefined
  readonly hours: string
  readonly day: string
}

const defaultDays = 7

export const createDefaultDisableWhen = (currentTime = new Date()): DisableWhen => ({
  chosen: undefined,
  hours: String(memoryOverlapMs / hourMs),
  day: toDateField(new Date(currentTime.getTime() + defaultDays * dayMs).toISOString()),
})

const maxHours = (30 * dayMs) / hourMs

/** Converts the choice to a time. Undefined while a field is missing or invalid. */
export function parseDisableTime(
  { chosen, hours, day }: DisableWhen,
  currentTime = new Date(),
): { disableBy?: string; disableAfterMs?: number } | undefined {
  if (chosen === undefined || chosen === 'confirmed') return {}
  if (chosen === 'now') return { disableAfterMs: 0 }
  if (chosen === 'after') {
    const isValid = /^\d{1,3}$/.test(hours.trim()) && Number(hours) >= 1 && Number(hours) <= maxHours
    return isValid ? { disableAfterMs: Number(hours) * hourMs } : undefined
  }
  const disableBy = getEndOfDay(day)
  return disableBy === undefined || disableBy < currentTime.toISOString() ? undefined : { disableBy }
}

/** Time that is preselected until the user chooses one. */
export const defaultChoice = (hasOthers: boolean, keepsKeyInMemory: boolean): DisableChoice =>
  hasOthers ? 'confirmed' : keepsKeyInMemory ? 'after' : 'now'

interface DisableFieldProps {
  readonly when: DisableWhen
  readonly onChange: (when: DisableWhen) => void
  /** Whether other holders or other computers use the key. */
  readonly hasOthers: boolean
  readonly keepsKeyInMemory: boolean
  /** Whether the rotation starts later, so that no day can be chosen. */
  readonly isScheduled?: boolean
}

/** Field for the time until which both keys work. */
export function DisableField({ when, onChange, hasOthers, keepsKeyInMemory, isScheduled = false }: DisableFieldProps) {
  const { t } = useTranslation('rotation', { keyPrefix: 'disable' })
  const disableChoice = when.chosen ?? defaultChoice(hasOthers, keepsKeyInMemory)
  const isInvalid = parseDisableTime(when) === undefined
  const selectableTimes = choices.filter((choice) =>
    choice === 'day' ? !isScheduled : hasOthers || choice !== 'confirmed',
  )
  return (
    <div className="flex flex-col items-start gap-1.5">
      <p className="font-medium">{t('label')}</p>
      <SegmentedControl
        label={t('label')}
        value={disableChoice}
        onValueChange={(chosen) => onChange({ ...when, chosen })}
        segments={selectableTimes.map((value) => ({ value, label: t(`choices.${value}`) }))}
      />
      {disableChoice === 'after' ? (
        <div className="mt-1 w-35">
          <Field label={t('hours')} error={isInvalid ? t('hoursWrong') : undefined}>
            <TextInput
              inputMode="numeric"
              value={when.hours}
              onChange={(event) => onChange({ ...when, chosen: 'after', hours: event.target.value })}
            />
          </Field>
        </div>
      ) : null}
      {disableChoice === 'day' ? (
        <Field label={t('day')} error={when.day !== '' && isInvalid ? t('dayOver') : undefined}>
          <TextInput
            type="date"
            value={when.day}
            onChange={(event) => onChange({ ...when, day: event.target.value })}
          />
        </Field>
      ) : null}
      <Hint>{t(`hints.${disableChoice}`)}</Hint>
    </div>
  )
}
