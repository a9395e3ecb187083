import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Sleep } from '../../../../src/main/core/net/deadline'
import { Secret } from '../../../../src/main/core/secret'
import { createPlatformClient } from '../../../../src/main/platform/platform-client'
import type { TokenSource } from '../../../../src/main/platform/tokens'
import { directSend } from '../../../support/direct-send'
import { startAnsweringServer } from '../gateway/answering-server'

type PlatformClientOptions = Parameters<typeof createPlatformClient>[0]

const operationsFile = resolve(import.meta.dirname, '../../../fixtures/operations.json')

/** An operation of the platform's spec. */
export interface OperationFixture {
  readonly id: string
  readonly service: string
  readonly base?: string
  readonly method: string
  readonly path: string
  readonly pathParams: readonly string[]
  readonly query: readonly string[]
  readonly requiredQuery: readonly string[]
  readonly paging: { firstPage: number; items: string; totalItems: string; totalPages: string } | null
}

export const readFacts = (): OperationFixture[] => JSON.parse(readFileSync(operationsFile, 'utf8'))

const pageFieldNames = { firstPage: 1, items: 'listData', totalItems: 'totalItem', totalPages: 'totalPage' }

/** Operations of the console contract, which this project defines: id, method, path and paging. */
export const consoleOperations: readonly OperationFixture[] = [
  ['account.get', 'GET', '/account'],
  ['packages.list', 'GET', '/packages', 'paged'],
  ['packages.get', 'GET', '/packages/{packageId}'],
  ['tokenPlans.list', 'GET', '/token-plans', 'paged'],
  ['tokenPlans.create', 'POST', '/token-plans'],
  ['tokenPlans.get', 'GET', '/token-plans/{planId}'],
  ['tokenPlans.update', 'PATCH', '/token-plans/{planId}'],
  ['tokenPlans.delete', 'DELETE', '/token-plans/{planId}'],
  ['tokenPlans.batchDelete', 'POST', '/token-plans:batch-delete'],
  ['tokenPlans.buyAgain', 'POST', '/token-plans/{planId}:buy-again'],
  ['keys.list', 'GET', '/token-plans/{planId}/keys', 'paged'],
  ['keys.create', 'POST', '/token-plans/{planId}/keys'],
  ['keys.update', 'PATCH', '/token-plans/{planId}/keys/{keyId}'],
  ['keys.delete', 'DELETE', '/token-plans/{planId}/keys/{keyId}'],
  ['usage.get', 'GET', '/token-plans/{planId}/usage', 'from to interval model keyId'],
].map(([id = '', method = '', path = '', query = '']) => ({
  id: `console.${id}`,
  service: 'console',
  method,
  path,
  requiredQuery: [],
  pathParams: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  query: query === 'paged' ? ['page', 'size'] : query.split(' ').filter((name) => name !== ''),
  paging: query === 'paged' ? pageFieldNames : null,
}))

/** Timeout of calls in these tests, in ms. All other waits are delays between retries. */
export const LIMIT_MS = 30_000
export const LONG_LIMIT_MS = 120_000

/** Virtual time that advances with each wait. A call times out only through `expire`. */
export function fakeTime() {
  let nowMs = Date.parse('2026-03-01T12:00:00.000Z')
  const sleepDurations: number[] = []
  const limits = new Set<() => void>()
  const sleep: Sleep = (ms, signal) => {
    if (ms !== LIMIT_MS && ms !== LONG_LIMIT_MS) {
      sleepDurations.push(ms)
      nowMs += ms
      return Promise.resolve()
    }
    return new Promise((endLimit, reject) => {
      limits.add(endLimit)
      signal.addEventListener('abort', () => {
        limits.delete(endLimit)
        reject(signal.reason)
      })
    })
  }
  return {
    sleep,
    /** Waits in ms. */
    waited: sleepDurations,
    clock: () => new Date(nowMs),
    advance: (ms: number) => {
      nowMs += ms
    },
    expire: () => {
      for (const endLimit of limits) endLimit()
    },
  }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

/** A local platform whose response each test chooses. */
export async function startPlatform() {
  let listeners: readonly RequestListener[] = []
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    const [listener = json(500, {}), ...rest] = listeners
    if (rest.length > 0) listeners = rest
    listener(request, response)
  }
  const server = await startAnsweringServer(listen)
  return {
    server,
    /** Sets the handlers of the next requests, one each. The last one handles all further requests. */
    answer: (...newListeners: readonly RequestListener[]) => {
      listeners = newListeners
      server.received.splice(0)
    },
    close: server.close,
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

export function replyText(status: number, body: string, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

/** Starts a valid response and breaks the connection. */
export const sendTruncatedBody: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"listData": [')
  setImmediate(() => response.destroy())
}

/** A request handler that calls `onRequest` and never responds. */
export const createSilentListener = (onRequest: () => void): RequestListener => {
  return () => onRequest()
}

/** A token source that returns one token after another. */
export function createTokenSequence(...values: readonly string[]): TokenSource & { renewals: number } {
  const secrets = values.map((value) => new Secret(value))
  let responseIndex = 0
  const getCurrentSecret = async () => secrets[Math.min(responseIndex, secrets.length - 1)] ?? new Secret('none')
  const source = {
    renewals: 0,
    token: getCurrentSecret,
    renew: () => {
      responseIndex += 1
      source.renewals += 1
      return getCurrentSecret()
    },
  }
  return source
}

/** A token source with a fixed key that cannot be renewed. */
export const createFixedToken = (value: string): TokenSource => ({
  token: async () => new Secret(value),
  renew: async () => undefined,
})

export const TOKEN = 'first-token-0123456789'
export const FRESH_TOKEN = 'fresh-token-0123456789'
export const KEY = 'plan-key-0123456789'

/** Base URLs of all services on one test server, each with its own path. */
export const buildBaseUrls = (url: string) => ({
  tokenPlanUrl: url,
  consoleUrl: `${url}/console`,
  identityApiUrl: `${url}/identity/api/v1`,
  runtimeApiUrl: `${url}/runtime/`,
  memoryApiUrl: `${url}/memory`,
  registryApiUrl: `${url}/registry//`,
  aipApiUrl: `${url}/aip`,
  inferenceUrl: `${url}/inference/v1`,
})

/** Path prefix of each service on the test server. */
export const prefixes: Readonly<Record<string, string>> = {
  gateway: '',
  console: '/console',
  identity: '/identity/api/v1',
  runtime: '/runtime',
  memory: '/memory',
  registry: '/registry',
  aip: '/aip',
  inference: '/inference/v1',
}

/** A client over real HTTP in virtual time. */
export function createClient({ server }: Platform, parts: Partial<PlatformClientOptions> = {}) {
  const time = fakeTime()
  const iam = createTokenSequence(TOKEN, FRESH_TOKEN)
  const logEntries: unknown[] = []
  const client = createPlatformClient({
    addresses: buildBaseUrls(server.url),
    tokens: { iam, gateway: createFixedToken(KEY) },
    send: directSend,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    log: { info: (...line) => logEntries.push(line), error: (...line) => logEntries.push(line) },
    ...parts,
  })
  return { client, time, iam, logged: logEntries }
}
