import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import { RefusedFields } from '../gateway/refused-fields'
import { checkModel } from '../gateway/standards'
import type { LedgerEntry } from '../usage/ports'
import { type FinishedAttempt, toLedgerEntry } from './attempt-recorder'
import { type AuthorizedRequest, authorizeRequest, type RejectedRequest } from './authorize-request'
import { BudgetMeter, type Reservation } from './budget-meter'
import { type Refusal, refusalStatus, sendRefusal } from './error-responses'
import { estimateTokens, findMissingTokens } from './estimate-tokens'
import { Exchange } from './exchange'
import { HttpServer } from './http-server'
import { Overloads } from './overload'
import { type RelayLimits, type RelayOptions, type RunningRelay, relayLimits } from './ports'
import { BodyMemory, receiveBody } from './request-body'
import { createDispatchers, createRoutingTable, type Upstream } from './routing-table'
import { createTooLargeRefusal, limitsForRoute, readyBody } from './target'

/** Starts the relay. Rejects with `relay.portInUse`, `relay.failed`, `file.unreadable` or `file.unparsable`. */
export async function startRelay(options: RelayOptions, limits: RelayLimits = relayLimits): Promise<RunningRelay> {
  const dispatchers = createDispatchers(options.caFiles, limits.idleMs)
  let directory = createRoutingTable(options.table, dispatchers)
  const traffic: Traffic = { underWay: new Map(), isEnding: false }
  const budgets = new BudgetMeter({ read: options.readBudget })
  budgets.setBudgets(options.table.budgets ?? [])
  const recording = createRecording(options, budgets)
  const overloads = new Overloads(options.onSwitch)
  const serve = createRequestServer({ limits, record: recording.record, traffic, budgets, overloads })
  let port = options.port
  const server = new HttpServer(limits, (request, response) => {
    const admission = authorizeRequest(request, directory, port)
    if (admission === 'health') send(response, 'text/plain', 'ok')
    else if (admission === 'metrics') void sendMetrics(response, options.scrape)
    else if ('name' in admission) sendRefusal(response, admission)
    else if ('mcpToolId' in admission) {
      server.markAuthenticated(request)
      if (options.serveMcp) options.serveMcp(admission.mcpToolId, request, response)
      else sendRefusal(response, { name: 'mcpFailed', standard: 'chat-completions' })
    } else {
      server.markAuthenticated(request)
      serve(request, response, admission)
    }
  })
  port = await listen(server, options.port)
  return {
    port,
    setTable: (table) => {
      directory = createRoutingTable(table, dispatchers)
      budgets.setBudgets(table.budgets ?? [])
    },
    open: () => traffic.underWay,
    close: async (graceMs) => {
      await server.close(graceMs, () => {
        traffic.isEnding = true
      })
      // All connections are closed now, so each remaining request ends within one turn of the event loop.
      while ([...traffic.underWay.values()].some((count) => count > 0)) await setImmediate()
      await recording.settled()
      await dispatchers.close()
    },
  }
}

function send(response: ServerResponse, contentType: string, text: string, headers: readonly string[] = []): void {
  const bytes = Buffer.from(text)
  response.writeHead(200, ['content-type', contentType, 'content-length', String(bytes.length), ...headers])
  response.end(bytes)
}

async function sendMetrics(response: ServerResponse, scrape: RelayOptions['scrape']): Promise<void> {
  const text = await scrape?.().catch(() => undefined)
  if (text === undefined) return sendRefusal(response, { name: 'noMetrics', standard: 'chat-completions' })
  send(response, 'text/plain; version=0.0.4; charset=utf-8', text, ['cache-control', 'no-store'])
}

/** Records each attempt, with estimates of unreported usage. */
function createRecording({ record, countTokens }: RelayOptions, budgets: BudgetMeter) {
  const pendingRequests = new Set<Promise<void>>()
  const recordEntry = (entry: LedgerEntry, reservation: Reservation | undefined): void => {
    // A connection test of this app uses a nonexistent model. Its rejection is not a failure of the tool.
    if (entry.modelCode !== checkModel || entry.error === undefined) record(entry)
    if (!budgets.isEmpty || reservation !== undefined) budgets.settle(entry, reservation)
  }
  return {
    record(attempt: FinishedAttempt): void {
      const entry = toLedgerEntry(attempt)
      if (entry === undefined) return
      const missingTokens = findMissingTokens(entry, attempt)
      if (missingTokens === undefined) {
        recordEntry(entry, attempt.reservation)
        return
      }
      const estimate = estimateTokens(entry, attempt, missingTokens, countTokens)
        .then((estimated) => recordEntry(estimated, attempt.reservation))
        .finally(() => pendingRequests.delete(estimate))
      pendingRequests.add(estimate)
      // Wait for this estimate before the budget of the next request is checked.
      budgets.waitFor(estimate)
    },
    /** Resolves when no token estimate is pending. */
    settled: () => Promise.all(pendingRequests),
  }
}

