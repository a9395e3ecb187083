import type { Forecast } from '@shared/contract'
import clsx from 'clsx'
import { CircleCheck, CircleDashed, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Meter } from '../../ui/meter'
import { Tooltip } from '../../ui/tooltip'
import type { Allowance } from '../plans/allowance'
import { useAllowanceWords } from '../plans/allowance-words'
import { type ForecastWords, inOneBreath } from './forecast-words'
import styles from './gauge.module.css'
import { expectedIn, toneOf } from './gauge-values'
import { useForecastWords } from './use-forecast-words'

const icons: Readonly<Record<ForecastWords['tone'], LucideIcon>> = {
  quiet: CircleDashed,
  good: CircleCheck,
  warning: TriangleAlert,
  danger: CircleX,
}

function ForecastLine({ words }: { readonly words: ForecastWords }) {
  const Icon = icons[words.tone]
  return (
    <p className={clsx(styles.forecast, styles[words.tone])}>
      <Icon size={13} strokeWidth={2} aria-hidden="true" />
      <span>
        <span className={styles.headline}>{words.headline}</span>
        {words.detail === undefined ? null : <span className={styles.detail}>, {words.detail}</span>}
      </span>
    </p>
  )
}

interface AllowanceGaugeProps {
  readonly allowance: Allowance
  /** Whose it is: the model's name. */
  readonly model: string
  /** What an even spend would have used by now, from 0 to 1; not known for a plan that does not run. */
  readonly pace: number | undefined
  readonly forecast?: Forecast | undefined
  /** The cycle is followed by another. */
  readonly renews: boolean
  /** What to say in place of a forecast. */
  readonly remark?: string | undefined
  /** It is used faster than the cycle passes, and no forecast is there to say what comes of it. */
  readonly isFast?: boolean
}

function Tip({ lines }: { readonly lines: readonly (string | undefined)[] }) {
  return (
    <span className={styles.tip}>
      {lines.map((line) => (line === undefined ? null : <span key={line}>{line}</span>))}
    </span>
  )
}

/** One allowance of one model: what is left, what is used, a tick where an even spend would be, and what is likely to come, in words and on the meter. */
export function AllowanceGauge(props: AllowanceGaugeProps) {
  const { allowance, model, pace, forecast, renews, remark, isFast = false } = props
  const { t } = useTranslation(['plans', 'quota'])
  const words = useAllowanceWords()
  const speak = useForecastWords()
  const told = forecast && speak(forecast, renews)
  const paced = pace === undefined ? undefined : t('plans:account.allowance.pace', { share: words.share(pace) })
  const exact = words.exact(allowance)
  const tone = isFast ? 'warning' : toneOf(allowance.level, forecast)
  const isForeseen = forecast !== undefined && forecast.kind !== 'notEnough'
  return (
    <Tooltip content={<Tip lines={[exact, paced, isForeseen ? t('quota:forecast.how') : undefined]} />}>
      <div className={styles.gauge}>
        <div className={styles.head}>
          <span className={styles.kind}>{words.kind(allowance)}</span>
          <span>{words.usedShare(allowance)}</span>
        </div>
        <p className={clsx(styles.left, styles[allowance.level])}>{words.left(allowance)}</p>
        <Meter
          label={words.of(allowance, model)}
          value={1 - allowance.leftShare}
          text={[exact, paced, told && inOneBreath(told)].filter(Boolean).join('. ')}
          tone={tone}
          mark={pace}
          expected={expectedIn(forecast)}
        />
        {told ? <ForecastLine words={told} /> : null}
        {!told && remark ? <p className={clsx(styles.remark, styles[tone])}>{remark}</p> : null}
      </div>
    </Tooltip>
  )
}

/** What is used of an allowance that nobody told. */
export function UnknownGauge({ kind, used }: { readonly kind: 'tokens' | 'requests'; readonly used: number }) {
  const { t } = useTranslation('quota')
  const { amount, exact } = useUsedWords(used)
  return (
    <Tooltip content={exact}>
      <div className={styles.gauge}>
        <div className={styles.head}>
          <span className={styles.kind}>{t(kind)}</span>
          <span>{t('unknownAllowance')}</span>
        </div>
        <p className={styles.left}>
          {amount}
          <span className="sr-only">. {exact}</span>
        </p>
        <div className={styles.nothing} aria-hidden="true" />
      </div>
    </Tooltip>
  )
}

function useUsedWords(used: number): { readonly amount: string; readonly exact: string } {
  const { t } = useTranslation('quota')
  const { count } = useFormats()
  const { short, exact } = count(used)
  return { amount: t('used', { amount: short }), exact: t('exactUsed', { amount: exact }) }
}
