import {
  type GetPromptResult,
  InMemoryTransport,
  McpServer,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { cleanName, withoutHiddenInText } from '@shared/hidden-characters'
import { fillVariables } from '@shared/playground'
import { decodeUriOrKeep } from '../core/net/address'
import type { Log } from '../core/ports'
import { redact } from '../core/secret'
import { isObject, parseExternalJson } from '../gateway/server-message'
import { Calls, slicePage, toCleanJson } from './calls'
import { listMemories, memoryTools } from './memory-tools'
import { planTools, resolvePlan } from './plan-tools'
import type { McpServices } from './services'

export interface McpServerOptions {
  readonly version: string
  readonly services: McpServices
  readonly toolId: string | undefined
  readonly log: Log
  /** Call queue of the client. Several clients of one tool share a queue. */
  readonly calls?: Calls
}

const instructions =
  'Platform Companion: prepaid token plans of this computer. Ask "quota" before long work, "models" for codes that can be called, "diagnose" when requests fail. Everything but ask_model and memory_remember only reads. The live request of "diagnose" needs the permission of ask_model.'

/** Maximum number of elements in a call's arguments. */
const maxElements = 10_000

/** MCP tools in display order. */
export const mcpTools = [...planTools, ...memoryTools]

/** Creates the MCP server of one client, not connected yet. */
export function createMcpServer({ version, calls, ...deps }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'platform-companion', title: 'Platform Companion', version },
    { instructions, maxToolInputElements: maxElements },
  )
  const sharedCalls = calls ?? new Calls(deps)
  for (const { register } of mcpTools) register(server, sharedCalls)
  addLibrary(server, deps.services)
  return server
}

const scheme = 'companion:'
const quotaUri = `${scheme}//quota`
const mimeType = 'application/json'
const pageSize = 50

/** Poll interval of quotas while a client is subscribed. */
const watchMs = 30_000

/** Adds resources (plans, quotas, memories) and the playground's saved prompts, which are read on demand. */
function addLibrary({ server }: McpServer, services: McpServices): void {
  server.registerCapabilities({ resources: { subscribe: true }, prompts: {} })
  const quotaWatch = new QuotaWatch(services, () => server.sendResourceUpdated({ uri: quotaUri }))
  server.onclose = () => quotaWatch.end()

  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) =>
    explainErrors(async () => {
      const { items, nextCursor } = slicePage(await listResources(services, mcpReq.signal), params?.cursor, pageSize)
      return { resources: items, nextCursor }
    }),
  )
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [
      { name: 'plan', title: 'One plan', uriTemplate: `${scheme}//plans/{id}`, mimeType },
      { name: 'memory', title: 'One memory', uriTemplate: `${scheme}//memories/{id}`, mimeType },
    ],
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) =>
    explainErrors(async () => {
      const data = await readResource(uri, services, mcpReq.signal)
      if (uri === quotaUri) quotaWatch.begin()
      return { contents: [{ uri, mimeType, text: redact(toCleanJson(data)) }] }
    }),
  )
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (uri !== quotaUri) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Only ${quotaUri} tells of changes.`)
    quotaWatch.begin()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async () => {
    quotaWatch.end()
    return {}
  })

  server.setRequestHandler('prompts/list', async ({ params }) =>
    explainErrors(async () => {
      const namedPrompts = await listPrompts(services)
      const { items, nextCursor } = slicePage(namedPrompts, params?.cursor, pageSize)
      const prompts = await Promise.all(items.map((prompt) => readPrompt(prompt, services)))
      return { prompts, nextCursor }
    }),
  )
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: promptArguments = {} } }) =>
    explainErrors(() => fillPrompt(name, promptArguments, services)),
  )
}

/** Converts failures to protocol errors with cause, fix and code. */
async function explainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = error.failure
    const isInput = code === 'input.invalid' || code === 'playground.notFound'
    throw new ProtocolError(
      isInput ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      redact(withoutHiddenInText(message)),
      { code },
    )
  }
}

/** Lists resources. Omits memories if the platform can't be reached. */
async function listResources(services: McpServices, signal: AbortSignal): Promise<Resource[]> {
  const fixedResources: Resource[] = [
    { uri: `${scheme}//plans`, name: 'plans', title: 'Token plans', mimeType },
    { uri: quotaUri, name: 'quota', title: 'Remaining quota', mimeType },
  ]
  const memories = services.connection()
    ? await listMemories({ services, signal }).catch((error: unknown) => {
        if (error instanceof AppError) return []
        throw error
      })
    : []
  return [
    ...fixedResources,
    ...services.plans().map((plan) => toResource('plans', 'Plan', plan)),
    ...memories.map((memory) => toResource('memories', 'Memory', memory)),
  ]
}

function toResource(kind: string, noun: string, item: { readonly id: string; readonly name: string }): Resource {
  const name = cleanName(item.name)
  return { uri: `${scheme}//${kind}/${encodeURIComponent(item.id)}`, name, title: `${noun} ${name}`, mimeType }
}

