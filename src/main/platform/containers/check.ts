import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ContainerCheck, EndpointCall, MethodInput } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { endpointAddressNames, endpointIdNames } from '@shared/endpoint-fields'
import { AppError, toAppError } from '@shared/failure'
import words from '../../../renderer/locales/en/runtimes.json'
import { isLocalOrPrivate } from '../../core/net/address'
import type { Send } from '../../core/net/send'
import { explainNetworkError } from '../../gateway/explain'
import { isHtml, isObject, readBody } from '../../gateway/server-message'
import { explainConnectionFailure } from '../explain'
import { type PlatformClient, toStopFailure } from '../platform-client'

interface CheckOptions {
  readonly signal?: AbortSignal | undefined
  /** Timeouts in ms, not from the spec. Default 5 s for the health check and 60 s for the sample. */
  readonly healthMs?: number
  readonly sampleMs?: number
  /** Addresses by which others reach this computer. Default: those of its interfaces. */
  readonly own?: readonly string[]
}

type CheckRequest = Omit<MethodInput<'containers.check'>, 'callId'>
type Finding = ContainerCheck['findings'][number]

const maxBodyLength = 600

/** English text per finding. */
const sentences: Readonly<Record<Finding['code'], string>> = words.check.seen

function finding(
  what: Finding['what'],
  state: Finding['state'],
  code: Finding['code'],
  values: Readonly<Record<string, string | number>> = {},
): Finding {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value).slice(0, maxBodyLength)] as const)
  const textByName: Readonly<Record<string, string>> = Object.fromEntries(texts)
  return {
    what,
    state,
    code,
    values: textByName,
    seen: sentences[code].replace(/\{\{(\w+)\}\}/g, (_, name) => textByName[name] ?? ''),
  }
}

/**
 * Checks a container against the runtime contract. Fails with `address.*`, `input.invalid` or `net.hostNotFound` before anything is sent,
 * and with `net.cancelled`. Everything else is a finding.
 */
export async function checkContainer(question: CheckRequest, options: CheckOptions = {}): Promise<ContainerCheck> {
  const { signal, healthMs = 5000, sampleMs = minuteMs, own = listOwnAddresses() } = options
  const startedAt = new Date()
  const sampleRequest = buildSample(question)
  const containerAddress = await readContainerAddress(question.url)
  const address = await listeningAddress(containerAddress, healthMs)
  const sendRequest = createRequester(containerAddress, address ?? containerAddress.addresses[0] ?? '', signal)
  const healthAnswer = await sendRequest({ method: 'GET', path: '/health', headers: { accept: '*/*' } }, healthMs)
  const isCut = 'code' in healthAnswer && healthAnswer.code === 'cut'
  const bind =
    address === undefined || isCut
      ? finding('bind', 'unknown', address === undefined ? 'bindClosed' : 'bindCut')
      : await checkBinding({ address, port: containerAddress.port }, own)
  const outcome = address === undefined ? undefined : await sendSample(sendRequest, sampleRequest, sampleMs)
  const port = portFinding(containerAddress, address !== undefined)
  return {
    url: containerAddress.url,
    at: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    findings: [port, healthFinding(healthAnswer), bind, ...(outcome?.findings ?? noSampleFindings)],
    ...(outcome && { sample: outcome.sample }),
  }
}

/** A name such as localhost may resolve to several addresses, of which only one has a listener. */
async function listeningAddress({ addresses, port }: ContainerAddress, timeoutMs: number): Promise<string | undefined> {
  for (const address of addresses) if ((await tryConnect(address, port, timeoutMs)) === 'open') return address
  return undefined
}

/**
 * Finding about the container's port. A published port other than the contract's proves nothing, because the port
 * inside the container may differ.
 */
function portFinding({ port }: ContainerAddress, isOpen: boolean): Finding {
  if (!isOpen) return finding('port', 'failed', 'portClosed', { port })
  if (port === contractPort) return finding('port', 'passed', 'portRight')
  return finding('port', 'unknown', 'portMapped', { port })
}

/** Whether `GET /health` returns 200 in time (spec, "Agent container contract"; the timeout is ours). */
function healthFinding(answer: ContainerResponse | NoAnswerResult): Finding {
  const request = 'GET /health'
  if ('code' in answer) return finding('health', 'failed', answer.code, { request, ...answer.values })
  const { status, text } = answer
  if (status >= 300 && status < 400) return finding('health', 'failed', 'redirect', { request, status })
  if (status !== 200) return finding('health', 'failed', 'notOk', { request, status })
  if (isHtml(text)) return finding('health', 'unknown', 'webPage', { request, status })
  return finding('health', 'passed', 'answered', { request, status })
}

