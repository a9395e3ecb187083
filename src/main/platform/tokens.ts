import { execFile } from 'node:child_process'
import type { TokenSource as TokenSourceConfig } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, assertNever, type Failure, toAppError } from '@shared/failure'
import { z } from 'zod'
import { printableAddress, refuseRequestAddress } from '../core/net/address'
import { type Sleep, startDeadline } from '../core/net/deadline'
import type { Send } from '../core/net/send'
import type { Clock } from '../core/ports'
import { Secret } from '../core/secret'
import { shareRunning } from '../core/work-queue'
import { parseExternalJson, readBody, readRetryAfter, readServerMessage } from '../gateway/server-message'
import { basicPair, buildBasicHeader, encodeForm } from './credentials'
import { explainConnectionFailure } from './explain'

interface TokenPorts {
  readonly send: Send
  readonly clock: Clock
  readonly sleep: Sleep
  readonly run: RunCommand
  /** Reads the client secret or the pasted token, for each request. Undefined if the user entered none. */
  readonly secret: ReadSecret
}

/** Source of tokens. Fails with `auth.*`, or with the error of the request. */
export interface TokenSource {
  token(): Promise<Secret>
  /** Returns a new token after a 401 for `refused`, or undefined if there can be none. */
  renew(refused: Secret): Promise<Secret | undefined>
}

/** A token from a server. Without `expiresInMs` it is valid until a request with it is rejected. */
interface IssuedToken {
  readonly token: Secret
  readonly expiresInMs?: number | undefined
}

/** Failure to get a token. Its message never contains the output of the token command. */
const tokenSourceFailure = (message: string): AppError => new AppError('auth.tokenSource', message)

/** Lifetime of a token in seconds. Some servers send it as text. */
const Lifetime = z.union([
  z.number().nonnegative(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
])

const TokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  expires_in: Lifetime.optional().catch(undefined),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
})

/** Token of a response `{access_token, expires_in}` (RFC 6749 section 5.1), or undefined. */
function readTokenAnswer(answer: unknown): IssuedToken | undefined {
  const { access_token, expires_in } = TokenAnswer.safeParse(answer).data ?? {}
  const token = access_token === undefined ? undefined : readToken(access_token)
  return token && { token, expiresInMs: expires_in === undefined ? undefined : expires_in * 1000 }
}

/** Parses a token. Undefined if the text is invalid in a header. */
function readToken(text: string): Secret | undefined {
  try {
    return new Secret(text)
  } catch {
    return undefined
  }
}

const RENEWED_BEFORE_MS = minuteMs

/**
 * Caches a token in memory. Renews it 60 s before expiry (or at half its lifetime if shorter), or after rejection.
 * Concurrent callers share one request.
 */
function cacheToken(issue: () => Promise<IssuedToken>, clock: Clock): TokenSource {
  let cachedToken: { readonly token: Secret; readonly goodUntil: number } | undefined
  const fetchToken = shareRunning(async (): Promise<Secret> => {
    const { token, expiresInMs = Number.POSITIVE_INFINITY } = await issue()
    const margin = expiresInMs > RENEWED_BEFORE_MS ? RENEWED_BEFORE_MS : expiresInMs / 2
    cachedToken = { token, goodUntil: clock().getTime() + expiresInMs - margin }
    return token
  })
  return {
    async token() {
      return cachedToken !== undefined && clock().getTime() < cachedToken.goodUntil ? cachedToken.token : fetchToken()
    },
    async renew(refused) {
      // Another caller may have renewed the token in the meantime.
      if (cachedToken !== undefined && !cachedToken.token.isSame(refused)) return cachedToken.token
      return fetchToken()
    },
  }
}

type ReadSecret = () => Promise<Secret | undefined>

