import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Fault, type Faults } from '../faults'
import {
  createRouter,
  type Exchange,
  type Handler,
  HttpError,
  type Route,
  readJson,
  refuseForeignOrigin,
  waitWhileConnected,
} from '../http/listener'
import { ResponseWriter } from '../http/response-writer'
import type { Journal } from '../journal'
import { services } from '../platform/platform'
import { advanceClock, changeKey, changePlan, getRemaining, setUsedTokens } from '../state/plans'
import type { Store } from '../state/store'
import { hashSeed } from '../state/store'
import { Account, type Key, type ModelAllowance, type Plan, type World } from '../state/world'
import { dayMs, hourMs, type Timing } from '../timing'

interface ControlParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
  readonly setTiming: (timing: Timing) => void
  readonly token: string
}

interface ControlCall {
  readonly parts: ControlParts
  readonly exchange: Exchange
  readonly params: Readonly<Record<string, string>>
}

/** Runs a control operation and returns its response body. Throws `HttpError` if the request is rejected. */
type Action = (call: ControlCall) => unknown

const bodyLimitBytes = 64 * 1024

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsedValue = schema.safeParse(value)
  if (parsedValue.success) return parsedValue.data
  const message = parsedValue.error.issues
    .map((issue) => `${issue.path.join('.') || 'The body'}: ${issue.message}`)
    .join('; ')
  throw new HttpError({ status: 400, code: 'invalid_input', message })
}

async function readBody<Schema extends z.ZodType>(schema: Schema, { exchange }: ControlCall): Promise<z.infer<Schema>> {
  return parse(schema, await readJson(exchange.request, bodyLimitBytes))
}

const getState = ({ parts }: ControlCall) =>
  viewState(parts.store, { faults: parts.faults.current(), timing: parts.timing() })

/** Replaces the world by `nextWorld`. Throws 404 if it is undefined, because the changed item does not exist. */
function apply(call: ControlCall, nextWorld: World | undefined): unknown {
  if (nextWorld === undefined) {
    throw new HttpError({ status: 404, code: 'not_found', message: 'The sandbox has no such plan, key or model.' })
  }
  call.parts.store.replace(nextWorld)
  return getState(call)
}

const listOperations: Action = () => ({ operations: operationIds })

const listRequests: Action = ({ parts, exchange: { query } }) => {
  const { area, after } = parse(RequestsQuery, Object.fromEntries(query))
  const requests = parts.journal.after(after)
  return { requests: requests.filter((request) => area === 'all' || request.area === area) }
}

const setPlan: Action = async (call) => {
  const change = { ...(await readBody(PlanBody, call)), planId: call.params.planId ?? '' }
  const { store } = call.parts
  return apply(call, changePlan(store.world(), change, store.nowMs()))
}

const setKey: Action = async (call) => {
  const change = { ...(await readBody(KeyBody, call)), keyId: call.params.keyId ?? '' }
  return apply(call, changeKey(call.parts.store.world(), change))
}

const setModel: Action = async (call) => {
  const { planId, modelCode, ...used } = await readBody(ModelBody, call)
  return apply(call, setUsedTokens(call.parts.store.world(), { planId, modelCode }, used))
}

const setFaults: Action = async (call) => {
  const { faults } = await readBody(FaultsBody, call)
  const faultWithoutOperation = faults.find((fault) => !isKnownOperation(fault.operations))
  if (faultWithoutOperation) {
    const message = `No operation is called ${faultWithoutOperation.operations}. GET /sandbox/operations lists them all.`
    throw new HttpError({ status: 400, code: 'invalid_input', message })
  }
  call.parts.faults.set(faults)
  return getState(call)
}

const setAccount: Action = async (call) => {
  const { role, credits } = await readBody(AccountBody, call)
  const world = call.parts.store.world()
  const { account } = world
  const nextAccount = { ...account, role: role ?? account.role, credits: credits ?? account.credits }
  return apply(call, { ...world, account: nextAccount })
}

