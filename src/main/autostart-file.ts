import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a Linux desktop starts when the person signs in. */
export interface AutostartFile {
  /** Where such files are: `autostart` in the XDG folder for settings. */
  readonly folder: string
  /** Program and arguments. */
  readonly command: readonly string[]
}

const pathOf = (folder: string): string => join(folder, 'platform-companion.desktop')

/** The folder of a home, by the XDG Base Directory rules: a relative path in the variable does not count. */
export function autostartFolder(home: string, configHome: string | undefined): string {
  return join(configHome?.startsWith('/') ? configHome : join(home, '.config'), 'autostart')
}

/** Whether the file is there. */
export const isAutostarted = (folder: string): boolean => existsSync(pathOf(folder))

/** Writes the file, or takes it away. */
export function setAutostart({ folder, command }: AutostartFile, on: boolean): void {
  rmSync(pathOf(folder), { force: true })
  if (!on) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(pathOf(folder), autostartText(command), { mode: 0o644 })
}

/** An entry of the XDG Desktop Entry Specification: reserved characters quoted, percent signs doubled. */
export function autostartText(command: readonly string[]): string {
  const exec = command.map(quoted).join(' ')
  const lines = ['Type=Application', 'Name=Platform Companion', `Exec=${exec}`, 'Terminal=false']
  return `[Desktop Entry]\n${lines.join('\n')}\n`
}

/** Within quotes the shell's four characters take a backslash, which a value of the file has to double. */
function quoted(argument: string): string {
  const escaped = argument.replace(/["`$\\]/g, (character) => `\\${character}`)
  return `"${escaped}"`.replaceAll('\\', '\\\\').replaceAll('%', '%%')
}