async function readResource(uri: string, services: McpServices, signal: AbortSignal): Promise<unknown> {
  const [, kind, encoded] = /^companion:\/\/(plans|quota|memories)(?:\/([^/]+))?$/.exec(uri) ?? []
  const id = encoded === undefined ? undefined : decodeUriOrKeep(encoded)
  if (kind === 'quota' && id === undefined) return services.quotas()
  if (kind === 'plans') {
    const plans = services.plans().map(resolvePlan)
    const foundPlans = id === undefined ? plans : plans.find((plan) => plan.id === id)
    if (foundPlans) return foundPlans
  }
  if (kind === 'memories') {
    const memories = await listMemories({ services, signal })
    if (id === undefined) return memories.map(({ id: memoryId, name }) => ({ id: memoryId, name }))
    const memory = memories.find((candidate) => candidate.id === id)
    const call = memory && {
      connectionId: memory.connectionId,
      operation: 'memory.memories.get',
      path: { id: memory.id },
    }
    if (call) return (await services.platform.call(call, signal)).data ?? null
  }
  throw new ResourceNotFoundError(uri)
}

/** Notifies subscribers of quota changes. */
class QuotaWatch {
  #last: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly services: McpServices,
    private readonly notify: () => Promise<void>,
  ) {}

  begin(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => void this.#poll(), watchMs).unref()
    void this.#poll()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#last = undefined
  }

  async #poll(): Promise<void> {
    const quotas = await this.services.quotas().catch(() => undefined)
    if (quotas === undefined || this.#timer === undefined) return
    const quotaFigures = JSON.stringify(quotas, figureNames)
    const hasChanged = this.#last !== undefined && this.#last !== quotaFigures
    this.#last = quotaFigures
    // Ignore a disconnected client.
    if (hasChanged) await this.notify().catch(() => undefined)
  }
}

/** Members of quotas whose changes are reported. Forecasts change all the time. */
const figureNames = ['name', 'isExpired', 'models', 'modelCode', 'tokens', 'requests', 'used', 'quota']

interface NamedPrompt {
  readonly id: string
  /** The title, which coding tools show as the prompt's command. If several prompts have it, also the id. */
  readonly name: string
}

async function listPrompts({ prompts }: McpServices): Promise<NamedPrompt[]> {
  const savedPrompts = (await prompts()).map(({ id, name }) => ({ id, name: cleanName(name) }))
  const counts = new Map<string, number>()
  for (const { name } of savedPrompts) counts.set(name, (counts.get(name) ?? 0) + 1)
  return savedPrompts.map(({ id, name }) => ({ id, name: counts.get(name) === 1 ? name : `${name} (${id})` }))
}

async function readPrompt({ id, name: promptName }: NamedPrompt, services: McpServices): Promise<Prompt> {
  const { name, tags, versions } = await services.prompt(id)
  const variables = versions[0]?.variables ?? []
  return {
    name: promptName,
    title: cleanName(name),
    ...(tags.length > 0 ? { description: cleanName(tags.join(', ')) } : {}),
    ...(variables.length > 0 ? { arguments: variables.map((variable) => ({ name: variable, required: true })) } : {}),
  }
}

/** A saved prompt with its variables replaced. Fails with `input.invalid` for a missing value. */
async function fillPrompt(
  name: string,
  promptArguments: Readonly<Record<string, string>>,
  services: McpServices,
): Promise<GetPromptResult> {
  const matchingPrompt = (await listPrompts(services)).find((prompt) => prompt.id === name || prompt.name === name)
  if (!matchingPrompt) throw new AppError('playground.notFound', `There is no saved prompt ${name}.`)
  const { name: description, versions } = await services.prompt(matchingPrompt.id)
  const [newest] = versions
  const missingVariables = newest?.variables.filter((variable) => promptArguments[variable] === undefined) ?? []
  if (!newest || missingVariables.length > 0)
    throw new AppError('input.invalid', `Fill in: ${missingVariables.join(', ')}.`)
  const system = newest.system.trim() === '' ? [] : [newest.system]
  const text = [...system, newest.text].map((part) => fillVariables(part, promptArguments)).join('\n\n')
  const content = { type: 'text' as const, text: withoutHiddenInText(text) }
  return { description: cleanName(description), messages: [{ role: 'user', content }] }
}

/** The SDK's default would end slow calls after a minute. */
const maxTrialMs = dayMs

/** Calls a tool over the protocol, like a client. Fails with `input.invalid` if the arguments are no JSON object. */
export async function runTrialCall(
  options: McpServerOptions,
  { name, input }: { readonly name: string; readonly input: string },
  signal: AbortSignal,
): Promise<{ isError: boolean; text: string }> {
  const callArguments = parseExternalJson(input.trim() || '{}')
  if (!isObject(callArguments))
    throw new AppError('input.invalid', 'The input is not a JSON object.', { field: 'input' })
  const { Client, ProtocolError: ClientProtocolError } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'platform-companion-window', version: options.version })
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
  await createMcpServer(options).connect(serverTransport)
  try {
    await client.connect(clientTransport)
    const call = { name, arguments: { ...callArguments } }
    const { isError = false, content } = await client.callTool(call, { signal, timeout: maxTrialMs })
    return { isError, text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') }
  } catch (error) {
    if (signal.aborted) throw new AppError('net.cancelled', 'The call was cancelled.')
    if (error instanceof ClientProtocolError) return { isError: true, text: error.message }
    throw error
  } finally {
    await client.close()
  }
}
