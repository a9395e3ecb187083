import type { CapturedSecret } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { isPublicField, isSecretField, Secret } from '../../core/secret'
import { replaceBodyValues } from '../credentials'
import { secretKinds } from './secret-store'

export type Json = z.core.util.JSONType

/** Schema that accepts every value except undefined, because the value is the result of a JSON parser. */
const ParsedJson = z.custom<Json>((value) => value !== undefined)

interface ResponseDetails {
  readonly operation: string
  /** Secrets that were sent in the request. The response may repeat them. */
  readonly sent: readonly Secret[]
  /** Texts of the request that are not secrets. If the response repeats them, they are not masked. */
  readonly echoes: ReadonlySet<string>
  /** Stores a found secret and returns its handle. If omitted, found secrets are discarded. */
  readonly hold?: ((secret: Secret) => string) | undefined
}

/** A response without its secrets, and their positions. */
export interface RedactedResponse {
  readonly data: Json
  readonly secrets: CapturedSecret[]
}

const maxWalkDepth = 100

/** Replaces secrets by masked forms, found by operation, field name or format. Fails with `api.unreadable` for excessive nesting. */
export function hideSecrets(data: unknown, facts: ResponseDetails): RedactedResponse {
  const secrets: CapturedSecret[] = []
  // Ignore field names in model responses, because `token` is a unit of text there, not a credential.
  const checksFieldNames = !facts.operation.startsWith('inference.')
  const maskText = (text: string, context: ValueContext): string => {
    const isSent = facts.sent.some((sentSecret) => sentSecret.isSame(new Secret(text, 'text')))
    if (!isSent && !(checksFieldNames && isSecret(text, context, facts)))
      return facts.sent.reduce((maskedText, sentSecret) => sentSecret.hideIn(maskedText), text)
    const secret = new Secret(text, 'text')
    if (facts.hold) secrets.push({ handle: facts.hold(secret), at: toPointer(context), masked: secret.masked })
    return secret.masked
  }
  const walk = (value: Json, parent: ValueContext): Json => {
    if (typeof value === 'string') return maskText(value, parent)
    if (typeof value !== 'object' || value === null) return value
    const depth = parent.depth + 1
    if (depth > maxWalkDepth) {
      const message = `The response is nested more than ${maxWalkDepth} levels deep. Check the address of the service.`
      throw new AppError('api.unreadable', message)
    }
    if (Array.isArray(value))
      return value.map((element, segment) => walk(element, { parent, segment, names: parent.names, depth }))
    const pair = toPair(value)
    const fields = Object.entries(value).map(([segment, field]) => {
      const names = listFieldNames(segment, parent, pair)
      return [segment, walk(field, { parent, segment, names, depth })] as const
    })
    return Object.fromEntries(fields)
  }
  return { data: walk(ParsedJson.parse(data ?? null), top), secrets }
}

/**
 * Position of a value in a response, and the names that describe the value: its field, the field of its list, or the
 * name in its name/value pair.
 */
interface ValueContext {
  readonly parent: ValueContext | undefined
  readonly segment: string | number
  readonly names: readonly string[]
  readonly depth: number
}

const top: ValueContext = { parent: undefined, segment: '', names: [], depth: 0 }

/** Generic field names such as `value`. For these, the name of the parent decides whether the value is secret. */
const plainFieldNames = new Set(['value', 'text', 'plain', 'plaintext', 'raw', 'content', 'data'])

function listFieldNames(name: string, { names }: ValueContext, pair: Pair | undefined): readonly string[] {
  if (pair !== undefined && name === 'value') return [pair.name]
  if (pair !== undefined && name === pair.field) return []
  return names.length > 0 && plainFieldNames.has(name.toLowerCase()) ? [name, ...names] : [name]
}

/** Field of an object that names its `value`, as in `{"key": "API_TOKEN", "value": "..."}`. */
interface Pair {
  readonly field: 'name' | 'key'
  readonly name: string
}

const maxPairFields = 4

/** Name of the value in `{"name": "API_TOKEN", "value": "..."}` and `{"key": "environment", "value": "..."}`. */
function toPair(fields: Readonly<Record<string, Json>>): Pair | undefined {
  const { name, key, value } = fields
  if (value === undefined) return undefined
  if (typeof name === 'string') return { field: 'name', name }
  // In a small object, a field `key` that does not look random is the name of the value. Otherwise it is a credential.
  const isNamedByKey = typeof key === 'string' && !isRandomText(key) && Object.keys(fields).length <= maxPairFields
  return isNamedByKey ? { field: 'key', name: key } : undefined
}

