import { inspect } from 'node:util'
import { AppError } from '@shared/app-error'
import { MASKED, maskKeys } from './secret-forms'

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
