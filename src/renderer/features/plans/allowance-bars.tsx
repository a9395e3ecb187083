import type { PlanModelView } from '@shared/contract'
import clsx from 'clsx'
import type { TFunction } from 'i18next'
import { type PointerEvent, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, type Locale, useFormats } from '../../format'
import { type Expected, Meter } from '../../ui/meter'
import styles from './allowance-bars.module.css'
import { type Allowance, allowanceKinds, allowanceOf, tightestModel } from './entries'

/** The colour of a meter for each level of what is left. */
const levelTones = { ample: 'neutral', low: 'warning', out: 'danger' } as const

interface LineProps {
  readonly allowance: Allowance
  /** The model's name. */
  readonly model: string
  readonly words: AllowanceWords
  readonly tone?: 'neutral' | 'warning' | 'danger'
  readonly mark?: number | undefined
  readonly expected?: Expected | undefined
  /** More to tell a screen reader. */
  readonly more?: string | undefined
}

/** One thin bar and what is left beside it. */
export function AllowanceLine({ allowance, model, words, tone, mark, expected, more }: LineProps) {
  const left = words.leftShort(allowance)
  return (
    <span className={styles.line}>
      <Meter
        size="sm"
        label={words.of(allowance, model)}
        value={1 - allowance.leftShare}
        text={more === undefined ? left : `${left}. ${more}`}
        tone={tone ?? levelTones[allowance.level]}
        mark={mark}
        expected={expected}
      />
      <span className={clsx(styles.amount, styles[allowance.level])} aria-hidden="true">
        {left}
      </span>
    </span>
  )
}

/**
 * What is left of the model that runs out first: one thin bar for tokens, one for requests, exact on hover. `words` come from the list
 * around it, and the exact ones only on hover: a list may draw hundreds of these while it is scrolled.
 */
export function AllowanceBars({
  models,
  words,
}: {
  readonly models: readonly PlanModelView[]
  readonly words: AllowanceWords
}) {
  const model = tightestModel(models)
  if (!model) return <span className={styles.none}>{words.none()}</span>
  const both = allowanceKinds.map((kind) => allowanceOf(model, kind))
  const tellExactly = ({ currentTarget }: PointerEvent<HTMLElement>): void => {
    const lines = both.map((allowance) => `${words.kind(allowance)}: ${words.exact(allowance)}`)
    currentTarget.title = [model.displayName, ...lines].join('\n')
  }
  return (
    <span className={styles.bars} onPointerEnter={tellExactly}>
      {both.map((allowance) => (
        <AllowanceLine key={allowance.kind} allowance={allowance} model={model.displayName} words={words} />
      ))}
    </span>
  )
}

const share = (part: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(part)

/** The words of an allowance: short ones to read at a glance, exact ones for hover and screen readers. */
function allowanceWords(t: TFunction<'plans'>, { count, number, locale }: Formats) {
  return {
    kind: ({ kind }: Allowance): string => t(`account.allowance.${kind}`),
    /** "3.8M tokens left" */
    leftShort: ({ kind, level, left }: Allowance): string =>
      level === 'out'
        ? t(`account.allowance.outShort.${kind}`)
        : t(`account.allowance.leftShort.${kind}`, { amount: count(left).short }),
    /** "3.8M left" */
    left: ({ level, left }: Allowance): string =>
      level === 'out' ? t('account.allowance.out') : t('account.allowance.left', { amount: count(left).short }),
    /** "81% of 20M used" */
    usedShare: ({ leftShare, quota }: Allowance): string =>
      t('account.allowance.usedShare', { share: share(1 - leftShare, locale), quota: count(quota).short }),
    exact: ({ left, quota, used }: Allowance): string =>
      t('account.allowance.text', { left: number(left), quota: number(quota), used: number(used) }),
    of: ({ kind }: Allowance, model: string): string =>
      t('account.allowance.of', { kind: t(`account.allowance.${kind}`), model }),
    none: (): string => t('account.allowance.noModels'),
    share: (part: number): string => share(part, locale),
  }
}

export type AllowanceWords = ReturnType<typeof allowanceWords>

/** The words of allowances in the language of the window. */
export function useAllowanceWords(): AllowanceWords {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  return useMemo(() => allowanceWords(t, formats), [t, formats])
}