function isSecret(text: string, { names }: ValueContext, { operation, echoes }: ResponseDetails): boolean {
  const isToken = text.length > 12 && text.length < 8192 && tokenForm.test(text)
  if (isToken || names.some(isSecretField)) return canBeSecret(text)
  const kind = secretKinds[operation]
  if (kind === undefined) return false
  // These responses contain little besides a credential. In others, the field of the secret has an unknown name.
  const isCredential = kind === 'providerKey' || kind === 'token'
  if (!isCredential && !isRandomText(text)) return false
  return canBeSecret(text) && !names.some(isPublicField) && !echoes.has(text) && !isTimestamp(text)
}

function toPointer({ parent, segment }: ValueContext): string {
  return parent === undefined
    ? ''
    : `${toPointer(parent)}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Placeholder of a secret from the clipboard or an earlier response. */
const Placeholder = z.union([z.strictObject({ $pending: z.string() }), z.strictObject({ $held: z.string() })])

interface BodySecrets {
  /** Secret from the clipboard. Fails with `key.notFound` after expiry. */
  pending(id: string): Secret
  /** Secret from an earlier response. Fails with `key.notFound` after expiry. */
  held(handle: string): Secret
  /** Whether a text is the masked form of a stored secret. */
  isMasked(text: string): boolean
}

export type ResolvedBody = Readonly<ReturnType<typeof resolveBodySecrets>>

/**
 * Replaces the placeholders in a request body by their secrets. Fails with `key.notFound`, or with `input.invalid` if
 * the body contains the masked form of a secret, which the platform would store as its value.
 */
export function resolveBodySecrets(body: unknown, secrets: BodySecrets) {
  // The response may repeat them.
  const sentSecrets: Secret[] = []
  // Clipboard secrets to discard after the call.
  const pendingIds: string[] = []
  // Texts of the body that are not secrets.
  const texts: string[] = []
  visitTexts(body, '', (text, name) => {
    if (isSecretField(name) && secrets.isMasked(text)) {
      const message = `${name} has a shortened secret, which would replace the real one. Remove it, or enter the full one.`
      throw new AppError('input.invalid', message, { field: name })
    }
    texts.push(text)
  })
  const resolvedBody = replaceBodyValues(body, (value) => {
    const placeholder = Placeholder.safeParse(value).data
    if (placeholder === undefined) return undefined
    if ('$pending' in placeholder) pendingIds.push(placeholder.$pending)
    const secret = '$pending' in placeholder ? secrets.pending(placeholder.$pending) : secrets.held(placeholder.$held)
    sentSecrets.push(secret)
    return secret
  })
  return { body: resolvedBody, sent: sentSecrets, pendingIds, texts }
}

/** Replaces each secret placeholder in a request body by the text that `textFor` returns, for display. */
export function redactBody(body: unknown, textFor: (index: number) => string): unknown {
  let count = 0
  return replaceBodyValues(body, (value) => (Placeholder.safeParse(value).success ? textFor(count++) : undefined))
}

function visitTexts(value: unknown, name: string, hear: (text: string, name: string) => void): void {
  if (typeof value === 'string') hear(value, name)
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) visitTexts(child, Array.isArray(value) ? name : key, hear)
}

/** Values that servers masked: `****a1b2`, `sk-...a1b2`. */
const maskedPattern = /^[\w-]{0,8}(?:[*•●]{3,}|\.{3,}|…)[\w-]{0,8}$/

/** Whether a text may be a secret. Texts of less than 6 characters are words such as "none". */
const canBeSecret = (text: string): boolean => text.length >= 6 && !maskedPattern.test(text)

/** Formats of tokens that are secret under any field name. */
const tokenForm =
  /^(?:eyJ[\w-]{10,}\.[\w-]+\.[\w-]*|(?:sk|pk|rk|dk|rb|ghp|gho|ghs|glpat|hf)[-_][\w-]{16,}|bearer\s+\S{6,})$/i

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text is a date or time. */
const isTimestamp = (text: string): boolean => /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/.test(text)

/** Whether a text looks random: long, without spaces, letters and digits mixed, and not a typical id. */
function isRandomText(text: string): boolean {
  return (
    /^[\w+/=.~-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !uuid.test(text) && !isTimestamp(text)
  )
}
