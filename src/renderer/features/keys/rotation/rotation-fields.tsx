import type { RotationSchedule } from '@shared/contract'
import { dayMs, defaultGraceMs, hourMs, memoryOverlapMs } from '@shared/durations'
import i18next from 'i18next'
import { CalendarClock, X } from 'lucide-react'
import { useState } from 'react'
import { formatDate, getEndOfDay, toDateField } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { useAction, useCall } from '../../../ipc'
import { type LocalKeyRef, rotateKeyPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { RowSection } from '../../../ui/page'
import { SegmentedField } from '../../../ui/radio-cards'
import { Row, RowIcon } from '../../../ui/rows'
import { SelectField } from '../../../ui/select'
import { Hint } from '../../../ui/text'

const t = i18next.getFixedT(null, 'rotation')

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

export const formatGrace = (ms: number): string =>
  ms % dayMs === 0 ? t('grace.days', { count: ms / dayMs }) : t('grace.hours', { count: Math.round(ms / hourMs) })

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

export function KeyEndFields(props: {
  readonly end: KeyEnd
  readonly users: KeyUsers
  readonly isScheduled?: boolean
}) {
  const { end, users, isScheduled = false } = props
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
          ...gracePeriods.map((ms) => ({ value: String(ms), label: ms === 0 ? t('grace.now') : formatGrace(ms) })),
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

const choices = ['now', 'once', 'repeat'] as const

export interface ScheduleInput {
  readonly choice: (typeof choices)[number]
  readonly day: string
  readonly everyDays: string
}

const defaultRepeatDays = 90

function getStartOfDay(days: number, today = new Date()): Date {
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + days)
}

export const createDefaultSchedule = (): ScheduleInput => ({
  choice: 'now',
  day: toDateField(getStartOfDay(1).toISOString()),
  everyDays: String(defaultRepeatDays),
})

/** Start of the first rotation, and the interval. Undefined for an invalid field, or a day that is not in the future. */
export function parseSchedule(
  { choice, day, everyDays }: ScheduleInput,
  currentTime = new Date(),
): { readonly at?: string; readonly everyDays?: number } | undefined {
  if (choice === 'now') return {}
  if (choice === 'repeat') {
    const count = /^\d{1,3}$/.test(everyDays.trim()) ? Number(everyDays) : 0
    const isValid = count >= 1 && count <= 365
    return isValid ? { at: getStartOfDay(count, currentTime).toISOString(), everyDays: count } : undefined
  }
  const start = new Date(`${day}T00:00`)
  return start > currentTime ? { at: start.toISOString() } : undefined
}

export function ScheduleField(props: {
  readonly schedule: ScheduleInput
  readonly onChange: (schedule: ScheduleInput) => void
}) {
  const { schedule, onChange } = props
  const { choice, day, everyDays } = schedule
  const isInvalid = parseSchedule(schedule) === undefined
  return (
    <SegmentedField
      label={t('schedule.label')}
      value={choice}
      onValueChange={(chosen) => onChange({ ...schedule, choice: chosen })}
      segments={choices.map((value) => ({ value, label: t(`schedule.choices.${value}`) }))}
    >
      {choice === 'once' ? (
        <TextField
          label={t('schedule.day')}
          error={day !== '' && isInvalid ? t('schedule.dayOver') : undefined}
          type="date"
          value={day}
          onChange={(newDay) => onChange({ ...schedule, day: newDay })}
        />
      ) : null}
      {choice === 'repeat' ? (
        <TextField
          label={t('schedule.days')}
          className="mt-1 w-35"
          error={isInvalid ? t('schedule.daysWrong') : undefined}
          inputMode="numeric"
          value={everyDays}
          onChange={(count) => onChange({ ...schedule, everyDays: count })}
        />
      ) : null}
      {choice === 'now' ? null : <Hint>{t('schedule.hint')}</Hint>}
    </SegmentedField>
  )
}

function ScheduleRow({ schedule }: { readonly schedule: RotationSchedule }) {
  const { planId, planName, keyId, keyName, at, everyDays, failure } = schedule
  const onError = showFailureToast({ title: t('schedule.notRemoved') })
  const removeSchedule = useAction('rotation.unschedule', { invalidates: ['rotation'], onError })
  return (
    <Row
      to={rotateKeyPath({ planId, keyId })}
      leading={<RowIcon icon={CalendarClock} />}
      title={keyName}
      badge={failure ? <Badge tone="danger">{t('schedule.failed')}</Badge> : null}
      description={[
        planName,
        t('schedule.next', { day: formatDate(at) }),
        everyDays !== undefined && t('schedule.every', { count: everyDays }),
        failure?.message,
      ]}
      trailing={
        <IconButton
          icon={X}
          size="sm"
          label={t('schedule.remove', { key: keyName })}
          busy={removeSchedule.isPending}
          onClick={() => removeSchedule.mutate({ planId, keyId })}
        />
      }
    />
  )
}

export function ScheduleList({ of }: { readonly of?: LocalKeyRef }) {
  const { data = [] } = useCall('rotation.schedules', {})
  const schedules = data.filter(({ planId, keyId }) => !of || (planId === of.planId && keyId === of.keyId))
  if (schedules.length === 0) return null
  return (
    <RowSection title={t('schedule.title')}>
      {schedules.map((schedule) => (
        <ScheduleRow key={`${schedule.planId} ${schedule.keyId}`} schedule={schedule} />
      ))}
    </RowSection>
  )
}
