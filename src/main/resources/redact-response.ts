import type { HeldSecret } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { Secret } from '../secret'
import { canBeSecret, isMoment, isPublicName, isSecretName, isTokenForm, looksRandom } from './secret-names'

/** Any JSON value. */
export type Json = z.core.util.JSONType

type Fields = { [name: string]: Json }

/** What came as JSON text is JSON; to look at every value of it again would take as long as to read it. */
const Parsed = z.custom<Json>((value) => value !== undefined)

/** What is known of an answer before it is read. */
interface AnswerFacts {
  readonly operation: string
  /** Secrets that went out with the request and may come back. */
  readonly sent: readonly Secret[]
  /** Other texts that went out: their echo is no secret. */
  readonly echoes: ReadonlySet<string>
  /** Where a secret that was found is held; without it, it is gone. */
  readonly hold?: ((secret: Secret) => string) | undefined
}

/** An answer without its secrets, and where they stood. */
export interface Hidden {
  readonly data: Json
  readonly secrets: HeldSecret[]
}

/** These answer with a credential and little else: whatever is no name, address or moment is taken for it. */
const credentialOperations = new Set([
  'identity.apiKeyProviders.retrieveKey',
  'identity.delegatedProviders.requestKey',
  'identity.oauth2Providers.tokenM2m',
  'identity.oauth2Providers.token3lo',
])

/** These tell a secret among other things, perhaps under a name that nobody foresaw: what looks drawn by lot is taken for it. */
const tellingOperations = new Set([
  'registry.robotAccounts.create',
  'runtime.agentRuntimes.resetServiceAccount',
  'aip.apiKeys.create',
  'aip.apiKeys.get',
])

const deepest = 100

/**
 * Takes the secrets out of an answer: by what the operation is, by the names of fields, by the form of a text. In their place stand their
 * masked forms. Fails with `api.unreadable` for what is nested deeper than any resource is.
 */
export function hideSecrets(data: unknown, facts: AnswerFacts): Hidden {
  const secrets: HeldSecret[] = []
  // In what a model answers, a "token" is a piece of text.
  const isJudged = !facts.operation.startsWith('inference.')
  const mask = (text: string, place: Place): string => {
    const secret = new Secret(text, 'text')
    if (facts.hold !== undefined) {
      secrets.push({ handle: facts.hold(secret), at: pointerOf(place), masked: secret.masked })
    }
    return secret.masked
  }
  const textOf = (text: string, place: Place): string => {
    if (facts.sent.some((one) => one.isSame(new Secret(text, 'text')))) return mask(text, place)
    if (isJudged && isSecret(text, place, facts)) return mask(text, place)
    return facts.sent.reduce((left, one) => one.hideIn(left), text)
  }
  // What holds no secret is handed on as it is: of 100,000 rows hardly one is made anew.
  const walk = (value: Json, place: Place): Json => {
    if (typeof value === 'string') return textOf(value, place)
    if (typeof value !== 'object' || value === null) return value
    if (place.depth >= deepest) throw tooDeep()
    return Array.isArray(value) ? walkList(value, place) : walkFields(value, place)
  }
  const walkList = (list: Json[], place: Place): Json[] => {
    let changed: Json[] | undefined
    for (const [at, one] of list.entries()) {
      const shown = walk(one, within(place, at, place.names))
      if (shown === one) continue
      changed ??= [...list]
      changed[at] = shown
    }
    return changed ?? list
  }
  const walkFields = (fields: Fields, place: Place): Fields => {
    let changed: Fields | undefined
    const pair = pairOf(fields)
    for (const name of Object.keys(fields)) {
      const one = fields[name] ?? null
      const shown = walk(one, within(place, name, namesFor(name, place, pair)))
      if (shown === one) continue
      changed ??= { ...fields }
      changed[name] = shown
    }
    return changed ?? fields
  }
  return { data: walk(Parsed.parse(data ?? null), top), secrets }
}

/** Where a value stands, and which names speak for it: its own, or its list's, or the one that a pair gives it. */
interface Place {
  readonly parent: Place | undefined
  readonly segment: string | number
  readonly names: readonly string[]
  readonly depth: number
}

const top: Place = { parent: undefined, segment: '', names: [], depth: 0 }

// Made for every value of lists of 100,000 rows: nothing is spread and nothing turned to text here.
function within(parent: Place, segment: string | number, names: readonly string[]): Place {
  return { parent, segment, names, depth: parent.depth + 1 }
}

/** What follows names like these is what the name above says. */
const plainNames = new Set(['value', 'text', 'plain', 'plaintext', 'raw', 'content', 'data'])

function namesFor(name: string, { names }: Place, pair: Pair | undefined): readonly string[] {
  if (pair !== undefined && name === 'value') return [pair.name]
  if (pair !== undefined && name === pair.field) return []
  return names.length > 0 && plainNames.has(name.toLowerCase()) ? [name, ...names] : [name]
}

/** Which field tells what the value beside it is called. */
interface Pair {
  readonly field: 'name' | 'key'
  readonly name: string
}

const mostInPair = 4

/** What a value is called in `{"name": "API_TOKEN", "value": "..."}` and `{"key": "environment", "value": "..."}`. */
function pairOf(fields: Fields): Pair | undefined {
  const { name, key, value } = fields
  if (value === undefined) return undefined
  if (typeof name === 'string') return { field: 'name', name }
  // A key in the other sense, which happens to have a value, is longer or has more beside it.
  const isCalled = typeof key === 'string' && !looksRandom(key) && Object.keys(fields).length <= mostInPair
  return isCalled ? { field: 'key', name: key } : undefined
}

function isSecret(text: string, { names }: Place, { operation, echoes }: AnswerFacts): boolean {
  if (names.some(isSecretName) || isTokenForm(text)) return canBeSecret(text)
  const isCredential = credentialOperations.has(operation)
  if (!isCredential && !(tellingOperations.has(operation) && looksRandom(text))) return false
  return canBeSecret(text) && !names.some(isPublicName) && !echoes.has(text) && !isMoment(text)
}

function pointerOf({ parent, segment }: Place): string {
  return parent === undefined
    ? ''
    : `${pointerOf(parent)}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const tooDeep = (): AppError =>
  new AppError('api.unreadable', `The answer is nested more than ${deepest} deep. Check the address of the service.`)
