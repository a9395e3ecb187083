import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { createAgents } from '../core/net/send'
import { RefusedFields } from '../gateway/refused-fields'
import { AttemptRecorder } from './attempt-recorder'
import { BudgetMeter } from './budget-meter'
import { type RefusalName, sendRefusal } from './error-responses'
import { Exchange, type ExchangeContext, Overloads } from './exchange'
import { HttpServer } from './http-server'
import { type RelayLimits, type RelayOptions, type RelayTable, relayLimits } from './ports'
import { receiveBody } from './request-body'
import { maxTranslatedBytes, translateRequest } from './responses/request'
import {
  type AuthorizedRequest,
  authorizeRequest,
  createRoutingTable,
  type RejectedRequest,
  type Upstream,
} from './routing-table'
import { ToolLimit } from './tool-limit'

/**
 * Starts a relay that listens on 127.0.0.1 and accepts the host `localhost`. Rejects with `relay.portInUse`,
 * `relay.failed`, `file.unreadable` or `file.unparsable`.
 */
export async function startRelay(options: RelayOptions, limits: RelayLimits = relayLimits) {
  const agents = createAgents({ headersTimeout: limits.idleMs, bodyTimeout: limits.idleMs })
  const createTable = (table: RelayTable) =>
    createRoutingTable(table, (route, caFiles) => agents.get(route, [...new Set([...options.caFiles, ...caFiles])]))
  let directory = createTable(options.table)
  const budgets = new BudgetMeter(options.readBudget)
  budgets.setBudgets(options.table.budgets ?? [])
  const recorder = new AttemptRecorder(options, budgets)
  const overloads = new Overloads(options.onSwitch)
  const requests = new ToolRequests({ limits, recorder, budgets, overloads, refusedFields: new RefusedFields() })
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
      requests.serve(request, response, admission)
    }
  })
  port = await server.listen(options.port)
  return {
    port,
    /** Replaces the routing table from the next request on. */
    setTable(table: RelayTable): void {
      directory = createTable(table)
      budgets.setBudgets(table.budgets ?? [])
    },
    /** Requests in progress per tool id. */
    open: (): ReadonlyMap<string, number> => requests.open,
    /** Stops listening, ends exchanges after `graceMs` and closes the connections. */
    async close(graceMs: number): Promise<void> {
      await server.close(graceMs, () => {
        requests.isEnding = true
      })
      // All connections are closed now, so each remaining request ends within one turn of the event loop.
      while ([...requests.open.values()].some((count) => count > 0)) await setImmediate()
      await budgets.settled()
      await agents.close()
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

/** Requests of tools with a valid token. */
class ToolRequests {
  /** Set while the relay stops. Requests that are then aborted were not canceled by the tool. */
  isEnding = false
  readonly #open: ToolLimit
  readonly #heldBytes: ToolLimit

  constructor(private readonly context: ExchangeContext & { readonly limits: RelayLimits }) {
    const { openPerTool, heldBytes } = context.limits
    this.#open = new ToolLimit(Number.POSITIVE_INFINITY, openPerTool)
    // One tool gets at most half, so that its slow bodies leave room for others.
    this.#heldBytes = new ToolLimit(heldBytes, heldBytes / 2)
  }

  /** Number of running requests by tool id. */
  get open(): ReadonlyMap<string, number> {
    return this.#open.amounts
  }

  serve(request: IncomingMessage, response: ServerResponse, admitted: AuthorizedRequest | RejectedRequest) {
    const { context } = this
    if ('refusal' in admitted) return context.recorder.reject(response, admitted)
    const { target, head } = admitted
    const { path, toolId, route } = target
    const { standard, isTranslated = false } = route
    const reject = (name: RefusalName, detail?: string) =>
      context.recorder.reject(response, { ...admitted, refusal: { name, standard, detail } })
    const { bodyBytes } = context.limits
    const maxBytes = isTranslated ? Math.min(bodyBytes, maxTranslatedBytes) : bodyBytes
    const rejectTooLarge = () => {
      const detail = `The request is larger than Platform Companion's relay translates (${Math.round(maxBytes / 1024 / 1024)} MB).`
      reject('tooLarge', isTranslated ? detail : undefined)
    }
    // Only Codex sends its version when it requests the model list.
    if (/^\/v1\/models\?(?:.*&)?client_version=/.test(path)) {
      return send(response, 'application/json', JSON.stringify(codexModels(admitted.client.upstreams)))
    }
    if ((head.contentLength ?? 0) > maxBytes) return rejectTooLarge()
    if (!this.#open.take(toolId, 1)) return reject('busy')
    let exchange: Exchange | undefined
    response.once('close', () => {
      this.#open.release(toolId, 1)
      exchange?.end(this.isEnding ? 'relay' : 'aborted')
    })
    const source = { request, response, toolId, coding: head.coding, maxBytes, heldBytes: this.#heldBytes }
    receiveBody(source, (toolBody) => {
      if (toolBody === 'tooLarge') return rejectTooLarge()
      if (typeof toolBody === 'string') return reject(toolBody)
      const translated = isTranslated ? translateRequest(toolBody) : undefined
      if (translated !== undefined && 'refusal' in translated) return reject('untranslatable', translated.refusal)
      exchange = new Exchange({ context, request, response, admitted, body: translated?.body ?? toolBody, translated })
      void exchange.start()
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
