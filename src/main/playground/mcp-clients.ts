import type { Client, ClientOptions, JsonSchemaValidatorResult } from '@modelcontextprotocol/client'
import type { McpServerRef, McpToolOffer, MethodInput, MethodOutput } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../core/consent/consent'
import type { Send } from '../core/net/send'
import { isObject, parseExternalJson } from '../gateway/server-message'
import type { McpLaunch } from '../tools/mcp-launch'

type McpClient = Pick<Client, 'listTools' | 'callTool' | 'close'>

interface McpClientsDeps {
  readonly getLaunch: (toolId: string, server: string) => Promise<McpLaunch>
  readonly send: Send
  readonly version: string
}

interface CallOptions {
  readonly confirm: Confirm
  readonly signal: AbortSignal
}

interface Connection {
  /** Program or address as JSON, to detect changed settings. */
  readonly launchJson: string
  readonly client: Promise<McpClient>
  /** Closes the connection when it was not used for a while. */
  readonly idleTimer: NodeJS.Timeout
}

const startTimeoutMs = minuteMs
const callTimeoutMs = 5 * minuteMs
const idleTimeoutMs = 10 * minuteMs
const maxConnections = 8
const maxTools = 128
/** Limits of a tool's fields, as in the contract. */
const maxNameLength = 200
const maxDescriptionLength = 10_000
const maxSchemaLength = 100_000
/** Maximum bytes of one message or response of a server. */
const maxMessageBytes = 10_000_000
/** Maximum characters of a tool result, as in the contract. */
const maxResultLength = 1_000_000

/**
 * Connections to MCP servers in the settings of coding tools, for chats. The user confirms each
 * server once per session, and each call, in a native dialog. Idle servers are closed.
 */
export class PlaygroundMcpClients {
  readonly #connections = new Map<string, Connection>()
  readonly #allowedLaunches = new Set<string>()

  constructor(private readonly deps: McpClientsDeps) {}

  /** Tools of a server. Fails with `input.declined`, `input.invalid` or `playground.mcpServer`. */
  async listTools(server: McpServerRef, { confirm, signal }: CallOptions): Promise<McpToolOffer[]> {
    const launch = await this.deps.getLaunch(server.toolId, server.name)
    const { tools } = await this.#withClient(server, launch, confirm, (client) =>
      client.listTools({}, { signal, timeout: startTimeoutMs }),
    )
    const offeredTools = tools.filter(({ name }) => isOffered(launch, name))
    return offeredTools.slice(0, maxTools).flatMap(({ name, description = '', inputSchema }) => {
      const schema = JSON.stringify(inputSchema)
      return schema.length > maxSchemaLength || name.length > maxNameLength
        ? []
        : [{ name, description: description.slice(0, maxDescriptionLength), schema }]
    })
  }

  /** Calls a tool. Fails like `listTools`. An error that the tool reports is a result. */
  async call(
    { server, tool, input }: Omit<MethodInput<'playground.callMcpTool'>, 'callId'>,
    { confirm, signal }: CallOptions,
  ): Promise<MethodOutput<'playground.callMcpTool'>> {
    const toolArguments = parseExternalJson(input.trim() || '{}')
    if (!isObject(toolArguments))
      throw new AppError('input.invalid', 'The arguments of the call are not a JSON object.', { field: 'input' })
    const launch = await this.deps.getLaunch(server.toolId, server.name)
    if (!isOffered(launch, tool))
      throw new AppError('input.invalid', `The settings of ${server.name} do not allow the tool ${tool}.`, {
        field: 'tool',
      })
    await requireConsent(confirm, { kind: 'callMcp', server: server.name, runs: launch.runs, tool, input })
    const result = await this.#withClient(server, launch, confirm, (client) =>
      client.callTool({ name: tool, arguments: { ...toolArguments } }, { signal, timeout: callTimeoutMs }),
    )
    const text = toText(result)
    return { isError: 'isError' in result && result.isError === true, text: text.slice(0, maxResultLength) }
  }

  async end(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((key) => this.#close(key)))
  }

  async #withClient<Result>(
    { toolId, name }: McpServerRef,
    launch: McpLaunch,
    confirm: Confirm,
    work: (client: McpClient) => Promise<Result>,
  ): Promise<Result> {
    const launchJson = JSON.stringify(launch)
    // Ask once per session for each program or address.
    if (!this.#allowedLaunches.has(launchJson)) {
      const { runs, values, kind } = launch
      await requireConsent(confirm, {
        kind: 'startMcp',
        server: launch.name,
        runs,
        values,
        isProgram: kind === 'stdio',
      })
      this.#allowedLaunches.add(launchJson)
    }
    const key = `${toolId} ${name}`
    const connection = await this.#connect(key, launch, launchJson)
    try {
      const result = await work(await connection.client)
      connection.idleTimer.refresh()
      return result
    } catch (error) {
      // A server that failed may have ended. The next use starts it again.
      await this.#close(key)
      if (error instanceof AppError) throw error
      const reason = error instanceof Error ? error.message.slice(0, 500) : ''
      const details = reason === '' ? '' : ` The server says: ${reason}`
      throw new AppError('playground.mcpServer', `The MCP server ${name} failed.${details}`, { cause: error })
    }
  }

  async #connect(key: string, launch: McpLaunch, launchJson: string): Promise<Connection> {
    const openConnection = this.#connections.get(key)
    if (openConnection?.launchJson === launchJson) return openConnection
    if (openConnection) await this.#close(key)
    const [oldestKey] = this.#connections.keys()
    if (this.#connections.size >= maxConnections && oldestKey !== undefined) await this.#close(oldestKey)
    const client = openClient(launch, this.deps)
    const idleTimer = setTimeout(() => void this.#close(key), idleTimeoutMs)
    const connection: Connection = { launchJson, client, idleTimer }
    this.#connections.set(key, connection)
    return connection
  }

  async #close(key: string): Promise<void> {
    const connection = this.#connections.get(key)
    this.#connections.delete(key)
    clearTimeout(connection?.idleTimer)
    await connection?.client.then((client) => client.close()).catch(() => undefined)
  }
}

