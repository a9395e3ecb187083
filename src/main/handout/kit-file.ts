import { createReadStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@shared/failure'
import { codeOf, type Disk, ifThere } from '../tools/disk'
import { unreadable, unwritable } from '../tools/file-errors'

const mostBytes = 256_000
const mostNames = 1000

/** The bytes of a kit's file, at most 256 kB. Fails with `file.unreadable` or `handout.unreadable`. */
export async function readKitFile(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  try {
    // One byte more than may be, so that a file that is too long is known as one.
    for await (const chunk of createReadStream(path, { end: mostBytes })) chunks.push(chunk)
  } catch (error) {
    throw unreadable(path, error)
  }
  const bytes = Buffer.concat(chunks)
  if (bytes.length <= mostBytes) return bytes
  throw new AppError('handout.unreadable', `${path} is far too long for a kit. Choose another file.`)
}

/** Refuses a path at which there is something. Fails with `file.unwritable`. */
export async function requireFree(path: string, disk: Disk): Promise<void> {
  if ((await ifThere(disk.lstat(path))) !== undefined) throw occupied(path)
}

/** Writes a new file for its owner alone, never over another one. Fails with `file.unwritable`; then nothing is left of it. */
export async function writeNewFile(path: string, text: string, disk: Disk): Promise<void> {
  const file = await disk.create(path, 0o600).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? occupied(path) : unwritable(path, error)
  })
  try {
    await file.writeFile(Buffer.from(text)).then(() => file.sync())
  } catch (error) {
    await file.close()
    await disk.unlink(path).catch(() => undefined)
    throw unwritable(path, error)
  }
  await file.close()
  await disk.syncFolder(dirname(path)).catch(() => undefined)
}

/** A path in a folder for a holder's kit at which there is nothing. */
export async function freePath(folder: string, holderName: string, disk: Disk): Promise<string> {
  const stem = kitFileName(holderName).replace(/\.age$/, '')
  for (let n = 1; n <= mostNames; n += 1) {
    const path = join(folder, `${stem}${n === 1 ? '' : `-${n}`}.age`)
    if ((await ifThere(disk.lstat(path))) === undefined) return path
  }
  throw occupied(join(folder, `${stem}.age`))
}

/** A name for a holder's kit that every file system takes. */
export function kitFileName(holderName: string): string {
  const stem = holderName
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  return `${[...stem].slice(0, 50).join('') || 'key'}.kit.age`
}

const occupied = (path: string): AppError =>
  new AppError(
    'file.unwritable',
    `There is a file ${basename(path)} already, and a kit is never written over another file. Choose another name.`,
  )
