import type { z } from 'zod'
import type { Faults } from '../faults/faults'
import { readJson } from '../http/body'
import type { Exchange } from '../http/listener'
import { Refused } from '../http/refused'
import type { Route } from '../http/router'
import type { Journal } from '../journal'
import { setUsed } from '../state/allowances'
import { seedOf } from '../state/key-secrets'
import { advanceClock, changeKey, changePlan } from '../state/plans'
import type { Store } from '../state/store'
import type { World } from '../state/world'
import type { Timing } from '../timing'
import {
  AccountBody,
  ClockBody,
  FaultsBody,
  KeyBody,
  ModelBody,
  PlanBody,
  RequestsQuery,
  ResetBody,
  TimingBody,
} from './bodies'
import { isKnownOperation, operationIds } from './operation-ids'
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

/** One call of the control surface, after its token was accepted. */
export interface ControlCall {
  readonly parts: ControlParts
  readonly exchange: Exchange
  readonly params: Readonly<Record<string, string>>
}

/** Does what a line of the table says and returns the body of the answer; refusals are thrown. */
export type Action = (call: ControlCall) => unknown

const bodyLimitBytes = 64 * 1024

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const message = parsed.error.issues
    .map((issue) => `${issue.path.join('.') || 'The body'}: ${issue.message}`)
    .join('; ')
  throw new Refused({ status: 400, code: 'invalid_input', message })
}

async function readBody<Schema extends z.ZodType>(schema: Schema, { exchange }: ControlCall): Promise<z.infer<Schema>> {
  return parse(schema, await readJson(exchange.request, bodyLimitBytes))
}

const stateOf = ({ parts }: ControlCall) =>
  viewState(parts.store, { faults: parts.faults.current(), timing: parts.timing() })

/** Puts a transition into effect; one that found nothing to change is a 404. */
function apply(call: ControlCall, next: World | undefined): unknown {
  if (next === undefined) {
    throw new Refused({ status: 404, code: 'not_found', message: 'The sandbox has no such plan, key or model.' })
  }
  call.parts.store.replace(next)
  return stateOf(call)
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
  return apply(call, setUsed(call.parts.store.world(), { planId, modelCode }, used))
}

const setFaults: Action = async (call) => {
  const { faults } = await readBody(FaultsBody, call)
  const idle = faults.find((fault) => !isKnownOperation(fault.operations))
  if (idle) {
    const message = `No operation is called ${idle.operations}. GET /sandbox/operations lists them all.`
    throw new Refused({ status: 400, code: 'invalid_input', message })
  }
  call.parts.faults.set(faults)
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

/** All that the control surface offers. Every change answers with the state it led to. */
export const actions: readonly Route<Action>[] = [
  { method: 'GET', pattern: '/sandbox/state', handler: stateOf },
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
