import { inspect } from 'node:util'
import { AppError } from '@shared/app-error'

export const MASKED = '[secret]'

const MIN_LENGTH_WITH_TAIL = 12
const MAX_PASTE_LENGTH = 8192

/**
 * A key or token that cannot be printed, serialized or cloned. Contains only printable ASCII, so it can be sent in a
 * header, unless created as `text`.
 */
export class Secret {
  readonly #value: string

  /**
   * Throws `input.invalid` for text that is invalid in a header, without repeating it. A secret created as `text`, such
   * as a multiline private key, cannot be sent in a header but only copied.
   */
  constructor(value: string, form: 'header' | 'text' = 'header') {
    this.#value = value
    if (form === 'text') return
    if (value === '') throw createInputError('The key is empty. Paste the whole key.')
    if (/[\s\p{Cc}]/u.test(value)) throw createInputError('The key has a space or a line break. Paste only the key.')
    if (/[^\x21-\x7e]/.test(value))
      throw createInputError('The key has an invalid character, such as the dots of a shortened key. Copy it in full.')
  }

  /** Whether the secret can be sent in a header. False for a text with spaces or line breaks. */
  get fitsHeader(): boolean {
    return /^[\x21-\x7e]+$/.test(this.#value)
  }

  /** Returns the plain secret. Only for request headers, the keychain and tools' files. */
  expose(): string {
    return this.#value
  }

  /** The last four characters of the secret. Empty if the secret is too short. */
  get last4(): string {
    return this.#value.length < MIN_LENGTH_WITH_TAIL ? '' : this.#value.slice(-4)
  }

  /** Displayable form such as `sk-...a1b2`: a prefix of at most three characters and `last4`. */
  get masked(): string {
    if (this.last4 === '') return '...'
    const prefix = /^[^-]{1,2}-/.exec(this.#value)?.[0] ?? ''
    return `${prefix}...${this.last4}`
  }

  isSame(other: Secret): boolean {
    return this.#value === other.#value
  }

  /** Replaces this secret in `text`, also in JSON or URL encoding, by `[secret]`. */
  hideIn(text: string): string {
    const value = this.#value
    const secretForms = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    return [...secretForms].reduce((hidden, form) => hidden.replaceAll(form, MASKED), text)
  }

  /** Number of characters at the end of `text` that may start this secret, for streamed text. */
  countPrefixAtEnd(text: string): number {
    const maxPrefixLength = Math.min(this.#value.length - 1, text.length)
    for (let length = maxPrefixLength; length > 0; length -= 1) {
      if (text.endsWith(this.#value.slice(0, length))) return length
    }
    return 0
  }

  toString(): string {
    return MASKED
  }

  [Symbol.toPrimitive](): string {
    return MASKED
  }

  [inspect.custom](): string {
    return MASKED
  }

  toJSON(): never {
    throw new AppError('internal.unexpected', 'A secret was about to be written as JSON. This is a bug: report it.')
  }
}

const createInputError = (message: string): AppError => new AppError('input.invalid', message, { field: 'key' })

const QUOTES = '"\'`“”‘’'

/** Text that people copy along with a key, removed when outermost. */
const wrapperPatterns: readonly RegExp[] = [
  /^(?:export[ \t]+|set[ \t]+|\$env:)?[A-Za-z_]\w*[ \t]*=[ \t]*(?=[^\s=])/,
  /^(?:proxy-)?authorization[ \t]*:[ \t]*/i,
  /^x-api-key[ \t]*:[ \t]*/i,
  /^bearer[ \t]+/i,
  new RegExp(`^[${QUOTES}]+`),
  new RegExp(`[${QUOTES}][,;]?$|[,;]$`),
]

/** Extracts the key from pasted text with quotes, `Bearer` or names. Fails with `clipboard.noKey`. */
export function cleanPastedKey(text: string): Secret {
  if (text.length > MAX_PASTE_LENGTH) throw createNoKeyError('There is a long text')
  let key = text.replace(/\p{Cf}/gu, '').trim()
  for (let previousText = ''; previousText !== key; ) {
    previousText = key
    for (const wrapperPattern of wrapperPatterns) key = key.replace(wrapperPattern, '').trim()
  }
  if (key === '' || /^bearer$/i.test(key) || /^[A-Z]\w*_\w*=$/.test(key)) throw createNoKeyError('There is no key')
  if (/[\r\n]/.test(key)) throw createNoKeyError('There are several lines')
  if (/\s/.test(key)) throw createNoKeyError('There are several words')
  return new Secret(key)
}

const createNoKeyError = (description: string): AppError =>
  new AppError('clipboard.noKey', `${description} where a key should be. Copy only the key and paste it again.`, {
    field: 'key',
  })

const PROSE_WORDS =
  '(?:tokens?|auth\\w*|scheme|headers?|keys?|credentials?|is|was|not|and|or|in|required)(?=[\\s.,;:"\')]|$)'

/** Credentials that follow their name, as in "Bearer abc123". Excludes ordinary text such as "bearer token". */
const namedTokenPatterns: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b(bearer)\\s+(?!${PROSE_WORDS})[^\\s"',;<>\\\\]+`, 'gi'), `$1 ${MASKED}`],
  [/\b(x-api-key["']?\s*[:=]\s*["']?)[^\s"',;<>\\]+/gi, `$1${MASKED}`],
]

/** Removes the given secrets, and everything that looks like a bearer token or a key (at least 16 characters). */
export function redact(text: string, secrets: readonly Secret[] = []): string {
  const hidden = secrets.reduce((maskedText, secret) => secret.hideIn(maskedText), text)
  return maskKeys(
    namedTokenPatterns.reduce((maskedText, [form, replacement]) => maskedText.replace(form, replacement), hidden),
  )
}

// Detects secrets in any text. All logs, messages, previews and copies use these patterns.

/** Patterns that match only keys and passwords. The text of the first capture group stays visible. */
const keyPatterns: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /()\bsk[-_][\w-]{13,}/gi,
  /()\b[pr]k_(?:live|test)_\w{8,}/g,
  // Token of a coding tool for the local relay.
  /()\brelay-[\w-]{40,}/g,
  // JSON Web Tokens.
  /()(?<![\w-])eyJ[\w-]{8,}\.[\w.-]+/g,
  // Tokens of GitHub, GitLab, Slack, AWS, Google, Docker, PyPI, DigitalOcean, Shopify, PlanetScale, Vault, Doppler,
  // Linear and others.
  /()\b(?:gh[opusr]_|github_pat_|gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|oas)-|xox[a-z]-|xapp-|A[KS]IA|AIza|ya29\.|GOCSPX-|dckr_[po]at_|pypi-AgE|do[por]_v1_|shp(?:at|ca|pa|ss)_|pscale_(?:tkn|pw|oauth)_|hv[sb]\.|dp\.[a-z]{2}\.|lin_(?:api|oauth)_|ntn_|figd_|whsec_|sntry[su]_|gl(?:sa|c)_|PMAK-|NRAK-|ATATT3|CFPAT-|HRKU-|ctx7sk-|sq0[a-z]{3}-|sb_secret_|pcsk_|fm[12]_|AGE-SECRET-KEY-1)[\w-]{8,}/g,
  /()\b(?:npm|hf|fw|r8|gsk|sbp|nfp|bkua|rubygems)_[A-Za-z0-9]{14,}/g,
  /()\bsecret_[A-Za-z0-9]{40,}/g,
  /()\b(?:(?:xai|pplx|nvapi)-|tvly-(?:dev-|prod-)?)[A-Za-z0-9]{20,}/g,
  // Tokens of SendGrid, Telegram, Discord, Airtable, Terraform, Databricks, Twilio, Firecrawl and Azure's client
  // secrets.
  /()\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /()\b\d{8,10}:AA[\w-]{33}/g,
  /()\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/g,
  /()\bpat\w{14}\.[0-9a-f]{64}\b/g,
  /()\b\w{14}\.atlasv1\.[\w-]{30,}/g,
  /()\b(?:dapi|SK|fc-)[0-9a-f]{32}\b/g,
  /()(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}/g,
  /((?:account|sharedaccess|access|secret)key=)[\w+/%-]{16,}={0,2}/gi,
  // Addresses that contain a secret, such as webhooks.
  /(\bhooks\.slack\.com\/\w{1,20}\/)[\w/]+/g,
  /(\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/)[\w-]+/g,
  // Password in a URL. It may contain any character, even a slash or an at sign.
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#:]{0,200}:(?!\d+[/?#])[^\s"'@]{1,200}(?=@)(?:@[^\s"'/?#@]{0,200}(?=@))*/gi,
]

/** Patterns that are applied only to settings, because ordinary text can match them too. */
const settingPatterns: readonly RegExp[] = [
  // A JSON object in base64.
  /()(?<![\w-])eyJ[\w+/-]{16,}={0,2}/g,
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /()\b[spr]k[-_][\w-]{6,}/g,
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#]+(?=@)/gi,
  /([?&][\w-]{0,64}(?:key|pat|pwd|auth|jwt|sig|signature|credential|code)=)(?!\{|\$|\[secret\])[^\s"'&#]+/gi,
  /((?:--?|[?&"']|\b)[\w-]{0,64}(?:(?:api|access|secret|private|account|auth|_)[-_]?key|token|secret|passw(?:or)?d|passphrase|pwd|_pass|_pat|authorization|cookie)["']?\s*[=:]\s*["']?)(?!\{|\$|\[secret\]|(?:bearer|basic)\s)[^\s"',;&}\]]+/gi,
]

/** Quick check: a settings value that does not match cannot contain a secret. */
const possibleSecretPattern = /[-_=:@~.\s]|\w{12}/

/** Masks keys and passwords in any text. Keeps the number of lines. */
const maskKeys = (text: string): string => maskMatches(text, keyPatterns)

/** Masks secret-like parts of a text of settings. Keeps the number of lines. */
export const maskSecretForms = (text: string): string =>
  possibleSecretPattern.test(text) ? maskMatches(maskKeys(text), settingPatterns) : text

function maskMatches(text: string, forms: readonly RegExp[]): string {
  const mask = (match: string, keptPrefix: string): string =>
    keptPrefix + MASKED + '\n'.repeat(match.split('\n').length - 1)
  return forms.reduce((maskedText, form) => maskedText.replace(form, mask), text)
}

/** Whether a text is a secret, by a name in it (`token=…`), by the preceding option, or by randomness. */
export function isSecretArgument(text: string, option = ''): boolean {
  if (!/[:=]|[A-Za-z\d]{20}/.test(text)) return false
  const [, name = '', value = ''] = /^-{0,2}([\w.-]{1,64})\s*[:=]\s*(.*)$/s.exec(text) ?? []
  return (
    ((isSecretSetting(name) || isSecretHeader(name)) && !isCredentialPrefix(value)) ||
    (/^(?:-u|--(?:proxy-)?user)$/.test(option) && /^[^:]+:./.test(text)) ||
    signInPattern.test(text) ||
    isRandom(text)
  )
}

/** Whether a text is empty or only the scheme of a credential, such as `Bearer `. */
export const isCredentialPrefix = (text: string): boolean => /^(?:[\w-]{1,10} +)?$/.test(text)

/** `user:password@host` without a protocol. Packages (`npm:name@1.0`) and container images (`name:tag@sha256:...`) look similar. */
const signInPattern = /^(?!(?:npm|jsr|mailto):|\w+:\/\/)[\w.+%-]{1,64}:[^\s@]{1,100}@(?!sha256:)[\w.-]+(?:[:/?(]|$)/

/** Whether a text is long and random, or is an address with such a part in its path. */
const isRandom = (text: string): boolean =>
  (text.includes('://') ? text.split(/[/?&=#]/) : [text]).some(
    (segment) =>
      /^(?=.*[A-Za-z])[\w+%-]{24,}={0,2}$/.test(segment) &&
      /[A-Za-z\d]{20}/.test(segment) &&
      (segment.match(/\d/g)?.length ?? 0) >= 5,
  )

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
