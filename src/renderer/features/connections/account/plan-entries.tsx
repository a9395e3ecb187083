import type { AccountPlanView, PlanView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { type Formats, type FormattedText, useFormats } from '../../../format'
import { toServerTime, useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { cn } from '../../../ui/cn'

/** An account plan with its local copy, or a plan without an account. */
export type Entry =
  | {
      readonly kind: 'account'
      readonly id: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  /** `isGone` means the account no longer lists the plan. */
  | { readonly kind: 'handed'; readonly id: string; readonly plan: PlanView; readonly isGone: boolean }

/** `fails`, `works` and `unchecked` are results of the last check of a plan without an account. */
export type PlanStatus = 'expired' | 'renewalFailing' | 'provisioning' | 'active' | 'fails' | 'works' | 'unchecked'

/** Remaining time in ms below which a plan ends soon. */
export const expiringSoonMs = 7 * dayMs

/** Account plans of the active connection, if it answered. */
interface ConnectionPlans {
  readonly connectionId: string
  readonly plans: readonly AccountPlanView[]
}

/** Joins account plans with their local copies and adds the remaining local plans. */
export function joinPlanEntries(answered: ConnectionPlans | undefined, local: readonly PlanView[]): readonly Entry[] {
  const account = answered?.plans ?? []
  const isOfAccount = ({ origin }: PlanView): boolean =>
    origin !== undefined && origin.connectionId === answered?.connectionId
  const byId = new Map(local.map((plan) => [plan.id, plan]))
  const byOrigin = new Map(local.filter(isOfAccount).map((plan) => [plan.origin?.planId, plan]))
  // The lists are fetched separately. A new local plan knows its account plan before the account lists it.
  const findLocalPlan = ({ planId, localPlanId = '' }: AccountPlanView): PlanView | undefined =>
    byId.get(localPlanId) ?? byOrigin.get(planId)
  const accountEntries = account.map(
    (plan): Entry => ({ kind: 'account', id: plan.planId, plan, local: findLocalPlan(plan) }),
  )
  const joinedIds = new Set(accountEntries.map((entry) => entry.kind === 'account' && entry.local?.id))
  return [
    ...accountEntries,
    ...local
      .filter(({ id }) => !joinedIds.has(id))
      .map((plan): Entry => ({ kind: 'handed', id: plan.id, plan, isGone: isOfAccount(plan) })),
  ]
}

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
  /** Whether the plan renews, so that its end needs no warning. */
  readonly renews?: boolean
  /** Whether the platform reports the plan as expired. */
  readonly isExpired?: boolean
  readonly formats: Formats
  readonly currentTime: Date
  /** Puts the time into a sentence, for example "expires in 5 days". */
  readonly say?: (when: string, verb: 'expired' | 'renews' | 'expires') => string
}

/** End of a plan, such as "in 5 days". Amber in the last week unless it renews, red afterwards. Exact time on hover. */
export function ExpiryAt({ expiresAt, renews = false, isExpired = false, formats, currentTime, say }: ExpiryProps) {
  const remainingMs = Date.parse(expiresAt) - currentTime.getTime()
  const isOver = isExpired || remainingMs <= 0
  const { short, exact } = endTexts({ expiresAt, isExpired }, formats, currentTime)
  const verb = isOver ? 'expired' : renews ? 'renews' : 'expires'
  return (
    <time
      dateTime={expiresAt}
      title={exact}
      className={cn(
        'whitespace-nowrap',
        isOver ? 'text-danger' : remainingMs <= expiringSoonMs && !renews && 'text-warning',
      )}
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
  aheadMs: clockOffsetMs,
}: {
  readonly expiresAt: string | undefined
  /** Offset of the server's clock in ms. */
  readonly aheadMs?: number | undefined
  readonly renews?: boolean
  readonly isExpired?: boolean
  readonly inSentence?: boolean
}) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const currentTime = toServerTime(useNow(), { aheadMs: clockOffsetMs })
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

interface EndOfPlan {
  readonly expiresAt: string
  readonly isExpired: boolean
}

/**
 * Shows the date of an expired plan whose end is in the future on this computer's clock. The server clock may be ahead.
 */
export function endTexts({ expiresAt, isExpired }: EndOfPlan, formats: Formats, currentTime: Date): FormattedText {
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

/** Status dot of a plan. Pulses while the platform is provisioning. */
export function PlanStatusDot({ standing, word }: { readonly standing: PlanStatus; readonly word: string }) {
  return <StatusDot tone={tones[standing]} label={word} pulse={standing === 'provisioning'} />
}

export function PlanStatusLabel({ standing }: { readonly standing: PlanStatus }) {
  const { t } = useTranslation('plans')
  return <PlanStatusDot standing={standing} word={t(`account.standings.${standing}`)} />
}
