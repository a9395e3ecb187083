import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainStorage } from './sqlite/process-lock'

/** How to run the command line on this machine: which program, with which script. */
export interface LauncherOptions {
  readonly dataDir: string
  readonly platform: NodeJS.Platform
  /** Absolute path of Node, or of Electron (then it runs as Node). */
  readonly execPath: string
  readonly isElectron: boolean
  readonly cliPath: string
}

/** The small program that tools call for the key. Its path stays the same when the app moves or is updated. */
export interface Launcher {
  readonly path: string
  /** Writes it if it is not as it should be. */
  ensure(): void
  /** What `ensure` would write where there is none. */
  lost(): string | undefined
}

/** The launcher of a data folder; nothing is written yet. */
export function launcherOf(options: LauncherOptions): Launcher {
  const path = launcherPath(options)
  return {
    path,
    ensure: () => void ensureLauncher(options),
    lost: () => (readOrUndefined(path) === undefined ? launcherText(options) : undefined),
  }
}

const launcherPath = ({ dataDir, platform }: Pick<LauncherOptions, 'dataDir' | 'platform'>): string =>
  join(dataDir, 'bin', platform === 'win32' ? 'companion.cmd' : 'companion')

/** Writes the launcher if it is not as it should be. It holds paths only. */
export function ensureLauncher(options: LauncherOptions): string {
  const path = launcherPath(options)
  const text = launcherText(options)
  if (readOrUndefined(path) === text) return path
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(join(options.dataDir, 'bin'), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { mode: 0o700 })
    chmodSync(temporary, 0o700)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw explainStorage(error, path)
  }
  return path
}

/** The launcher's text: a shell script, or a command file on Windows. */
export function launcherText({ platform, execPath, isElectron, cliPath, dataDir }: LauncherOptions): string {
  const words = [execPath, cliPath, '--data-dir', dataDir]
  if (platform === 'win32') {
    const quoted = words.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ')
    return `@echo off\r\n${isElectron ? 'set ELECTRON_RUN_AS_NODE=1\r\n' : ''}${quoted} %*\r\n`
  }
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return `#!/bin/sh\n${isElectron ? 'ELECTRON_RUN_AS_NODE=1 ' : ''}exec ${quoted} "$@"\n`
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
