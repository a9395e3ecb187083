import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '@shared/app-error'

interface DataDirContext {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
}

/** The app's data folder, shared by window and command line. */
export function defaultDataDir({ platform, home, vars }: DataDirContext): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Platform Companion')
  if (platform === 'win32') return join(vars.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Platform Companion')
  const config = vars.XDG_CONFIG_HOME
  return join(config?.startsWith('/') ? config : join(home, '.config'), 'platform-companion')
}

/** The data folder that the option `--data-dir` names, or the default. */
export const resolveDataDir = (option: string | undefined): string =>
  option ? resolve(option) : defaultDataDir({ platform: process.platform, home: homedir(), vars: process.env })

/** Folder for disposable data, such as Chromium's files while a command runs in the installed app. */
export function cacheDir({ platform, home, vars }: DataDirContext): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'Platform Companion')
  if (platform === 'win32')
    return join(vars.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Platform Companion', 'Cache')
  const cacheHome = vars.XDG_CACHE_HOME
  return join(cacheHome?.startsWith('/') ? cacheHome : join(home, '.cache'), 'platform-companion')
}

/** Creates a folder (0700) with its parents. Node's recursive `mkdir` never returns in `/proc`, where it gets ENOENT. */
export function createFolder(path: string): void {
  const isFolder = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder()) return
  if (dirname(path) !== path) createFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!isFolder()) throw error
  }
}

/** Reads a file of at most `maxMb`. Fails with `storage.denied` for others, and for a pipe or device, which may never end. */
export function readRegularFile(path: string, maxMb = 64): Buffer {
  const fileStats = statSync(path)
  if (fileStats.isFile() && fileStats.size <= maxMb * 2 ** 20) return readFileSync(path)
  const message = `${path} is not a file of at most ${maxMb} MB. Move it to another folder and try again.`
  throw new AppError('storage.denied', message)
}
