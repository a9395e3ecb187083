import { mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
