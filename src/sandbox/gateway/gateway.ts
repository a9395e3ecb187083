import { z } from 'zod'
import { applyFault, type Fault, type Faults } from '../faults'
import { createRouter, type Handler, HttpError, ownUrl, refuseForeignOrigin } from '../http/listener'
import { ResponseWriter } from '../http/response-writer'
import type { Journal } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'
import { Content, chatCompletions, lastPrompt, listTexts, RequiredContent } from './chat-completions'
import { type Conversation, countTokens, serveCompletion } from './converse'
import {
  type ApiStandard,
  type ApiStandardName,
  type Completion,
  createPromptCache,
  newId,
  readCredential,
  type StreamFrame,
  splitWords,
} from './standard'

const Body = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.string(), content: RequiredContent })).min(1),
  system: Content.optional(),
  stream: z.boolean().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  tools: z.array(z.unknown()).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
})

const MessagesTool = z.looseObject({ name: z.string(), input_schema: z.unknown() })

function stopReason({ isCut, toolCall }: Completion): string {
  if (toolCall) return 'tool_use'
  return isCut ? 'max_tokens' : 'end_turn'
}

interface Block {
  readonly whole: object
  readonly start: object
  /** Stream deltas, each with the text that it carries. */
  readonly deltas: readonly (readonly [delta: object, text: string])[]
}

/** Content blocks of a response with their start events and stream deltas. */
function* blocks({ text, reasoning, toolCall }: Completion): Generator<Block> {
  if (reasoning !== undefined)
    yield {
      whole: { type: 'thinking', thinking: reasoning, signature: 'sandbox' },
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: splitWords(reasoning).map((word) => [{ type: 'thinking_delta', thinking: word }, word]),
    }
  if (toolCall) {
    const call = { type: 'tool_use', id: newId('toolu_'), name: toolCall.name }
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(toolCall.arguments) }
    yield {
      whole: { ...call, input: toolCall.arguments },
      start: { ...call, input: {} },
      deltas: [[delta, JSON.stringify(toolCall)]],
    }
  } else
    yield {
      whole: { type: 'text', text },
      start: { type: 'text', text: '' },
      deltas: splitWords(text).map((word) => [{ type: 'text_delta', text: word }, word]),
    }
}

function usage({ inputTokens, cacheReadTokens = 0, cacheWrittenTokens = 0 }: Completion, output_tokens: number) {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWrittenTokens,
    cache_creation_input_tokens: cacheWrittenTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens,
  }
}

const message = (completion: Completion, fields: object) => ({
  id: newId('msg_'),
  type: 'message',
  role: 'assistant',
  model: completion.modelCode,
  ...fields,
})

function buildFrame(type: string, fields: object, text = ''): StreamFrame {
  return { wire: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, text }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const messages: ApiStandard = {
  name: 'messages',
  requestIdHeader: 'request-id',
  parse(body) {
    const { model, messages, system, stream, max_tokens, tools, thinking } = Body.parse(body)
    const systemTexts = [...(tools ? [JSON.stringify(tools)] : []), ...listTexts(system)]
    const leadingTexts = [...systemTexts, ...messages.slice(0, -1).flatMap(({ content }) => listTexts(content))]
    return {
      modelCode: model,
      isStream: stream ?? false,
      wantsUsage: true,
      maxTokens: max_tokens ?? undefined,
      messageCount: messages.length,
      texts: [...leadingTexts, ...listTexts(messages.at(-1)?.content)],
      leadingCount: leadingTexts.length,
      tools: (tools ?? []).flatMap((tool) => {
        const { data } = MessagesTool.safeParse(tool)
        return data ? [{ name: data.name, parameters: data.input_schema }] : []
      }),
      isReasoning: thinking?.type === 'enabled',
      ...lastPrompt(messages),
    }
  },
  answer: (completion) =>
    message(completion, {
      content: [...blocks(completion)].map(({ whole }) => whole),
      stop_reason: stopReason(completion),
      stop_sequence: null,
      usage: usage(completion, completion.outputTokens),
    }),
  *stream(completion) {
    const emptyMessage = { content: [], stop_reason: null, stop_sequence: null, usage: usage(completion, 0) }
    yield buildFrame('message_start', { message: message(completion, emptyMessage) })
    for (const [index, { start, deltas }] of [...blocks(completion)].entries()) {
      yield buildFrame('content_block_start', { index, content_block: start })
      if (index === 0) yield buildFrame('ping', {})
      for (const [delta, text] of deltas) yield buildFrame('content_block_delta', { index, delta }, text)
      yield buildFrame('content_block_stop', { index })
    }
    yield buildFrame('message_delta', {
      delta: { stop_reason: stopReason(completion), stop_sequence: null },
      usage: { output_tokens: completion.outputTokens },
    })
    yield buildFrame('message_stop', {})
  },
  error({ status, code, message, requestId }) {
    const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
    return { type: 'error', error: { type, message, code }, request_id: requestId }
  },
}

/** Parts of the sandbox that all servers share. */
export interface ServerParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
}

