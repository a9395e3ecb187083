import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { Disk } from './disk'
import { unwritable } from './file-errors'

/** A file that is written piece by piece. */
export interface StreamedFile {
  readonly path: string
  readonly pieces: AsyncIterable<string> | Iterable<string>
  /** Permission bits, before the mask of the process. */
  readonly mode: number
}

/** Written beside its place and then renamed: after a failure there is the old file or none, never half of one. Fails with `file.unwritable`. */
export async function writeStreamed({ path, pieces, mode }: StreamedFile, disk: Disk): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.companion-tmp`)
  try {
    const file = await disk.create(temporary, mode)
    try {
      for await (const piece of pieces) await file.writeFile(Buffer.from(piece))
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.unlink(temporary).catch(() => undefined)
    throw error instanceof AppError ? error : unwritable(path, error)
  }
}

/** A name that every file system takes, at most 80 characters. */
export const fileNameOf = (name: string, otherwise: string): string =>
  cleanName(name)
    .replace(/[<>:"/\\|?*]+/gu, '-')
    .replace(/^[.\s-]+|[.\s-]+$/g, '')
    .slice(0, 80) || otherwise
