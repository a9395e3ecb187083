import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { parseSettings } from './settings'

/** Options that electron-store and conf share, so that both read and write the same file. */
export interface StoreOptions {
  readonly cwd: string
  readonly name: string
}

/**
 * Makes `<dataDir>/settings.json` safe to open: a file that is no JSON is moved aside, one with unreadable parts is copied, so that
 * nothing of it is lost when defaults stand in. Returns the path of what was set aside, if anything was.
 */
export function prepareSettingsFile({ cwd, name }: StoreOptions, now: Date): string | undefined {
  makeFolder(cwd)
  const path = join(cwd, `${name}.json`)
  if (!existsSync(path)) return undefined
  const aside = join(cwd, `${name}.broken-${now.toISOString().replaceAll(/[:.]/g, '-')}.json`)
  try {
    if (parseSettings(JSON.parse(readFileSync(path, 'utf8'))).broken.length === 0) return undefined
    copyFileSync(path, aside)
  } catch {
    renameSync(path, aside)
  }
  return aside
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AppError('file.unwritable', `The data folder ${path} cannot be made or is no folder. Choose another.`, {
      cause,
    })
  }
}
