import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { McpServer } from '@modelcontextprotocol/server'
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { parseJson } from '@shared/json'
import { maxMcpMessageBytes } from '@shared/limits'
import type { Log } from '../core/ports'

/** Serves one client over two streams until it disconnects, then cancels its calls. */
export async function serveOverStdio({
  createServer,
  stdin,
  stdout,
  log,
}: {
  readonly createServer: () => McpServer
  readonly stdin: Readable
  readonly stdout: Writable
  readonly log: Log
}): Promise<void> {
  const messages = new PassThrough({ highWaterMark: 64 * 1024 })
  const sendError = (id: string | number | null, code: number, message: string): void =>
    void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  const transport = new StdioServerTransport(messages, stdout, { maxBufferSize: 2 * maxMcpMessageBytes })
  const onerror = (error: Error): void => log.error('mcp.protocol', error)
  const stdioServer = serveStdio(createServer, { transport, onerror })
  const reader = new LineLengthFilter(messages, sendError)
  stdin.on('data', (chunk: Buffer) => reader.add(chunk))
  for (const event of ['end', 'close', 'error'] as const) stdin.on(event, () => messages.end())
  if (stdin.readableEnded || stdin.destroyed) messages.end()
  // Treat a client that stops reading as disconnected.
  await Promise.race([once(messages, 'end'), new Promise((resolve) => stdout.once('error', resolve))])
  await stdioServer.close()
}

type SendError = (id: string | number | null, code: number, message: string) => void

const parseError = -32_700
const invalidRequest = -32_600
/** Finds the id of an oversized message in its first or last bytes. */
const maxLineEdge = 300

/** Forwards only valid messages. The library silently drops others, and the client would wait forever. */
class LineLengthFilter {
  #parts: Buffer[] = []
  #length = 0

  constructor(
    private readonly output: PassThrough,
    private readonly refuse: SendError,
  ) {}

  add(chunk: Buffer): void {
    let lineStart = 0
    for (let lineFeedIndex = chunk.indexOf(10); lineFeedIndex >= 0; lineFeedIndex = chunk.indexOf(10, lineStart)) {
      this.#take(chunk.subarray(lineStart, lineFeedIndex))
      this.#end()
      lineStart = lineFeedIndex + 1
    }
    this.#take(chunk.subarray(lineStart))
  }

  #take(chunk: Buffer): void {
    this.#length += chunk.length
    this.#parts.push(chunk)
    if (this.#length <= maxMcpMessageBytes) return
    // The message is too long. Keep only a copy of its first and last bytes, to find its id.
    const bytes = Buffer.concat(this.#parts)
    this.#parts = [bytes.subarray(0, maxLineEdge), bytes.subarray(-maxLineEdge)].map((edge) => Buffer.from(edge))
  }

  #end(): void {
    const [bytes, length] = [Buffer.concat(this.#parts), this.#length]
    this.#parts = []
    this.#length = 0
    if (length > maxMcpMessageBytes) {
      const message = `The message has ${length} bytes, more than ${maxMcpMessageBytes}. Send less in one call.`
      this.refuse(findIdAtEdge(bytes.toString('latin1')), invalidRequest, message)
      return
    }
    const line = bytes.toString('utf8').trim()
    if (line !== '') this.#pass(line)
  }

  #pass(line: string): void {
    const message = parseJson(line)
    if (message === undefined) {
      this.refuse(null, parseError, 'The line is not JSON. Send one JSON-RPC 2.0 message in each line.')
      return
    }
    const isMessage = isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)
    if (isMessage) this.output.write(`${line}\n`)
    else this.refuse(readId(message), invalidRequest, 'The line is no JSON-RPC 2.0 message. Batches are not supported.')
  }
}

function readId(message: unknown): string | number | null {
  const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Finds the id at the edges of a message, because clients write it before or after the arguments. */
function findIdAtEdge(edges: string): string | number | null {
  const id = '"id"\\s*:\\s*(-?\\d{1,15}|"[^"\\\\]{1,100}")'
  const [, idText] =
    new RegExp(`${id}\\s*\\}\\s*$`).exec(edges) ??
    new RegExp(`^\\s*\\{(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${id}`).exec(edges) ??
    []
  return readId({ id: idText === undefined ? undefined : parseJson(idText) })
}
