import type { AccountPlanView, PlanView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { type Formats, type FormattedText, useFormats } from '../../../format'
import { toServerTime, useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { joinClassNames } from '../../../ui/cn'

/** A plan of the account with its local copy if any, or a local plan that belongs to no account. */
export type Entry =
  | {
      readonly kind: 'account'
      readonly id: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  /** `isGone` means the account no longer lists the plan. */
  | { readonly kind: 'handed'; readonly id: string; readonly plan: PlanView; readonly isGone: boolean }

/** `fails`, `works` and `unchecked` come from the last connection test of a plan without an account. */
export type PlanStatus = 'expired' | 'renewalFailing' | 'provisioning' | 'active' | 'fails' | 'works' | 'unchecked'

/** Remaining time in ms below which a plan ends soon. */
export const expiringSoonMs = 7 * dayMs

/**
 * Joins account plans with their local copies and adds the remaining local plans. `answered`: the account plans of the
 * active connection, once its console has responded.
 */
export function joinPlanEntries(
  answered: { readonly connectionId: string; readonly plans: readonly AccountPlanView[] } | undefined,
  local: readonly PlanView[],
): readonly Entry[] {
  const account = answered?.plans ?? []
  const isFromAccount = ({ origin }: PlanView): boolean =>
    origin !== undefined && origin.connectionId === answered?.connectionId
  const plansById = new Map(local.map((plan) => [plan.id, plan]))
  const plansByOriginId = new Map(local.filter(isFromAccount).map((plan) => [plan.origin?.planId, plan]))
  // Match by both ids, because the two lists load separately. A new local plan may contain its account plan's id
  // before the account's list contains the plan.
  const findLocalPlan = ({ planId, localPlanId = '' }: AccountPlanView): PlanView | undefined =>
    plansById.get(localPlanId) ?? plansByOriginId.get(planId)
  const accountEntries = account.map(
    (plan): Entry => ({ kind: 'account', id: plan.planId, plan, local: findLocalPlan(plan) }),
  )
  const joinedIds = new Set(accountEntries.map((entry) => entry.kind === 'account' && entry.local?.id))
  return [
    ...accountEntries,
    ...local
      .filter(({ id }) => !joinedIds.has(id))
      .map((plan): Entry => ({ kind: 'handed', id: plan.id, plan, isGone: isFromAccount(plan) })),
  ]
}

export function getPlanStatus(entry: Entry, currentTime: Date): PlanStatus {
  const hasEnded =
    entry.plan.expiresAt !== undefined &&
    Date.parse(entry.plan.expiresAt) <= toServerTime(currentTime, entry.plan).getTime()
  if (entry.kind === 'account') {
    const { status, renewal, provisioned } = entry.plan
    if (status === 'EXPIRED') return 'expired'
    return renewal ? 'renewalFailing' : provisioned ? 'active' : 'provisioning'
  }
  if (hasEnded) return 'expired'
  const { lastCheck } = entry.plan
  return lastCheck === undefined ? 'unchecked' : lastCheck.ok ? 'works' : 'fails'
}

interface ExpiryProps {
  readonly expiresAt: string
  /** Whether the plan renews automatically. Its end then needs no warning. */
  readonly renews?: boolean
  /** Whether the platform reports the plan as expired. */
  readonly isExpired?: boolean
  readonly formats: Formats
  readonly currentTime: Date
  /** Formats a sentence, such as "expires in 5 days", from the relative time and the verb. */
  readonly say?: (when: string, verb: 'expired' | 'renews' | 'expires') => string
}

/** End of a plan, such as "in 5 days". Amber in the last week unless the plan renews, red after the end. */
export function ExpiryText({ expiresAt, renews = false, isExpired = false, formats, currentTime, say }: ExpiryProps) {
  const remainingMs = Date.parse(expiresAt) - currentTime.getTime()
  const hasEnded = isExpired || remainingMs <= 0
  const { short, exact } = formatPlanEnd({ expiresAt, isExpired }, formats, currentTime)
  const expiryVerb = hasEnded ? 'expired' : renews ? 'renews' : 'expires'
  return (
    <time
      dateTime={expiresAt}
      title={exact}
      className={joinClassNames(
        'whitespace-nowrap',
        hasEnded ? 'text-danger' : remainingMs <= expiringSoonMs && !renews && 'text-warning',
      )}
    >
      {say ? say(short, expiryVerb) : short}
    </time>
  )
}

interface ExpiryLabelProps extends Pick<ExpiryProps, 'renews' | 'isExpired'> {
  readonly expiresAt: string | undefined
  /** Offset of the server's clock in ms. */
  readonly aheadMs?: number | undefined
  readonly inSentence?: boolean
}

export function Expiry({ expiresAt, inSentence = false, aheadMs, ...end }: ExpiryLabelProps) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const currentTime = toServerTime(useNow(), { aheadMs })
  if (expiresAt === undefined) return inSentence ? null : <span className="text-faint">{t('noExpiry')}</span>
  return (
    <ExpiryText
      {...{ ...end, expiresAt, formats, currentTime }}
      {...(inSentence ? { say: (when, verb) => t(verb, { when }) } : {})}
    />
  )
}

/** End of a plan. Shows the date instead of "in 5 minutes" if it expired but this computer's clock is behind. */
export function formatPlanEnd(
  { expiresAt, isExpired }: { readonly expiresAt: string; readonly isExpired: boolean },
  formats: Formats,
  currentTime: Date,
): FormattedText {
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
