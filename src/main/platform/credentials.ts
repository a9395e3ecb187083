import { z } from 'zod'
import { Secret } from '../core/secret'

/** The header that carries a token or a key. */
export const bearer = (token: Secret): string => `Bearer ${token.expose()}`

/** The credentials of HTTP Basic with both parts form-encoded first, as RFC 6749 section 2.3.1 demands. */
export function basicPair(clientId: string, secret: Secret): Secret {
  return new Secret(Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret.expose())}`).toString('base64'))
}

/** The header that carries such a pair. */
export const basic = (pair: Secret): string => `Basic ${pair.expose()}`

/** A form as a request's body, with the secret among its fields. */
export function formWith(fields: Readonly<Record<string, string>>, secret: Readonly<Record<string, Secret>>): string {
  const form = new URLSearchParams(fields)
  for (const [name, value] of Object.entries(secret)) form.append(name, value.expose())
  return form.toString()
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Whether two secrets are the same text. */
export const isSameSecret = (a: Secret, b: Secret): boolean => a.expose() === b.expose()

const Fields = z.record(z.string(), z.unknown())
const SECRET_FIELD = /secret|token|password|credential|api_?key|^key$/i

/** The values in a request's body whose field is named like a secret, so that a server's words cannot repeat them. */
export function secretsIn(body: unknown): Secret[] {
  if (Array.isArray(body)) return body.flatMap(secretsIn)
  const fields = Fields.safeParse(body)
  if (!fields.success) return []
  return Object.entries(fields.data).flatMap(([name, value]) => {
    if (typeof value !== 'string') return secretsIn(value)
    // A value without the form of a secret is a word such as "none" that may appear in a message.
    return SECRET_FIELD.test(name) && /^[\x21-\x7e]{6,}$/.test(value) ? [new Secret(value)] : []
  })
}

/** Replaces placeholders by their secrets, for the request only. */
export function bodyWith(body: unknown, secretAt: (value: object) => Secret | undefined): unknown {
  if (Array.isArray(body)) return body.map((one) => bodyWith(one, secretAt))
  if (typeof body !== 'object' || body === null) return body
  const secret = secretAt(body)
  if (secret !== undefined) return secret.expose()
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, bodyWith(value, secretAt)]))
}
