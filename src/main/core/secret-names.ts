/** Names of fields, settings and headers that hold a secret, for all who hide, refuse or leave out what stands under them. */

/** The words of a name: `openAIKey`, `open-ai-key` and `OPEN_AI_KEY` are the same three. */
export function splitWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

const wordSet = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '))

const secretWords =
  'secret secrets token tokens password passwords passwd passphrase pwd credential credentials jwt bearer ' +
  'authorization cookie apikey apikeys'

/** Words of a platform's fields; what is plainly public is told apart by its last word. */
const fieldWords = wordSet(secretWords, 'accesskey privatekey secretkey')

/** Names written without a sign where one word ends. */
const secretEnding = /(?:secret|token|password|passwd|credentials?|api_?key|access_?key|private_?key|secret_?key)s?$/

/** What comes last says what a value is: `tokenUrl` is an address, `keyId` an id, `apiKeyHint` what may be seen of a key. */
const publicLastWords = wordSet(
  'id ids uuid name names url urls uri uris endpoint endpoints address host path file type types kind hint hints masked preview',
  'count counts limit limits quota quotas used usage total status state policy mode method methods provider providers prefix suffix',
  'version versions scope scopes audience issuer at date time expiry expiration expires ttl seconds ms minutes hours days in lifetime duration',
  'length size ref arn alias label labels description message header format algorithm enabled required generation',
  'hash digest fingerprint checksum location placement param field by permissions permission actions email',
)

/** A token with one of these says where a list goes on. */
const pagingWords = wordSet('next previous prev page pagination continuation cursor sync resume')

/** A key of these kinds opens nothing. */
const harmlessKeys = wordSet(
  'public partition sort cache idempotency object foreign dedup group translation message row label tag metadata attribute property',
)

const known = new Map<string, boolean>()
const maxCached = 5000

/** Whether a field of a platform's answer or of a body holds a secret. Names are few and rows are many: each is judged once. */
export function isSecretField(name: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const judged = judge(splitWords(name))
  if (known.size >= maxCached) known.clear()
  known.set(name, judged)
  return judged
}

/** Whether a field of this name holds something for everybody to see, such as an id, an address or a date. */
export function isPublicField(name: string): boolean {
  return publicLastWords.has(splitWords(name).at(-1) ?? '')
}

function judge(nameParts: readonly string[]): boolean {
  const last = nameParts.at(-1) ?? ''
  if (publicLastWords.has(last) || nameParts.some((word) => pagingWords.has(word))) return false
  if (last === 'key' || last === 'keys') return !nameParts.some((word) => harmlessKeys.has(word))
  return last === 'auth' || nameParts.some((word) => fieldWords.has(word)) || secretEnding.test(nameParts.join(''))
}

/** Words of coding tools' settings, where every key is one; `apiKeyHelper` names a command, `tokenFile` a place. */
const settingWords = wordSet(secretWords, 'key keys pat auth cookies')
const harmlessLastWords = wordSet('helper command args ttl ms file path dir type field source env var variable name')

/** Names without any of these hold none of the words above: most names, told quickly. */
const maybeSecretSetting = /key|token|secret|passw|passphrase|pwd|pat|jwt|auth|bearer|cookie|credential/i

/** Whether a setting of a coding tool, a variable or an option of this name holds a secret. */
export const isSecretSetting = (name: string): boolean =>
  maybeSecretSetting.test(name) && splitWords(name).some((word) => settingWords.has(word)) && !isHarmlessSetting(name)

export const isHarmlessSetting = (name: string): boolean => harmlessLastWords.has(splitWords(name).at(-1) ?? '')

/** Whether even a number under this name is a secret. */
export const isPasswordSetting = (name: string): boolean => /passw|passphrase|\bpwd\b|secret|\bpin\b/i.test(name)

/** Whether a header of this name may carry a secret. */
export const isSecretHeader = (name: string): boolean =>
  /cookie|authorization|authenticate|token|secret|api-?key/i.test(name)

/** Whether a file that is to hold no secret has one under this name. */
export const isSecretEntry = (name: string): boolean =>
  /secret|passw|api[-_]?key|^key$|token$|^authorization$/i.test(name)
