import { useTranslation } from 'react-i18next'
import { TextInput } from '../../ui/field'
import { Select, type SelectOption } from '../../ui/select'
import { wantedCycle } from './spans'
import styles from './usage.module.css'
import { useAxisWords } from './use-span-words'
import type { Usage } from './use-usage'
import { spanKinds } from './wanted'

const cyclePrefix = 'cycle '

const dayText = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function useSpanOptions({ cycles, planId }: Usage): readonly SelectOption[] {
  const { t } = useTranslation('usage')
  const words = useAxisWords()
  const whyNot = planId === undefined ? t('spans.choosePlan') : cycles.length === 0 ? t('spans.noCycle') : undefined
  const current = wantedCycle(cycles, undefined)
  const hintOf = (kind: (typeof spanKinds)[number]): string | undefined => {
    if (kind !== 'cycle') return undefined
    return whyNot ?? (current && words.span({ from: new Date(current.from), to: new Date(current.to) }))
  }
  const earlier = cycles
    .filter(({ isCurrent }) => !isCurrent)
    .map(({ from, to, isEstimated }) => ({
      value: `${cyclePrefix}${from}`,
      label: t('spans.previousCycle', { span: words.span({ from: new Date(from), to: new Date(to) }) }),
      hint: isEstimated ? t('spans.estimated') : undefined,
    }))
  const kinds = spanKinds.map((kind) => ({
    value: kind,
    label: t(`spans.${kind}`),
    hint: hintOf(kind),
    disabled: kind === 'cycle' && whyNot !== undefined,
  }))
  return [...kinds.slice(0, -1), ...earlier, ...kinds.slice(-1)]
}

/** Which stretch of time: today, the last days, a cycle of the plan, or chosen days. */
export function SpanSelect({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { wanted, change, span } = usage
  const options = useSpanOptions(usage)
  const chosen = wanted.span === 'cycle' && wanted.cycle !== undefined ? `${cyclePrefix}${wanted.cycle}` : wanted.span
  const choose = (value: string): void => {
    const kind = value.startsWith(cyclePrefix) ? 'cycle' : spanKinds.find((one) => one === value)
    if (!kind) return
    const cycle = value.startsWith(cyclePrefix) ? value.slice(cyclePrefix.length) : undefined
    const days = { from: dayText(span.from), to: dayText(new Date(span.to.getTime() - 1)) }
    change({ span: kind, cycle, step: undefined, ...(kind === 'custom' ? days : {}) })
  }
  return <Select aria-label={t('filters.span')} value={chosen} onValueChange={choose} options={options} />
}

/** The first and the last of the chosen days. */
export function CustomDays({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { wanted, change } = usage
  return (
    <div className={styles.days}>
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          aria-label={t(`spans.${end}`)}
          value={wanted[end] ?? ''}
          onChange={(event) => {
            if (event.target.value !== '') change({ [end]: event.target.value, step: undefined })
          }}
        />
      ))}
    </div>
  )
}
