import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import type { RecordEntry } from './attempt'
import { entryOf } from './attempt-entry'
import { collectBody, HeldBytes } from './collect-body'
import { createDirectory } from './directory'
import { createDispatchers } from './dispatchers'
import { Exchange } from './exchange'
import { admit, type Stopped } from './gate'
import { type RelayLimits, relayLimits } from './limits'
import { countHere } from './partial-answer'
import type { RelayOptions, RunningRelay } from './ports'
import { refuse, statusOf } from './refusals'
import { limitsOf, readyBody, tooLarge } from './translate-body'

/** Starts the relay. Rejects with `relay.portInUse`, `relay.failed`, `file.unreadable` or `file.unparsable`. */
export const startRelay = (options: RelayOptions): Promise<RunningRelay> => startRelayWithin(options, relayLimits)

/** The same within other limits. */
export async function startRelayWithin(options: RelayOptions, limits: RelayLimits): Promise<RunningRelay> {
  const dispatchers = createDispatchers(options.caFiles, limits.idleMs)
  let directory = createDirectory(options.table, dispatchers)
  const traffic: Traffic = { underWay: 0, isEnding: false }
  const server = createServer({
    insecureHTTPParser: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs),
    // Longer than clients keep idle connections, so that none is closed under a request that is just being sent.
    keepAliveTimeout: 65_000,
  })
  server.maxConnections = limits.connections
  // What the gateway does not say for too long ends before this, with words.
  server.timeout = limits.idleMs + 60_000
  const port = await listen(server, options.port)
  const recording = recordCounted(options)
  const serve = createServing({ limits, record: recording.record, traffic })
  server.on('request', (request, response) => {
    response.on('error', () => undefined)
    const admission = admit(request, directory, port)
    if (admission === 'health') response.end('ok')
    else if ('name' in admission) refuse(response, admission)
    else serve(request, response, admission)
  })
  return {
    port,
    setTable: (table) => {
      directory = createDirectory(table, dispatchers)
    },
    open: () => traffic.underWay,
    close: async (graceMs) => {
      await close(server, { graceMs, traffic })
      // The connections are gone, and each request hears of it within a turn.
      while (traffic.underWay > 0) await setImmediate()
      await recording.settled()
      await dispatchers.close()
    },
  }
}

/** Hands entries on at once, but for those whose tokens are counted here first. */
function recordCounted({ record, countTokens }: RelayOptions): { record: RecordEntry; settled(): Promise<unknown> } {
  const counting = new Set<Promise<void>>()
  return {
    record(entry, broken) {
      if (!broken || !countTokens) {
        record(entry)
        return
      }
      const counted = countHere(entry, broken, countTokens)
        .catch(() => entry)
        .then(record)
        .finally(() => counting.delete(counted))
      counting.add(counted)
    },
    settled: () => Promise.all(counting),
  }
}

/** What is under way: a number, because a set that requests enter and leave all the time costs V8 more than they do. */
interface Traffic {
  underWay: number
  /** The relay ends what is left, not the tools. */
  isEnding: boolean
}

interface Serving {
  readonly limits: RelayLimits
  readonly record: RecordEntry
  readonly traffic: Traffic
}

type Serve = (request: IncomingMessage, response: ServerResponse, admission: Exclude<Admission, string>) => void
type Admission = Stopped | Extract<ReturnType<typeof admit>, { head: unknown }>

function createServing({ limits: usual, record, traffic }: Serving): Serve {
  const heldBytes = new HeldBytes(usual.keptTotalBytes)
  const withoutUsageOption = new Set<string>()
  const stop = (response: ServerResponse, { target, refusal }: Stopped) => {
    const times = { at: Date.now(), durationMs: 0, firstByteMs: undefined }
    const answer = { status: statusOf(refusal.name), isEventStream: false, error: 'relay' } as const
    const entry = entryOf({ target, upstream: undefined, modelCode: undefined, ...times, ...answer })
    refuse(response, refusal)
    if (entry !== undefined) record(entry)
  }
  return (request, response, admission) => {
    if ('refusal' in admission) return stop(response, admission)
    const { route } = admission.target
    const limits = limitsOf(route, usual)
    const { contentLength = 0 } = admission.head
    if (contentLength > limits.bodyBytes) return stop(response, { ...admission, refusal: tooLarge(route, limits) })
    collectBody({ request, limits, heldBytes }, ({ body, held }) => {
      const ready = readyBody(body, route, limits)
      if ('name' in ready) {
        heldBytes.give(held)
        request.unpipe().resume()
        return stop(response, { ...admission, refusal: ready })
      }
      const common = { request, response, admitted: admission, limits, record, withoutUsageOption }
      const exchange = new Exchange({ ...common, ...ready })
      traffic.underWay += 1
      response.once('close', () => {
        traffic.underWay -= 1
        heldBytes.give(held)
        exchange.end(traffic.isEnding ? 'relay' : 'aborted')
      })
      exchange.start()
    })
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const inUse = `Port ${port} is in use by another program. Choose another port for the relay.`
      const failed = `The relay cannot listen on port ${port} (${cause.code ?? 'no cause given'}). Choose another port.`
      const isInUse = cause.code === 'EADDRINUSE'
      reject(new AppError(isInUse ? 'relay.portInUse' : 'relay.failed', isInUse ? inUse : failed, { cause }))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

interface Closing {
  readonly graceMs: number
  readonly traffic: Traffic
}

function close(server: Server, { graceMs, traffic }: Closing): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      traffic.isEnding = true
      server.closeAllConnections()
    }
    const timer = setTimeout(end, graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
