import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { ServerParts } from '../gateway'
import {
  createRouter,
  type Exchange,
  Fault,
  type Handler,
  HttpError,
  ResponseWriter,
  readJson,
  refuseForeignOrigin,
  waitWhileConnected,
} from '../http'
import { integerText, invalidInput, parseBody, parseQuery, requireRow } from '../platform/operation'
import { services } from '../platform/platform'
import { changePlan, findPool, getRemaining, setUsage } from '../state/plans'
import { hashSeed, type Store } from '../state/store'
import { Account } from '../state/world'
import { dayMs, hourMs, type Timing } from '../timing'

interface ControlParts extends ServerParts {
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

/** Requires that the changed item exists. Throws 404. */
const requireItem = <Item>(item: Item | undefined): Item =>
  requireRow(item, 'The sandbox has no such plan, key or model.')

/** An operation that takes a body, applies a change and returns the resulting state. */
function createChange<Schema extends z.ZodType>(
  schema: Schema,
  change: (body: z.infer<Schema>, parts: ControlParts, params: ControlCall['params']) => unknown,
): Action {
  return async ({ parts, exchange, params }) => {
    change(parseBody(schema, await readJson(exchange.request, bodyLimitBytes)), parts, params)
    return viewState(parts)
  }
}

/** Like `createChange`, for a change of the world, which is saved. */
const createWorldChange = <Schema extends z.ZodType>(
  schema: Schema,
  change: (body: z.infer<Schema>, store: Store, params: ControlCall['params']) => unknown,
): Action =>
  createChange(schema, (body, { store }, params) => {
    change(body, store, params)
    store.changed()
  })

const delayMsSchema = z.number().int().min(0).max(hourMs).optional()
const maxAdvanceMs = 3_650 * dayMs

/** All operations that change the sandbox, by their path below `/sandbox`. Each returns the resulting state. */
const changes: Readonly<Record<string, Action>> = {
  'plans/{planId}': createWorldChange(
    z.strictObject({
      status: z.enum(['ACTIVE', 'EXPIRED']).optional(),
      deleted: z.boolean().optional(),
      expiresAt: z.iso.datetime().optional(),
    }),
    (body, store, params) => {
      const plan = store.world().plans.find(({ planId }) => planId === params.planId)
      changePlan(requireItem(plan), body, store.nowMs())
    },
  ),
  'keys/{keyId}': createWorldChange(
    z.strictObject({ status: z.enum(['ACTIVE', 'DISABLED']).optional(), deleted: z.boolean().optional() }),
    (body, store, params) => {
      const key = store.world().keys.find(({ keyId }) => keyId === params.keyId)
      Object.assign(requireItem(key), body)
    },
  ),
  // Sets the usage of a model.
  models: createWorldChange(
    z.strictObject({
      planId: z.string(),
      modelCode: z.string(),
      tokensUsed: z.number().int().min(0).optional(),
      requestsUsed: z.number().int().min(0).optional(),
    }),
    (body, store) => setUsage(requireItem(findPool(store.world(), body)), body),
  ),
  // Replaces all injected faults.
  faults: createChange(z.strictObject({ faults: z.array(Fault).max(100) }), (body, { faults }) => {
    const faultWithoutOperation = body.faults.find(({ operations }) => {
      const isPrefix = operations.endsWith('*')
      return !operationIds.some((id) => (isPrefix ? id.startsWith(operations.slice(0, -1)) : id === operations))
    })
    if (faultWithoutOperation) {
      const message = `No operation is called ${faultWithoutOperation.operations}. GET /sandbox/operations lists them all.`
      throw invalidInput(message)
    }
    faults.set(body.faults)
  }),
  // Credits are in VND.
  account: createWorldChange(Account.pick({ role: true, credits: true }).partial(), (body, store) =>
    Object.assign(store.world().account, body),
  ),
  timing: createChange(
    z.strictObject({
      paceMs: delayMsSchema,
      provisioningMs: delayMsSchema,
      asyncMs: delayMsSchema,
      tokenLifetimeS: z.number().int().min(1).max(86_400).optional(),
    }),
    (body, { timing, setTiming }) => setTiming(Object.assign({ ...timing() }, body)),
  ),
  'tokens:expire': ({ parts }) => {
    parts.store.world().tokenGeneration += 1
    parts.store.changed()
    return viewState(parts)
  },
  // Advances the clock by at most ten years per call.
  clock: createWorldChange(
    z.strictObject({ advanceMs: z.number().int().min(0).max(maxAdvanceMs) }),
    ({ advanceMs }, store) => {
      store.world().clockOffsetMs += advanceMs
    },
  ),
  // Without a new seed, the keys stay the same.
  reset: createChange(
    z.strictObject({ seed: z.string().min(1).max(200).optional() }),
    ({ seed }, { store, faults, journal }) => {
      store.reset(seed === undefined ? undefined : hashSeed(seed))
      faults.set([])
      journal.clear()
    },
  ),
}

const findAction = createRouter<Action>([
  { method: 'GET', pattern: '/sandbox/state', handler: ({ parts }) => viewState(parts) },
  { method: 'GET', pattern: '/sandbox/operations', handler: () => ({ operations: operationIds }) },
  {
    method: 'GET',
    pattern: '/sandbox/requests',
    handler: ({ parts, exchange: { query } }) => {
      const { area, after } = parseQuery(query, {
        area: z.enum(['gateway', 'platform', 'all']).default('gateway'),
        after: integerText(0, 999_999_999).default(0),
      })
      const requests = parts.journal.after(after)
      return { requests: requests.filter((request) => area === 'all' || request.area === area) }
    },
  },
  ...Object.entries(changes).map(([path, handler]) => ({ method: 'POST', pattern: `/sandbox/${path}`, handler })),
])

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Control API for the app and the tests, not part of the simulation. Errors are `{code, message}`. */
export function createControl(parts: ControlParts): Handler {
  return async (exchange) => {
    const { request, method, path } = exchange
    const responseWriter = new ResponseWriter(exchange)
    const changesBefore = parts.store.changes()
    try {
      const refusal = refuseForeignOrigin(request)
      if (refusal) throw refusal
      const presentedToken = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      if (!timingSafeEqual(digest(presentedToken), digest(parts.token)))
        throw new HttpError(401, 'unauthorized', 'The control surface needs "Authorization: Bearer <control token>".')
      const action = findAction(method, path)
      if (!action) throw new HttpError(404, 'not_found', `The control surface has no ${method} ${path.slice(0, 200)}.`)
      const body = await action.handler({ parts, exchange, params: action.params })
      if (parts.store.changes() !== changesBefore) await waitWhileConnected(parts.store.saved(), exchange)
      responseWriter.json(200, body)
    } catch (error) {
      responseWriter.error(error, ({ code, message }) => ({ code: code.toLowerCase(), message }))
    }
  }
}

const operationIds: readonly string[] = [
  ...['gateway.chatCompletions', 'gateway.messages', 'gateway.countTokens'],
  ...services.flatMap(({ operations }) => operations.map(({ id }) => id)),
]

/** Response body of `GET /sandbox/state` and of every operation that changes the sandbox. Contains no secret. */
function viewState({ store, faults, timing }: ServerParts) {
  const { plans, keys, account, clockOffsetMs } = store.world()
  return {
    /** ISO 8601 UTC: the sandbox's clock. */
    clock: store.nowIso(),
    clockOffsetMs,
    account,
    faults: faults.current(),
    timing: timing(),
    plans: plans.map((plan) => ({
      ...plan,
      models: plan.models.map((model) => {
        const { tokens, requests } = getRemaining(model)
        return { ...model, tokensLeft: tokens, requestsLeft: requests }
      }),
      keys: keys.filter((key) => key.planId === plan.planId).map(({ planId: _, ...key }) => key),
    })),
  }
}
