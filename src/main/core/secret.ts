import { inspect } from 'node:util'
import { AppError } from '@shared/app-error'

const SHOWN = '[secret]'
const SHORTEST_WITH_TAIL = 12
const LONGEST_PASTE = 8192

/** A key or token that cannot be printed, serialised or cloned; made of printable ASCII, as a header needs it, unless it is a text. */
export class Secret {
  readonly #value: string

  /** Refuses with `input.invalid` what no header can carry, and never repeats it. A text, such as a private key in lines, is for copying alone. */
  constructor(value: string, form: 'header' | 'text' = 'header') {
    this.#value = value
    if (form === 'text') return
    if (value === '') throw refusal('The key is empty. Paste the whole key.')
    if (/[\s\p{Cc}]/u.test(value)) throw refusal('The key has a space or a line break. Paste only the key.')
    if (/[^\x21-\x7e]/.test(value))
      throw refusal('The key has an invalid character, such as the dots of a shortened key. Copy it in full.')
  }

  /** Whether a header can carry it; a text may have spaces and line breaks. */
  get fitsHeader(): boolean {
    return /^[\x21-\x7e]+$/.test(this.#value)
  }

  /** The secret itself: for request headers, the keychain and tools' files only. */
  expose(): string {
    return this.#value
  }

  /** The last four characters, or nothing when the secret is too short to show any. */
  get last4(): string {
    return this.#value.length < SHORTEST_WITH_TAIL ? '' : this.#value.slice(-4)
  }

  /** What a person may see, as `sk-...a1b2`: a prefix of at most three characters and `last4`. */
  get masked(): string {
    if (this.last4 === '') return '...'
    const prefix = /^[^-]{1,2}-/.exec(this.#value)?.[0] ?? ''
    return `${prefix}...${this.last4}`
  }

  /** Whether another one is the same to the letter. */
  isSame(other: Secret): boolean {
    return this.#value === other.#value
  }

  /** `text` with every copy of this secret, as it is or as JSON and addresses write it, replaced by `[secret]`. */
  hideIn(text: string): string {
    const value = this.#value
    const forms = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    return [...forms].reduce((hidden, form) => hidden.replaceAll(form, SHOWN), text)
  }

  /** How many characters at the end of `text` may be the beginning of this secret: for a text that comes in pieces. */
  startsAtEndOf(text: string): number {
    const maxPrefixLength = Math.min(this.#value.length - 1, text.length)
    for (let length = maxPrefixLength; length > 0; length -= 1) {
      if (text.endsWith(this.#value.slice(0, length))) return length
    }
    return 0
  }

  toString(): string {
    return SHOWN
  }

  [Symbol.toPrimitive](): string {
    return SHOWN
  }

  [inspect.custom](): string {
    return SHOWN
  }

  toJSON(): never {
    throw new AppError('internal.unexpected', 'A secret was about to be written as JSON. This is a bug: report it.')
  }
}

const refusal = (message: string): AppError => new AppError('input.invalid', message, { field: 'key' })

const QUOTES = '"\'`“”‘’'

/** What surrounds a key where people copy it from; each row is taken off once it is outermost. */
const wrappings: readonly RegExp[] = [
  /^(?:export[ \t]+|set[ \t]+|\$env:)?[A-Za-z_]\w*[ \t]*=[ \t]*(?=[^\s=])/,
  /^(?:proxy-)?authorization[ \t]*:[ \t]*/i,
  /^x-api-key[ \t]*:[ \t]*/i,
  /^bearer[ \t]+/i,
  new RegExp(`^[${QUOTES}]+`),
  new RegExp(`[${QUOTES}][,;]?$|[,;]$`),
]

/** The key in what was pasted: quotes, `Bearer`, a header's or a variable's name come off; else `clipboard.noKey`. */
export function cleanPastedKey(text: string): Secret {
  if (text.length > LONGEST_PASTE) throw noKey('There is a long text')
  let key = text.replace(/\p{Cf}/gu, '').trim()
  for (let before = ''; before !== key; ) {
    before = key
    for (const wrapping of wrappings) key = key.replace(wrapping, '').trim()
  }
  if (key === '' || /^bearer$/i.test(key) || /^[A-Z]\w*_\w*=$/.test(key)) throw noKey('There is no key')
  if (/[\r\n]/.test(key)) throw noKey('There are several lines')
  if (/\s/.test(key)) throw noKey('There are several words')
  return new Secret(key)
}

const noKey = (found: string): AppError =>
  new AppError('clipboard.noKey', `${found} where a key should be. Copy only the key and paste it again.`, {
    field: 'key',
  })

const PROSE = '(?:tokens?|auth\\w*|scheme|headers?|keys?|credentials?|is|was|not|and|or|in|required)(?=[\\s.,;:"\')]|$)'

/** Tokens that are recognised by their form, with what is left in their place. */
const tokenForms: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b(bearer)\\s+(?!${PROSE})[^\\s"',;<>\\\\]+`, 'gi'), `$1 ${SHOWN}`],
  [/\b(x-api-key["']?\s*[:=]\s*["']?)[^\s"',;<>\\]+/gi, `$1${SHOWN}`],
  [/\bsk[-_][\w-]{13,}/gi, SHOWN],
  // A tool's token for the relay of this machine.
  [/\brelay-[\w-]{40,}/g, SHOWN],
  [/(?<![\w-])eyJ[\w-]{10,}\.[\w.-]+/g, SHOWN],
]

/** `text` without the given secrets and without anything that looks like a bearer token or a key (16 characters up). */
export function redact(text: string, secrets: readonly Secret[] = []): string {
  const hidden = secrets.reduce((left, secret) => secret.hideIn(left), text)
  return tokenForms.reduce((left, [form, shown]) => left.replace(form, shown), hidden)
}