const setTiming: Action = async (call) => {
  const change = await readBody(TimingBody, call)
  const currentTiming = call.parts.timing()
  call.parts.setTiming({
    paceMs: change.paceMs ?? currentTiming.paceMs,
    provisioningMs: change.provisioningMs ?? currentTiming.provisioningMs,
    asyncMs: change.asyncMs ?? currentTiming.asyncMs,
    tokenLifetimeS: change.tokenLifetimeS ?? currentTiming.tokenLifetimeS,
  })
  return getState(call)
}

const expireTokens: Action = (call) => {
  const world = call.parts.store.world()
  return apply(call, { ...world, tokenGeneration: world.tokenGeneration + 1 })
}

const moveClock: Action = async (call) => {
  const { advanceMs } = await readBody(ClockBody, call)
  return apply(call, advanceClock(call.parts.store.world(), advanceMs))
}

const reset: Action = async (call) => {
  const { seed } = await readBody(ResetBody, call)
  call.parts.store.reset(seed === undefined ? undefined : hashSeed(seed))
  call.parts.faults.set([])
  call.parts.journal.clear()
  return getState(call)
}

/** All control operations. Every change returns the resulting state. */
const actions: readonly Route<Action>[] = [
  { method: 'GET', pattern: '/sandbox/state', handler: getState },
  { method: 'GET', pattern: '/sandbox/operations', handler: listOperations },
  { method: 'GET', pattern: '/sandbox/requests', handler: listRequests },
  { method: 'POST', pattern: '/sandbox/plans/{planId}', handler: setPlan },
  { method: 'POST', pattern: '/sandbox/keys/{keyId}', handler: setKey },
  { method: 'POST', pattern: '/sandbox/models', handler: setModel },
  { method: 'POST', pattern: '/sandbox/faults', handler: setFaults },
  { method: 'POST', pattern: '/sandbox/account', handler: setAccount },
  { method: 'POST', pattern: '/sandbox/timing', handler: setTiming },
  { method: 'POST', pattern: '/sandbox/tokens:expire', handler: expireTokens },
  { method: 'POST', pattern: '/sandbox/clock', handler: moveClock },
  { method: 'POST', pattern: '/sandbox/reset', handler: reset },
]

const findAction = createRouter(actions)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function requireControlToken({ request }: Exchange, token: string): void {
  const presentedToken = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(digest(presentedToken), digest(token))) return
  const message = 'The control surface needs "Authorization: Bearer <control token>".'
  throw new HttpError({ status: 401, code: 'unauthorized', message })
}

async function handleRequest(parts: ControlParts, exchange: Exchange): Promise<unknown> {
  const { request, method, path } = exchange
  const refusal = refuseForeignOrigin(request)
  if (refusal) throw refusal
  requireControlToken(exchange, parts.token)
  const matchedAction = findAction(method, path)
  if (matchedAction) return matchedAction.handler({ parts, exchange, params: matchedAction.params })
  const message = `The control surface has no ${method} ${path.slice(0, 200)}.`
  throw new HttpError({ status: 404, code: 'not_found', message })
}

/** Control API for the app and the tests, not part of the simulation. Errors are `{code, message}`. */
export function createControl(parts: ControlParts): Handler {
  return async (exchange) => {
    const responseWriter = new ResponseWriter(exchange)
    const changesBefore = parts.store.changes()
    try {
      const body = await handleRequest(parts, exchange)
      if (parts.store.changes() !== changesBefore) await waitWhileConnected(parts.store.saved(), exchange)
      responseWriter.json(200, body)
    } catch (error) {
      if (exchange.response.destroyed || exchange.response.headersSent) return
      const message = 'Unexpected error in the sandbox. Restart it and report this.'
      const httpError = error instanceof HttpError ? error : new HttpError({ status: 500, code: 'unexpected', message })
      responseWriter.json(httpError.status, { code: httpError.code, message: httpError.message })
    }
  }
}

/** Ids of the gateway's operations. The ids of platform operations come from the tables of the services. */
const gatewayIds = ['gateway.chatCompletions', 'gateway.messages', 'gateway.countTokens']

