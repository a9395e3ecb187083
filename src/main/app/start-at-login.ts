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

/** The login item, which starts the app hidden with these arguments. On Linux, an entry in the XDG `autostart` folder. */
export function startAtLogin(args: readonly string[]): StartAtLogin {
  if (!app.isPackaged) return { get: () => undefined, set: () => undefined }
  if (process.platform !== 'linux') {
    const item = { args: [hiddenFlag, ...args] }
    return {
      get: () => app.getLoginItemSettings(item).openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ ...item, openAtLogin }),
    }
  }
  const configHome = process.env.XDG_CONFIG_HOME
  // The specification ignores a relative path in the variable.
  const folder = join(configHome?.startsWith('/') ? configHome : join(homedir(), '.config'), 'autostart')
  const path = join(folder, 'platform-companion.desktop')
  const exec = [programPath(), hiddenFlag, ...args].map(quoteArgument).join(' ')
  const lines = ['[Desktop Entry]', 'Type=Application', 'Name=Platform Companion', `Exec=${exec}`, 'Terminal=false']
  return {
    get: () => existsSync(path),
    set(isOn) {
      rmSync(path, { force: true })
      if (!isOn) return
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 })
    },
  }
}

/** Quotes an argument of a desktop entry (XDG specification), which doubles backslashes and percent signs. */
function quoteArgument(argument: string): string {
  const escapedArgument = argument.replace(/["`$\\]/g, (character) => `\\${character}`)
  return `"${escapedArgument}"`.replaceAll('\\', '\\\\').replaceAll('%', '%%')
}
