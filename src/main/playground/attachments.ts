import { randomUUID } from 'node:crypto'
import type { PlaygroundAttachment } from '@shared/contract'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'

/** What may be attached, in bytes: an image or a text file. */
const most = { image: 5_000_000, text: 1_000_000 } as const

/** How the images begin that models take. */
const signatures: readonly (readonly [mediaType: string, begins: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
]

/** A file as it comes: what is said of it, and what is in it. */
export interface GivenFile {
  readonly name: string
  /** As whoever gives it says; counts for a text's kind only. */
  readonly mediaType: string
  readonly content: Buffer
}

/** What a file is, by its content; its tokens are not counted yet. Fails with `input.invalid` for what no model takes and what is too big. */
export function readAttachment({ name, mediaType, content }: GivenFile): PlaygroundAttachment {
  const image = signatures.find(([, begins]) => begins(content))?.[0]
  const kind = image === undefined ? 'text' : 'image'
  if (content.length === 0) throw refusal(`${name} is empty.`)
  if (image === undefined && !isText(content))
    throw refusal(`${name} is neither a text in UTF-8 nor an image (PNG, JPEG, GIF, WebP).`)
  if (content.length > most[kind])
    throw refusal(`${name} is too big: up to ${most[kind] / 1_000_000} MB can be attached of ${kindWords[kind]}.`)
  const type = image ?? (/^text\/[\w.+-]+$/.test(mediaType) ? mediaType : 'text/plain')
  return { id: randomUUID(), kind, name: nameOf(name), mediaType: type, bytes: content.length }
}

/** The bytes behind base64; fails with `input.invalid` for what is none. */
export function bytesOf(base64: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw refusal('The content of the file did not arrive whole. Add it again.')
  return Buffer.from(base64, 'base64')
}

const kindWords = { image: 'an image', text: 'a text file' } as const

const nameOf = (name: string): string => cleanName(name, 255) || 'file'

function isText(content: Buffer): boolean {
  if (content.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content)
    return true
  } catch {
    return false
  }
}

const refusal = (message: string): AppError => new AppError('input.invalid', message, { field: 'base64' })
