import { cleanName, withoutHiddenInText } from '@shared/hidden-characters'
import type { HttpAnswer } from '../core/net/send'
import { redact, type Secret } from '../core/secret'

const MAX_MESSAGE_LENGTH = 200
/** Characters of a message that are searched for secrets and invisible text. 64 MB of controls took 40 s and 1 GB. */
const MAX_SEARCHED_LENGTH = 50_000

export type ServerMessage = ReturnType<typeof readServerMessage>

/** Members that contain an error message in the known formats, most specific first. */
const messageNames = ['error', 'message', 'msg', 'detail', 'errors', 'base_resp', 'status_msg']

/**
 * Extracts the message of an error body (decisions 6): the first known member, else the start of the text. Both results
 * may be empty. `text`: one line without secrets. `marks`: error code and type, such as `quota_exhausted`.
 */
export function readServerMessage(body: string, secrets: readonly Secret[] = []) {
  const value = parseExternalJson(body)
  // Some servers put the error into a list.
  const errorObject = isObject(value) ? value : [value].flat().find(isObject)
  const codes = [errorObject?.error, errorObject].filter(isObject).flatMap(({ code, type }) => [code, type])
  const marks = codes.filter((code) => typeof code === 'string' || typeof code === 'number')
  const pageTitle = /<title[^>]*>([^<]{1,1000})/i.exec(body.slice(0, 8192))?.[1] ?? ''
  const message = findMessage(value) ?? (isHtml(body) ? pageTitle : body)
  const visibleText = redact(withoutHiddenInText(message.slice(0, MAX_SEARCHED_LENGTH)), secrets)
  const line = visibleText.replace(/\s+/g, ' ').trim()
  const text = line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…`
  return { text, marks: marks.join(' ') }
}

function findMessage(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined
  const values = isObject(value) ? messageNames.map((name) => value[name]) : Array.isArray(value) ? value : []
  return values.map(findMessage).find((message) => message !== undefined)
}

/** Nesting limit, because the functions that walk a value are recursive. */
const maxJsonDepth = 500
/** Maximum number of values in a JSON text. Each takes 30 bytes of memory or more. 64 MB of embeddings have fewer. */
const maxJsonValues = 10_000_000

/** Matches texts that may contain a number beyond the largest double. */
const overflowPattern = /[eE]\+?\d{3}|\d{200}/

/** Parses external JSON. Undefined if it is invalid, too deep or too large. Infinite numbers (`1e999`) become null. */
export function parseExternalJson(text: string): unknown {
  try {
    if (!isBoundedJson(text)) return undefined
    if (!overflowPattern.test(text)) return JSON.parse(text)
    return JSON.parse(text, (_name, value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value))
  } catch {
    return undefined
  }
}

/** Checks the text before parsing, because the value may not fit into memory. */
function isBoundedJson(text: string): boolean {
  if (text.length <= maxJsonDepth) return true
  let [depth, values] = [0, 1]
  for (let position = 0; position < text.length; position++) {
    const mark = text[position]
    if (mark === '"') position = findStringEnd(text, position)
    else if (mark === ',') values += 1
    else if (mark === ']' || mark === '}') depth -= 1
    else if (mark === '[' || mark === '{') {
      depth += 1
      values += 1
    }
    if (depth > maxJsonDepth || values > maxJsonValues) return false
  }
  return true
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isCompleteJson = (text: string): boolean => parseExternalJson(text) !== undefined

/** Finds the end of a string that starts at a quote, or the end of the text if it is unclosed. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashCount = 0
    while (text[end - 1 - backslashCount] === '\\') backslashCount += 1
    if (backslashCount % 2 === 0) return end
  }
  return text.length
}

export const isHtml = (body: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*|<!--[^>]*-->\s*)*<(?:!doctype html|html|head|body|title|meta|center|h1)\b/i.test(body)

/** Parses a `Retry-After` header (seconds or HTTP date) to milliseconds from `now`. */
export function readRetryAfter(header: string | null | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.round(date - nowMs))
}

/** Request id of a response, without secrets. Spread it into a result, because it may be absent. */
export function readRequestId(headers: HttpAnswer['headers'], secrets: readonly Secret[]): { requestId?: string } {
  const id = headers.get('x-request-id') ?? headers.get('request-id') ?? ''
  return id === '' ? {} : { requestId: cleanName(redact(id, secrets)) }
}

/** Reads at most `maxBytes` of a body as UTF-8. Never rejects. `error`: why reading ended early. */
export async function readBody(
  body: Response['body'],
  maxBytes: number,
): Promise<{ readonly text: string; readonly isTooLong: boolean; readonly error?: unknown }> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  const text = () => new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes))
  if (reader === undefined) return { text: '', isTooLong: false }
  try {
    for (let length = 0; length <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return { text: text(), isTooLong: false }
      chunks.push(value)
      length += value.byteLength
    }
    await reader.cancel()
    return { text: text(), isTooLong: true }
  } catch (error) {
    return { text: text(), isTooLong: false, error }
  }
}