const connectTimeoutMs = 1500

const listOwnAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)

/**
 * Checks whether the server at one address listens on all interfaces (spec: bind 0.0.0.0). `localAddresses`: other addresses of
 * this computer.
 */
async function checkBinding(
  { address, port }: { readonly address: string; readonly port: number },
  localAddresses: readonly string[],
): Promise<Finding> {
  const isLocalAddress = address === '::1' || address.startsWith('127.')
  if (!isLocalAddress && !localAddresses.includes(address)) return finding('bind', 'passed', 'bindNetwork', { address })
  const allowedHosts = isLocalAddress ? localAddresses : ['127.0.0.1']
  if (allowedHosts.length === 0) return finding('bind', 'unknown', 'bindAlone')
  const outcomes = await Promise.all(allowedHosts.map((host) => tryConnect(host, port, connectTimeoutMs)))
  const listOtherAddresses = (outcome: string): string =>
    allowedHosts.filter((_, index) => outcomes[index] === outcome).join(', ')
  if (outcomes.includes('open'))
    return finding('bind', 'passed', 'bindAll', { address, otherAddresses: listOtherAddresses('open') })
  if (!outcomes.includes('closed'))
    return finding('bind', 'unknown', 'bindSilent', { otherAddresses: listOtherAddresses('silent') })
  return finding('bind', 'failed', 'bindOne', { address, otherAddresses: listOtherAddresses('closed') })
}

/** Header in which the runtime sends the user id (spec, "Agent container contract"). */
const userHeader = 'X-Platform-Agent-User-Id'
const sessionHeader = 'X-Platform-Agent-Session-Id'

/** Default path and body of the sample request. This app chose them, because the spec defines none. */
const defaultPath = '/invocations'
const defaultBody = '{"prompt":"Hello"}'

type Sample = Readonly<ReturnType<typeof buildSample>>

/** A request in the format of the platform's runtime, with generated ids where missing. Fails with `input.invalid`. */
function buildSample({
  samplePath = defaultPath,
  sampleBody = defaultBody,
  userId,
  sessionId,
}: Omit<CheckRequest, 'url'>) {
  if (!/^\/[\x21-\x7e]*$/.test(samplePath)) throw inputError('samplePath', 'must begin with / and have no spaces')
  const randomSuffix = randomUUID().slice(0, 8)
  return {
    path: samplePath,
    body: sampleBody,
    userId: headerText('userId', userId || `user-${randomSuffix}`),
    sessionId: headerText('sessionId', sessionId || `session-${randomSuffix}`),
  }
}

/** Headers of a sample request, as pairs of name and value. */
const listSampleHeaders = ({ userId, sessionId }: Sample): (readonly [name: string, value: string])[] => [
  ['Accept', 'application/json, text/event-stream'],
  ['Content-Type', 'application/json'],
  [userHeader, userId],
  [sessionHeader, sessionId],
]

async function sendSample(sendRequest: SendContainerCall, sample: Sample, timeoutMs: number) {
  const { path, body, userId, sessionId } = sample
  const headers = Object.fromEntries(listSampleHeaders(sample))
  const response = await sendRequest({ method: 'POST', path, headers, body }, timeoutMs)
  const text = 'code' in response ? '' : response.text
  return {
    findings: [
      sampleFinding(path, response),
      headerFinding('userHeader', { name: userHeader, value: userId, text }),
      headerFinding('sessionHeader', { name: sessionHeader, value: sessionId, text }),
    ],
    sample: {
      path,
      headers: Object.entries(headers),
      ...('code' in response ? {} : { status: response.status }),
      answer: 'code' in response ? '' : `${text}${response.isCut ? '…' : ''}`,
    },
  }
}

/** Findings for a sample request that could not be sent. */
const noSampleFindings = (['sample', 'userHeader', 'sessionHeader'] as const).map((subject) =>
  finding(subject, 'unknown', 'notSent'),
)

function sampleFinding(path: string, answer: ContainerResponse | NoAnswerResult): Finding {
  const request = `POST ${path}`
  if ('code' in answer) return finding('sample', 'failed', answer.code, { request, ...answer.values })
  const { status, text } = answer
  const createSampleFinding = (state: Finding['state'], code: Finding['code']): Finding =>
    finding('sample', state, code, { request, status })
  if (status >= 500) return createSampleFinding('failed', 'answered')
  if (status >= 300 && status < 400) return createSampleFinding('failed', 'redirect')
  // The contract defines no path or body, so an error may be caused by the sample request and not by the agent.
  if (status === 404 || status === 405) return createSampleFinding('unknown', 'noSuchPath')
  if (status >= 400) return createSampleFinding('unknown', 'badBody')
  return isHtml(text) ? createSampleFinding('unknown', 'webPage') : createSampleFinding('passed', 'answered')
}

