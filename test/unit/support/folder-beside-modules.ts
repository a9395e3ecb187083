import { mkdir, mkdtemp } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache')

/** A new folder from which what is built there finds the project's packages. Remove it. */
export async function folderBesideModules(name: string): Promise<string> {
  await mkdir(cache, { recursive: true })
  return mkdtemp(join(cache, `${name}-`))
}
