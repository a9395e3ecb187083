import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Sleep } from '../../../../../src/main/core/net/deadline'
import type { ReadyMessage } from '../../../../../src/sandbox/sandbox'
import { close, listen } from '../../gateway/answering-server'
import type { FetchLike } from './machine'

/**
 * What a bad line does with a call: the server does not get it (`refused`), or it does, and its answer is another one
 * (a status), breaks off (`cut`), or never comes (`silent`). A status with `unheard` comes instead of the server's work.
 */
export type Fault =
  | { readonly kind: 'refused' | 'cut' | 'silent' }
  | { readonly kind: 'status'; readonly status: number; readonly isUnheard: boolean }

/** Which calls are faulty: the nth, or all from it on. */
export interface FaultPlan {
  readonly fault: Fault
  readonly from: number
  readonly isLasting: boolean
}

/** A line to the platform and the gateway of a sandbox, over which calls can go wrong. */
export interface BadLine {
  /** The addresses that lead over it. */
  readonly ready: Pick<ReadyMessage, 'addresses' | 'iam'>
  readonly fetchLike: FetchLike
  /** Pauses are a hundredth of what they should be; a call's time is over as soon as the line has swallowed an answer. */
  readonly sleep: Sleep
  /** The calls since `set`: how many, and which of them, counted from 1, change something at the account. */
  calls(): { readonly count: number; readonly changing: readonly number[] }
  /** Counts anew. */
  set(plan?: FaultPlan): void
  close(): Promise<void>
}

const timeOfCallMs = 30_000

/** Starts a proxy for each listener; calls of both are counted together. */
export async function startBadLine(real: ReadyMessage): Promise<BadLine> {
  let plan: FaultPlan | undefined
  let count = 0
  let changing: number[] = []
  const swallowed = new EventEmitter()
  const take = (isChange: boolean): Fault | undefined => {
    count += 1
    if (isChange) changing.push(count)
    const isIt = plan && (plan.isLasting ? count >= plan.from : count === plan.from)
    return isIt ? plan?.fault : undefined
  }
  const proxy = async (target: string) => {
    const server = createServer((asked, answer) => {
      const fault = take(asked.method !== 'GET' && target === real.platformUrl)
      void pass({ asked, answer, target, fault }).then(() => fault?.kind === 'silent' && swallowed.emit('one'))
    })
    return { server, url: `http://127.0.0.1:${await listen(server)}` }
  }
  const [platform, gateway] = [await proxy(real.platformUrl), await proxy(real.gatewayUrl)]
  const over = (address: string): string =>
    address.replace(real.platformUrl, platform.url).replace(real.gatewayUrl, gateway.url)
  return {
    ready: { iam: real.iam, addresses: { ...real.addresses, consoleUrl: over(real.addresses.consoleUrl) } },
    fetchLike: (address, init) => fetch(over(address), init),
    sleep: (ms, signal) =>
      ms === timeOfCallMs
        ? Promise.race([
            once(swallowed, 'one', { signal }).then(() => undefined),
            setTimeout(10_000, undefined, { signal }),
          ])
        : setTimeout(ms / 100, undefined, { signal }),
    calls: () => ({ count, changing }),
    set: (next) => {
      plan = next
      count = 0
      changing = []
    },
    close: async () => {
      for (const { server } of [platform, gateway]) {
        server.closeAllConnections()
        await close(server)
      }
    },
  }
}

interface Passing {
  readonly asked: IncomingMessage
  readonly answer: ServerResponse
  readonly target: string
  readonly fault: Fault | undefined
}

async function pass({ asked, answer, target, fault }: Passing): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(Buffer.from(chunk))
  if (fault?.kind === 'refused') return void answer.destroy()
  const isHeard = !(fault?.kind === 'status' && fault.isUnheard)
  const { status, body } = isHeard ? await forward(asked, target, Buffer.concat(chunks)) : { status: 0, body: '' }
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

async function forward({ method = 'GET', url = '/', headers }: IncomingMessage, target: string, body: Buffer) {
  const { host: _, connection: __, 'transfer-encoding': ___, ...rest } = headers
  const sent = request(`${target}${url}`, { method, headers: { ...rest, 'content-length': body.length } })
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of answer ?? []) chunks.push(Buffer.from(chunk))
  return { status: answer?.statusCode ?? 502, body: Buffer.concat(chunks).toString() }
}
