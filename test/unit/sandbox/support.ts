import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base, expect, onTestFinished } from 'vitest'
import type { ServerParts } from '../../../src/sandbox/gateway'
import type { RequestRecord } from '../../../src/sandbox/journal'
import { type SandboxOptions, startSandbox } from '../../../src/sandbox/sandbox'
import { seededWorld } from '../../../src/sandbox/seed/seeded-world'
import type { World } from '../../../src/sandbox/state/world'
import { plainWorld } from './plain-world'

export type Json = ReturnType<typeof JSON.parse>

type Plan = World['plans'][number]

/** Response body of `GET /sandbox/state`. */
export interface StateView extends Pick<World, 'account' | 'clockOffsetMs'> {
  readonly clock: string
  readonly faults: ReturnType<ServerParts['faults']['current']>
  readonly timing: ReturnType<ServerParts['timing']>
  readonly plans: readonly (Omit<Plan, 'models'> & {
    readonly models: readonly (Plan['models'][number] & { tokensLeft: number; requestsLeft: number })[]
    readonly keys: readonly Omit<World['keys'][number], 'planId'>[]
  })[]
}

/** A running sandbox, which tests use only over HTTP. */
export type Harness = Awaited<ReturnType<typeof startHarness>>

export const chatPath = '/v1/chat/completions'
export const messagesPath = '/v1/messages'

let richWorld: World | undefined

/** The seed data, created once because it is slow. */
export const getSeededWorld = (seed: string, nowMs: number): World => {
  richWorld ??= seededWorld(seed, nowMs)
  return structuredClone(richWorld)
}

/** Starts a sandbox on free ports for the test. `post` uses the active key by default. */
export async function startHarness(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({
    gatewayPort: 0,
    platformPort: 0,
    timing: { paceMs: 0 },
    begin: plainWorld,
    ...options,
  })
  onTestFinished(() => sandbox.close())
  const { gatewayUrl, platformUrl, controlToken, plans } = sandbox.ready
  const findKey = (planName: string, keyName: string): string => {
    const key = plans.find(({ name }) => name === planName)?.keys.find(({ name }) => name === keyName)?.key
    if (key === undefined) throw new Error(`no key ${planName}/${keyName}`)
    return key
  }
  const callControl = (path: string, body?: unknown) =>
    fetch(`${platformUrl}/sandbox/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${controlToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const sendPost = (path: string, body: unknown, headers?: Record<string, string>) =>
    fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(headers ?? { authorization: `Bearer ${findKey('sandbox-pro', 'default-key')}` }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const token = async (): Promise<string> => {
    const { tokenUrl, clientId, clientSecret } = sandbox.ready.iam
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const response = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams(form) })
    return (await response.json()).access_token
  }
  let defaults: Promise<string> | undefined
  const send = async (
    bearer: string | null,
    [method, path, body]: readonly [string, string, unknown],
  ): Promise<{ status: number; body: Json }> => {
    const response = await fetch(`${platformUrl}${path}`, {
      method,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  /** Calls the platform with an IAM token, without one for `token: null`. */
  const api = async (method: string, path: string, options: { body?: unknown; token?: string | null } = {}) => {
    const call = [method, path, options.body] as const
    if (options.token !== undefined) return send(options.token, call)
    defaults ??= token()
    const response = await send(await defaults, call)
    if (response.status !== 401) return response
    defaults = token()
    return send(await defaults, call)
  }
  return {
    api,
    token,
    sandbox,
    gatewayUrl,
    platformUrl,
    readKey: findKey,
    control: callControl,
    post: sendPost,
    state: async (): Promise<StateView> => (await callControl('state')).json(),
    requests: async (query = ''): Promise<readonly RequestRecord[]> =>
      (await (await callControl(`requests?${query}`)).json()).requests,
  }
}

/** A refusal of the platform, with a part of its message. */
export const refusal = (status: number, code: string, message = '') => ({
  status,
  body: { code, message: expect.stringContaining(message) },
})

/** A test that gets a sandbox with the plain world. */
export const test = base.extend('harness', () => startHarness())

/** A body that creates a runtime, with changes. */
export const buildRuntimeInput = (change: object = {}) => ({
  name: 'helper',
  image: 'agents/helper:1.0.0',
  flavorId: 'flavor-small',
  replicas: 2,
  cpuUtilizationThreshold: 50,
  memoryUtilizationThreshold: 60,
  ...change,
})

export const runtimesPath = '/runtime/agent-runtimes'

export async function makeRuntime(harness: Harness, change: object = {}): Promise<Json> {
  const { status, body } = await harness.api('POST', runtimesPath, { body: buildRuntimeInput(change) })
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function makeEndpoint(harness: Harness, id: string, body: object = { name: 'production' }): Promise<Json> {
  return (await harness.api('POST', `${runtimesPath}/${id}/endpoints`, { body })).body
}

/** A header with the secret of a plan's key, by default of the active one. */
export const buildBearerHeader = ({ readKey }: Harness, plan = 'sandbox-pro', key = 'default-key') => ({
  authorization: `Bearer ${readKey(plan, key)}`,
})

/** Sends a request to the gateway with the active key, and returns the unparsed response. */
export const sendRawPost = (harness: Harness, path: string, body: object): Promise<RawAnswer> =>
  rawRequest(`${harness.gatewayUrl}${path}`, {
    method: 'POST',
    headers: buildBearerHeader(harness),
    body: JSON.stringify(body),
  })

/** A small request body that is valid in both API standards. */
export const buildChatBody = (content: unknown, extraFields: object = {}) => ({
  model: 'aurora-small',
  max_tokens: 1000,
  messages: [{ role: 'user', content }],
  ...extraFields,
})

export async function readPoolUsage(harness: Harness, planName = 'sandbox-pro', modelCode = 'aurora-small') {
  const { plans } = await harness.state()
  const model = plans.find(({ name }) => name === planName)?.models.find((item) => item.modelCode === modelCode)
  if (model === undefined) throw new Error(`no model ${planName}/${modelCode}`)
  return model
}

/** A port in use until the end of the test. */
export async function occupyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A response without any parsing, which may be incomplete. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly isComplete: boolean
}

/** A request with full control over its headers (including `Host`). Resolves even when the response breaks off. */
export function rawRequest(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, {
      method: options.method ?? 'GET',
      headers: options.headers ?? {},
      agent: false,
    })
    clientRequest.once('error', reject)
    clientRequest.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('error', () => {})
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          isComplete: response.complete,
        }),
      )
    })
    clientRequest.end(options.body)
  })
}

/** The parsed data of each server-sent event. `[DONE]` stays text. */
export function parseEvents(text: string) {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => block.slice(block.indexOf('data: ') + 6))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}