async function openClient(launch: McpLaunch, { send, version }: McpClientsDeps): Promise<McpClient> {
  const sdk = await import('@modelcontextprotocol/client')
  const options = { jsonSchemaValidator: noValidator, listMaxPages }
  const client = new sdk.Client({ name: 'platform-companion', version }, options)
  const createTransport = async () => {
    if (launch.kind === 'stdio') {
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
      const { command, args, env, cwd } = launch
      const stdio = { command, args: [...args], env: { ...env }, maxBufferSize: maxMessageBytes }
      return new StdioClientTransport({ ...stdio, stderr: 'ignore', ...(cwd !== undefined && { cwd }) })
    }
    const options = { fetch: createBoundedFetch(send), requestInit: { headers: launch.headers } }
    const url = new URL(launch.url)
    return launch.kind === 'sse'
      ? new sdk.SSEClientTransport(url, options)
      : new sdk.StreamableHTTPClientTransport(url, options)
  }
  try {
    await client.connect(await createTransport(), { timeout: startTimeoutMs })
    return client
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
}

const isOffered = ({ allowedTools, blockedTools }: McpLaunch, tool: string): boolean =>
  (allowedTools?.includes(tool) ?? true) && !blockedTools.includes(tool)

const listMaxPages = 16

/** Accepts all results. Schemas of a server may contain patterns that take exponential time. */
const noValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = { getValidator: () => acceptValue }

// The client only checks structured content, which the chat shows as JSON.
const acceptValue = <Value>(input: unknown): JsonSchemaValidatorResult<Value> => ({
  valid: true,
  data: input as Value,
  errorMessage: undefined,
})

/** `fetch` over this app's network, with its proxies, without redirects and with limited responses. */
const createBoundedFetch =
  (send: Send) =>
  async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', headers, body, signal } = init
    const answer = await send({
      method,
      url: String(address),
      headers: Object.fromEntries(new Headers(headers)),
      signal: signal ?? new AbortController().signal,
      ...(typeof body === 'string' && { body }),
    })
    let bytes = 0
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes > maxMessageBytes) controller.error(new Error('The response is too large.'))
        else controller.enqueue(chunk)
      },
    })
    const hasBody = answer.body !== null && ![204, 205, 304].includes(answer.status)
    return new Response(hasBody ? answer.body?.pipeThrough(limit) : null, {
      status: answer.status,
      headers: [...(answer.headers.entries?.() ?? [])],
    })
  }

/** Returns the text of a tool result. Other content, such as an image, becomes its type. */
function toText(result: object): string {
  const parts: unknown[] = 'content' in result && Array.isArray(result.content) ? result.content : []
  if (parts.length === 0) return JSON.stringify('structuredContent' in result ? result.structuredContent : result)
  return parts
    .map((part) => {
      if (!isObject(part)) return ''
      return typeof part.text === 'string' ? part.text : `[${String(part.type)}]`
    })
    .join('\n')
}
