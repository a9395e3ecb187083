import { join } from 'node:path'

/** What decides where the app keeps its files. */
interface DataDirContext {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
}

/** The folder of all files the app writes for itself; the same for the window and the command line. */
export function defaultDataDir({ platform, home, vars }: DataDirContext): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Platform Companion')
  if (platform === 'win32') return join(vars.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Platform Companion')
  const config = vars.XDG_CONFIG_HOME
  return join(config?.startsWith('/') ? config : join(home, '.config'), 'platform-companion')
}

/** The folder of what may be lost at any time, such as what Chromium writes while a command runs in the installed app. */
export function cacheDir({ platform, home, vars }: DataDirContext): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'Platform Companion')
  if (platform === 'win32')
    return join(vars.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Platform Companion', 'Cache')
  const cache = vars.XDG_CACHE_HOME
  return join(cache?.startsWith('/') ? cache : join(home, '.cache'), 'platform-companion')
}
