import type { RotationSchedule } from '@shared/contract'
import { CalendarClock, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { toDateField, useFormats } from '../../../format'
import { useFailureToast } from '../../../i18n/failures'
import { useAction, useCall } from '../../../ipc'
import { type LocalKeyRef, rotateKeyPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Section } from '../../../ui/page'
import { SegmentedField } from '../../../ui/radio-cards'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { Hint } from '../../../ui/text'

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

interface ScheduleFieldProps {
  readonly schedule: ScheduleInput
  readonly onChange: (schedule: ScheduleInput) => void
}

export function ScheduleField({ schedule, onChange }: ScheduleFieldProps) {
  const { t } = useTranslation('rotation', { keyPrefix: 'schedule' })
  const { choice, day, everyDays } = schedule
  const isInvalid = parseSchedule(schedule) === undefined
  return (
    <SegmentedField
      label={t('label')}
      value={choice}
      onValueChange={(chosen) => onChange({ ...schedule, choice: chosen })}
      segments={choices.map((value) => ({ value, label: t(`choices.${value}`) }))}
    >
      {choice === 'once' ? (
        <TextField
          label={t('day')}
          error={day !== '' && isInvalid ? t('dayOver') : undefined}
          type="date"
          value={day}
          onChange={(newDay) => onChange({ ...schedule, day: newDay })}
        />
      ) : null}
      {choice === 'repeat' ? (
        <TextField
          label={t('days')}
          className="mt-1 w-35"
          error={isInvalid ? t('daysWrong') : undefined}
          inputMode="numeric"
          value={everyDays}
          onChange={(count) => onChange({ ...schedule, everyDays: count })}
        />
      ) : null}
      {choice === 'now' ? null : <Hint>{t('hint')}</Hint>}
    </SegmentedField>
  )
}

function ScheduleRow({ schedule }: { readonly schedule: RotationSchedule }) {
  const { t } = useTranslation('rotation', { keyPrefix: 'schedule' })
  const { date } = useFormats()
  const { planId, planName, keyId, keyName, at, everyDays, failure } = schedule
  const onError = useFailureToast()({ title: t('notRemoved') })
  const removeSchedule = useAction('rotation.unschedule', { invalidates: ['rotation'], onError })
  return (
    <Row
      to={rotateKeyPath({ planId, keyId })}
      leading={<RowIcon icon={CalendarClock} />}
      title={keyName}
      badge={failure ? <Badge tone="danger">{t('failed')}</Badge> : null}
      description={
        <InlineDetails
          items={[
            planName,
            t('next', { day: date(at) }),
            everyDays !== undefined && t('every', { count: everyDays }),
            failure?.message,
          ]}
        />
      }
      trailing={
        <IconButton
          icon={X}
          size="sm"
          label={t('remove', { key: keyName })}
          busy={removeSchedule.isPending}
          onClick={() => removeSchedule.mutate({ planId, keyId })}
        />
      }
    />
  )
}

export function ScheduleList({ of }: { readonly of?: LocalKeyRef }) {
  const { t } = useTranslation('rotation', { keyPrefix: 'schedule' })
  const { data = [] } = useCall('rotation.schedules', {})
  const schedules = data.filter(({ planId, keyId }) => !of || (planId === of.planId && keyId === of.keyId))
  if (schedules.length === 0) return null
  return (
    <Section title={t('title')}>
      <Rows label={t('title')}>
        {schedules.map((schedule) => (
          <ScheduleRow key={`${schedule.planId} ${schedule.keyId}`} schedule={schedule} />
        ))}
      </Rows>
    </Section>
  )
}
