import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { createMcpServer, type McpServerOptions } from './server'

const Result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
})
const Reply = z.looseObject({ error: z.looseObject({ message: z.string() }).optional(), result: z.unknown() })
const Input = z.record(z.string(), z.unknown())

/** Calls a tool of the server as a client would, over the protocol. Fails with `input.invalid` for what is no JSON object. */
export async function tryOut(
  options: McpServerOptions,
  { name, input }: { readonly name: string; readonly input: string },
  signal: AbortSignal,
): Promise<{ isError: boolean; text: string }> {
  const given = parseInput(input)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer(options)
  await server.connect(theirs)
  try {
    const ask = (id: number, method: string, params: Record<string, unknown>) =>
      request(ours, { id, method, params }, signal)
    const clientInfo = { name: 'platform-companion-window', version: options.version }
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    await ours.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const { error, result } = await ask(2, 'tools/call', { name, arguments: given })
    if (error) return { isError: true, text: error.message }
    const { isError = false, content } = Result.parse(result)
    return { isError, text: content.map(({ text = '' }) => text).join('\n') }
  } finally {
    await server.close()
  }
}

function parseInput(text: string): Record<string, unknown> {
  try {
    return Input.parse(JSON.parse(text.trim() === '' ? '{}' : text))
  } catch {
    throw new AppError('input.invalid', 'The input is not a JSON object.', { field: 'input' })
  }
}

/** Sends a request and waits for its reply; one that is no longer waited for is cancelled. */
function request(
  transport: InMemoryTransport,
  { id, method, params }: { readonly id: number; readonly method: string; readonly params: Record<string, unknown> },
  signal: AbortSignal,
): Promise<z.infer<typeof Reply>> {
  return new Promise((resolve, reject) => {
    transport.onmessage = (message: JSONRPCMessage) => {
      if ('id' in message && message.id === id && !('method' in message)) resolve(Reply.parse(message))
    }
    const leave = (): void => {
      void transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      reject(new AppError('net.cancelled', 'The call was cancelled.'))
    }
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    transport.send({ jsonrpc: '2.0', id, method, params }).catch(reject)
  })
}
