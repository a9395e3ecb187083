import { dayMs, defaultGraceMs, hourMs, memoryOverlapMs } from '@shared/durations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getEndOfDay, toDateField } from '../../../format'
import { TextField } from '../../../ui/field'
import { SegmentedField } from '../../../ui/radio-cards'
import { SelectField } from '../../../ui/select'
import { Hint } from '../../../ui/text'

/** Maximum grace period and maximum time until the old key is disabled, in days (contract). */
const maxDays = 30

const disableChoices = ['now', 'after', 'day', 'confirmed'] as const

const defaultDays = 7

const createDefaultDisableWhen = () => ({
  chosen: undefined as (typeof disableChoices)[number] | undefined,
  hours: String(memoryOverlapMs / hourMs),
  day: toDateField(new Date(Date.now() + defaultDays * dayMs).toISOString()),
})

type DisableInput = ReturnType<typeof createDefaultDisableWhen>

const readNumber = (text: string): number => (/^\d{1,3}$/.test(text.trim()) ? Number(text) : Number.NaN)

function parseDisableTime(when: DisableInput): { disableBy?: string; disableAfterMs?: number } | undefined {
  const { chosen, hours, day } = when
  if (chosen === undefined || chosen === 'confirmed') return {}
  if (chosen === 'now') return { disableAfterMs: 0 }
  if (chosen === 'after') {
    const count = readNumber(hours)
    return count >= 1 && count * hourMs <= maxDays * dayMs ? { disableAfterMs: count * hourMs } : undefined
  }
  const disableBy = getEndOfDay(day)
  return disableBy === undefined || disableBy < new Date().toISOString() ? undefined : { disableBy }
}

const gracePeriods = [0, hourMs, dayMs, 7 * dayMs] as const

const graceUnits = { hour: hourMs, day: dayMs } as const

interface GracePeriodInput {
  readonly chosen: number | 'custom'
  readonly amount: string
  readonly unit: keyof typeof graceUnits
}

/** Converts the choice to ms. Undefined for a custom period that is not a whole number or exceeds the maximum. */
function toGraceMs({ chosen, amount, unit }: GracePeriodInput): number | undefined {
  if (chosen !== 'custom') return chosen
  const graceMs = readNumber(amount) * graceUnits[unit]
  return graceMs <= maxDays * dayMs ? graceMs : undefined
}

export function useGraceTexts(): (ms: number) => string {
  const { t } = useTranslation('rotation')
  return (ms) =>
    ms % dayMs === 0 ? t('grace.days', { count: ms / dayMs }) : t('grace.hours', { count: Math.round(ms / hourMs) })
}

export function useKeyEnd() {
  const [grace, setGrace] = useState<GracePeriodInput>({ chosen: defaultGraceMs, amount: '3', unit: 'day' })
  const [when, setWhen] = useState(createDefaultDisableWhen)
  return { grace, setGrace, graceMs: toGraceMs(grace), when, setWhen, disableWhen: parseDisableTime(when) }
}

type KeyEnd = ReturnType<typeof useKeyEnd>

interface KeyUsers {
  readonly hasOthers: boolean
  readonly keepsKeyInMemory: boolean
}

export const getDisableChoice = ({ when }: KeyEnd, { hasOthers, keepsKeyInMemory }: KeyUsers) =>
  when.chosen ?? (hasOthers ? 'confirmed' : keepsKeyInMemory ? 'after' : 'now')

interface KeyEndFieldsProps {
  readonly end: KeyEnd
  readonly users: KeyUsers
  readonly isScheduled?: boolean
}

export function KeyEndFields({ end, users, isScheduled = false }: KeyEndFieldsProps) {
  const { t } = useTranslation('rotation')
  const graceTexts = useGraceTexts()
  const { grace, setGrace, graceMs, when, setWhen, disableWhen } = end
  const choice = getDisableChoice(end, users)
  const selectableTimes = disableChoices.filter((option) =>
    option === 'day' ? !isScheduled : users.hasOthers || option !== 'confirmed',
  )
  return (
    <>
      <SegmentedField
        label={t('disable.label')}
        value={choice}
        onValueChange={(chosen) => setWhen({ ...when, chosen })}
        segments={selectableTimes.map((value) => ({ value, label: t(`disable.choices.${value}`) }))}
      >
        {choice === 'after' ? (
          <TextField
            label={t('disable.hours')}
            className="mt-1 w-35"
            error={disableWhen ? undefined : t('disable.hoursWrong')}
            inputMode="numeric"
            value={when.hours}
            onChange={(hours) => setWhen({ ...when, chosen: 'after', hours })}
          />
        ) : null}
        {choice === 'day' ? (
          <TextField
            label={t('disable.day')}
            error={when.day !== '' && !disableWhen ? t('disable.dayOver') : undefined}
            type="date"
            value={when.day}
            onChange={(day) => setWhen({ ...when, day })}
          />
        ) : null}
        <Hint>{t(`disable.hints.${choice}`)}</Hint>
      </SegmentedField>
      <SegmentedField
        label={t('grace.label')}
        value={String(grace.chosen)}
        onValueChange={(value) => setGrace({ ...grace, chosen: value === 'custom' ? value : Number(value) })}
        segments={[
          ...gracePeriods.map((ms) => ({ value: String(ms), label: ms === 0 ? t('grace.now') : graceTexts(ms) })),
          { value: 'custom', label: t('grace.custom') },
        ]}
      >
        {grace.chosen === 'custom' ? (
          <div className="mt-1 grid grid-cols-[140px_140px] gap-3">
            <TextField
              label={t('grace.amount')}
              error={graceMs === undefined ? t('grace.invalid') : undefined}
              autoFocus
              inputMode="numeric"
              value={grace.amount}
              onChange={(amount) => setGrace({ ...grace, amount })}
            />
            <SelectField
              label={t('grace.unit')}
              value={grace.unit}
              onValueChange={(unit) => setGrace({ ...grace, unit })}
              options={(['hour', 'day'] as const).map((value) => ({ value, label: t(`grace.units.${value}`) }))}
            />
          </div>
        ) : null}
        <Hint>{t(graceMs === 0 ? 'grace.hintNow' : 'grace.hint')}</Hint>
      </SegmentedField>
    </>
  )
}
