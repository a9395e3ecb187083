import type { AccountPlanView, ConnectionView } from '@shared/contract'
import type { QueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { type CallError, callKey, useAction, useCall } from '../../../ipc'
import { connectionPath, editConnectionPath } from '../../../paths'
import { useActiveConnection } from '..'
import { joinPlanEntries } from './plan-entries'

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
  queries.setQueryData(callKey('account.plan', { connectionId, planId: plan.planId }), plan)
  queries.setQueryData<AccountPlanView[]>(callKey('account.plans', { connectionId }), (plans) => {
    if (!plans) return plans
    const isKnown = plans.some(({ planId }) => planId === plan.planId)
    return isKnown
      ? plans.map((listedPlan) => (listedPlan.planId === plan.planId ? plan : listedPlan))
      : [plan, ...plans]
  })
}

interface ConsoleFailureProps {
  readonly connection: ConnectionView
  readonly query: { readonly error: CallError | null; readonly refetch: () => unknown; readonly isFetching: boolean }
}

/** Failure of a console request, with buttons that can fix the connection. Renders nothing without a failure. */
export const ConsoleFailure = (props: ConsoleFailureProps) =>
  props.query.error ? <ConnectionRepair {...props} error={props.query.error} /> : null

function ConnectionRepair({
  connection: { id, isBuiltIn, addresses },
  query: { refetch, isFetching },
  error,
}: ConsoleFailureProps & { readonly error: CallError }) {
  const navigate = useNavigate()
  const onRetry = (): void => void refetch()
  const openSandbox = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'account'], onSuccess: onRetry })
  return (
    <ExplainedFailure
      failure={(openSandbox.error ?? error).failure}
      context={{ isSandbox: isBuiltIn, requestAddress: addresses.consoleUrl }}
      busy={isFetching || openSandbox.isPending}
      handlers={{
        tryAgain: onRetry,
        setAddress: () => void navigate(isBuiltIn ? '/sandbox' : editConnectionPath(id, 'consoleUrl')),
        pasteKey: () => void navigate(connectionPath(id)),
        startSandbox: () => openSandbox.mutate({}),
        anotherPort: () => openSandbox.mutate({ anotherPort: true }),
      }}
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
  return useCallback((code) => `var(--series-${hues.get(code) ?? (digest(code) % hueCount) + 1})`, [hues])
}

/** Number of `--series-N` colors. */
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
