import type { AccountPlanView, ConnectionView } from '@shared/contract'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { type CallError, callKey, useAction, useCall } from '../../../ipc'
import { connectionPath, editConnectionPath } from '../../../paths'
import { useActiveConnection } from '..'
import { joinPlanEntries } from './plan-entries'

/** Whose plans can be shown: nobody's (`none`), only handed-over ones (`noConsole`), or an account's. */
export type Console =
  | { readonly kind: 'looking' }
  | { readonly kind: 'none' }
  | { readonly kind: 'noConsole'; readonly connection: ConnectionView }
  | { readonly kind: 'there'; readonly connection: ConnectionView }

/** The console of the connection in use. */
export function useConsole(): Console {
  const { data, isError } = useCall('connections.list', {})
  const connection = useActiveConnection()
  if (data === undefined && !isError) return { kind: 'looking' }
  if (!connection) return { kind: 'none' }
  return { kind: connection.addresses.consoleUrl ? 'there' : 'noConsole', connection }
}

const provisioningMs = 3_000
const refreshMs = 60_000

const pace = (plans: readonly AccountPlanView[]): number =>
  plans.some(({ provisioned, status }) => !provisioned && status === 'ACTIVE') ? provisioningMs : refreshMs

/** The plans of an account, asked for again now and then: sooner while one is being provisioned. Nothing is asked without a connection. */
export const useAccountPlans = (connectionId: string | undefined) =>
  useCall(
    'account.plans',
    { connectionId: connectionId ?? '' },
    { enabled: connectionId !== undefined, refetchInterval: ({ state }) => pace(state.data ?? []) },
  )

/** Every plan there is to show, or nothing while it is being read; what the console did not tell is left out, and `account` says why. */
export function useEntries(console: Console) {
  const connectionId = console.kind === 'there' ? console.connection.id : undefined
  const local = useCall('plans.list', {})
  const account = useAccountPlans(connectionId)
  const isReading = console.kind === 'looking' || (connectionId !== undefined && account.isPending)
  const entries = useMemo(() => {
    if (!local.data || isReading) return undefined
    const isAnswered = connectionId !== undefined && account.data !== undefined
    return joinPlanEntries(isAnswered ? { connectionId, plans: account.data } : undefined, local.data)
  }, [local.data, account.data, connectionId, isReading])
  return { connectionId, local, account, entries }
}

/** The account behind a connection: role and credits. Both can change elsewhere, so whatever shows them asks anew. */
export const useAccount = (connectionId: string | undefined) =>
  useCall(
    'account.get',
    { connectionId: connectionId ?? '' },
    { enabled: connectionId !== undefined, staleTime: 0, refetchInterval: refreshMs },
  )

/** Puts what main answered about a plan in its place, so that it shows at once; a plan not seen before comes first. */
export function putPlan(queries: QueryClient, connectionId: string, plan: AccountPlanView): void {
  queries.setQueryData(callKey('account.plan', { connectionId, planId: plan.planId }), plan)
  queries.setQueryData<AccountPlanView[]>(callKey('account.plans', { connectionId }), (plans) => {
    if (!plans) return plans
    const isKnown = plans.some(({ planId }) => planId === plan.planId)
    return isKnown ? plans.map((one) => (one.planId === plan.planId ? plan : one)) : [plan, ...plans]
  })
}

/** Stops reading the plans of an account: an answer still on its way must not undo what was just done. */
export function useHoldPlans(connectionId: string): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(
    () => queries.cancelQueries({ queryKey: callKey('account.plans', { connectionId }) }),
    [queries, connectionId],
  )
}

interface ConsoleFailureProps {
  readonly console: Console & { readonly kind: 'there' }
  readonly error: CallError
  readonly onRetry: () => void
  readonly busy: boolean
}

/** Why the console did not answer, with the remedies that a connection has: try again, its address, its secret, its test; for the sandbox, starting it. */
export function ConsoleFailure({ console, error, onRetry, busy }: ConsoleFailureProps) {
  const navigate = useNavigate()
  const { id, isBuiltIn } = console.connection
  const opening = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'account'], onSuccess: onRetry })
  const go = (path: string) => () => void navigate(path)
  return (
    <ExplainedFailure
      failure={opening.error?.failure ?? error.failure}
      context={{ isSandbox: isBuiltIn, requestAddress: console.connection.addresses.consoleUrl }}
      busy={busy || opening.isPending}
      handlers={{
        tryAgain: onRetry,
        setAddress: go(isBuiltIn ? '/sandbox' : editConnectionPath(id, 'consoleUrl')),
        pasteKey: go(connectionPath(id)),
        startSandbox: () => opening.mutate({}),
        anotherPort: () => opening.mutate({ anotherPort: true }),
      }}
    />
  )
}

/** The colour of each model, the same everywhere in the window: told apart from all other models of the plans there are. */
export function useModelColour(): (modelCode: string) => string {
  const console = useConsole()
  const connectionId = console.kind === 'there' ? console.connection.id : ''
  const local = useCall('plans.list', {})
  // Read where it is known already: a colour is no reason to ask a console.
  const account = useCall('account.plans', { connectionId }, { enabled: false })
  const hues = useMemo(() => {
    const localModels = local.data?.flatMap(({ models }) => models) ?? []
    const accountCodes = account.data?.flatMap(({ models }) => models.map(({ modelCode }) => modelCode)) ?? []
    return assignHues([...localModels, ...accountCodes])
  }, [local.data, account.data])
  return useCallback((modelCode) => pickColour(modelCode, hues), [hues])
}

/** How many hues there are: `--series-1` to `--series-6`. */
const hueCount = 6

/** A number made of a text: the same for the same text, in every window and after every start. */
function digest(text: string): number {
  let hash = 2166136261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619)
  return hash >>> 0
}

/**
 * The hue of each code, 1 to 6: the one its name gives, or the next free one. Only what is given counts, not its order; so a code has the
 * same hue wherever the same codes are known, and no two share one while there are at most six.
 */
export function assignHues(codes: Iterable<string>): ReadonlyMap<string, number> {
  const hues = new Map<string, number>()
  const taken = new Set<number>()
  for (const code of [...new Set(codes)].sort()) {
    let hue = digest(code) % hueCount
    if (taken.size < hueCount) while (taken.has(hue)) hue = (hue + 1) % hueCount
    taken.add(hue)
    hues.set(code, hue + 1)
  }
  return hues
}

/** The colour of a code: of those known, its own; of another, the one its name gives. */
export const pickColour = (code: string, hues: ReadonlyMap<string, number>): string =>
  `var(--series-${hues.get(code) ?? (digest(code) % hueCount) + 1})`
