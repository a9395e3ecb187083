import type {
  MethodInput,
  PlanView,
  SandboxEvent,
  SandboxSituation,
  SandboxStep,
  SandboxView,
  SandboxWorldView,
} from '@shared/contract'
import { ApiStandard } from '@shared/contract/common'
import { AddressKey } from '@shared/contract/connections'
import { SandboxRequestView, SandboxRole } from '@shared/contract/sandbox'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { AppError, type Failure } from '@shared/failure'
import { z } from 'zod'
import type { Send } from '../core/net/send'
import { Secret } from '../core/secret'
import type { SettingsStore } from '../core/settings/settings'
import { createWorkQueue } from '../core/work-queue'
import { readBody } from '../gateway/server-message'
import { builtInId, type Connections } from '../plans/connections/connections'
import type { Plans } from '../plans/plans'

/** Text that is valid in a header, wrapped in a `Secret` when parsed. */
const SecretText = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .transform((text) => new Secret(text))

/** Message of the sandbox process when it listens. Its keys are valid only in the simulation. */
export const SandboxReady = z.object({
  kind: z.literal('ready'),
  gatewayUrl: z.string(),
  platformUrl: z.string(),
  controlToken: z.string(),
  /** Sandbox addresses by their names in a connection file. */
  addresses: z.record(AddressKey, z.string()),
  iam: z.object({ tokenUrl: z.string(), clientId: z.string(), clientSecret: SecretText }),
  plans: z.array(
    z.object({
      planId: z.string(),
      name: z.string(),
      status: z.string(),
      models: z.array(z.object({ modelCode: z.string(), contextTokens: z.number() })),
      keys: z.array(z.object({ keyId: z.string(), name: z.string(), status: z.string(), key: z.string() })),
    }),
  ),
})
export type SandboxReady = z.infer<typeof SandboxReady>

/** Message of the sandbox process when it cannot listen. */
export const SandboxFailedMessage = z.object({
  kind: z.literal('failed'),
  code: z.string(),
  port: z.number().optional(),
  message: z.string().optional(),
})

export interface SandboxHost {
  /** Port 0 selects a free port. Fails with `sandbox.portInUse`, `sandbox.stateInUse` or `sandbox.failed`. */
  start(ports: { readonly gatewayPort: number; readonly platformPort: number }): Promise<SandboxReady>
  stop(): Promise<void>
  /** Called when the process exits unexpectedly. */
  onExit(listener: () => void): void
}

interface SandboxDeps {
  readonly host: SandboxHost
  readonly settings: SettingsStore
  readonly createControl: (ready: SandboxReady) => SandboxControl
  /** Saves the sandbox's first plan with its key. Resolves with its local id. */
  readonly keepPlan: (ready: SandboxReady, knownId: string | undefined) => Promise<string>
  readonly onChanged: (view: SandboxView) => void
}

export class Sandbox {
  #view: SandboxView = { state: 'stopped' }
  #control: SandboxControl | undefined
  #opening: Promise<SandboxView> | undefined
  /** Queue for situation changes. Each change undoes the previous one, so they must not run in parallel. */
  readonly #queue = createWorkQueue()

  constructor(private readonly deps: SandboxDeps) {
    deps.host.onExit(() =>
      this.#end({ code: 'sandbox.failed', message: 'The sandbox stopped unexpectedly. Start it again.' }),
    )
  }

  get(): SandboxView {
    return this.#view
  }

  /** Starts the sandbox. Concurrent calls share one start. The view keeps the failure, which the window shows. */
  open({ anotherPort = false }: { anotherPort?: boolean | undefined } = {}): Promise<SandboxView> {
    if (this.#view.state === 'running') return Promise.resolve(this.#view)
    this.#opening ??= this.#start(anotherPort).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async stop(): Promise<SandboxView> {
    await this.#opening
    await this.deps.host.stop()
    this.#control = undefined
    this.#remember({ wanted: false })
    return this.#show({ state: 'stopped' })
  }

  /** Ends the sandbox process when the app quits. The next start of the app restarts the sandbox. */
  end(): Promise<void> {
    return this.deps.host.stop()
  }

  /** Requests that the sandbox received. Empty while the sandbox is stopped. */
  async requests(filter: MethodInput<'sandbox.requests'>): Promise<SandboxRequestView[]> {
    return this.#control ? this.#control.requests(filter) : []
  }

  /** Controls the running sandbox. Fails with `sandbox.failed` while it is stopped. */
  control(): SandboxControl {
    if (this.#control) return this.#control
    throw new AppError('sandbox.failed', 'The sandbox is not running. Start it first.')
  }

  /** Switches the situation, which persists across restarts. */
  simulate({ situation }: MethodInput<'sandbox.simulate'>): Promise<SandboxView> {
    return this.#queue(async () => {
      await this.control().simulate(situation, this.#view.situation ?? 'normal')
      this.#remember({ situation })
      return this.#show({ ...this.#view, situation })
    })
  }

  /** Resets the simulated data. Restarts the process, which offers another plan, if the used one no longer exists. */
  reset(): Promise<SandboxView> {
    return this.#queue(async () => {
      const isPlanAvailable = await this.control().reset()
      this.#remember({ situation: 'normal' })
      if (isPlanAvailable) return this.#show({ ...this.#view, situation: 'normal' })
      await this.deps.host.stop()
      this.#control = undefined
      this.#show({ state: 'starting' })
      return this.open()
    })
  }

  async #start(anotherPort: boolean): Promise<SandboxView> {
    const { host, settings, createControl, keepPlan } = this.deps
    const { gatewayPort, platformPort, planId: knownId, offered, situation = 'normal' } = settings.read().sandbox
    this.#show({ state: 'starting' })
    try {
      const ports = anotherPort ? { gatewayPort: 0, platformPort: 0 } : { gatewayPort, platformPort }
      const readyMessage = orderPlans(await host.start(ports), offered)
      const control = createControl(readyMessage)
      await control.simulate(situation, situation)
      const planId = await keepPlan(readyMessage, knownId)
      const { gatewayUrl, platformUrl } = readyMessage
      const usedPorts = { gatewayPort: readPort(gatewayUrl), platformPort: readPort(platformUrl) }
      this.#remember({ wanted: true, planId, offered: getOfferedKey(readyMessage), ...usedPorts })
      this.#control = control
      return this.#show({ state: 'running', gatewayUrl, planId, situation })
    } catch (error) {
      await host.stop()
      const message = error instanceof Error ? error.message : String(error)
      this.#end(error instanceof AppError ? error.failure : { code: 'sandbox.failed', message })
      throw error
    }
  }

  #end(failure: Failure): void {
    this.#control = undefined
    this.#show({ state: 'failed', failure })
  }

  #show(view: SandboxView): SandboxView {
    this.#view = view
    this.deps.onChanged(view)
    return view
  }

  #remember(changes: Partial<ReturnType<SettingsStore['read']>['sandbox']>): void {
    const { settings } = this.deps
    settings.update(({ sandbox }) => ({ sandbox: { ...sandbox, ...changes } }))
  }
}

