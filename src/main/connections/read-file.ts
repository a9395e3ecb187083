import { open } from 'node:fs/promises'
import { AppError } from '@shared/failure'
import { trustOf } from '../net/trust'
import { unreadable } from '../tools/file-errors'

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
