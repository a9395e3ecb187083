import { randomUUID } from 'node:crypto'
import type { Faults } from '../faults/faults'
import { misbehave } from '../faults/misbehave'
import { foreignRefusal, ownUrl } from '../http/guard'
import type { Exchange, Handler } from '../http/listener'
import { createOutlet, type Outlet } from '../http/outlet'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import type { Journal, Trace } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'
import { chatCompletions } from './chat-completions'
import { type Conversation, converse, countTokens } from './converse'
import { readCredential } from './credential'
import { messages } from './messages'
import { unexpected } from './refusals'
import type { Standard, StandardName } from './standard'
import { guessStandard, wrongPath } from './wrong-path'

/** What the gateway works with. */
export interface GatewayParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
}

interface Service {
  readonly operation: string
  readonly standard: Standard
  readonly serve: (talk: Conversation) => Promise<void>
}

const standards: Record<StandardName, Standard> = { 'chat-completions': chatCompletions, messages }

const findService = createRouter<Service>([
  {
    method: 'POST',
    pattern: '/v1/chat/completions',
    handler: { operation: 'gateway.chatCompletions', standard: chatCompletions, serve: converse },
  },
  {
    method: 'POST',
    pattern: '/v1/messages',
    handler: { operation: 'gateway.messages', standard: messages, serve: converse },
  },
  {
    method: 'POST',
    pattern: '/v1/messages/count_tokens',
    handler: { operation: 'gateway.countTokens', standard: messages, serve: countTokens },
  },
])

function openTrace({ store, journal }: GatewayParts, exchange: Exchange, standard: StandardName | undefined): Trace {
  const { request, method, path } = exchange
  const at = new Date(store.nowMs()).toISOString()
  const trace = journal.open({ area: 'gateway', at, method, path, standard: standard ?? null })
  const userAgent = request.headers['user-agent']
  trace.note({ credentialHeaders: readCredential(request.headers).headers, ...(userAgent ? { userAgent } : {}) })
  return trace
}

/** Puts an exchange on record with how it ended; 499 stands for a client that left before there was an answer. */
function finish({ response, signal }: Exchange, trace: Trace, outlet: Outlet): void {
  if (outlet.isCut()) trace.note({ error: 'cut_by_fault' })
  else if (signal.aborted) trace.note({ error: 'client_closed' })
  trace.finish(response.headersSent ? response.statusCode : 499)
}

/** Words an error in the standard that the request follows. */
function refuse(talk: Pick<Conversation, 'exchange' | 'standard' | 'trace' | 'outlet'>, error: unknown): void {
  const { exchange, standard, trace, outlet } = talk
  if (exchange.response.destroyed || exchange.response.headersSent) return
  const { status, code, message, headers } = error instanceof Refused ? error : unexpected()
  trace.note({ error: code })
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value)
  const requestId = String(exchange.response.getHeader(standard.requestIdHeader))
  outlet.json(status, standard.error({ status, code, message, requestId }))
}

/** The gateway of the token plan at the root of its host (spec, "Endpoints", A): three paths, everything else is 404. */
export function createGateway(parts: GatewayParts): Handler {
  return async (exchange) => {
    const { request, response, method, path } = exchange
    const service = findService(method, path)?.handler
    const standardName = service?.standard.name ?? guessStandard(path, request.headers)
    const standard = standards[standardName ?? 'chat-completions']
    const trace = openTrace(parts, exchange, standardName)
    if (service) trace.note({ operation: service.operation })
    const gatewayUrl = ownUrl(request)
    const refusal = foreignRefusal(request) ?? (service ? undefined : wrongPath({ method, path, gatewayUrl }))
    const fault = refusal || !service ? undefined : parts.faults.take(service.operation)
    const end = () => finish(exchange, trace, outlet)
    const outlet = createOutlet(exchange, { ...fault, beforeLast: end })
    const talk: Conversation = { exchange, standard, trace, outlet, store: parts.store, paceMs: parts.timing().paceMs }
    response.setHeader(standard.requestIdHeader, `req_${randomUUID().replaceAll('-', '')}`)
    try {
      if (refusal) throw refusal
      if (!fault || (await misbehave(fault, exchange))) await service?.serve(talk)
    } catch (error) {
      refuse(talk, error)
    }
    end()
  }
}