const readPort = (url: string): number => Number(new URL(url).port)

const controlTimeoutMs = 5_000
const maxAnswerBytes = 16_000_000

type SandboxControl = ReturnType<typeof openControl>

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

/** Ids in the sandbox of the plan and key that this computer uses. */
interface OfferedKey {
  readonly planId: string
  readonly keyId: string
}

const isActive = ({ status }: { readonly status: string }): boolean => status === 'ACTIVE'

/** Moves rows that fit to the front. Otherwise keeps the order. */
const putFirst = <Row>(rows: readonly Row[], fits: (row: Row) => boolean): Row[] =>
  rows.toSorted((a, b) => Number(fits(b)) - Number(fits(a)))

/** Sorts the plan and key that were in use first, followed by usable ones. An expired plan in use stays first. */
function orderPlans(ready: SandboxReady, previousKey: OfferedKey | undefined): SandboxReady {
  const usablePlans = putFirst(ready.plans, (plan) => isActive(plan) && plan.keys.some(isActive))
  const plans = putFirst(usablePlans, ({ planId }) => planId === previousKey?.planId).map((plan) => ({
    ...plan,
    keys: putFirst(putFirst(plan.keys, isActive), ({ keyId }) => keyId === previousKey?.keyId),
  }))
  return { ...ready, plans }
}

function getOfferedKey({ plans: [plan] }: SandboxReady): OfferedKey | undefined {
  const key = plan?.keys[0]
  return plan && key ? { planId: plan.planId, keyId: key.keyId } : undefined
}

/** Saves the connection to the sandbox with its current addresses and client secret. */
export async function keepSandboxConnection(
  { connections }: { connections: Connections },
  { addresses, iam: { tokenUrl, clientId, clientSecret } }: SandboxReady,
): Promise<void> {
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId } as const
  await connections.keepBuiltIn({ addresses, tokenSource, secret: clientSecret })
}

/** Saves the sandbox's first plan locally with its key and current address, and links it to the sandbox's account. */
export async function keepSandboxPlan(
  { plans }: { plans: Plans },
  ready: SandboxReady,
  knownId: string | undefined,
): Promise<string> {
  const [offered] = ready.plans
  const isLinked = ({ origin }: PlanView) => origin?.connectionId === builtInId && origin.planId === offered?.planId
  const localPlans = plans.list()
  const existingPlan = localPlans.find(({ id }) => id === knownId) ?? localPlans.find(isLinked)
  // The saved key if the sandbox still has it, or else the first one.
  const savedKeyId = existingPlan?.keys[0]?.origin?.keyId
  const key = offered?.keys.find(({ keyId }) => keyId === savedKeyId) ?? offered?.keys[0]
  if (!offered || !key) throw new AppError('sandbox.failed', 'The sandbox has no plan.')
  const secret = new Secret(key.key)
  const account = { connectionId: builtInId, planId: offered.planId, keyId: key.keyId }
  const { gatewayUrl } = ready
  const models = offered.models.map(({ modelCode }) => modelCode)
  if (!existingPlan) {
    const input = { name: plans.freeName(offered.name), gatewayUrl, models, modelFacts: offered.models }
    return (await plans.add(input, secret, { source: 'sandbox', keyName: key.name, account })).id
  }
  const [currentKey, ...otherKeys] = existingPlan.keys
  const isSameKey = currentKey?.masked === secret.masked
  // A different key means that the sandbox was reset and may have other models. With the same key, keep the models that
  // the user entered.
  if (!isSameKey) plans.update(existingPlan.id, { ...existingPlan, gatewayUrl, models, modelFacts: offered.models })
  else if (existingPlan.gatewayUrl !== gatewayUrl) plans.update(existingPlan.id, { ...existingPlan, gatewayUrl })
  if (!currentKey) await plans.keepKey(existingPlan.id, { keyId: key.keyId, name: key.name }, secret)
  else if (!isSameKey || currentKey.kept === 'missing') await plans.replaceKey(existingPlan.id, currentKey.id, secret)
  if (!isSameKey) for (const { id } of otherKeys) await plans.removeKey(existingPlan.id, id)
  plans.link(existingPlan.id, account)
  return existingPlan.id
}
