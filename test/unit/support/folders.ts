import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
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
export const makeFolder = (): string => makeFolderUntil(onTestFinished)

/** A folder for all tests of a file or of a `describe`, removed after them. */
export const makeSharedFolder = (): string => makeFolderUntil(afterAll)

/** A folder like `makeSharedFolder`, from which Node finds the project's packages. */
export function makeProgramFolder(): string {
  mkdirSync(cacheFolder, { recursive: true })
  return makeFolderUntil(afterAll, cacheFolder)
}

function makeFolderUntil(runAtEnd: (remove: () => void) => void, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'companion-'))
  runAtEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder that is removed after all tests of the file. */
export function makeFileFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
