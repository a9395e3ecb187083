import { AppError } from '@shared/failure'
import { z } from 'zod'
import { Secret } from '../../secret'

/** Where the token of a call comes from. Fails with `auth.*`, or with what broke the way to it. */
export interface TokenSource {
  /** The token to send now. */
  token(): Promise<Secret>
  /** A fresh one after `refused` was answered with 401; undefined when there can be none. */
  renew(refused: Secret): Promise<Secret | undefined>
}

/** A token as it was issued; without `expiresInMs` it is good until it is refused. */
export interface IssuedToken {
  readonly token: Secret
  readonly expiresInMs?: number
}

/** How a connection file names its token source (decisions 2); it never holds a secret. */
export const TokenSourceConfig = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('client-credentials'),
    tokenUrl: z.string().min(1).max(2000),
    clientId: z.string().min(1).max(500),
    scope: z.string().max(2000).optional(),
  }),
  z.strictObject({ kind: z.literal('command'), command: z.array(z.string()).min(1).max(100) }),
  z.strictObject({ kind: z.literal('pasted') }),
])
export type TokenSourceConfig = z.infer<typeof TokenSourceConfig>

/** A refusal of what a token source gave; never repeats it. */
export const tokenSourceFailure = (message: string): AppError => new AppError('auth.tokenSource', message)

/** Seconds; some servers write them as a text. */
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

/** The token in `{access_token, expires_in}` (RFC 6749 section 5.1), or undefined when there is none to use. */
export function readTokenAnswer(answer: unknown): IssuedToken | undefined {
  const { success, data } = TokenAnswer.safeParse(answer)
  const token = success ? readToken(data.access_token) : undefined
  if (token === undefined) return undefined
  return { token, ...(data?.expires_in === undefined ? {} : { expiresInMs: data.expires_in * 1000 }) }
}

/** A text as a token, or undefined when no header can carry it. */
export function readToken(text: string): Secret | undefined {
  try {
    return new Secret(text)
  } catch {
    return undefined
  }
}
