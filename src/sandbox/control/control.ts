import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Fault, type Faults } from '../faults/faults'
import { readJson } from '../http/body'
import { foreignRefusal } from '../http/guard'
import type { Exchange, Handler } from '../http/listener'
import { createOutlet } from '../http/outlet'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import type { Journal } from '../journal'
import { setUsed } from '../state/allowances'
import { seedOf } from '../state/key-secrets'
import { advanceClock, changeKey, changePlan } from '../state/plans'
import type { Store } from '../state/store'
import { Account, type World } from '../state/world'
import type { Timing } from '../timing'
import { viewState } from './state-view'

/** What the control surface works with. */
export interface ControlParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
  readonly setTiming: (timing: Timing) => void
  readonly token: string
}

interface Call {
  readonly parts: ControlParts
  readonly exchange: Exchange
  readonly params: Readonly<Record<string, string>>
}

type Action = (call: Call) => unknown

const bodyLimitBytes = 64 * 1024
const longestAdvanceMs = 3_650 * 86_400_000

const PlanBody = z.strictObject({
  status: z.enum(['ACTIVE', 'EXPIRED']).optional(),
  deleted: z.boolean().optional(),
  expiresAt: z.iso.datetime().optional(),
})
const KeyBody = z.strictObject({ status: z.enum(['ACTIVE', 'DISABLED']).optional(), deleted: z.boolean().optional() })
const ModelBody = z.strictObject({
  planId: z.string(),
  modelCode: z.string(),
  tokensUsed: z.number().int().min(0).optional(),
  requestsUsed: z.number().int().min(0).optional(),
})
const ClockBody = z.strictObject({ advanceMs: z.number().int().min(0).max(longestAdvanceMs) })
const FaultsBody = z.strictObject({ faults: z.array(Fault).max(100) })
const AccountBody = Account.unwrap().pick({ role: true, credits: true }).partial()
const wait = z.number().int().min(0).max(3_600_000)
const TimingBody = z.strictObject({
  paceMs: wait.optional(),
  provisioningMs: wait.optional(),
  asyncMs: wait.optional(),
  tokenLifetimeS: z.number().int().min(1).max(86_400).optional(),
})
const ResetBody = z.strictObject({ seed: z.string().min(1).max(200).optional() })
const Area = z.enum(['gateway', 'platform', 'all'])
const After = z.coerce.number().int().min(0)

const invalid = (error: z.ZodError): Refused =>
  new Refused({ status: 400, code: 'invalid_input', message: z.prettifyError(error) })

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalid(parsed.error)
  return parsed.data
}

async function readBody<Schema extends z.ZodType>(schema: Schema, { exchange }: Call): Promise<z.infer<Schema>> {
  return parse(schema, await readJson(exchange.request, bodyLimitBytes))
}

const stateOf = ({ parts }: Call) => viewState(parts.store, { faults: parts.faults.current(), timing: parts.timing() })

/** Puts a transition into effect; one that found nothing to change is a 404. */
function apply(call: Call, next: World | undefined): unknown {
  if (next === undefined) {
    throw new Refused({ status: 404, code: 'not_found', message: 'The sandbox has no such plan, key or model.' })
  }
  call.parts.store.replace(next)
  return stateOf(call)
}

const listRequests: Action = ({ parts, exchange: { query } }) => {
  const area = parse(Area, query.get('area') ?? 'gateway')
  const requests = parts.journal.after(parse(After, query.get('after') ?? '0'))
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
  return apply(call, setUsed(call.parts.store.world(), { planId, modelCode }, used))
}

const setFaults: Action = async (call) => {
  call.parts.faults.set((await readBody(FaultsBody, call)).faults)
  return stateOf(call)
}

const setAccount: Action = async (call) => {
  const { role, credits } = await readBody(AccountBody, call)
  const world = call.parts.store.world()
  const { account } = world
  const next = { ...account, role: role ?? account.role, credits: credits ?? account.credits }
  return apply(call, { ...world, account: next })
}

const setTiming: Action = async (call) => {
  const change = await readBody(TimingBody, call)
  const now = call.parts.timing()
  call.parts.setTiming({
    paceMs: change.paceMs ?? now.paceMs,
    provisioningMs: change.provisioningMs ?? now.provisioningMs,
    asyncMs: change.asyncMs ?? now.asyncMs,
    tokenLifetimeS: change.tokenLifetimeS ?? now.tokenLifetimeS,
  })
  return stateOf(call)
}

/** Makes every IAM token that was given out so far invalid, as if its time were over. */
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
  call.parts.store.reset(seed === undefined ? undefined : seedOf(seed))
  call.parts.faults.set([])
  call.parts.journal.clear()
  return stateOf(call)
}

const findAction = createRouter<Action>([
  { method: 'GET', pattern: '/sandbox/state', handler: stateOf },
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
])

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function refuseStranger({ request }: Exchange, token: string): void {
  const presented = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(digest(presented), digest(token))) return
  const message = 'The control surface needs "Authorization: Bearer <control token>".'
  throw new Refused({ status: 401, code: 'unauthorized', message })
}

async function act(parts: ControlParts, exchange: Exchange): Promise<unknown> {
  const { request, method, path } = exchange
  const refusal = foreignRefusal(request)
  if (refusal) throw refusal
  refuseStranger(exchange, parts.token)
  const found = findAction(method, path)
  if (found) return found.handler({ parts, exchange, params: found.params })
  throw new Refused({
    status: 404,
    code: 'not_found',
    message: `The control surface has no ${method} ${path.slice(0, 200)}.`,
  })
}

/** The control surface for the app and the tests, not part of what is simulated. Errors are `{code, message}`. */
export function createControl(parts: ControlParts): Handler {
  return async (exchange) => {
    const outlet = createOutlet(exchange)
    try {
      outlet.json(200, await act(parts, exchange))
    } catch (error) {
      if (exchange.response.destroyed || exchange.response.headersSent) return
      const { status, code, message } =
        error instanceof Refused ? error : { status: 500, code: 'unexpected', message: '' }
      outlet.json(status, { code, message: message || 'The sandbox made a mistake. Restart it and report this.' })
    }
  }
}
