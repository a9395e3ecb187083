import { withVisibleControls } from '@shared/hidden-characters'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { Code } from '../../ui/code'
import { textOf } from './lookup'
import type { Format, Json } from './resource'

/** What a word for a state most likely means. The platform names no states but those of API keys; others are guessed, and always shown as they came. */
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/^(active|ready|running|available|enabled|healthy|succeeded|ok)$/i, 'success'],
  [/(ing|pending|queued)$/i, 'warning'],
  [/(fail|error|expired|revoked|unhealthy)/i, 'danger'],
]

const toneOf = (word: string): Tone => tones.find(([pattern]) => pattern.test(word))?.[1] ?? 'neutral'

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

function Bytes({ value }: { readonly value: number }) {
  const { locale, number } = useFormats()
  const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(1024)))
  const scaled = new Intl.NumberFormat(locale, { maximumFractionDigits: step === 0 ? 0 : 1 }).format(
    value / 1024 ** step,
  )
  return <span title={number(value)}>{`${scaled} ${units[step] ?? ''}`}</span>
}

/** A value of an answer in its format; what does not fit the format is shown as it came, what is missing as a dash. */
export function FieldValue({ value, format = 'text' }: { readonly value: Json | undefined; readonly format?: Format }) {
  const { t } = useTranslation('resources')
  const { number } = useFormats()
  const text = withVisibleControls(textOf(value))
  if (text === '') return <span title={t('missing')}>–</span>
  if (format === 'status') return <StatusDot tone={toneOf(text)} label={text} pulse={/ing$/i.test(text)} />
  if (format === 'date' && isMoment(text)) return <RelativeTime at={new Date(text).toISOString()} />
  if (format === 'bytes' && typeof value === 'number') return <Bytes value={value} />
  if (format === 'code') return <Code quiet>{text}</Code>
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (format === 'number' && typeof value === 'number') return number(value)
  return <span title={text}>{text}</span>
}
