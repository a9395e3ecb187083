import type { SandboxEvent, SandboxStep, SandboxWorldView } from '@shared/contract'
import { dayMs, hourMs } from '@shared/durations'
import type { TFunction } from 'i18next'
import { History } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { dateParts, type Formats, type Locale, useFormats } from '../../format'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { ControlRow } from '../../ui/rows'

/**
 * Time steps that the user can choose for the sandbox clock. Steps relative to the plan's expiry exist while it is in
 * the future.
 */
function listSteps({ clock, plan }: SandboxWorldView): readonly SandboxStep[] {
  const remainingMs = plan ? Date.parse(plan.expiresAt) - Date.parse(clock) : 0
  return [
    'hour',
    'day',
    'week',
    ...(remainingMs > dayMs ? (['beforeExpiry'] as const) : []),
    ...(remainingMs > 0 ? (['pastExpiry'] as const) : []),
  ]
}

/** Shows the effects of a time step. */
function Outcome({ step, events }: { readonly step: SandboxStep; readonly events: readonly SandboxEvent[] }) {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  return (
    <div className="mt-2.5 flex gap-2 rounded-md bg-well px-2.5 py-1.75 text-sm">
      <History size={14} strokeWidth={1.9} aria-hidden="true" className="mt-0.5 text-muted" />
      <div>
        <p className="text-muted">{t(`clock.moved.${step}`)}</p>
        {events.length === 0 ? <p>{t('happened.nothing')}</p> : null}
        {events.map((event) => (
          <p key={`${event.kind} ${event.plan}`}>{formatSandboxEvent(event, t, formats)}</p>
        ))}
      </div>
    </div>
  )
}

export function Clock({ world }: { readonly world: SandboxWorldView }) {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const labelId = useId()
  const { mutate, isPending, isSuccess, data, variables, error } = useAction('sandbox.moveClock', {
    invalidates: ['sandbox', 'plans', 'account'],
  })
  const span = spanText(world.aheadMs, formats.locale)
  const plan = world.plan?.name
  return (
    <ControlRow
      label={t('clock.title')}
      hint={t('clock.hint')}
      control={
        <p className="flex flex-col items-end text-right tabular-nums">
          <time className="font-medium" dateTime={world.clock} title={formats.dateTime(world.clock)}>
            {formatClock(world.clock, formats.locale)}
          </time>
          <span className="text-muted text-sm">{span ? t('clock.ahead', { span }) : t('clock.same')}</span>
        </p>
      }
    >
      <fieldset className="flex min-w-0 flex-wrap items-center gap-1.5" aria-labelledby={labelId}>
        <span id={labelId} className="mr-1.5 text-muted text-sm">
          {t('clock.forward')}
        </span>
        {listSteps(world).map((step) => (
          <Button
            key={step}
            size="sm"
            busy={isPending && variables.step === step}
            disabled={isPending && variables.step !== step}
            onClick={() => mutate({ step })}
          >
            {t(`clock.steps.${step}`, { plan })}
          </Button>
        ))}
      </fieldset>
      <ExplainedFailure failure={error?.failure} />
      {/* Empty after the clock was reset. */}
      <div role="status">
        {isSuccess && world.aheadMs > 0 ? <Outcome step={variables.step} events={data.happened} /> : null}
      </div>
    </ControlRow>
  )
}

/** Formats the sandbox time, for example `Sat, Nov 21, 2026, 14:40`. */
function formatClock(iso: string, locale: Locale): string {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat(locale, { weekday: 'short', ...dateParts[locale], ...time }).format(new Date(iso))
}

/**
 * Formats a duration in hours, or in days from two days on, such as `26 hours` or `7 days`. Undefined if it is less
 * than half an hour.
 */
function spanText(ms: number, locale: Locale): string | undefined {
  const unit = ms >= 2 * dayMs ? 'day' : 'hour'
  const count = Math.round(ms / (unit === 'day' ? dayMs : hourMs))
  if (count === 0) return undefined
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

function formatSandboxEvent(happening: SandboxEvent, t: TFunction<'sandbox'>, formats: Formats): string {
  const { kind, plan } = happening
  if (kind === 'renewed') {
    const [date, money] = [formats.date(happening.expiresAt), formats.money(happening.charged)]
    return t('happened.renewed', { plan, date, money })
  }
  if (kind === 'renewalFailed') return t('happened.renewalFailed', { plan, attempts: happening.attempts })
  if (kind === 'expired') return t(`happened.${happening.why}`, { plan })
  return t('happened.cycleBegan', { plan })
}
