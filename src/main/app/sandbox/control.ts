import type { MethodInput, SandboxEvent, SandboxSituation, SandboxStep, SandboxWorldView } from '@shared/contract'
import { ApiStandard } from '@shared/contract/common'
import { SandboxRequestView, SandboxRole } from '@shared/contract/sandbox'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { Send } from '../../core/net/send'
import { readBody } from '../../gateway/server-message'
import type { SandboxReady } from './host'

const controlTimeoutMs = 5_000
const maxAnswerBytes = 16_000_000

export type SandboxControl = ReturnType<typeof openControl>

/**
 * Control client for a running sandbox. This computer uses the first plan that the sandbox reports, with its first key.
 * Fails with `sandbox.failed` when the sandbox does not respond.
 */
export function openControl(ready: SandboxReady, send: Send) {
  const offered = getOfferedKey(ready)
  /** State of the sandbox from before the current situation. */
  let savedState: SandboxState | undefined
  const callControl = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await send({
      url: `${ready.platformUrl}/sandbox${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${ready.controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(controlTimeoutMs),
    }).catch((cause: unknown) => {
      throw new AppError('sandbox.failed', 'The sandbox does not respond. Stop it and start it again.', { cause })
    })
    const { text } = await readBody(response.body, maxAnswerBytes)
    if (response.status < 200 || response.status >= 300)
      throw new AppError('sandbox.failed', `The sandbox refused ${path} with ${response.status}.`)
    return JSON.parse(text)
  }
  const requestState = async (path: string, body?: unknown) => SandboxState.parse(await callControl(path, body))
  const toWorldView = (state: SandboxState): SandboxWorldView => {
    const { clock, clockOffsetMs, account } = state
    const plan = findPlan(state, offered?.planId)
    const view = { clock, aheadMs: clockOffsetMs, role: account.role, credits: account.credits }
    if (!plan) return view
    const { name, status, expiresAt, autoRenew, total } = plan
    return { ...view, plan: { name, status, expiresAt, autoRenew, total } }
  }
  return {
    /** Requests of one listener after a sequence number. */
    async requests({ after = 0, area = 'gateway' }: MethodInput<'sandbox.requests'>): Promise<SandboxRequestView[]> {
      const answer = SandboxRequests.parse(await callControl(`/requests?area=${area}&after=${after}`))
      return answer.requests.map(({ userAgent, ...request }) => ({
        ...request,
        client: userAgent?.slice(0, maxClientLength),
      }))
    },
    /** Switches from the situation `previousSituation` to another situation. */
    async simulate(situation: SandboxSituation, previousSituation: SandboxSituation): Promise<void> {
      if (!offered) return
      const context = { state: await requestState('/state'), offered, remembered: savedState }
      const { fault, begin } = situations[situation]
      // Selecting the same one again after a restart undoes nothing, because the state file keeps plans and keys but no
      // faults.
      if (situation !== previousSituation) {
        const undo = situations[previousSituation].end?.(context)
        if (undo) await callControl(...undo)
        savedState = await requestState('/state')
      }
      await callControl('/faults', { faults: fault ? [{ operations: 'gateway.*', ...fault }] : [] })
      if (begin) await callControl(...begin(context))
    },
    world: async (): Promise<SandboxWorldView> => toWorldView(await requestState('/state')),
    /** Moves the clock. Returns the state and the skipped events. Fails with `input.invalid` for a step backward. */
    async moveClock(step: SandboxStep): Promise<{ world: SandboxWorldView; happened: SandboxEvent[] }> {
      const previousState = await requestState('/state')
      const plan = findPlan(previousState, offered?.planId)
      const remainingMs = plan ? Date.parse(plan.expiresAt) - Date.parse(previousState.clock) : 0
      const stepMs: Readonly<Record<SandboxStep, number>> = {
        hour: hourMs,
        day: dayMs,
        week: 7 * dayMs,
        beforeExpiry: remainingMs - dayMs,
        // A minute later the plan has certainly expired.
        pastExpiry: remainingMs > 0 ? remainingMs + minuteMs : 0,
      }
      const advanceMs = stepMs[step]
      if (advanceMs <= 0) throw new AppError('input.invalid', 'That time is in the past. Choose a later one.')
      const currentState = await requestState('/clock', { advanceMs })
      return { world: toWorldView(currentState), happened: listEvents(previousState, currentState) }
    },
    /** Sets the role or the balance of the simulated account. Credits in VND. */
    setAccount: async (change: MethodInput<'sandbox.setAccount'>): Promise<SandboxWorldView> =>
      toWorldView(await requestState('/account', change)),
    expireTokens: async (): Promise<void> => void (await callControl('/tokens:expire', {})),
    /** Resets the simulated data. Resolves to whether the plan and key that this computer uses still exist afterwards. */
    async reset(): Promise<boolean> {
      const plan = findPlan(await requestState('/reset', {}), offered?.planId)
      return plan?.keys.some(({ keyId, deleted }) => keyId === offered?.keyId && !deleted) ?? false
    },
  }
}

function listPlanEvents(previousPlan: SandboxPlanState, currentPlan: SandboxPlanState): readonly SandboxEvent[] {
  const { name: plan, total, expiresAt, failedRenewals } = currentPlan
  const extensionMs = Date.parse(expiresAt) - Date.parse(previousPlan.expiresAt)
  const cycles = Math.round(extensionMs / (previousPlan.cycleDays * dayMs))
  const hasExpired = previousPlan.status === 'ACTIVE' && currentPlan.status === 'EXPIRED'
  const rows: readonly (readonly [boolean, SandboxEvent])[] = [
    [cycles > 0, { kind: 'renewed', plan, charged: cycles * total, expiresAt }],
    [Date.parse(currentPlan.cycleEndsAt) > Date.parse(previousPlan.cycleEndsAt), { kind: 'cycleBegan', plan }],
    [
      !hasExpired && failedRenewals > previousPlan.failedRenewals,
      { kind: 'renewalFailed', plan, attempts: Math.max(1, failedRenewals) },
    ],
    [hasExpired, { kind: 'expired', plan, why: currentPlan.autoRenew ? 'unpaid' : 'notRenewed' }],
  ]
  return rows.flatMap(([isSo, happening]) => (isSo ? [happening] : []))
}

/** Events of each plan between two states. Omits plans that are missing or deleted in one of them. */
function listEvents(previousState: SandboxState, currentState: SandboxState): SandboxEvent[] {
  return previousState.plans.flatMap((plan) => {
    const laterPlan = currentState.plans.find(({ planId }) => planId === plan.planId)
    return plan.deleted || !laterPlan || laterPlan.deleted ? [] : listPlanEvents(plan, laterPlan)
  })
}

type Change = readonly [path: string, body: Readonly<Record<string, unknown>>]

/** Data for a change of the situation. `remembered`: state before the current situation, undefined if unknown. */
interface SituationContext {
  readonly state: SandboxState
  readonly offered: OfferedKey
  readonly remembered: SandboxState | undefined
}

interface SituationFaults {
  /** Fault that the gateway simulates for every request. */
  readonly fault?: Readonly<Record<string, number | boolean>>
  readonly begin?: (context: SituationContext) => Change
  readonly end?: (context: SituationContext) => Change
}

const planPath = ({ offered }: SituationContext): string => `/plans/${offered.planId}`
const keyPath = ({ offered }: SituationContext): string => `/keys/${offered.keyId}`

const setTokensUsed = ({ state, offered: { planId } }: SituationContext, tokensUsed: number): Change => {
  const modelCode = findPlan(state, planId)?.models[0]?.modelCode
  return ['/models', { planId, modelCode, tokensUsed }]
}

const rememberedPlan = ({ remembered, offered }: SituationContext): SandboxPlanState | undefined =>
  remembered && findPlan(remembered, offered.planId)

const situations: Readonly<Record<SandboxSituation, SituationFaults>> = {
  normal: {},
  keyDisabled: {
    begin: (context) => [keyPath(context), { status: 'DISABLED' }],
    end: (context) => [keyPath(context), { status: 'ACTIVE' }],
  },
  planExpired: {
    begin: (context) => [planPath(context), { status: 'EXPIRED' }],
    // Restores the original expiry if it is in the future, or else starts a new cycle.
    end(context) {
      const expiresAt = rememberedPlan(context)?.expiresAt
      const expiresInFuture = expiresAt !== undefined && Date.parse(expiresAt) > Date.parse(context.state.clock)
      return [planPath(context), expiresInFuture ? { expiresAt } : { status: 'ACTIVE' }]
    },
  },
  allowanceUsedUp: {
    begin: (context) => setTokensUsed(context, Number.MAX_SAFE_INTEGER),
    end: (context) => setTokensUsed(context, rememberedPlan(context)?.models[0]?.tokensUsed ?? 0),
  },
  rateLimited: { fault: { status: 429, retryAfterS: 20 } },
  serverError: { fault: { status: 503 } },
  malformed: { fault: { isMalformed: true } },
  slow: { fault: { delayMs: 5_000 } },
  cutStream: { fault: { cutAfterBytes: 120 } },
  dropped: { fault: { isDropped: true } },
}

/** Fields of the sandbox's state that this app reads. Times by the sandbox's clock, money in VND. */
const SandboxState = z.object({
  clock: z.iso.datetime(),
  clockOffsetMs: z.number(),
  account: z.object({ role: SandboxRole, credits: z.number() }),
  plans: z.array(
    z.object({
      planId: z.string(),
      name: z.string(),
      status: z.enum(['ACTIVE', 'EXPIRED']),
      deleted: z.boolean(),
      autoRenew: z.boolean(),
      total: z.number(),
      cycleDays: z.number(),
      cycleEndsAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      failedRenewals: z.number(),
      models: z.array(z.object({ modelCode: z.string(), tokensUsed: z.number() })),
      keys: z.array(z.object({ keyId: z.string(), deleted: z.boolean() })),
    }),
  ),
})
type SandboxState = z.infer<typeof SandboxState>
type SandboxPlanState = SandboxState['plans'][number]

/** Finds a plan that is not deleted. The sandbox's state keeps deleted plans. */
function findPlan(state: SandboxState, planId: string | undefined): SandboxPlanState | undefined {
  return state.plans.find((plan) => plan.planId === planId && !plan.deleted)
}

const maxClientLength = 80

const SandboxRequests = z.object({
  requests: z.array(
    z.object({
      ...SandboxRequestView.omit({ client: true }).shape,
      standard: ApiStandard.optional().catch(undefined),
      userAgent: z.string().optional(),
    }),
  ),
})

type OfferedPlan = SandboxReady['plans'][number]

/** Ids in the sandbox of the plan and key that this computer uses. */
interface OfferedKey {
  readonly planId: string
  readonly keyId: string
}

const isActive = ({ status }: { readonly status: string }): boolean => status === 'ACTIVE'

/** Sorts rows by the first condition that each one meets. Rows of equal rank keep their order. */
function sortByPreference<Row>(rows: readonly Row[], ways: readonly ((row: Row) => boolean)[]): Row[] {
  const getPlanRank = (row: Row): number => {
    const matchIndex = ways.findIndex((fits) => fits(row))
    return matchIndex === -1 ? ways.length : matchIndex
  }
  return [...rows].sort((a, b) => getPlanRank(a) - getPlanRank(b))
}

/** Sorts the plan and key that were in use first, followed by usable ones. An expired plan in use stays first. */
export function orderPlans(ready: SandboxReady, previousKey: OfferedKey | undefined): SandboxReady {
  const sortKeys = (plan: OfferedPlan): OfferedPlan => ({
    ...plan,
    keys: sortByPreference(plan.keys, [({ keyId }) => keyId === previousKey?.keyId, isActive]),
  })
  const plans = sortByPreference(ready.plans, [
    ({ planId }) => planId === previousKey?.planId,
    (plan) => isActive(plan) && plan.keys.some(isActive),
  ])
  return { ...ready, plans: plans.map(sortKeys) }
}

export function getOfferedKey({ plans: [plan] }: SandboxReady): OfferedKey | undefined {
  const key = plan?.keys[0]
  return plan && key ? { planId: plan.planId, keyId: key.keyId } : undefined
}
