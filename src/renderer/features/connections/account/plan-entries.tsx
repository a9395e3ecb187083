import type { AccountPlanView, PlanView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { type Formats, type Formatted, useFormats } from '../../../format'
import { toServerTime, useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { cn } from '../../../ui/cn'

/** A plan of the account (with the one on this computer that holds its keys), or one of which only a key was handed over. */
export type Entry =
  | {
      readonly kind: 'account'
      readonly id: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  /** `isGone`: it was kept from the account, which no longer knows it. */
  | { readonly kind: 'handed'; readonly id: string; readonly plan: PlanView; readonly isGone: boolean }

/** How a plan stands. The last three are all that is known of one that was handed over: its last check. */
export type PlanStatus = 'expired' | 'renewalFailing' | 'provisioning' | 'active' | 'fails' | 'works' | 'unchecked'

/** How long before its end a plan counts as about to end, in ms. */
export const soonMs = 7 * dayMs

/** What a connection's console answered; nothing while, or where, it did not. */
interface Answered {
  readonly connectionId: string
  readonly plans: readonly AccountPlanView[]
}

/** All plans in one list: the account's, each joined with the one on this computer, and those of which only that one is known. */
export function joinPlanEntries(answered: Answered | undefined, local: readonly PlanView[]): readonly Entry[] {
  const account = answered?.plans ?? []
  const isOfAccount = ({ origin }: PlanView): boolean =>
    origin !== undefined && origin.connectionId === answered?.connectionId
  const byId = new Map(local.map((plan) => [plan.id, plan]))
  const byOrigin = new Map(local.filter(isOfAccount).map((plan) => [plan.origin?.planId, plan]))
  // Either list may be older than the other: a plan that has just been kept here names where it comes from before the account names it.
  const findLocalPlan = ({ planId, localPlanId = '' }: AccountPlanView): PlanView | undefined =>
    byId.get(localPlanId) ?? byOrigin.get(planId)
  const accountEntries = account.map(
    (plan): Entry => ({ kind: 'account', id: plan.planId, plan, local: findLocalPlan(plan) }),
  )
  const joined = new Set(accountEntries.map((entry) => entry.kind === 'account' && entry.local?.id))
  return [
    ...accountEntries,
    ...local
      .filter(({ id }) => !joined.has(id))
      .map((plan): Entry => ({ kind: 'handed', id: plan.id, plan, isGone: isOfAccount(plan) })),
  ]
}

/** How a plan stands at a moment. */
export function getPlanStatus(entry: Entry, currentTime: Date): PlanStatus {
  const isOver =
    entry.plan.expiresAt !== undefined &&
    Date.parse(entry.plan.expiresAt) <= toServerTime(currentTime, entry.plan).getTime()
  if (entry.kind === 'account') {
    const { status, renewal, provisioned } = entry.plan
    if (status === 'EXPIRED') return 'expired'
    return renewal ? 'renewalFailing' : provisioned ? 'active' : 'provisioning'
  }
  if (isOver) return 'expired'
  const { lastCheck } = entry.plan
  return lastCheck === undefined ? 'unchecked' : lastCheck.ok ? 'works' : 'fails'
}

interface ExpiryProps {
  readonly expiresAt: string
  /** Its end is nothing to worry about. */
  readonly renews?: boolean
  /** The platform says that it is over. */
  readonly isExpired?: boolean
  readonly formats: Formats
  readonly currentTime: Date
  /** Puts the words into a sentence. */
  readonly say?: (when: string, verb: 'expired' | 'renews' | 'expires') => string
}

/** A plan's end: "in 5 days", amber in its last week (not when it renews itself), red afterwards; the exact moment on hover. */
export function ExpiryAt({ expiresAt, renews = false, isExpired = false, formats, currentTime, say }: ExpiryProps) {
  const leftMs = Date.parse(expiresAt) - currentTime.getTime()
  const isOver = isExpired || leftMs <= 0
  const { short, exact } = endWords({ expiresAt, isExpired }, formats, currentTime)
  const verb = isOver ? 'expired' : renews ? 'renews' : 'expires'
  return (
    <time
      dateTime={expiresAt}
      title={exact}
      className={cn('whitespace-nowrap', isOver ? 'text-danger' : leftMs <= soonMs && !renews && 'text-warning')}
    >
      {say ? say(short, verb) : short}
    </time>
  )
}

export function Expiry({
  expiresAt,
  renews = false,
  isExpired = false,
  inSentence = false,
  aheadMs,
}: {
  readonly expiresAt: string | undefined
  /** How far the clock of the plan's place is ahead of ours. */
  readonly aheadMs?: number | undefined
  readonly renews?: boolean
  readonly isExpired?: boolean
  readonly inSentence?: boolean
}) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const currentTime = toServerTime(useNow(), { aheadMs })
  if (expiresAt === undefined) return inSentence ? null : <span className="text-faint">{t('noExpiry')}</span>
  return (
    <ExpiryAt
      expiresAt={expiresAt}
      renews={renews}
      isExpired={isExpired}
      formats={formats}
      currentTime={currentTime}
      {...(inSentence ? { say: (when, verb) => t(verb, { when }) } : {})}
    />
  )
}

/** The end of a plan, and whether the platform says that it is over. */
interface EndOfPlan {
  readonly expiresAt: string
  readonly isExpired: boolean
}

/**
 * When a plan ends or ended, in words. The platform's clock may run ahead of this computer's: what it calls expired is never said to end in
 * the future, its day is told instead.
 */
export function endWords({ expiresAt, isExpired }: EndOfPlan, formats: Formats, currentTime: Date): Formatted {
  const relativeTime = formats.relative(expiresAt, currentTime)
  return isExpired && Date.parse(expiresAt) > currentTime.getTime()
    ? { ...relativeTime, short: formats.date(expiresAt) }
    : relativeTime
}

const tones: Record<PlanStatus, Tone> = {
  active: 'success',
  works: 'success',
  provisioning: 'accent',
  renewalFailing: 'danger',
  expired: 'danger',
  fails: 'danger',
  unchecked: 'neutral',
}

/** How a plan stands, as a dot and its word; it pulses while the platform is at it. */
export function PlanStatusDot({ standing, word }: { readonly standing: PlanStatus; readonly word: string }) {
  return <StatusDot tone={tones[standing]} label={word} pulse={standing === 'provisioning'} />
}

export function PlanStatusLabel({ standing }: { readonly standing: PlanStatus }) {
  const { t } = useTranslation('plans')
  return <PlanStatusDot standing={standing} word={t(`account.standings.${standing}`)} />
}
