import type { z } from 'zod'
import type { Fault, Faults } from '../faults/faults'
import { misbehave } from '../faults/misbehave'
import { readJson } from '../http/body'
import { foreignRefusal, ownUrl } from '../http/guard'
import type { Exchange, Handler } from '../http/listener'
import { createOutlet, type Outlet } from '../http/outlet'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import type { Journal, Trace } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'
import { callerOf } from './caller'
import type { Call, Operation, Service } from './operation'
import { invalidInput } from './refusals'
import { services } from './services'

/** What the platform works with. */
export interface PlatformParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
  readonly gatewayUrl: () => string
}

interface Answering {
  readonly outlet: Outlet
  readonly service: Service | undefined
}

interface Target {
  readonly service: Service
  readonly operation: Operation
}

const bodyLimitBytes = 4 * 1024 * 1024

const findTarget = createRouter<Target>(
  services.flatMap((service) =>
    service.operations.map((operation) => ({
      method: operation.method,
      pattern: service.base + operation.path,
      handler: { service, operation },
    })),
  ),
)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function nowhere({ method, path }: Exchange): Refused {
  const others = methods.filter((other) => findTarget(other, path))
  if (others.length === 0) {
    const message = `The platform has no ${method} ${path.slice(0, 200)}.`
    return new Refused({ status: 404, code: 'NOT_FOUND', message })
  }
  const message = `${path.slice(0, 200)} takes ${others.join(', ')}, not ${method}.`
  return new Refused({ status: 405, code: 'METHOD_NOT_ALLOWED', message, headers: { allow: others.join(', ') } })
}

async function parseBody<Schema extends z.ZodType>(exchange: Exchange, schema: Schema): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readJson(exchange.request, bodyLimitBytes))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidInput(`${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'not accepted'}`)
}

function readError(error: unknown): Refused {
  if (error instanceof Refused) return error
  const message = 'The sandbox made a mistake. Restart it and report this.'
  return new Refused({ status: 500, code: 'UNEXPECTED', message })
}

function refuse({ response }: Exchange, { outlet, service }: Answering, refused: Refused): void {
  if (response.destroyed || response.headersSent) return
  const { status, code, message, headers } = refused
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  outlet.json(status, service?.errorBody?.({ status, code, message }) ?? { code, message })
}

async function run(call: Call, { operation }: Target): Promise<void> {
  const reply = await operation.run(call)
  if (reply === undefined) return
  if (reply.body === undefined) call.outlet.empty(reply.status)
  else call.outlet.json(reply.status, reply.body)
}

async function serve(
  parts: PlatformParts,
  {
    exchange,
    outlet,
    params,
    target,
    fault,
  }: { exchange: Exchange; outlet: Outlet; params: Call['params']; target: Target; fault: Fault | undefined },
): Promise<void> {
  if (fault && !(await misbehave(fault, exchange))) return
  const { store, timing } = parts
  const caller = callerOf(store, target.service.access, exchange.request.headers)
  const call: Call = {
    store,
    timing,
    caller,
    params,
    query: exchange.query,
    body: (schema) => parseBody(exchange, schema),
    gatewayUrl: parts.gatewayUrl(),
    platformUrl: ownUrl(exchange.request),
    exchange,
    outlet,
  }
  await run(call, target)
}

function finish({ response, signal }: Exchange, trace: Trace, outlet: Outlet): void {
  if (outlet.isCut()) trace.note({ error: 'cut_by_fault' })
  else if (signal.aborted) trace.note({ error: 'client_closed' })
  trace.finish(response.headersSent ? response.statusCode : 499)
}

/** The platform API, the console contract and IAM, each below its own base. Order of refusals: host and origin, 404 or 405, injected fault, 401, then the operation's own. */
export function createPlatform(parts: PlatformParts): Handler {
  return async (exchange) => {
    const { request, method, path } = exchange
    const found = findTarget(method, path)
    const target = found?.handler
    const at = new Date(parts.store.nowMs()).toISOString()
    const trace = parts.journal.open({ area: 'platform', at, method, path, standard: null })
    if (target) trace.note({ operation: target.operation.id })
    const refusal = foreignRefusal(request) ?? (target ? undefined : nowhere(exchange))
    const fault = refusal || !target ? undefined : parts.faults.take(target.operation.id)
    const outlet: Outlet = createOutlet(exchange, { ...fault, beforeLast: () => finish(exchange, trace, outlet) })
    try {
      if (refusal) throw refusal
      if (found && target) await serve(parts, { exchange, outlet, params: found.params, target, fault })
    } catch (error) {
      const refused = readError(error)
      trace.note({ error: refused.code })
      refuse(exchange, { outlet, service: target?.service }, refused)
    }
    finish(exchange, trace, outlet)
  }
}
