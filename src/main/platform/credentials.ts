import { isSecretField, Secret } from '../core/secret'
import { isObject } from '../gateway/server-message'

/** Parts of names that mark a secret anywhere in the name, such as in `apiKeyValue`. */
const secretNamePart = /secret|token|password|credential|api_?key|^key$/i

export const buildBearerHeader = (token: Secret): string => `Bearer ${token.expose()}`

/** HTTP Basic credentials, each part form-encoded first (RFC 6749 section 2.3.1). */
export function basicPair(clientId: string, secret: Secret): Secret {
  return new Secret(Buffer.from(`${encodeFormText(clientId)}:${encodeFormText(secret.expose())}`).toString('base64'))
}

export const buildBasicHeader = (pair: Secret): string => `Basic ${pair.expose()}`

export function encodeForm(fields: Readonly<Record<string, string>>, secret: Readonly<Record<string, Secret>>): string {
  const formBody = new URLSearchParams(fields)
  for (const [name, value] of Object.entries(secret)) formBody.append(name, value.expose())
  return formBody.toString()
}

const encodeFormText = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Values of secret-named fields in a request body. Error messages from the server must not repeat them. */
export function listSecrets(body: unknown): Secret[] {
  if (Array.isArray(body)) return body.flatMap(listSecrets)
  if (!isObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) => {
    if (typeof value !== 'string') return listSecrets(value)
    // Wider than the rule for responses, because an error message needs none of these values.
    const isSecret = isSecretField(name) || secretNamePart.test(name)
    // Skip values that do not have the format of a secret. They are words such as "none", which a message may contain.
    return isSecret && /^[\x21-\x7e]{6,}$/.test(value) ? [new Secret(value)] : []
  })
}

/** Replaces values in a request body: by secrets, only for sending, or by texts, for display. */
export function replaceBodyValues(body: unknown, valueAt: (value: object) => Secret | string | undefined): unknown {
  if (Array.isArray(body)) return body.map((element) => replaceBodyValues(element, valueAt))
  if (typeof body !== 'object' || body === null) return body
  const value = valueAt(body)
  if (value !== undefined) return typeof value === 'string' ? value : value.expose()
  return Object.fromEntries(Object.entries(body).map(([name, field]) => [name, replaceBodyValues(field, valueAt)]))
}
