import { posix, win32 } from 'node:path'
import { joinPath, type ToolEnvironment } from '../environment'

/** Where programs of this platform keep their settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
export function settingsFolder(environment: ToolEnvironment): string {
  const { platform, home, vars } = environment
  if (platform === 'win32') return vars.APPDATA || joinPath(environment, home, 'AppData', 'Roaming')
  if (platform === 'darwin') return joinPath(environment, home, 'Library', 'Application Support')
  return xdgConfigFolder(environment)
}

/** `~/.config` or what stands in for it, for tools that keep to it on every Unix; a relative one does not count. */
export function xdgConfigFolder(environment: ToolEnvironment): string {
  return absolute(environment, environment.vars.XDG_CONFIG_HOME) ?? joinPath(environment, environment.home, '.config')
}

/** A variable's value when it is an absolute path on the environment's platform, else undefined. */
export function absolute({ platform }: ToolEnvironment, path: string | undefined): string | undefined {
  const { isAbsolute } = platform === 'win32' ? win32 : posix
  return path !== undefined && isAbsolute(path) ? path : undefined
}

/** `%LOCALAPPDATA%`: what Windows programs keep on this machine alone. */
export function localFolder(environment: ToolEnvironment): string {
  return environment.vars.LOCALAPPDATA || joinPath(environment, environment.home, 'AppData', 'Local')
}
