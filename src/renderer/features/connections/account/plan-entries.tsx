import type { AccountPlanView, ConnectionView, PlanView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import type { QueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useMemo } from 'react'
import { type FormattedText, formatDate, formatRelative } from '../../../format'
import { type CallError, callKey, useCall } from '../../../ipc'
import { toServerTime, useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { joinClassNames } from '../../../ui/cn'
import { ConnectionFailure, useActiveConnection } from '..'

const t = i18next.getFixedT(null, 'plans')

/** Console of the active connection. `none`: no connection. `noConsole`: no console address. */
export type Console =
  | { readonly kind: 'looking'; readonly connectionId?: undefined }
  | { readonly kind: 'none'; readonly connectionId?: undefined }
  | { readonly kind: 'noConsole'; readonly connection: ConnectionView; readonly connectionId?: undefined }
  | { readonly kind: 'there'; readonly connection: ConnectionView; readonly connectionId: string }

export function useConsole(): Console {
  const { data, isError } = useCall('connections.list', {})
  const connection = useActiveConnection()
  if (data === undefined && !isError) return { kind: 'looking' }
  if (!connection) return { kind: 'none' }
  return connection.addresses.consoleUrl
    ? { kind: 'there', connection, connectionId: connection.id }
    : { kind: 'noConsole', connection }
}

const provisioningMs = 3_000
const refreshIntervalMs = 60_000
/** Polling interval in ms while the console does not respond, for example while a VPN connects. */
const retryMs = 5_000

/** Polls, faster while a plan is being provisioned. Disabled without a connection. */
export const useAccountPlans = (connectionId: string | undefined) =>
  useCall(
    'account.plans',
    { connectionId: connectionId ?? '' },
    {
      enabled: connectionId !== undefined,
      refetchInterval: ({ state: { error, data } }) => {
        if (error) return retryMs
        const isProvisioning = data?.some(({ provisioned, status }) => !provisioned && status === 'ACTIVE')
        return isProvisioning ? provisioningMs : refreshIntervalMs
      },
    },
  )

/** Local and account plans. Undefined while loading. Without the account's plans if `account` has a failure. */
export function useEntries(console: Console) {
  const { connectionId } = console
  const localPlansQuery = useCall('plans.list', {})
  const account = useAccountPlans(connectionId)
  const isLoading = console.kind === 'looking' || (connectionId !== undefined && account.isPending)
  const entries = useMemo(() => {
    if (!localPlansQuery.data || isLoading) return undefined
    const hasAccountData = connectionId !== undefined && account.data !== undefined
    return joinPlanEntries(hasAccountData ? { connectionId, plans: account.data } : undefined, localPlansQuery.data)
  }, [localPlansQuery.data, account.data, connectionId, isLoading])
  return { connectionId, local: localPlansQuery, account, entries }
}

/** Role and credits. Both can change outside of this app, so each component that mounts requests them again. */
export const useAccount = (connectionId: string | undefined) =>
  useCall(
    'account.get',
    { connectionId: connectionId ?? '' },
    { enabled: connectionId !== undefined, staleTime: 0, refetchInterval: refreshIntervalMs },
  )

/** Updates a plan in the query cache. A new plan is put first. */
export function cachePlan(queries: QueryClient, connectionId: string, plan: AccountPlanView): void {
  queries.setQueryData<AccountPlanView[]>(callKey('account.plans', { connectionId }), (plans) => {
    if (!plans) return plans
    const isKnown = plans.some(({ planId }) => planId === plan.planId)
    return isKnown
      ? plans.map((listedPlan) => (listedPlan.planId === plan.planId ? plan : listedPlan))
      : [plan, ...plans]
  })
}

/** Failure of a console request, with buttons that can fix the connection. Renders nothing without a failure. */
export function ConsoleFailure(props: {
  readonly connection: ConnectionView
  readonly query: { readonly error: CallError | null; readonly refetch: () => unknown; readonly isFetching: boolean }
}) {
  const { error, refetch, isFetching } = props.query
  if (!error) return null
  return (
    <ConnectionFailure
      connection={props.connection}
      address="consoleUrl"
      failure={error.failure}
      onRetry={() => void refetch()}
      busy={isFetching}
    />
  )
}

/** Returns a function for the color of a model. The color is stable and distinct from those of other known models. */
export function useModelColour(): (modelCode: string) => string {
  const { connectionId = '' } = useConsole()
  const localPlansQuery = useCall('plans.list', {})
  // Use only cached plans. The color of a model does not justify a request.
  const account = useCall('account.plans', { connectionId }, { enabled: false })
  const hues = useMemo(() => {
    const localPlans = localPlansQuery.data?.map(({ createdAt, models }) => ({ at: createdAt, codes: models })) ?? []
    const accountPlans = account.data?.map(({ purchasedAt, models }) => ({
      at: purchasedAt,
      codes: models.map(({ modelCode }) => modelCode),
    }))
    const plansOldestFirst = [...localPlans, ...(accountPlans ?? [])].toSorted((a, b) => a.at.localeCompare(b.at))
    return assignHues(plansOldestFirst.flatMap(({ codes }) => codes.toSorted()))
  }, [localPlansQuery.data, account.data])
  return (code) => `var(--color-series-${hues.get(code) ?? (digest(code) % hueCount) + 1})`
}

/** Number of `--color-series-N` colors. */
const hueCount = 6

/** Deterministic hash (FNV-1a), so that colors are stable across windows and restarts. */
function digest(text: string): number {
  let hash = 2166136261
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619)
  return hash >>> 0
}

/** Hue from 1 to 6 by hash, or the next free one for the first six codes. Later codes never change earlier hues. */
function assignHues(codes: Iterable<string>): ReadonlyMap<string, number> {
  const hues = new Map<string, number>()
  const usedHues = new Set<number>()
  for (const code of new Set(codes)) {
    let hueIndex = digest(code) % hueCount
    if (usedHues.size < hueCount) while (usedHues.has(hueIndex)) hueIndex = (hueIndex + 1) % hueCount
    usedHues.add(hueIndex)
    hues.set(code, hueIndex + 1)
  }
  return hues
}

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
  readonly currentTime: Date
  /** Whether to show a sentence, such as "expires in 5 days". */
  readonly inSentence?: boolean
}