/** A pasted token. Fails with `auth.tokenNeeded`, which asks for a new one, if it is missing or was rejected. */
function pastedToken(readSecret: ReadSecret): TokenSource {
  let storedToken: Secret | undefined
  const refreshToken = async (refused?: Secret): Promise<Secret> => {
    storedToken = await readSecret()
    if (storedToken === undefined)
      throw new AppError('auth.tokenNeeded', 'No token was pasted yet. Get one and paste it.')
    if (refused === undefined || !storedToken.isSame(refused)) return storedToken
    storedToken = undefined
    throw new AppError('auth.tokenNeeded', 'The pasted token is no longer accepted. Get a new one and paste it.')
  }
  return { token: async () => storedToken ?? refreshToken(), renew: refreshToken }
}

/** Token source for a gateway or inference key, which cannot be renewed. */
export function keySource(readSecret: ReadSecret): TokenSource {
  return {
    async token() {
      const key = await readSecret()
      if (key !== undefined) return key
      throw new AppError('api.notConfigured', 'The connection has no key for this service. Choose or enter one.')
    },
    renew: async () => undefined,
  }
}

const TIMEOUT_MS = 30_000
const MAX_OUTPUT_BYTES = 64_000

/**
 * Tokens from the output of a command, as plain text or `{access_token, expires_in}`. Runs without a shell and keeps
 * the output private. Fails with `auth.tokenSource`, which names the program without its output.
 */
function commandTokens(
  { command }: Extract<TokenSourceConfig, { kind: 'command' }>,
  { run, clock }: TokenPorts,
): TokenSource {
  const [program = ''] = command
  return cacheToken(async () => {
    const output = await run(command, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES })
    const text = output.trim()
    const token = text.startsWith('{') ? undefined : readToken(text)
    const issuedToken = token === undefined ? readTokenAnswer(parseExternalJson(text)) : { token }
    if (issuedToken !== undefined) return issuedToken
    throw tokenSourceFailure(
      `The output of the token command ${program} is neither a token nor JSON with access_token. It must print only that.`,
    )
  }, clock)
}

const MAX_ANSWER_BYTES = 256_000

type ClientCredentialsConfig = Extract<TokenSourceConfig, { kind: 'client-credentials' }>

/** Placement of the client secret (RFC 6749 section 2.3.1). */
type Placement = 'header' | 'body'

/**
 * Tokens by RFC 6749 section 4.4, only in memory. Authenticates by HTTP Basic, which every server must support. If
 * rejected, retries once with the credentials in the body, and remembers which worked. Fails with `auth.rejected`,
 * `auth.tokenSource`, `address.*` or `net.*`.
 */
function clientCredentials(config: ClientCredentialsConfig, ports: TokenPorts): TokenSource {
  let placement: Placement = 'header'
  return cacheToken(async () => {
    const secret = await ports.secret()
    if (secret === undefined)
      throw new AppError('auth.rejected', `No secret is saved for the client ${config.clientId}. Enter it.`)
    const requestToken = (where: Placement) => fetchClientToken(config, ports, { secret, where })
    let response = await requestToken(placement)
    if (placement === 'header' && isClientRejected(response)) {
      const secondAnswer = await requestToken('body')
      if (!isClientRejected(secondAnswer)) placement = 'body'
      response = secondAnswer
    }
    const issuedToken = response.status === 200 ? readTokenAnswer(parseExternalJson(response.text)) : undefined
    if (issuedToken === undefined) throw createTokenError(config, response, ports.clock)
    return issuedToken
  }, ports.clock)
}

type TokenResponse = Awaited<ReturnType<typeof fetchClientToken>>

