import { createReadStream } from 'node:fs'
import { AppError } from '@shared/failure'
import { unreadable } from '../tools/file-errors'

const LONGEST_BYTES = 256_000

/** The text of a profile's file, at most 256 kB of UTF-8. Fails with `file.unreadable` or `profile.unreadable`. */
export async function readProfileText(path: string): Promise<string> {
  const bytes = await readStart(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if (bytes.length > LONGEST_BYTES) {
    throw new AppError('profile.unreadable', `${path} is far too long for a profile. Choose another file.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('profile.unreadable', `${path} is no text in UTF-8, so it is no profile. Choose another file.`)
  }
}

/** One byte more than may be, so that a file that is too long is known as one. */
async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: LONGEST_BYTES })) chunks.push(chunk)
  return Buffer.concat(chunks)
}
