import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '@shared/failure'
import type { Send } from '../core/net/send'

/** Size in bytes and base64 SHA-512 from the signed description. */
export interface DescribedFile {
  readonly size: number
  readonly sha512: string
}

export interface DownloadOptions {
  readonly signal: AbortSignal
  readonly onProgress: (doneBytes: number) => void
}

/**
 * Downloads a file and stops at the first byte beyond its described size, so that a server cannot fill the disk.
 * Deletes it unless complete with the described checksum. @throws AppError `updates.damaged`, `net.cut`, or
 * `file.unwritable` without enough free space
 */
export async function downloadFile({
  url,
  path,
  size,
  sha512,
  send,
  signal,
  onProgress,
}: DescribedFile & DownloadOptions & { readonly url: string; readonly path: string; readonly send: Send }) {
  const { bavail, bsize } = await statfs(dirname(path))
  if (bavail * bsize < size)
    throw new AppError('file.unwritable', `Not enough free space in ${dirname(path)} for the new version.`)
  const controller = new AbortController()
  try {
    const response = await send({
      method: 'GET',
      url,
      headers: {},
      signal: AbortSignal.any([signal, controller.signal]),
    })
    if (response.status !== 200 || response.body === null)
      throw createCutOffError(`The server answered with ${response.status}.`)
    const file = await open(path, 'w', 0o600)
    const hash = createHash('sha512')
    let downloadedBytes = 0
    try {
      for await (const chunk of response.body) {
        downloadedBytes += chunk.length
        if (downloadedBytes > size) throw createDamagedError('is larger than described')
        hash.update(chunk)
        await file.write(chunk)
        onProgress(downloadedBytes)
      }
    } finally {
      await file.close()
    }
    if (downloadedBytes < size) throw createDamagedError('is smaller than described')
    if (hash.digest('base64') !== sha512) throw createDamagedError('does not match its checksum')
  } catch (error) {
    controller.abort()
    await rm(path, { force: true })
    throw error instanceof AppError ? error : createCutOffError('The connection ended.', error)
  }
}

/** Checks the downloaded file again. Deletes a modified file, which electron-updater would use later. */
export async function requireUnchanged(path: string, { size, sha512 }: DescribedFile): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  const hash = createHash('sha512')
  if (stats?.isFile() && stats.size === size) await pipeline(createReadStream(path), hash)
  if (hash.digest('base64') === sha512) return
  await rm(path, { force: true, recursive: true })
  throw createDamagedError('was modified after the download')
}

const createDamagedError = (problem: string): AppError =>
  new AppError('updates.damaged', `The downloaded file ${problem}. It was not installed.`)

const createCutOffError = (detail: string, cause?: unknown): AppError =>
  new AppError('net.cut', `The download of the new version was interrupted. ${detail}`, { cause })
