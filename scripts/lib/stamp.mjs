import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Hash of names and contents of files and folders. A missing path is part of the hash.
 * @param {string} base names are relative to this folder
 * @param {readonly string[]} paths files and folders in it
 * @param {readonly string[]} [ignored] file names to skip
 */
export function contentHash(base, paths, ignored = []) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => listFiles(join(base, path))).sort()) {
    const name = relative(base, file)
    if (ignored.includes(name)) continue
    const bytes = readFileSync(file)
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => listFiles(join(path, name)))
}
