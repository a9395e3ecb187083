import { AppError, type Failure } from '@shared/failure'
import { printableAddress, refuseRequestAddress } from '../../gateway/address'
import { readBody } from '../../gateway/read-body'
import { parseJson, readRetryAfter, readServerMessage } from '../../gateway/server-message'
import type { Send } from '../../net/send'
import type { Clock } from '../../ports'
import type { Secret } from '../../secret'
import { basic, basicPair, formWith } from '../credentials'
import { type Sleep, startDeadline } from '../deadline'
import { explainBroken } from '../explain'
import { keepToken } from './kept-token'
import { readTokenAnswer, type TokenSource, type TokenSourceConfig, tokenSourceFailure } from './token-source'

const TIMEOUT_MS = 30_000
const LONGEST_ANSWER_BYTES = 256_000

/** What the grant needs beside its settings; `secret` is asked each time a token is, and is never kept. */
export interface ClientCredentialsPorts {
  readonly send: Send
  readonly clock: Clock
  readonly sleep: Sleep
  /** The client's secret, or undefined when none was entered. */
  readonly secret: () => Promise<Secret | undefined>
}

type Config = Extract<TokenSourceConfig, { kind: 'client-credentials' }>

/** Where the client's secret goes in a token request (RFC 6749 section 2.3.1). */
type Placement = 'header' | 'body'

/** What an authorization server answered; `secrets` must not appear in a failure. */
interface TokenAnswer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
  readonly secrets: readonly Secret[]
}

/**
 * Tokens by RFC 6749 section 4.4, kept in memory only. The client authenticates by HTTP Basic, as every server must
 * allow; one that refuses the client so is asked once more with the credentials in the body, which some insist on, and
 * what worked is kept to. Fails with `auth.rejected`, `auth.tokenSource`, `address.*` or `net.*`.
 */
export function clientCredentials(config: Config, ports: ClientCredentialsPorts): TokenSource {
  let placement: Placement = 'header'
  return keepToken(async () => {
    const secret = await ports.secret()
    if (secret === undefined)
      throw new AppError('auth.rejected', `No secret is known for the client ${config.clientId}. Enter it.`)
    const ask = (where: Placement) => askForToken(config, ports, { secret, where })
    let answer = await ask(placement)
    if (placement === 'header' && refusesClient(answer)) {
      const second = await ask('body')
      if (!refusesClient(second)) placement = 'body'
      answer = second
    }
    const issued = answer.status === 200 ? readTokenAnswer(parseJson(answer.text)) : undefined
    if (issued === undefined) throw refusal(config, answer, ports.clock)
    return issued
  }, ports.clock)
}

async function askForToken(
  { tokenUrl, clientId, scope }: Config,
  { send, sleep }: ClientCredentialsPorts,
  { secret, where }: { readonly secret: Secret; readonly where: Placement },
): Promise<TokenAnswer> {
  const refused = refuseRequestAddress(tokenUrl)
  if (refused !== undefined) throw new AppError(refused.code, refused.message, { field: 'tokenUrl' })
  const pair = basicPair(clientId, secret)
  const fields = { grant_type: 'client_credentials', ...(scope === undefined || scope === '' ? {} : { scope }) }
  const isInHeader = where === 'header'
  const body = isInHeader
    ? formWith(fields, {})
    : formWith({ ...fields, client_id: clientId }, { client_secret: secret })
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(isInHeader ? { authorization: basic(pair) } : {}),
  }
  // Callers share this request, so none of them may stop it.
  const deadline = startDeadline({ timeoutMs: TIMEOUT_MS, sleep })
  try {
    const answer = await send({ method: 'POST', url: tokenUrl, headers, body, signal: deadline.signal })
    const { text, error } = await readBody(answer.body, LONGEST_ANSWER_BYTES)
    if (error !== undefined) throw error
    return { status: answer.status, text, retryAfter: answer.headers.get('retry-after'), secrets: [secret, pair] }
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code, message } = explainBroken(deadline.signal.aborted ? deadline.signal.reason : error, tokenUrl)
    throw new AppError(code, message)
  } finally {
    deadline.stop()
  }
}

/** Whether it is the way of authenticating, or the credentials, that were not accepted (RFC 6749 section 5.2). */
function refusesClient({ status, text }: TokenAnswer): boolean {
  return status === 401 || (status === 400 && /"error"\s*:\s*"invalid_client"/.test(text))
}

function refusal({ tokenUrl }: Config, { status, text, retryAfter, secrets }: TokenAnswer, clock: Clock): AppError {
  const place = printableAddress(tokenUrl)
  if (status < 400)
    return tokenSourceFailure(`What ${place} answered (${status}) holds no bearer token. Check the token address.`)
  const { text: words } = readServerMessage(text, secrets)
  const code: Failure['code'] = [400, 401, 403].includes(status) ? 'auth.rejected' : 'auth.tokenSource'
  const waitMs = readRetryAfter(retryAfter, clock().getTime())
  const said = words === '' ? '' : ` The server says: ${words}`
  const message = `${place} gave no token (${status}). Check the client ID, its secret and the scope.${said}`
  return new AppError(code, message, waitMs === undefined ? {} : { retryAfterMs: waitMs })
}