/** Requests a token. `secrets` of the response must not appear in a failure. */
async function fetchClientToken(
  { tokenUrl, clientId, scope }: ClientCredentialsConfig,
  { send, sleep }: TokenPorts,
  { secret, where }: { readonly secret: Secret; readonly where: Placement },
) {
  const addressFailure = refuseRequestAddress(tokenUrl)
  if (addressFailure !== undefined)
    throw new AppError(addressFailure.code, addressFailure.message, { field: 'tokenUrl' })
  const pair = basicPair(clientId, secret)
  const fields = { grant_type: 'client_credentials', ...(scope === undefined || scope === '' ? {} : { scope }) }
  const isInHeader = where === 'header'
  const body = isInHeader
    ? encodeForm(fields, {})
    : encodeForm({ ...fields, client_id: clientId }, { client_secret: secret })
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(isInHeader ? { authorization: buildBasicHeader(pair) } : {}),
  }
  // No caller may abort this request, because all callers share it.
  const deadline = startDeadline({ timeoutMs: TIMEOUT_MS, sleep })
  try {
    const response = await send({ method: 'POST', url: tokenUrl, headers, body, signal: deadline.signal })
    const { text, error } = await readBody(response.body, MAX_ANSWER_BYTES)
    if (error !== undefined) throw error
    return { status: response.status, text, retryAfter: response.headers.get('retry-after'), secrets: [secret, pair] }
  } catch (error) {
    if (error instanceof AppError) throw error
    const cause = deadline.signal.aborted ? deadline.signal.reason : error
    throw toAppError(explainConnectionFailure(cause, tokenUrl))
  } finally {
    deadline.stop()
  }
}

/** Whether the server rejected the client authentication (RFC 6749 section 5.2). */
function isClientRejected({ status, text }: TokenResponse): boolean {
  return status === 401 || (status === 400 && /"error"\s*:\s*"invalid_client"/.test(text))
}

function createTokenError(
  { tokenUrl }: ClientCredentialsConfig,
  { status, text, retryAfter, secrets }: TokenResponse,
  clock: Clock,
): AppError {
  const printedAddress = printableAddress(tokenUrl)
  if (status < 400)
    return tokenSourceFailure(
      `The response of ${printedAddress} (${status}) has no bearer token. Check the token address.`,
    )
  const { text: serverText } = readServerMessage(text, secrets)
  const code: Failure['code'] = [400, 401, 403].includes(status) ? 'auth.rejected' : 'auth.tokenSource'
  const retryAfterMs = readRetryAfter(retryAfter, clock().getTime())
  const quotedMessage = serverText && ` The server says: ${serverText}`
  const message = `${printedAddress} gave no token (${status}). Check the client ID, its secret and the scope.${quotedMessage}`
  return new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs })
}

/** The token source of a connection (decisions 2). Create it once per connection, to share its token. */
export function createTokenSource(config: TokenSourceConfig, ports: TokenPorts): TokenSource {
  switch (config.kind) {
    case 'client-credentials':
      return clientCredentials(config, ports)
    case 'command':
      return commandTokens(config, ports)
    case 'pasted':
      return pastedToken(ports.secret)
    default:
      return assertNever(config)
  }
}

export type RunCommand = typeof runCommand

/**
 * Runs a program without a shell and without input, and returns its output. Kills it at a limit of time or output.
 * Fails with `auth.tokenSource`, without the output.
 */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<string> {
  const options = { timeout: timeoutMs, maxBuffer: maxBytes, killSignal: 'SIGKILL', windowsHide: true } as const
  const explain = (problem: string): AppError =>
    tokenSourceFailure(`The token command ${program} ${problem}. Run it in a terminal to see why.`)
  return new Promise((resolve, reject) => {
    try {
      const child = execFile(program, args, options, (error, stdout) =>
        error === null ? resolve(stdout) : reject(explain(describeExit(error))),
      )
      child.stdin?.end()
    } catch {
      reject(explain('cannot be started'))
    }
  })
}

/** Describes how a token command failed, without Node's message, which repeats arguments and output. */
function describeExit({ code, killed, signal }: { code?: unknown; killed?: boolean; signal?: unknown }): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed too much'
  if (killed === true) return 'did not end in time'
  if (typeof code === 'number') return `failed with exit code ${code}`
  return typeof signal === 'string' ? `was ended by ${signal}` : `cannot be started (${String(code)})`
}
