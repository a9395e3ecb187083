/**
 * Names of fields, settings and headers that contain a secret, for all code that masks, rejects or omits their values.
 */

/** Words of a name: `openAIKey`, `open-ai-key` and `OPEN_AI_KEY` have the same three. */
export function splitWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

const createWordSet = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '))

const secretTerms =
  'secret secrets token tokens password passwords passwd passphrase pwd credential credentials jwt bearer ' +
  'authorization cookie apikey apikeys'

/** Words that mark a field of a platform request or response as secret, unless the last word of the name is public. */
const fieldTerms = createWordSet(secretTerms, 'accesskey privatekey secretkey')

/** Matches secret names without separators between words, such as `apitoken`. */
const secretNameSuffix =
  /(?:secret|token|password|passwd|credentials?|api_?key|access_?key|private_?key|secret_?key)s?$/

/** The last word decides: `tokenUrl` is an address, `keyId` an id, `apiKeyHint` a visible part of a key. */
const publicSuffixes = createWordSet(
  'id ids uuid name names url urls uri uris endpoint endpoints address host path file type types kind hint hints masked preview',
  'count counts limit limits quota quotas used usage total status state policy mode method methods provider providers prefix suffix',
  'version versions scope scopes audience issuer at date time expiry expiration expires ttl seconds ms minutes hours days in lifetime duration',
  'length size ref arn alias label labels description message header format algorithm enabled required generation',
  'hash digest fingerprint checksum location placement param field by permissions permission actions email',
)

/** Words that show that a "token" is a page cursor and not a secret. */
const pagingTerms = createWordSet('next previous prev page pagination continuation cursor sync resume')

/** Words that show that a "key" is public. */
const nonSecretTerms = createWordSet(
  'public partition sort cache idempotency object foreign dedup group translation message row label tag metadata attribute property',
)

const knownNames = new Map<string, boolean>()
const maxCached = 5000

/** Whether a platform field contains a secret. Cached, because there are few names and many rows. */
export function isSecretField(name: string): boolean {
  const isKnownSecret = knownNames.get(name)
  if (isKnownSecret !== undefined) return isKnownSecret
  const isSecret = isSecretName(splitWords(name))
  if (knownNames.size >= maxCached) knownNames.clear()
  knownNames.set(name, isSecret)
  return isSecret
}

/** Whether a field's value is public, such as an id, address or date. */
export const isPublicField = (name: string): boolean => publicSuffixes.has(splitWords(name).at(-1) ?? '')

function isSecretName(nameParts: readonly string[]): boolean {
  const lastPart = nameParts.at(-1) ?? ''
  if (publicSuffixes.has(lastPart) || nameParts.some((word) => pagingTerms.has(word))) return false
  if (lastPart === 'key' || lastPart === 'keys') return !nameParts.some((word) => nonSecretTerms.has(word))
  return (
    lastPart === 'auth' || nameParts.some((word) => fieldTerms.has(word)) || secretNameSuffix.test(nameParts.join(''))
  )
}

/** Words of secret settings. `apiKeyHelper` (a command) and `tokenFile` (a path) are no secrets. */
const settingTerms = createWordSet(secretTerms, 'key keys pat pass pw auth cookies')
const nonSecretSuffixes = createWordSet(
  'helper command args ttl ms file path dir type field source env var variable name',
)

/** Cheap check before names are split into words. A name that does not match is no name of a secret. */
const maybeSecretSetting = /key|token|secret|pass|pw|pat|jwt|auth|bearer|cookie|credential/i

/** Whether a setting, variable or option of a coding tool contains a secret. */
export const isSecretSetting = (name: string): boolean =>
  maybeSecretSetting.test(name) && splitWords(name).some((word) => settingTerms.has(word)) && !isHarmlessSetting(name)

export const isHarmlessSetting = (name: string): boolean => nonSecretSuffixes.has(splitWords(name).at(-1) ?? '')

/** Whether a value under this name is secret even if it is a number. */
export const isPasswordSetting = (name: string): boolean => /passw|passphrase|\bpwd\b|secret|\bpin\b/i.test(name)

export const isSecretHeader = (name: string): boolean =>
  /cookie|authorization|authenticate|token|secret|api-?key/i.test(name)

export const isSecretEntry = (name: string): boolean =>
  /secret|passw|api[-_]?key|^key$|token$|^authorization$/i.test(name)