const operationIds: readonly string[] = [
  ...gatewayIds,
  ...services.flatMap(({ operations }) => operations.map(({ id }) => id)),
]

/** Whether a fault pattern (an id, or a prefix with `*`) matches any operation. */
function isKnownOperation(operations: string): boolean {
  if (!operations.endsWith('*')) return operationIds.includes(operations)
  return operationIds.some((id) => id.startsWith(operations.slice(0, -1)))
}

type ModelView = ModelAllowance & { readonly tokensLeft: number; readonly requestsLeft: number }

/** A plan with its keys, without any secret. */
type PlanView = Omit<Plan, 'models'> & {
  readonly models: readonly ModelView[]
  readonly keys: readonly Omit<Key, 'planId'>[]
}

/** Response body of `GET /sandbox/state` and of every operation that changes the sandbox. */
export interface StateView {
  /** ISO 8601 UTC: the sandbox's clock. */
  readonly clock: string
  readonly clockOffsetMs: number
  readonly account: Account
  readonly faults: readonly Fault[]
  readonly timing: Timing
  readonly plans: readonly PlanView[]
}

const viewModel = (model: ModelAllowance): ModelView => {
  const { tokens, requests } = getRemaining(model)
  return { ...model, tokensLeft: tokens, requestsLeft: requests }
}

const viewKey = ({ planId: _, ...key }: Key): Omit<Key, 'planId'> => key

function viewState(store: Store, settings: Pick<StateView, 'faults' | 'timing'>): StateView {
  const { plans, keys, account, clockOffsetMs } = store.world()
  return {
    clock: new Date(store.nowMs()).toISOString(),
    clockOffsetMs,
    account,
    ...settings,
    plans: plans.map((plan) => ({
      ...plan,
      models: plan.models.map(viewModel),
      keys: keys.filter((key) => key.planId === plan.planId).map(viewKey),
    })),
  }
}

const maxAdvanceMs = 3_650 * dayMs
const delayMsSchema = z.number().int().min(0).max(hourMs)

/** Body of `POST /sandbox/plans/{planId}`. */
const PlanBody = z.strictObject({
  status: z.enum(['ACTIVE', 'EXPIRED']).optional(),
  deleted: z.boolean().optional(),
  expiresAt: z.iso.datetime().optional(),
})

/** Body of `POST /sandbox/keys/{keyId}`. */
const KeyBody = z.strictObject({
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  deleted: z.boolean().optional(),
})

/** Body of `POST /sandbox/models`, which sets the usage of a model. */
const ModelBody = z.strictObject({
  planId: z.string(),
  modelCode: z.string(),
  tokensUsed: z.number().int().min(0).optional(),
  requestsUsed: z.number().int().min(0).optional(),
})

/** Body of `POST /sandbox/clock`, which advances the clock by at most ten years per call. */
const ClockBody = z.strictObject({ advanceMs: z.number().int().min(0).max(maxAdvanceMs) })

/** Body of `POST /sandbox/faults`, which replaces all injected faults. */
const FaultsBody = z.strictObject({ faults: z.array(Fault).max(100) })

/** Body of `POST /sandbox/account`. Credits are in VND. */
const AccountBody = Account.unwrap().pick({ role: true, credits: true }).partial()

/** Body of `POST /sandbox/timing`. */
const TimingBody = z.strictObject({
  paceMs: delayMsSchema.optional(),
  provisioningMs: delayMsSchema.optional(),
  asyncMs: delayMsSchema.optional(),
  tokenLifetimeS: z.number().int().min(1).max(86_400).optional(),
})

/** Body of `POST /sandbox/reset`. Without a new seed, the keys stay the same. */
const ResetBody = z.strictObject({ seed: z.string().min(1).max(200).optional() })

/** Query of `GET /sandbox/requests`: filters by listener and by minimum number. */
const RequestsQuery = z.object({
  area: z.enum(['gateway', 'platform', 'all']).default('gateway'),
  after: z.coerce.number().int().min(0).default(0),
})