const apiStandards: Record<ApiStandardName, ApiStandard> = { 'chat-completions': chatCompletions, messages }

const services = {
  '/v1/chat/completions': { operation: 'gateway.chatCompletions', standard: chatCompletions, serve: serveCompletion },
  '/v1/messages': { operation: 'gateway.messages', standard: messages, serve: serveCompletion },
  '/v1/messages/count_tokens': { operation: 'gateway.countTokens', standard: messages, serve: countTokens },
}

type Service = (typeof services)[keyof typeof services]

const findService = createRouter<Service>(
  Object.entries(services).map(([pattern, handler]) => ({ method: 'POST', pattern, handler })),
)

/** Records a failed call or broken connection as an error of its key. Ignores unknown keys. */
function recordFailure({ store, secret, progress }: Conversation): void {
  const keyId = secret === undefined || progress.isServed ? undefined : store.findKeyId(secret)
  const key = store.world().keys.find((candidate) => candidate.keyId === keyId)
  if (key === undefined) return
  store.book({ ...key, atMs: store.nowMs(), modelCode: progress.modelCode }, { errors: 1 })
}

async function serve(talk: Conversation, service: Service, fault: Fault | undefined): Promise<void> {
  try {
    if (!fault || (await applyFault(fault, talk.exchange))) await service.serve(talk)
    else recordFailure(talk)
  } catch (error) {
    recordFailure(talk)
    throw error
  }
}

/** Gateway of the token plan (spec, "Endpoints", A). It serves three paths and returns 404 for all others. */
export function createGateway({ store, faults, journal, timing }: ServerParts): Handler {
  const cache = createPromptCache()
  return async (exchange) => {
    const { request, response, method, path } = exchange
    const service = findService(method, path)?.handler
    const operation = service?.operation
    const standardName = service?.standard.name ?? guessStandard(path, request.headers)
    const standard = apiStandards[standardName ?? 'chat-completions']
    const at = store.nowIso()
    const trace = journal.open(exchange, { area: 'gateway', at, operation, standard: standardName ?? null })
    const refusal = refuseForeignOrigin(request)
    const fault = refusal || operation === undefined ? undefined : faults.take(operation)
    const outlet = new ResponseWriter(exchange, { fault, beforeLast: () => trace.finish(outlet, fault) })
    const requestId = newId('req_')
    response.setHeader('date', new Date(store.nowMs()).toUTCString()).setHeader(standard.requestIdHeader, requestId)
    const { secret } = readCredential(request.headers)
    const progress = { modelCode: '', isServed: false }
    const talk = { exchange, standard, trace, store, secret, progress, outlet, cache, paceMs: timing().paceMs }
    try {
      if (refusal) throw refusal
      if (!service) {
        // Name the requested path and the correct address, since tools print the message (spec, "Errors", A).
        const buildAdvice = pathAdvice.find(([pattern]) => pattern.test(path))?.[1] ?? buildAddressAdvice
        const message = `You asked for ${method} ${path.slice(0, 200)}; ${buildAdvice(ownUrl(request))}`
        throw new HttpError(404, 'not_found', message)
      }
      await serve(talk, service, fault)
    } catch (error) {
      outlet.error(error, ({ status, code, message }) => {
        trace.note({ error: code })
        return standard.error({ status, code, message, requestId })
      })
    }
    trace.finish(outlet, fault)
  }
}

type AdviceBuilder = (gatewayUrl: string) => string

/** Error details for unknown paths. The first match wins. */
const pathAdvice: readonly (readonly [RegExp, AdviceBuilder])[] = [
  [/^\/v1\/(?:chat\/completions|messages(?:\/count_tokens)?)$/, () => 'this path takes POST requests'],
  [
    /\/v1\/v1\/chat\/completions\/?$/,
    (url) => `for this standard set the base address to ${url}/v1, or to ${url} if the tool adds /v1 itself`,
  ],
  [/\/chat\/completions\/?$/, (url) => `for this standard set the base address to ${url}/v1`],
  [/\/v1\/messages(?:\/count_tokens)?\/?$/, (url) => `for this standard set the base address to ${url}`],
  [/\/messages(?:\/count_tokens)?\/?$/, (url) => `this tool adds only /messages, so set its base address to ${url}/v1`],
  [/\/responses\/?$/, (url) => `the Responses API is not served; use chat-completions with the base address ${url}/v1`],
  [/\/embeddings\/?$/, () => 'the gateway of a plan serves no embeddings; the inference API of the platform does'],
  [/\/models\/?$/, () => 'there is no model list; name a model code of the plan'],
]

const buildAddressAdvice: AdviceBuilder = (url) =>
  `set the base address to ${url}/v1 for a chat-completions tool, or to ${url} for a tool of the messages standard`

/** Guesses the standard of a request to an unknown path. */
function guessStandard(path: string, headers: NodeJS.Dict<string | string[]>): ApiStandardName | undefined {
  if (/\/messages(\/|$)/.test(path) || headers['anthropic-version'] !== undefined) return 'messages'
  return /\/(chat\/)?completions\/?$/.test(path) ? 'chat-completions' : undefined
}
