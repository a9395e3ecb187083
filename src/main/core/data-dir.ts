import { join } from 'node:path'

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
  const cache = vars.XDG_CACHE_HOME
  return join(cache?.startsWith('/') ? cache : join(home, '.cache'), 'platform-companion')
}
