import type { Fault, Faults } from '../faults/faults'
import { misbehave } from '../faults/misbehave'
import { foreignRefusal, ownUrl } from '../http/guard'
import type { Exchange, Handler } from '../http/listener'
import { createOutlet } from '../http/outlet'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import type { Journal, Trace } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'
import { chatCompletions } from './chat-completions'
import { type Conversation, converse, countTokens } from './converse'
import { readCredential } from './credential'
import { newId } from './ids'
import { messages } from './messages'
import { createPromptCache } from './prompt-cache'
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

/** A conversation with the id that its answer carries. */
interface Turn extends Conversation {
  readonly requestId: string
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

/** Puts an exchange on record with how it ended; 499 stands for a client that left before there was an answer. */
function finish({ exchange: { response }, outlet, trace }: Turn): void {
  if (outlet.isCut()) trace.note({ error: 'cut_by_fault' })
  else if (response.destroyed) trace.note({ error: 'client_closed' })
  trace.finish(response.headersSent ? response.statusCode : 499)
}

/**
 * A call that was not served counts as an error of its key, whatever the reason, a connection that broke included; calls with a key that
 * is not known belong to nobody.
 */
function bookFailure({ store, secret, progress }: Turn): void {
  const keyId = secret === undefined || progress.isServed ? undefined : store.keyIdOf(secret)
  const key = store.worldForAdmission().keys.find((candidate) => candidate.keyId === keyId)
  if (key === undefined) return
  const { keyId: found, planId } = key
  store.book({ atMs: store.nowMs(), planId, keyId: found, modelCode: progress.modelCode }, { errors: 1 })
}

/** Words an error in the standard that the request follows. */
function refuse({ exchange, standard, trace, outlet, requestId }: Turn, error: unknown): void {
  if (exchange.response.destroyed || exchange.response.headersSent) return
  const { status, code, message, headers } = error instanceof Refused ? error : unexpected()
  trace.note({ error: code })
  outlet.json(status, standard.error({ status, code, message, requestId }), Object.entries(headers).flat())
}

async function serve(turn: Turn, service: Service, fault: Fault | undefined): Promise<void> {
  try {
    if (!fault || (await misbehave(fault, turn.exchange))) await service.serve(turn)
    else bookFailure(turn)
  } catch (error) {
    bookFailure(turn)
    refuse(turn, error)
  }
}

function openTrace(parts: GatewayParts, exchange: Exchange, standard: StandardName | undefined): Trace {
  const { method, path } = exchange
  const at = new Date(parts.store.nowMs()).toISOString()
  return parts.journal.open({ area: 'gateway', at, method, path, standard: standard ?? null })
}

/** The gateway of the token plan at the root of its host (spec, "Endpoints", A): three paths, everything else is 404. */
export function createGateway(parts: GatewayParts): Handler {
  const { store, faults, timing } = parts
  const cache = createPromptCache()
  const handle = async (exchange: Exchange) => {
    const { request, method, path } = exchange
    const { headers } = request
    const service = findService(method, path)?.handler
    const standardName = service?.standard.name ?? guessStandard(path, headers)
    const standard = standards[standardName ?? 'chat-completions']
    const { secret, headers: credentialHeaders } = readCredential(headers)
    const trace = openTrace(parts, exchange, standardName)
    trace.note({ credentialHeaders })
    if (headers['user-agent']) trace.note({ userAgent: headers['user-agent'] })
    if (service) trace.note({ operation: service.operation })
    const refusal = foreignRefusal(request)
    const fault = refusal || !service ? undefined : faults.take(service.operation)
    const requestId = newId('req_')
    const outletHeaders = [standard.requestIdHeader, requestId]
    const outlet = createOutlet(exchange, { ...fault, headers: outletHeaders, beforeLast: () => finish(turn) })
    const progress = { modelCode: '', isServed: false }
    const { paceMs } = timing()
    const turn: Turn = { exchange, standard, trace, store, secret, progress, outlet, cache, paceMs, requestId }
    if (refusal) refuse(turn, refusal)
    else if (!service) refuse(turn, wrongPath({ method, path, gatewayUrl: ownUrl(request) }))
    else await serve(turn, service, fault)
    finish(turn)
  }
  // What was booked last gets into the world, and so into the state file.
  return Object.assign(handle, { atEnd: () => void store.world() })
}
