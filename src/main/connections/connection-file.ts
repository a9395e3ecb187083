import { open } from 'node:fs/promises'
import { addressKeys, type ConnectionDraft, TokenSource } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { z } from 'zod'
import { trustOf } from '../net/trust'
import { redact } from '../secret'
import type { ConnectionRecord } from '../settings/settings'
import { parseDocument } from '../tools/editors/json-document'
import { unreadable } from '../tools/file-errors'
import { normalizeConnection } from './normalize-connection'

const Address = z.string().max(2000).optional()

const fileFields = {
  name: CleanName(50),
  tokenPlanUrl: Address,
  consoleUrl: Address,
  identityApiUrl: Address,
  runtimeApiUrl: Address,
  memoryApiUrl: Address,
  registryApiUrl: Address,
  aipApiUrl: Address,
  inferenceUrl: Address,
  registryHost: Address,
  tokenSource: TokenSource.optional(),
  caFile: z.string().min(1).max(4000).optional(),
}

/** What a connection file holds (decisions 1); never a secret. */
export const ConnectionFile = z.strictObject(fileFields)
export type ConnectionFile = z.infer<typeof ConnectionFile>

/** Names under which people keep secrets. */
const SECRET_NAME = /secret|passw|api[-_]?key|^key$|token$|^authorization$/i

/**
 * Reads a connection file's text and puts its addresses right. Fails with `file.*`, `address.*` or `input.invalid`: a secret is
 * refused by its name and never repeated, and what is not known is told.
 */
export function readDraft(text: string): ConnectionDraft {
  const value = parseFile(text)
  const secret = secretNameIn(value)
  if (secret !== undefined) {
    const message = `The connection file holds a secret (${secret}). Take it out of the file, and enter it where the connection is added.`
    throw new AppError('input.invalid', message, { field: secret })
  }
  const parsed = ConnectionFile.safeParse(value)
  if (!parsed.success) throw refusalOf(parsed.error)
  const { name, tokenSource, caFile, ...addresses } = parsed.data
  return { name, ...normalizeConnection({ addresses, tokenSource }), ...(caFile === undefined ? {} : { caFile }) }
}

/** A connection as a file: one that `readDraft` reads to the same connection. */
export function fileOf({ name, addresses, tokenSource, caFile }: ConnectionRecord): ConnectionFile {
  return {
    name,
    ...Object.fromEntries(addressKeys.flatMap((key) => (addresses[key] ? [[key, addresses[key]]] : []))),
    ...(tokenSource === undefined ? {} : { tokenSource }),
    ...(caFile === undefined ? {} : { caFile }),
  }
}

/** The text of a connection file. */
export const connectionText = (file: ConnectionFile): string => `${JSON.stringify(file, null, 2)}\n`

function parseFile(text: string): unknown {
  const parsed = parseDocument(text, { strict: true })
  if (!parsed.ok) {
    const { code, message, ...place } = parsed.error
    const isStrict = code !== 'file.notStrict'
    const comment = 'A connection file is JSON without comments and trailing commas. Take them out.'
    throw new AppError(code, isStrict ? message : comment, place)
  }
  if (parsed.value.root !== undefined) return JSON.parse(parsed.value.text)
  throw new AppError('file.unparsable', 'The connection file is empty. Export a connection to see what one looks like.')
}

/** Looks no deeper than any file that can be accepted. */
function secretNameIn(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 10) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = SECRET_NAME.test(name) ? shown(name) : secretNameIn(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const shown = (name: string): string => cleanName(redact(name), 60)

function refusalOf({ issues: [issue] }: z.ZodError): AppError {
  const path = cleanName(issue?.path.join('.') ?? '')
  if (issue?.code === 'unrecognized_keys') {
    const names = issue.keys.map(shown)
    const place = path === '' ? 'A connection file' : path
    const message = `${place} has no ${names.join(', ')}. Correct the name, or take it out; an exported connection shows what there is.`
    return new AppError('input.invalid', message, { field: names[0] ?? path })
  }
  const message = `The connection file cannot be used: ${path || 'it'} is not as it must be (${issue?.message ?? 'unknown'}).`
  return new AppError('input.invalid', message, path === '' ? {} : { field: path })
}

const LONGEST_BYTES = 64_000

/** The text of a connection file, at most 64 kB of UTF-8. Fails with `file.unreadable` or `file.unparsable`. */
export async function readConnectionText(path: string): Promise<string> {
  const bytes = await readStart(path, LONGEST_BYTES + 1).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if (bytes.length > LONGEST_BYTES) {
    throw new AppError('file.unparsable', `${path} is far too long for a connection file. Choose another file.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('file.unparsable', `${path} is no text in UTF-8, so it is no connection file. Choose another.`)
  }
}

async function readStart(path: string, length: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const bytes = new Uint8Array(length)
    for (let filled = 0; ; ) {
      const { bytesRead } = await file.read(bytes, filled, length - filled)
      filled += bytesRead
      if (bytesRead === 0 || filled === length) return bytes.subarray(0, filled)
    }
  } finally {
    await file.close()
  }
}

/** Refuses a file without a certificate: `file.unreadable` or `file.unparsable`, with the field `caFile`. */
export function requireCertificates(path: string): void {
  try {
    trustOf([path])
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.failure.code, error.message, { field: 'caFile', cause: error })
  }
}
