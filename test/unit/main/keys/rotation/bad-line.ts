import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { ReadyMessage } from '../../../../../src/sandbox/sandbox'
import { close, listen } from '../../gateway/answering-server'

/**
 * A network fault. With `refused`, the call does not reach the server. Otherwise it does, and the client gets a status,
 * an incomplete response (`cut`) or no response (`silent`). With `isUnheard`, the client gets the status but the call
 * does not reach the server.
 */
export type Fault =
  | { readonly kind: 'refused' | 'cut' | 'silent' }
  | { readonly kind: 'status'; readonly status: number; readonly isUnheard: boolean }

/** A fault for the nth call only, or for all calls from the nth on. */
export interface PlannedFault {
  readonly fault: Fault
  readonly from: number
  readonly isLasting: boolean
}

/** A proxy of a sandbox's platform and gateway that can inject faults. */
export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxies>>

const callTimeoutMs = 30_000

/** Starts a proxy each for the platform and the gateway of a sandbox. Both count their calls together. */
export async function startFaultyProxies(real: ReadyMessage) {
  let plan: PlannedFault | undefined
  let count = 0
  let stateChangingCalls: number[] = []
  const swallowedSocket = new EventEmitter()
  const nextFault = (isChange: boolean): Fault | undefined => {
    count += 1
    if (isChange) stateChangingCalls.push(count)
    const isMatch = plan && (plan.isLasting ? count >= plan.from : count === plan.from)
    return isMatch ? plan?.fault : undefined
  }
  const proxy = async (target: string) => {
    const server = createServer((request, answer) => {
      const fault = nextFault(request.method !== 'GET' && target === real.platformUrl)
      void forwardWithFault({ request, answer, target, fault }).then(
        () => fault?.kind === 'silent' && swallowedSocket.emit('one'),
      )
    })
    return { server, url: `http://127.0.0.1:${await listen(server)}` }
  }
  const [platform, gateway] = [await proxy(real.platformUrl), await proxy(real.gatewayUrl)]
  const toProxyUrl = (address: string): string =>
    address.replace(real.platformUrl, platform.url).replace(real.gatewayUrl, gateway.url)
  return {
    /** The addresses of the proxy. */
    ready: { iam: real.iam, addresses: { ...real.addresses, consoleUrl: toProxyUrl(real.addresses.consoleUrl) } },
    fetchLike: (address: string, init: RequestInit) => fetch(toProxyUrl(address), init),
    /** Shortens waits to 1 %. The timeout of a call ends as soon as the proxy withholds its response. */
    sleep: (ms: number, signal: AbortSignal) =>
      ms === callTimeoutMs
        ? Promise.race([
            once(swallowedSocket, 'one', { signal }).then(() => undefined),
            setTimeout(10_000, undefined, { signal }),
          ])
        : setTimeout(ms / 100, undefined, { signal }),
    /** Number of calls since the last `set`, and the positions (from 1) of calls that change the account. */
    calls: () => ({ count, changing: stateChangingCalls }),
    /** Sets the faults and resets the counters. */
    set: (newPlan?: PlannedFault) => {
      plan = newPlan
      count = 0
      stateChangingCalls = []
    },
    close: async () => {
      for (const { server } of [platform, gateway]) {
        server.closeAllConnections()
        await close(server)
      }
    },
  }
}

interface ProxiedCall {
  readonly request: IncomingMessage
  readonly answer: ServerResponse
  readonly target: string
  readonly fault: Fault | undefined
}

async function forwardWithFault({ request, answer, target, fault }: ProxiedCall): Promise<void> {
  const requestBody = await buffer(request)
  if (fault?.kind === 'refused') return void answer.destroy()
  const isForwarded = !(fault?.kind === 'status' && fault.isUnheard)
  const { status, body } = isForwarded ? await forwardRequest(request, target, requestBody) : { status: 0, body: '' }
  if (fault?.kind === 'silent') return
  if (fault?.kind === 'status') {
    answer.writeHead(fault.status, { 'content-type': 'application/json' })
    return void answer.end(JSON.stringify({ code: 'FAULT', message: 'The line was told to answer so.' }))
  }
  if (fault?.kind === 'cut') {
    answer.writeHead(status, { 'content-type': 'application/json', 'content-length': Math.max(body.length, 1) + 10 })
    return void answer.write(body.slice(0, 5), () => answer.destroy())
  }
  answer.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : body)
}

async function forwardRequest({ method = 'GET', url = '/', headers }: IncomingMessage, target: string, body: Buffer) {
  const { host: _, connection: __, 'transfer-encoding': ___, ...rest } = headers
  const proxyRequest = request(`${target}${url}`, { method, headers: { ...rest, 'content-length': body.length } })
  proxyRequest.end(body)
  const [answer]: IncomingMessage[] = await once(proxyRequest, 'response')
  return { status: answer?.statusCode ?? 502, body: answer ? await text(answer) : '' }
}
