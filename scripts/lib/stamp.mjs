import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * A hash over the names and bytes of files and of everything in folders; what does not exist counts as absent.
 * @param {string} base names are taken relative to this folder
 * @param {readonly string[]} paths files and folders inside it
 * @param {readonly string[]} [ignored] names of files that do not count
 */
export function contentHash(base, paths, ignored = []) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => filesIn(join(base, path))).sort()) {
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
function filesIn(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}
