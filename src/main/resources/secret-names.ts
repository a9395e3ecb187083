const secretWords = new Set(
  (
    'secret secrets token tokens password passwords passwd passphrase pwd credential credentials jwt bearer ' +
    'authorization cookie apikey apikeys accesskey privatekey secretkey'
  ).split(' '),
)

/** Names written without a sign where one word ends. */
const secretEnding = /(?:secret|token|password|passwd|credentials?|api_?key|access_?key|private_?key|secret_?key)s?$/

/** What comes last says what a value is: `tokenUrl` is an address, `keyId` an id, `apiKeyHint` what may be seen of a key. */
const publicLastWords = new Set(
  (
    'id ids uuid name names url urls uri uris endpoint endpoints address host path file type types kind hint hints masked preview ' +
    'count counts limit limits quota quotas used usage total status state policy mode method methods provider providers prefix suffix ' +
    'version versions scope scopes audience issuer at date time expiry expiration expires ttl seconds ms minutes hours days in lifetime duration ' +
    'length size ref arn alias label labels description message header format algorithm enabled required generation ' +
    'hash digest fingerprint checksum location placement param field by permissions permission actions email'
  ).split(' '),
)

/** A token with one of these says where a list goes on. */
const pagingWords = new Set('next previous prev page pagination continuation cursor sync resume'.split(' '))

/** A key of these kinds opens nothing. */
const harmlessKeys = new Set(
  'public partition sort cache idempotency object foreign dedup group translation message row label tag metadata attribute property'.split(
    ' ',
  ),
)

const known = new Map<string, boolean>()
const mostKnown = 5000

/** Whether a field of this name holds a secret. Names are few and rows are many: each is judged once. */
export function isSecretName(name: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const judged = judge(wordsOf(name))
  if (known.size >= mostKnown) known.clear()
  known.set(name, judged)
  return judged
}

/** Whether a field of this name holds something for everybody to see, such as an id, an address or a date. */
export function isPublicName(name: string): boolean {
  return publicLastWords.has(wordsOf(name).at(-1) ?? '')
}

function judge(words: readonly string[]): boolean {
  const last = words.at(-1) ?? ''
  if (publicLastWords.has(last) || words.some((word) => pagingWords.has(word))) return false
  if (last === 'key' || last === 'keys') return !words.some((word) => harmlessKeys.has(word))
  return last === 'auth' || words.some((word) => secretWords.has(word)) || secretEnding.test(words.join(''))
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** What is masked already, as servers mask: `****a1b2`, `sk-...a1b2`. */
const maskedAlready = /^[\w-]{0,8}(?:[*•●]{3,}|\.{3,}|…)[\w-]{0,8}$/

/** Whether a text can be a secret: shorter ones are words such as "none". */
export const canBeSecret = (text: string): boolean => text.length >= 6 && !maskedAlready.test(text)

/** Whole texts that are a token by their form, whatever their name is. */
const tokenForm =
  /^(?:eyJ[\w-]{10,}\.[\w-]+\.[\w-]*|(?:sk|pk|rk|dk|rb|ghp|gho|ghs|glpat|hf)[-_][\w-]{16,}|bearer\s+\S{6,})$/i

/** Whether a text is a token by its form. */
export const isTokenForm = (text: string): boolean => text.length > 12 && text.length < 8192 && tokenForm.test(text)

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text is a moment as servers write it. */
export const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/.test(text)

/** Whether a text looks drawn by lot: long, of one piece, letters and digits mixed, and no id as ids are made. */
export function looksRandom(text: string): boolean {
  return /^[\w+/=.~-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !uuid.test(text) && !isMoment(text)
}
