import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that a test server received. */
type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A real HTTP server on a free loopback port. */
export type StubServer = { readonly url: string; readonly received: ReceivedRequest[]; close(): Promise<void> }

/** Starts a server that responds with `answer`, with TLS if given an `identity`. */
export async function startAnsweringServer(
  answer: RequestListener,
  identity?: { readonly key: string; readonly cert: string },
): Promise<StubServer> {
  const receivedRequests: ReceivedRequest[] = []
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { method = '', url: path = '', headers } = request
    receivedRequests.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    answer(request, response)
  }
  const server = identity === undefined ? createServer(listener) : createSecureServer(identity, listener)
  const port = await listen(server)
  return {
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received: receivedRequests,
    close: async () => {
      server.closeAllConnections()
      await close(server)
    },
  }
}

/** Listens on a free loopback port and returns it. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** An untrusted certificate for 127.0.0.1 for these tests. */
export const selfSignedIdentity = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaukSPMKLkE9CSekd
RV4zzNVhPMXHqkhvbtgnEY+0BdyhRANCAARIdEpMpbbOsX52p/NHGbM+dNvO3Tc/
jy2iuW/BnSyTCfVJt7vpWZr2/hWjmuQmYLjlYHgPP/C95ffdttdXQOWx
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUbEZA2EyDUEL1pGmJcZPa9PeUJrkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEzMzAzNloYDzIxMjYxMDI4
MTMzMDM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARIdEpMpbbOsX52p/NHGbM+dNvO3Tc/jy2iuW/BnSyTCfVJt7vpWZr2
/hWjmuQmYLjlYHgPP/C95ffdttdXQOWxo28wbTAdBgNVHQ4EFgQUJgQH/tnIjtLm
buSPD4Cw+PzT+xswHwYDVR0jBBgwFoAUJgQH/tnIjtLmbuSPD4Cw+PzT+xswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAOsWf9optGaX/l0W4rubT2dP4psBwWTZQOyOZFvjOxWeAiEA
y0ZSRxwaEUaws8+1KjiBTz9VOsoQSt5n3DEnNUiiW4Q=
-----END CERTIFICATE-----`,
}

/** Starts a server that closes after the test. */
export async function serve(...options: Parameters<typeof startAnsweringServer>): Promise<StubServer> {
  const server = await startAnsweringServer(...options)
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
