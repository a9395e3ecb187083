import { z } from 'zod'
import { redact, type Secret } from '../secret'

const LONGEST_MESSAGE = 200

/** What a server says about a refusal. */
export type ServerMessage = {
  /** Its own words without secrets, on one line of at most 200 characters; empty when it said nothing. */
  readonly text: string
  /** Its own error code and type, as `quota_exhausted`; empty when it gave none. */
  readonly marks: string
}

const Words = z.string().optional().catch(undefined)
const Said = z.looseObject({ message: Words, code: Words, type: Words })
const ErrorBody = Said.extend({
  error: Said.optional().catch(undefined),
  detail: Words,
  errors: z.array(Said).optional().catch(undefined),
})

/** A server's words in the body of an error (decisions 6): the first known field, else the start of the text. */
export function readServerMessage(body: string, secrets: readonly Secret[] = []): ServerMessage {
  const { success, data } = ErrorBody.safeParse(parseJson(body))
  const words = success ? (data.error?.message ?? data.message ?? data.detail ?? data.errors?.[0]?.message) : undefined
  const marks = success ? [data.error?.code, data.error?.type, data.code, data.type] : []
  return {
    text: oneLine(words ?? (isHtml(body) ? pageTitle(body) : body), secrets),
    marks: marks.filter((mark) => mark !== undefined).join(' '),
  }
}

/** The value of a JSON text, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a body is a page for people. */
export function isHtml(body: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(body)
}

/** A `Retry-After` header, in seconds or as an HTTP date, as whole milliseconds from `now`. */
export function readRetryAfter(header: string | null | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const date = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.round(date - now))
}

const pageTitle = (page: string): string => /<title[^>]*>([^<]{1,1000})/i.exec(page.slice(0, 8192))?.[1] ?? ''

function oneLine(text: string, secrets: readonly Secret[]): string {
  const plain = redact(text.replace(/(?!\s)[\p{Cc}\p{Cf}]/gu, ''), secrets)
  const line = plain.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`
}
