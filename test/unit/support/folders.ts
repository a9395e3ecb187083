import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const cacheFolder = resolve(import.meta.dirname, '../../../node_modules/.cache')

/** Creates a folder from which Node finds the project's packages. The caller removes it. */
export async function createFolderInModules(name: string): Promise<string> {
  await mkdir(cacheFolder, { recursive: true })
  return mkdtemp(join(cacheFolder, `${name}-`))
}

/** A folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder that is removed after all tests of the file. */
export function makeFileFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