/** End of a plan, such as "in 5 days". Amber in the last week unless the plan renews, red after the end. */
export function ExpiryText({ expiresAt, renews, isExpired = false, currentTime, inSentence }: ExpiryProps) {
  const remainingMs = Date.parse(expiresAt) - currentTime.getTime()
  const hasEnded = isExpired || remainingMs <= 0
  const { short, exact } = formatPlanEnd({ expiresAt, isExpired }, currentTime)
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
      {inSentence ? t(expiryVerb, { when: short }) : short}
    </time>
  )
}

interface ExpiryLabelProps extends Omit<ExpiryProps, 'expiresAt' | 'currentTime'> {
  readonly expiresAt: string | undefined
  /** Offset of the server's clock in ms. */
  readonly aheadMs?: number | undefined
}

export function Expiry({ expiresAt, aheadMs, ...end }: ExpiryLabelProps) {
  const currentTime = toServerTime(useNow(), { aheadMs })
  if (expiresAt === undefined) return end.inSentence ? null : <span className="text-faint">{t('noExpiry')}</span>
  return <ExpiryText {...end} expiresAt={expiresAt} currentTime={currentTime} />
}

/** End of a plan. Shows the date instead of "in 5 minutes" if it expired but this computer's clock is behind. */
export function formatPlanEnd(
  { expiresAt, isExpired }: { readonly expiresAt: string; readonly isExpired: boolean },
  currentTime: Date,
): FormattedText {
  const relativeTime = formatRelative(expiresAt, currentTime)
  return isExpired && Date.parse(expiresAt) > currentTime.getTime()
    ? { ...relativeTime, short: formatDate(expiresAt) }
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

/** Status of a plan. Its dot pulses while the platform is provisioning. */
export function PlanStatusLabel({ standing }: { readonly standing: PlanStatus }) {
  const label = t(`account.standings.${standing}`)
  return <StatusDot tone={tones[standing]} label={label} pulse={standing === 'provisioning'} />
}
