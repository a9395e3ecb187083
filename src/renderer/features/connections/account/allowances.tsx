import type { AccountPlanView, PlanModelView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import i18next from 'i18next'
import type { PointerEvent } from 'react'
import { formatCount, formatNumber, formatPercent } from '../../../format'
import { joinClassNames } from '../../../ui/cn'
import { type ExpectedRange, Meter } from '../../../ui/meter'

const t = i18next.getFixedT(null, 'plans')

/** The two limits of a model in a plan. They are independent of each other (spec, "Plan"). */
export type AllowanceKind = 'tokens' | 'requests'
export const allowanceKinds: readonly AllowanceKind[] = ['tokens', 'requests']

export interface Allowance {
  readonly kind: AllowanceKind
  readonly quota: number
  readonly used: number
  readonly left: number
  /** Remaining share of the quota, 0 to 1. It is 1 if there is no quota, because nothing can run out. */
  readonly leftShare: number
  readonly level: 'ample' | 'low' | 'out'
}

/** An allowance is shown as low if a smaller share than this remains. */
const lowShare = 0.1

const fieldNames = {
  tokens: ({ tokenQuota, tokensUsed }: PlanModelView) => ({ quota: tokenQuota, used: tokensUsed }),
  requests: ({ requestQuota, requestsUsed }: PlanModelView) => ({ quota: requestQuota, used: requestsUsed }),
}

/** Usage above the quota counts as all used. */
export function buildAllowance({ kind, quota, used }: Pick<Allowance, 'kind' | 'quota' | 'used'>): Allowance {
  const remainingAmount = Math.max(0, quota - used)
  const remainingShare = quota === 0 ? 1 : remainingAmount / quota
  const level = remainingShare === 0 ? 'out' : remainingShare <= lowShare ? 'low' : 'ample'
  return { kind, quota, used, left: remainingAmount, leftShare: remainingShare, level }
}

export const readAllowance = (model: PlanModelView, kind: AllowanceKind): Allowance =>
  buildAllowance({ kind, ...fieldNames[kind](model) })

/** The smaller one of the remaining shares of tokens and requests, which limits the model first. */
export const modelShare = (model: PlanModelView): number =>
  Math.min(...allowanceKinds.map((kind) => readAllowance(model, kind).leftShare))

/** Model with the smallest remaining share. Undefined without models. */
export function tightestModel(models: readonly PlanModelView[]): PlanModelView | undefined {
  return models.reduce<PlanModelView | undefined>(
    (tightest, model) => (tightest && modelShare(tightest) <= modelShare(model) ? tightest : model),
    undefined,
  )
}

/** Like `tightestModel`, but a model with quota left if there is any. */
export function tightestUsableModel(models: readonly PlanModelView[]): PlanModelView | undefined {
  const usableModels = models.filter((model) => modelShare(model) > 0)
  return tightestModel(usableModels.length > 0 ? usableModels : models)
}

/** Elapsed share of the cycle, 0 to 1. Undefined for a plan that is not running. */
export function getCycleShare(
  { status, expiresAt, cycleDays }: Pick<AccountPlanView, 'status' | 'expiresAt' | 'cycleDays'>,
  currentTime: Date,
): number | undefined {
  const cycleMs = cycleDays * dayMs
  if (status === 'EXPIRED' || cycleMs === 0) return undefined
  const remainingMs = Date.parse(expiresAt) - currentTime.getTime()
  // Show no elapsed time. A plan that was renewed early has more than one cycle left.
  return remainingMs > cycleMs ? 0 : Math.min(1, Math.max(0, 1 - remainingMs / cycleMs))
}

/** Whether usage is clearly ahead of an even pace. False at the very start of a cycle. */
export function isAheadOfPace({ used, quota }: Allowance, cycle: number | undefined): boolean {
  return cycle !== undefined && cycle >= 0.05 && quota > 0 && used / quota > cycle + 0.1
}

const levelText = { ample: '', low: 'text-warning', out: 'text-danger' } as const

const levelTones = { ample: 'neutral', low: 'warning', out: 'danger' } as const

interface AllowanceLinesProps {
  readonly model: string
  readonly lines: readonly {
    readonly allowance: Allowance
    readonly tone?: 'neutral' | 'warning' | 'danger'
    readonly mark?: number | undefined
    readonly expected?: ExpectedRange | undefined
    /** Additional text of a gauge for screen readers. */
    readonly more?: string | undefined
  }[]
}

export function AllowanceLines({ model, lines }: AllowanceLinesProps) {
  const showExactAmounts = ({ currentTarget }: PointerEvent<HTMLElement>): void => {
    const amounts = lines.map(
      ({ allowance }) => `${allowanceTexts.kind(allowance)}: ${allowanceTexts.exact(allowance)}`,
    )
    currentTarget.title = [model, ...amounts].join('\n')
  }
  return (
    <span className="relative flex min-w-0 flex-col gap-px" onPointerEnter={showExactAmounts}>
      {lines.map(({ allowance, tone = levelTones[allowance.level], more, ...reference }) => {
        const remainingText = allowanceTexts.leftShort(allowance)
        return (
          <span
            key={allowance.kind}
            className="grid grid-cols-[minmax(40px,1fr)_118px] items-center gap-2.5 leading-4.5"
          >
            <Meter
              {...reference}
              size="sm"
              label={allowanceTexts.of(allowance, model)}
              value={1 - allowance.leftShare}
              text={more === undefined ? remainingText : `${remainingText}. ${more}`}
              tone={tone}
            />
            <span
              className={joinClassNames('truncate text-muted text-sm', levelText[allowance.level])}
              aria-hidden="true"
            >
              {remainingText}
            </span>
          </span>
        )
      })}
    </span>
  )
}

export function AllowanceBars({ models }: Pick<AccountPlanView, 'models'>) {
  const model = tightestUsableModel(models)
  if (!model) return <span className="text-faint">{allowanceTexts.none()}</span>
  const lines = allowanceKinds.map((kind) => ({ allowance: readAllowance(model, kind) }))
  return <AllowanceLines model={model.displayName} lines={lines} />
}

/** Formats a used share as whole percent. Shows 100 % only if nothing is left. */
const formatUsedShare = (ratio: number): string => formatPercent(ratio < 1 ? Math.min(ratio, 0.99) : ratio)

/** Texts of an allowance: short ones for display, exact ones for tooltips and screen readers. */
export const allowanceTexts = {
  kind: ({ kind }: Allowance): string => t(`account.allowance.${kind}`),
  /** Context size of a model, for example "64K context". */
  context: (tokens: number): string => t('account.allowance.context', { amount: formatCount(tokens).short }),
  /** Formats the remaining amount, for example "3.8M tokens left". */
  leftShort: ({ kind, level, left }: Allowance): string =>
    level === 'out'
      ? t(`account.allowance.outShort.${kind}`)
      : t(`account.allowance.leftShort.${kind}`, { amount: formatCount(left).short }),
  /** Formats the remaining amount without its unit, for example "3.8M left". */
  left: ({ level, left }: Allowance): string =>
    level === 'out' ? t('account.allowance.out') : t('account.allowance.left', { amount: formatCount(left).short }),
  /** Used share, for example "81% of 20M used". */
  usedShare: ({ leftShare, quota }: Allowance): string =>
    t('account.allowance.usedShare', { share: formatUsedShare(1 - leftShare), quota: formatCount(quota).short }),
  exact: ({ left, quota, used }: Allowance): string =>
    t('account.allowance.text', { left: formatNumber(left), quota: formatNumber(quota), used: formatNumber(used) }),
  of: ({ kind }: Allowance, model: string): string =>
    t('account.allowance.of', { kind: t(`account.allowance.${kind}`), model }),
  none: (): string => t('account.allowance.noModels'),
  share: formatUsedShare,
}
