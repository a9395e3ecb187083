import { parseJson } from '../../gateway/server-message'
import type { Clock } from '../../ports'
import { keepToken } from './kept-token'
import type { RunCommand } from './run-command'
import {
  readToken,
  readTokenAnswer,
  type TokenSource,
  type TokenSourceConfig,
  tokenSourceFailure,
} from './token-source'

type Config = Extract<TokenSourceConfig, { kind: 'command' }>

const TIMEOUT_MS = 30_000
const LONGEST_OUTPUT_BYTES = 64_000

/**
 * Tokens that a command of the user's prints, alone or as `{access_token, expires_in}`; run without a shell, its output
 * goes nowhere else. Fails with `auth.tokenSource`, whose message names the program but repeats nothing it wrote.
 */
export function commandTokens(
  { command }: Config,
  ports: { readonly run: RunCommand; readonly clock: Clock },
): TokenSource {
  const [program = ''] = command
  return keepToken(async () => {
    const outcome = await ports.run(command, { timeoutMs: TIMEOUT_MS, maxBytes: LONGEST_OUTPUT_BYTES })
    if (!outcome.ok)
      throw tokenSourceFailure(`The token command ${program} ${outcome.error}. Run it by hand to see why.`)
    const text = outcome.value.trim()
    const token = text.startsWith('{') ? undefined : readToken(text)
    const issued = token === undefined ? readTokenAnswer(parseJson(text)) : { token }
    if (issued !== undefined) return issued
    throw tokenSourceFailure(
      `What the token command ${program} printed is neither a token nor JSON with access_token. Make it print that alone.`,
    )
  }, ports.clock)
}
