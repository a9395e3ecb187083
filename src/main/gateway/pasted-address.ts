import type { AddressCorrection } from '@shared/contract/common'
import type { Failure, FailureCode } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'

/** A pasted address taken apart; `path` is empty or starts with a slash, `scheme` is absent when none was given. */
export type PastedAddress = {
  readonly scheme?: 'http' | 'https'
  readonly authority: string
  readonly path: string
  readonly corrections: readonly AddressCorrection[]
}

/** A refusal of what was typed into the field for the gateway's address. */
export const addressFailure = (code: FailureCode, message: string): Failure => ({ code, message, field: 'gatewayUrl' })

const LONGEST = 2048
const OPENING = '"\'`“”‘’«»<('
const CLOSING = '"\'`“”‘’«»>)'

/** Takes a pasted text apart without judging host or path; a failure never repeats the text, which may hold a key. */
export function readPastedAddress(input: string): Result<PastedAddress, Failure> {
  const corrections: AddressCorrection[] = []
  if (input.length > LONGEST) return err(notOneAddress)
  const text = unwrap(input, corrections)
  if (text === '') return err(addressFailure('address.empty', "There is no address. Paste the plan's gateway address."))
  if (/\s/.test(text)) return err(notOneAddress)

  const { scheme, rest } = readScheme(text, corrections)
  const refused = scheme === undefined ? otherScheme(rest) : undefined
  if (refused !== undefined) return err(refused)
  const place = dropTail(rest, corrections)
  if (place.includes('@')) return err(credentials)
  const slash = place.indexOf('/')
  const authority = slash === -1 ? place : place.slice(0, slash)
  const path = slash === -1 ? '' : place.slice(slash)
  return ok({ ...(scheme === undefined ? {} : { scheme }), authority, path, corrections })
}

/** What comes off once: characters that cannot be seen, and a line break where a long address was wrapped. */
const invisible: readonly RegExp[] = [
  /(?!\s)[\p{Cc}\p{Cf}]|\uFEFF/gu,
  /[ \t]*[\r\n]\s*(?=[/:.?#])|(?<=[/:.])[\r\n]\s*/g,
]

/** What comes off as long as it is outermost: spaces, a variable's or a setting's name, quotes and brackets. */
const wrappings: readonly (readonly [RegExp, AddressCorrection])[] = [
  [/^\s+|\s+$/g, 'trimmed'],
  [/^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=/, 'unquoted'],
  [/^["']?\w*url["']?\s*:\s/i, 'unquoted'],
  [new RegExp(`^(?:\\\\?[${OPENING}])+`), 'unquoted'],
  [new RegExp(`(?:\\\\?[${CLOSING}]|[,;.])+$`), 'unquoted'],
]

/** The text without what surrounds an address where people copy it from. */
function unwrap(input: string, corrections: AddressCorrection[]): string {
  let text = input
  const take = (pattern: RegExp, correction: AddressCorrection, instead = ''): void => {
    const left = text.replace(pattern, instead)
    if (left !== text) corrections.push(correction)
    text = left
  }
  for (const pattern of invisible) take(pattern, 'trimmed')
  for (let before: string | undefined; before !== text; ) {
    before = text
    for (const [pattern, correction] of wrappings) take(pattern, correction)
  }
  take(/\\/g, 'schemeRepaired', '/')
  return text
}

/** `http` or `https` off the front, also when mistyped (`https//`, `htps://`, `http:///`) or written twice. */
function readScheme(
  text: string,
  corrections: AddressCorrection[],
): { readonly scheme?: 'http' | 'https'; readonly rest: string } {
  const [written = ''] = /^(?:https?(?:[:;]+\/*|\/{2,})|h?t+p+s?:\/\/+)+/i.exec(text) ?? []
  if (written === '') {
    if (otherScheme(text) === undefined) corrections.push('schemeAdded')
    return { rest: text.replace(/^:?\/{2,}/, '') }
  }
  const last = /[a-z]+[^a-z]*$/i.exec(written)?.[0] ?? ''
  const scheme = /^\w*s\b/i.test(last) ? 'https' : 'http'
  if (written.toLowerCase() !== `${scheme}://`) corrections.push('schemeRepaired')
  else if (written !== `${scheme}://`) corrections.push('lowercased')
  return { scheme, rest: text.slice(written.length) }
}

function otherScheme(text: string): Failure | undefined {
  const [, scheme] =
    /^([a-z][a-z0-9+-]{0,20}):\/\//i.exec(text) ?? /^(mailto|javascript|data|file|ftp|vbscript|blob):/i.exec(text) ?? []
  if (scheme === undefined) return undefined
  return addressFailure(
    'address.scheme',
    `A gateway is not reached through ${scheme.toLowerCase()}:. Its address starts with https:// (http:// on this machine).`,
  )
}

function dropTail(text: string, corrections: AddressCorrection[]): string {
  const [place = '', fragment] = splitAt(text, '#')
  const [head = '', query] = splitAt(place, '?')
  if (query !== undefined) corrections.push('queryRemoved')
  if (fragment !== undefined) corrections.push('fragmentRemoved')
  return head
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

const notOneAddress = addressFailure(
  'address.notAnAddress',
  'This is not one address: it is too long or has spaces in it. Paste the gateway address alone, as https://host.',
)

const credentials = addressFailure(
  'address.credentials',
  'The address holds a user name, a password or an @. Leave them out: the key is given in its own field.',
)
