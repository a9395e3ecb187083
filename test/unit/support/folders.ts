import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache')

/** A new folder from which what is built there finds the project's packages. Remove it. */
export async function folderBesideModules(name: string): Promise<string> {
  await mkdir(cache, { recursive: true })
  return mkdtemp(join(cache, `${name}-`))
}

/** A folder for the time of a test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
