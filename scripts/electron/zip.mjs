import { on } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const fileTypeMask = 0o170000
const symbolicLink = 0o120000

/**
 * Extracts a zip archive into a folder. Rejects symbolic links and paths outside of the folder.
 * @param {string} path
 * @param {string} target
 * @param {{ toPath?: (name: string) => string | undefined, report?: (done: number, total: number) => void }} [options]
 *   `toPath` returns the path in the folder, or undefined to skip a file
 */
export async function extractZip(path, target, { toPath = (name) => name, report = () => undefined } = {}) {
  // Dynamic import, because a fresh checkout has no packages when this module loads.
  const { default: yauzl } = await import('yauzl')
  /** @type {import('yauzl').ZipFile} */
  const archive = await promisify((/** @type {any} */ done) => yauzl.open(path, { lazyEntries: true }, done))()
  const openEntry = promisify(archive.openReadStream.bind(archive))
  const entries = on(archive, 'entry', { close: ['end'] })
  try {
    archive.readEntry()
    for await (const [entry] of /** @type {AsyncIterable<[import('yauzl').Entry]>} */ (entries)) {
      const name = entry.fileName.endsWith('/') ? undefined : toPath(entry.fileName)
      if (name !== undefined) {
        const mode = entry.externalFileAttributes >>> 16
        if ((mode & fileTypeMask) === symbolicLink) throw new Error(`${entry.fileName} is a symbolic link.`)
        const file = join(target, name)
        await mkdir(dirname(file), { recursive: true })
        await pipeline(await openEntry(entry), createWriteStream(file, { mode: mode & 0o777 || 0o644 }))
      }
      report(entry.relativeOffsetOfLocalHeader + entry.compressedSize, archive.fileSize)
      archive.readEntry()
    }
  } finally {
    archive.close()
  }
}
