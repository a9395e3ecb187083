import type { SandboxStep, SandboxWorldView } from '@shared/contract'
import { History } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { ControlRow } from '../../ui/control-row'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './clock.module.css'
import { clockText, happeningText, spanText } from './clock-words'

const dayMs = 86_400_000

interface ClockProps {
  readonly world: SandboxWorldView
}

/** The steps there are: those by the plan's expiry while it is ahead. */
function stepsOf({ clock, plan }: SandboxWorldView): readonly SandboxStep[] {
  const leftMs = plan ? Date.parse(plan.expiresAt) - Date.parse(clock) : 0
  return [
    'hour',
    'day',
    'week',
    ...(leftMs > dayMs ? (['beforeExpiry'] as const) : []),
    ...(leftMs > 0 ? (['pastExpiry'] as const) : []),
  ]
}

function useMove() {
  return useAction('sandbox.moveClock', { invalidates: ['sandbox', 'plans', 'account'] })
}

/** What the last move has done; gone once the clock was set back. */
function Outcome({ world, move }: ClockProps & { readonly move: ReturnType<typeof useMove> }) {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const { data, variables } = move
  const happened = data?.happened ?? []
  const isShown = data !== undefined && variables !== undefined && world.aheadMs > 0
  return (
    <div role="status">
      {isShown ? (
        <div className={styles.outcome}>
          <History size={14} strokeWidth={1.9} aria-hidden="true" />
          <div>
            <p className={styles.step}>{t(`clock.moved.${variables.step}`)}</p>
            {happened.length === 0 ? <p>{t('happened.nothing')}</p> : null}
            {happened.map((one) => (
              <p key={`${one.kind} ${one.plan}`}>{happeningText(one, t, formats)}</p>
            ))}
          </div>
        </div>
      ) : null}
    </div>
  )
}

/** The sandbox's own date and time, and ways to let time pass. */
export function Clock({ world }: ClockProps) {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const labelId = useId()
  const move = useMove()
  const span = spanText(world.aheadMs, formats.locale)
  const plan = world.plan?.name
  return (
    <ControlRow
      label={t('clock.title')}
      hint={t('clock.hint')}
      control={
        <p className={styles.now}>
          <time dateTime={world.clock} title={formats.dateTime(world.clock)}>
            {clockText(world.clock, formats.locale)}
          </time>
          <span className={styles.ahead}>{span ? t('clock.ahead', { span }) : t('clock.same')}</span>
        </p>
      }
    >
      <fieldset className={styles.steps} aria-labelledby={labelId}>
        <span id={labelId} className={styles.forward}>
          {t('clock.forward')}
        </span>
        {stepsOf(world).map((step) => (
          <Button
            key={step}
            size="sm"
            busy={move.isPending && move.variables.step === step}
            disabled={move.isPending && move.variables.step !== step}
            onClick={() => move.mutate({ step })}
          >
            {t(`clock.steps.${step}`, { plan })}
          </Button>
        ))}
      </fieldset>
      {move.error ? <ExplainedFailure failure={move.error.failure} /> : <Outcome world={world} move={move} />}
    </ControlRow>
  )
}
