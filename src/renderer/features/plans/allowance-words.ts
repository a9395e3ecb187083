import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, type Locale, useFormats } from '../../format'
import type { Allowance } from './allowance'

const share = (part: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(part)

/** The words of an allowance: short ones to read at a glance, exact ones for hover and screen readers. */
export function allowanceWords(t: TFunction<'plans'>, { count, number, locale }: Formats) {
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