/** Finding for a header. Only a response that repeats the header's value shows that the agent has received it. */
function headerFinding(
  what: 'userHeader' | 'sessionHeader',
  { name, value, text }: { readonly name: string; readonly value: string; readonly text: string },
): Finding {
  if (text.includes(value)) return finding(what, 'passed', 'headerRepeated', { name, value })
  return finding(what, 'unknown', 'headerSent', { name, value })
}

function headerText(field: string, text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  throw inputError(field, 'may only contain ASCII letters, digits and symbols, because it is sent as a header')
}

const inputError = (field: string, problem: string): AppError =>
  new AppError('input.invalid', `${field} ${problem}.`, { field })

interface NoAnswerResult {
  readonly code: 'timeout' | 'refused' | 'cut' | 'otherFailure'
  readonly values: Readonly<Record<string, string | number>>
}

interface ContainerRequest {
  readonly method: 'GET' | 'POST'
  /** Path with a leading slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

interface ContainerResponse {
  readonly status: number
  readonly text: string
  /** Whether the response exceeded the limit. */
  readonly isCut: boolean
}

/** Sends a request with a timeout. Fails with `net.cancelled`. */
type SendContainerCall = ReturnType<typeof createRequester>

function createRequester(container: ContainerAddress, address: string, signal: AbortSignal | undefined) {
  return async (request: ContainerRequest, timeoutMs: number): Promise<ContainerResponse | NoAnswerResult> => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const combinedSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    const headers = { host: `${container.host}:${container.port}`, ...request.headers }
    const target = { host: address, port: container.port, agent: false, signal: combinedSignal } as const
    try {
      const response = await sendContainerRequest({ ...request, ...target, headers })
      signal?.throwIfAborted()
      return response
    } catch (error) {
      if (signal?.aborted) throw new AppError('net.cancelled', 'The check was canceled. Start it again.')
      const { code, message } = explainNetworkError(error, container.url)
      if (code === 'net.timeout') return { code: 'timeout', values: { seconds: timeoutMs / 1000 } }
      if (code === 'net.refused') return { code: 'refused', values: {} }
      if (code === 'net.cut') return { code: 'cut', values: {} }
      return { code: 'otherFailure', values: { text: message } }
    }
  }
}

const maxTextLength = 20_000

/**
 * Sends one request without following redirects. Rejects with socket errors, or with the signal's reason when aborted
 * before a status. An endless or interrupted response is cut, so that its start can be shown.
 */
async function sendContainerRequest({
  body,
  ...options
}: RequestOptions & { readonly body?: string; readonly signal: AbortSignal }): Promise<ContainerResponse> {
  const clientRequest = request(options)
  clientRequest.end(body)
  const [response]: IncomingMessage[] = await once(clientRequest, 'response').catch((error: unknown) => {
    throw options.signal.aborted ? options.signal.reason : error
  })
  // The response reports later errors too.
  clientRequest.on('error', () => undefined)
  let text = ''
  let isCut = false
  try {
    for await (const chunk of response?.setEncoding('utf8') ?? []) {
      text += chunk
      if (text.length > maxTextLength) break
    }
  } catch {
    isCut = true
  }
  clientRequest.destroy()
  const status = response?.statusCode ?? 0
  return { status, text: text.slice(0, maxTextLength), isCut: isCut || text.length > maxTextLength }
}

/** Whether a port is `open`, `closed` (refused) or `silent` (timeout, as with a firewall). */
function tryConnect(address: string, port: number, timeoutMs: number): Promise<'open' | 'closed' | 'silent'> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const finishProbe = (outcome: 'open' | 'closed' | 'silent'): void => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(timeoutMs, () => finishProbe('silent'))
    socket.once('connect', () => finishProbe('open'))
    socket.once('error', () => finishProbe('closed'))
  })
}

/** The port a container listens on (spec, "Agent container contract"). */
const contractPort = 8080

type ContainerAddress = Readonly<Awaited<ReturnType<typeof readContainerAddress>>>

/**
 * Parses a container address, port 8080 by default. Fails with `address.*` outside this computer and its network, and with
 * `net.hostNotFound`. Resolves the name once, against DNS rebinding. `url` is for display.
 */
