import type { PackageView } from '@shared/contract'
import { Calculator } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Facts } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'

/** The words "worked out", with how on hover: beside every figure that is ours. */
export function WorkedOut() {
  const { t } = useTranslation('packages')
  return (
    <Tooltip content={t('workedOutHint')}>
      <span className="inline-flex items-center gap-1 whitespace-nowrap font-normal text-faint text-xs">
        <Calculator size={12} strokeWidth={1.8} aria-hidden="true" />
        {t('workedOut')}
      </span>
    </Tooltip>
  )
}

/** Price per day and per million tokens of a package, in one line. */
export function WorkedOutPrices({ of }: { readonly of: PackageView }) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  const day = pricePerDay(of)
  const million = pricePerMillion(of)
  return (
    <div className="-mt-2.5 flex flex-col items-start text-muted text-sm tabular-nums">
      <Facts
        items={[
          day !== undefined && t('perDay', { amount: money(day) }),
          million !== undefined && t('perMillion', { amount: money(million) }),
        ]}
      />
      <WorkedOut />
    </div>
  )
}

/** Dong per day, rounded; nothing for a package without a duration. */
export const pricePerDay = ({ price, durationDays }: PackageView): number | undefined =>
  durationDays === 0 ? undefined : Math.round(price / durationDays)

/** Tokens of all models together, per cycle. */
const allTokens = ({ models }: PackageView): number => models.reduce((sum, { tokenQuota }) => sum + tokenQuota, 0)

/** Dong per million tokens if every token of every model is used, rounded; nothing for a package without tokens. */
export function pricePerMillion(one: PackageView): number | undefined {
  const tokens = allTokens(one)
  return tokens === 0 ? undefined : Math.round(one.price / (tokens / 1_000_000))
}

/** A line of the comparison: a value for each package, in their order. */
export interface Comparison {
  readonly id: string
  readonly kind: 'price' | 'days' | 'perDay' | 'perMillion' | 'keys' | 'allTokens' | 'tokens' | 'requests'
  /** The model that a line of tokens or requests is about. */
  readonly model?: string
  readonly values: readonly (number | undefined)[]
}

const isWorkedOut: readonly Comparison['kind'][] = ['perDay', 'perMillion', 'allTokens']
const lowestIsBest: readonly Comparison['kind'][] = ['price', 'perDay', 'perMillion']

/** Whether a line is ours rather than the platform's. */
export const workedOut = ({ kind }: Comparison): boolean => isWorkedOut.includes(kind)

/** The value to point out in a line: the lowest price, when there is one lower than another. */
export function findLowest({ kind, values }: Comparison): number | undefined {
  const known = values.filter((value) => value !== undefined)
  if (!lowestIsBest.includes(kind) || new Set(known).size < 2) return undefined
  return Math.min(...known)
}

function modelLines(packages: readonly PackageView[]): readonly Comparison[] {
  const names = new Map(
    packages.flatMap(({ models }) => models.map((one) => [one.modelCode, one.displayName] as const)),
  )
  return [...names].flatMap(([code, model]) => {
    const included = packages.map(({ models }) => models.find(({ modelCode }) => modelCode === code))
    return [
      { id: `tokens ${code}`, kind: 'tokens', model, values: included.map((one) => one?.tokenQuota) } as const,
      { id: `requests ${code}`, kind: 'requests', model, values: included.map((one) => one?.requestQuota) } as const,
    ]
  })
}

/** Packages side by side: prices, limits, then tokens and requests of every model that one of them has. */
export function compare(packages: readonly PackageView[]): readonly Comparison[] {
  const line = (kind: Comparison['kind'], of: (one: PackageView) => number | undefined): Comparison => ({
    id: kind,
    kind,
    values: packages.map(of),
  })
  return [
    line('price', ({ price }) => price),
    line('days', ({ durationDays }) => durationDays),
    line('perDay', pricePerDay),
    line('perMillion', pricePerMillion),
    line('keys', ({ maxKeys }) => maxKeys),
    line('allTokens', allTokens),
    ...modelLines(packages),
  ]
}
