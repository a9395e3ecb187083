import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream'
import { maxMcpMessageBytes } from '@shared/limits'
import { type RefusalName, sendRefusal } from '../error-responses'
import { ToolLimit } from '../tool-limit'

/** Start timeout of the MCP server in ms. */
const startMs = 30_000
const maxRunningCalls = 128
/** Maximum number of concurrent calls per tool, so that slow uploads of one tool do not block other tools. */
const maxCallsPerTool = 32

/** Names of request headers that are forwarded. Transport headers and the token are not. */
const passedHeaders = new Set([
  'accept',
  'content-type',
  'content-length',
  'last-event-id',
  'cache-control',
  'x-accel-buffering',
])
const pickForwarded = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => passedHeaders.has(name) || name.startsWith('mcp-')))

interface RunningBackend {
  readonly child: ChildProcess
  readonly port: number
  readonly secret: string
}

/**
 * The MCP server behind the relay, which runs as a `companion mcp` process. The first authorized request starts the
 * process. It exits when idle. The relay only copies bytes and loads no protocol code.
 */
export class McpBackend {
  #starting: Promise<RunningBackend> | undefined
  readonly #runningCalls = new ToolLimit(maxRunningCalls, maxCallsPerTool)

  /** `program` is the path of the `companion` command. */
  constructor(private readonly program: string) {}

  serve(toolId: string, request: IncomingMessage, response: ServerResponse) {
    const stop = (name: RefusalName): void => {
      if (response.headersSent) response.destroy()
      else sendRefusal(response, { name, standard: 'chat-completions' })
      request.resume()
    }
    if (Number(request.headers['content-length'] ?? 0) > maxMcpMessageBytes) return stop('mcpTooLarge')
    if (!this.#runningCalls.take(toolId, 1)) return stop('mcpBusy')
    response.once('close', () => this.#runningCalls.release(toolId, 1))
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    this.#starting.then(
      (running) => forwardToBackend(running, toolId, request, response, stop),
      () => stop('mcpFailed'),
    )
  }

  async close(): Promise<void> {
    const runningBackend = await this.#starting?.catch(() => undefined)
    if (runningBackend === undefined || runningBackend.child.exitCode !== null) return
    const exitPromise = once(runningBackend.child, 'exit')
    runningBackend.child.stdin?.end()
    const timer = setTimeout(() => runningBackend.child.kill('SIGKILL'), 2000)
    await exitPromise
    clearTimeout(timer)
  }

  async #start(): Promise<RunningBackend> {
    const { spawn } = await import('node:child_process')
    const secret = randomBytes(32).toString('base64url')
    // On Windows, command files can only be started through a shell.
    const [file = '', ...shell] = process.platform === 'win32' ? ['cmd', '/c', this.program] : [this.program]
    const child = spawn(file, [...shell, 'mcp', '--relay'], { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    child.once('exit', () => {
      this.#starting = undefined
    })
    child.stdin.on('error', () => undefined)
    child.stdin.write(`${secret}\n`)
    const limit = AbortSignal.timeout(startMs)
    try {
      const exit = once(child, 'exit', { signal: limit }).then(() => [])
      const [line] = await Promise.race([once(createInterface(child.stdout), 'line', { signal: limit }), exit])
      const port = Number(line)
      if (!Number.isInteger(port) || port <= 0) throw new Error('The MCP server did not start.')
      return { child, port, secret }
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }
}

function forwardToBackend(
  { port, secret }: RunningBackend,
  toolId: string,
  request: IncomingMessage,
  response: ServerResponse,
  stop: (name: RefusalName) => void,
): void {
  const { method, headers } = request
  const backendRequest = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    agent: false,
    headers: { ...pickForwarded(headers), 'x-companion-secret': secret, 'x-companion-tool': toolId },
  })
  response.once('close', () => backendRequest.destroy())
  let size = 0
  let isTooLarge = false
  // The MCP server closes the connection at this limit, which loses its error response. So check the limit before it.
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (isTooLarge || size <= maxMcpMessageBytes) return
    isTooLarge = true
    request.unpipe(backendRequest)
    backendRequest.destroy()
    stop('mcpTooLarge')
  })
  backendRequest.on('error', () => {
    if (!isTooLarge) stop('mcpFailed')
  })
  backendRequest.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, pickForwarded(answered.headers))
    response.flushHeaders()
    request.resume()
    pipeline(answered, response, () => undefined)
  })
  request.pipe(backendRequest)
}