async function readContainerAddress(text: string) {
  const trimmedText = text.trim()
  const urlText = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmedText) ? trimmedText : `http://${trimmedText}`
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined
  if (!url || url.hostname === '')
    throw createInputError('address.notAnAddress', 'This is not an address. Write it as http://127.0.0.1:8080.')
  if (url.protocol !== 'http:')
    throw createInputError('address.scheme', 'A container uses plain http, and the runtime adds TLS. Write http://.')
  if (url.username !== '' || url.password !== '') {
    const message = 'The address holds a user name or a password. A container gets none: leave it out.'
    throw createInputError('address.credentials', message)
  }
  // Read the port from the typed text too, because `URL` drops an explicit port 80.
  const defaultPort = /^[^:]+:\/\/[^/?#]*:0*80(?:[/?#]|$)/.test(urlText) ? 80 : contractPort
  const port = url.port === '' ? defaultPort : Number(url.port)
  const { hostname } = url
  const unbracketedHost = hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(unbracketedHost) === 0 ? await resolveAddresses(hostname) : [unbracketedHost]
  if (addresses.length === 0 || !addresses.every(isLocalOrPrivate))
    throw createInputError(
      'address.notAnAddress',
      `${hostname} is not on this computer or its network. A container is checked at 127.0.0.1, localhost, or an address of a private network.`,
    )
  return { url: `http://${hostname}:${port}`, host: hostname, port, addresses }
}

async function resolveAddresses(name: string): Promise<string[]> {
  try {
    const lookupResults = await lookup(name, { all: true })
    return lookupResults.map(({ address }) => address)
  } catch (error) {
    const { code, message } = explainNetworkError(error, `http://${name}`)
    throw new AppError(code, message, { field: 'url' })
  }
}

const createInputError = (
  code: 'address.notAnAddress' | 'address.scheme' | 'address.credentials',
  message: string,
): AppError => new AppError(code, message, { field: 'url' })

const defaultTimeoutMs = 2 * minuteMs

interface EndpointCallDeps {
  readonly client: Pick<PlatformClient, 'pages'>
  readonly send: Send
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

/** Returns the first of these fields that is a text. */
function readFirstText(row: unknown, names: readonly string[]): string | undefined {
  const fields = isObject(row) ? row : {}
  return names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '')
}

/**
 * Sends one POST to a runtime's endpoint, with the headers of the container contract and without credentials. The
 * platform decides the address. Fails with `input.invalid`, `api.*`, `address.*` or `net.*`. An error status is a result.
 */
export async function callEndpoint(
  { runtimeId, endpointId, ...request }: Omit<MethodInput<'containers.callEndpoint'>, 'callId' | 'connectionId'>,
  { client, send, signal, timeoutMs = defaultTimeoutMs }: EndpointCallDeps,
): Promise<EndpointCall> {
  const sample = buildSample(request)
  const url = toCallUrl(await findAddress(client, { runtimeId, endpointId, signal }), sample.path)
  const startedMs = performance.now()
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const headers = Object.fromEntries(listSampleHeaders(sample))
    const { status, body } = await send({ method: 'POST', url, headers, body: sample.body, signal: deadline })
    const { text: answer, isTooLong, error } = await readBody(body, maxTextLength)
    if (error !== undefined && deadline.aborted) throw error
    const isCut = isTooLong || error !== undefined
    return { url, status, durationMs: Math.round(performance.now() - startedMs), answer, isCut }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw toAppError(deadline.aborted ? toStopFailure(deadline, url) : explainConnectionFailure(error, url))
  }
}

async function findAddress(
  client: EndpointCallDeps['client'],
  { runtimeId, endpointId, signal }: { runtimeId: string; endpointId: string; signal: AbortSignal },
): Promise<string> {
  for await (const { items } of client.pages('runtime.endpoints.list', { path: { id: runtimeId } }, { signal })) {
    for (const item of items) {
      if (readFirstText(item, endpointIdNames) !== endpointId) continue
      const address = readFirstText(item, endpointAddressNames)
      if (address !== undefined) return address
      throw new AppError('api.unreadable', 'The platform reports no address for this endpoint.')
    }
  }
  throw new AppError('api.notFound', 'The runtime has no such endpoint. Load the list again.')
}

/** Appends the path to an endpoint's address. An address without a scheme gets https. */
function toCallUrl(address: string, path: string): string {
  const base = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`
  if (!URL.canParse(base)) throw new AppError('address.notAnAddress', 'The endpoint’s address is not a URL.')
  const { origin, pathname, username, password } = new URL(base)
  if (username !== '' || password !== '')
    throw new AppError('address.credentials', 'The endpoint’s address contains a user name or a password.')
  return `${origin}${pathname.replace(/\/+$/, '')}${path}`
}
