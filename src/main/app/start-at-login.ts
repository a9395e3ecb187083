import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { programPath } from '../core/launcher/launcher'

/** The argument with which the app starts without a window. */
const hiddenFlag = '--hidden'

/** Starting with the person's session, in the way of the system. */
export interface StartAtLogin {
  /** Undefined where the system offers no way, or for a run from sources: it would start a runtime without an app. */
  get(): boolean | undefined
  set(on: boolean): void
}

/** Starts the app without a window when the person signs in; `args` are given along. */
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
  return { get: () => isAutostarted(folder), set: (on) => setAutostart({ folder, command }, on) }
}

/** What a Linux desktop starts when the person signs in. */
interface AutostartFile {
  /** Where such files are: `autostart` in the XDG folder for settings. */
  readonly folder: string
  /** Program and arguments. */
  readonly command: readonly string[]
}

const toAutostartPath = (folder: string): string => join(folder, 'platform-companion.desktop')

/** The folder of a home, by the XDG Base Directory rules: a relative path in the variable does not count. */
export function autostartFolder(home: string, configHome: string | undefined): string {
  return join(configHome?.startsWith('/') ? configHome : join(home, '.config'), 'autostart')
}

/** Whether the file is there. */
const isAutostarted = (folder: string): boolean => existsSync(toAutostartPath(folder))

/** Writes the file, or takes it away. */
export function setAutostart({ folder, command }: AutostartFile, on: boolean): void {
  rmSync(toAutostartPath(folder), { force: true })
  if (!on) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(toAutostartPath(folder), autostartText(command), { mode: 0o644 })
}

/** An entry of the XDG Desktop Entry Specification: reserved characters quoted, percent signs doubled. */
function autostartText(command: readonly string[]): string {
  const exec = command.map(quoted).join(' ')
  const lines = ['Type=Application', 'Name=Platform Companion', `Exec=${exec}`, 'Terminal=false']
  return `[Desktop Entry]\n${lines.join('\n')}\n`
}

/** Within quotes the shell's four characters take a backslash, which a value of the file has to double. */
function quoted(argument: string): string {
  const escaped = argument.replace(/["`$\\]/g, (character) => `\\${character}`)
  return `"${escaped}"`.replaceAll('\\', '\\\\').replaceAll('%', '%%')
}
