import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { programPath } from '../core/launcher/launcher'

/** Command-line flag that starts the app without a window. */
const hiddenFlag = '--hidden'

export interface StartAtLogin {
  /** Undefined where unsupported, and for a run from sources, which would start Electron without an app. */
  get(): boolean | undefined
  set(on: boolean): void
}

/** Creates the login item, which starts the app hidden with these arguments. */
export function startAtLogin(args: readonly string[]): StartAtLogin {
  if (!app.isPackaged) return { get: () => undefined, set: () => undefined }
  if (process.platform !== 'linux') {
    const item = { args: [hiddenFlag, ...args] }
    return {
      get: () => app.getLoginItemSettings(item).openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ ...item, openAtLogin }),
    }
  }
  const folder = autostartFolder(homedir(), process.env.XDG_CONFIG_HOME)
  const command = [programPath(), hiddenFlag, ...args]
  return { get: () => existsSync(toAutostartPath(folder)), set: (on) => setAutostart({ folder, command }, on) }
}

const toAutostartPath = (folder: string): string => join(folder, 'platform-companion.desktop')

/** XDG config folder. The specification ignores a relative path in the variable. */
function autostartFolder(home: string, configHome: string | undefined): string {
  return join(configHome?.startsWith('/') ? configHome : join(home, '.config'), 'autostart')
}

/** Adds or removes the entry in the XDG `autostart` folder. */
function setAutostart(
  { folder, command }: { readonly folder: string; readonly command: readonly string[] },
  on: boolean,
): void {
  rmSync(toAutostartPath(folder), { force: true })
  if (!on) return
  mkdirSync(folder, { recursive: true })
  const exec = command.map(quoteArgument).join(' ')
  const lines = ['[Desktop Entry]', 'Type=Application', 'Name=Platform Companion', `Exec=${exec}`, 'Terminal=false']
  writeFileSync(toAutostartPath(folder), `${lines.join('\n')}\n`, { mode: 0o644 })
}

/** Quotes an argument of a desktop entry (XDG specification), which doubles backslashes and percent signs. */
function quoteArgument(argument: string): string {
  const escapedArgument = argument.replace(/["`$\\]/g, (character) => `\\${character}`)
  return `"${escapedArgument}"`.replaceAll('\\', '\\\\').replaceAll('%', '%%')
}
