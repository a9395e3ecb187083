import type { RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { type StubServer, startAnsweringServer } from './answering-server'

/** Starts a server that closes after the test. */
export async function serve(answer: RequestListener): Promise<StubServer> {
  const server = await startAnsweringServer(answer)
  onTestFinished(server.close)
  return server
}

/** A response of text, or of a value as JSON. */
export const send = (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