/** Number of running requests by tool id. A set of requests would change often and cost V8 more. */
interface Traffic {
  readonly underWay: Map<string, number>
  /** Set while the relay stops. Requests that are then aborted were not canceled by the tool. */
  isEnding: boolean
}

function createRequestServer({
  limits: defaultLimits,
  record,
  traffic,
  ...shared
}: {
  readonly limits: RelayLimits
  readonly record: (attempt: FinishedAttempt) => void
  readonly traffic: Traffic
  readonly budgets: BudgetMeter
  readonly overloads: Overloads
}) {
  const bodyMemory = new BodyMemory(defaultLimits.heldBytes)
  const refusedFields = new RefusedFields()
  const stop = (response: ServerResponse, { target, refusal }: RejectedRequest, modelCode?: string) => {
    const timings = { at: Date.now(), durationMs: 0, firstByteMs: undefined }
    const error = refusal.name === 'budget' ? 'budget' : 'relay'
    sendRefusal(response, refusal)
    record({ target, upstream: undefined, modelCode, ...timings, status: refusalStatus(refusal.name), error })
  }
  return (request: IncomingMessage, response: ServerResponse, admission: AuthorizedRequest | RejectedRequest) => {
    if ('refusal' in admission) return stop(response, admission)
    const { method = '' } = request
    const { target, head } = admission
    const { route, toolId } = target
    const reject = (refusal: Refusal) => stop(response, { ...admission, refusal })
    const limits = limitsForRoute(route, defaultLimits)
    // Only Codex sends its version when it requests the model list.
    if (/^\/v1\/models\?(?:.*&)?client_version=/.test(target.path)) {
      return send(response, 'application/json', JSON.stringify(codexModels(admission.client.upstreams)))
    }
    const openRequests = traffic.underWay.get(toolId) ?? 0
    if ((head.contentLength ?? 0) > limits.bodyBytes) return reject(createTooLargeRefusal(route, limits))
    if (openRequests >= limits.openPerTool) return reject({ name: 'busy', standard: route.standard })
    const adjustInFlight = (delta: number): void =>
      void traffic.underWay.set(toolId, (traffic.underWay.get(toolId) ?? 0) + delta)
    let exchange: Exchange | undefined
    let releaseBody = (): void => undefined
    adjustInFlight(1)
    response.once('close', () => {
      adjustInFlight(-1)
      releaseBody()
      exchange?.end(traffic.isEnding ? 'relay' : 'aborted')
    })
    receiveBody({ request, toolId, coding: head.coding, limits, heldBytes: bodyMemory }, ({ body, release }) => {
      releaseBody = release
      if (response.destroyed) return release()
      if (body === 'tooLarge') return reject(createTooLargeRefusal(route, limits))
      if (typeof body === 'string') return reject({ name: body, standard: route.standard })
      const preparedBody = readyBody(body, route)
      if ('name' in preparedBody) return reject(preparedBody)
      const exchangeParts = { ...shared, onFinished: record, refusedFields, stop }
      exchange = new Exchange({ method, response, admitted: admission, ready: preparedBody, limits, ...exchangeParts })
      exchange.start()
    })
  }
}

/** System prompt that Codex uses for the models in this list. It has its own prompt for unlisted models. */
const instructions = `You are Codex, a coding agent that works in a terminal on the computer of the user.

- Find out before you act: read the files, the instructions of the project (AGENTS.md) and the state of its repository.
- Work until the task is done. Change as little as it needs, in the style of the project, and do not touch the user's other changes.
- Search with rg where it is installed. Run the tests or the program to check your work, and say what you could not check.
- Never delete files, rewrite history, or send data elsewhere unless the user asked for it.
- For longer tasks keep a short plan and update it as you go.
- Answer in short plain text. Name the files that you changed, and quote no long output that the user can see.`

/** The models of a tool's plans in Codex 0.169's format (`ModelsResponse`), which requires each of these fields. */
function codexModels(upstreams: readonly Upstream[]): object {
  const codes = new Set(upstreams.flatMap(({ models }) => [...models]))
  const models = [...codes].map((code, index) => ({
    slug: code,
    display_name: code,
    description: null,
    supported_reasoning_levels: [],
    shell_type: 'default',
    visibility: 'list',
    supported_in_api: true,
    priority: index + 1,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: false,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: 'bytes', limit: 10_000 },
    supports_parallel_tool_calls: true,
    experimental_supported_tools: [],
  }))
  return { models }
}

async function listen(server: HttpServer, port: number): Promise<number> {
  try {
    return await server.listen(port)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'no cause given'
    const inUse = `Port ${port} is in use by another program. Choose another port for the relay.`
    if (code === 'EADDRINUSE') throw new AppError('relay.portInUse', inUse, { cause })
    const message = `The relay cannot listen on port ${port} (${code}). Choose another port.`
    throw new AppError('relay.failed', message, { cause })
  }
}
