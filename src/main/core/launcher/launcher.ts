import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toStorageError } from '../sqlite/process-lock'
import { appSwitches, statusInputVariable } from './command-arguments'

interface LauncherOptions {
  readonly dataDir: string
  readonly platform: NodeJS.Platform
  /** Absolute path of Node, Electron as Node, or the installed app. */
  readonly execPath: string
  readonly kind: ProgramKind
  /** Path of the command-line script for Node. The installed app has its own script. */
  readonly cliPath: string
}

/** Node, Electron as Node (from sources), or the installed app, which takes a command after `commandFlag`. */
type ProgramKind = 'node' | 'electron' | 'app'

export function programKind(): ProgramKind {
  if (process.versions.electron === undefined) return 'node'
  const isApp = process.type === 'browser' && !process.defaultApp
  return isApp ? 'app' : 'electron'
}

/**
 * Path of this program. An AppImage is mounted at a new path on each start, so use the image file. A program started by
 * another AppImage inherits that one's variables, so use them only if this program is inside `APPDIR`.
 */
export function programPath({ execPath, env }: Pick<NodeJS.Process, 'execPath' | 'env'> = process): string {
  const { APPIMAGE, APPDIR } = env
  return APPIMAGE && APPDIR && execPath.startsWith(join(APPDIR, '/')) ? APPIMAGE : execPath
}

export type Launcher = ReturnType<typeof createLauncher>

/** The small program that tools call for the key. Its path stays the same when the app moves or is updated. */
export function createLauncher(options: LauncherOptions) {
  const path = launcherPath(options)
  return {
    path,
    /** Writes the launcher if missing or outdated. The launcher contains paths but no secrets. */
    ensure(): void {
      const text = launcherText(options)
      if (readTextIfPresent(path) === text) return
      const temporaryFile = `${path}.${process.pid}.tmp`
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        writeFileSync(temporaryFile, text, { mode: 0o700 })
        chmodSync(temporaryFile, 0o700)
        renameSync(temporaryFile, path)
      } catch (error) {
        rmSync(temporaryFile, { force: true })
        throw toStorageError(error, path)
      }
    },
    /** Returns the script to write if the launcher is missing, otherwise undefined. */
    lost: (): string | undefined => (readTextIfPresent(path) === undefined ? launcherText(options) : undefined),
  }
}

export const launcherPath = ({ dataDir, platform }: Pick<LauncherOptions, 'dataDir' | 'platform'>): string =>
  join(dataDir, 'bin', platform === 'win32' ? 'companion.cmd' : 'companion')

/** Creates the launcher's text: a shell script, or a command file on Windows. */
function launcherText({ platform, execPath, kind, cliPath, dataDir }: LauncherOptions): string {
  const program = kind === 'app' ? [execPath, ...appSwitches(platform)] : [execPath, cliPath]
  const argv = [...program, '--data-dir', dataDir]
  const isElectronRuntime = kind === 'electron'
  const programFile = kind === 'app' ? execPath : cliPath
  const removedLines = [
    `Platform Companion is not installed any more (${programFile} is missing), so this tool gets no key.`,
    `Install it again, or remove the settings of this tool that contain ${launcherPath({ dataDir, platform })}.`,
  ]
  if (platform === 'win32') {
    const quoteForCmd = (word: string): string => `"${word.replaceAll('%', '%%')}"`
    return [
      '@echo off',
      `if exist ${quoteForCmd(programFile)} goto run`,
      ...removedLines.map((line) => `echo ${quoteForCmd(line)} 1>&2`),
      'exit /b 127',
      ':run',
      ...(isElectronRuntime ? ['set ELECTRON_RUN_AS_NODE=1'] : []),
      `${argv.map(quoteForCmd).join(' ')} %*`,
      '',
    ].join('\r\n')
  }
  const quotedCommand = argv.map(quoteForSh).join(' ')
  return `#!/bin/sh
if [ ! -e ${quoteForSh(programFile)} ]; then
  printf '%s\\n' ${removedLines.map(quoteForSh).join(' ')} >&2
  exit 127
fi
run() {
  ${isElectronRuntime ? 'ELECTRON_RUN_AS_NODE=1 ' : ''}exec ${quotedCommand} "$@"
}
${statusLineScript(dataDir)}
run "$@"
`
}

const quoteForSh = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Maximum input length for the shell search. Dash needs quadratic time. */
const maxShellInput = 4096

/**
 * Prints a line cached by `cli/statusline.ts` without starting the program, unless figures, setup or input are newer. A
 * tool may keep its pipe open without writing, or omit the line break, so the script reads once, for at most 0.3 s. It
 * passes the text in a variable to the program, which reads the rest.
 */
function statusLineScript(dataDir: string): string {
  return `if [ "$1 $2" = 'statusline --tool' ] && [ ! -t 0 ]; then
  data=${quoteForSh(dataDir)}
  kept="$data/statusline.lines"
  exec 3<&0
  input=$(
    exec 2>/dev/null
    dd bs=65536 count=1 <&3 &
    reader=$!
    { sleep 0.3; kill $reader; } >/dev/null 3<&- &
    watcher=$!
    wait $reader
    kill $watcher
  )
  exec 3<&-
  if [ \${#input} -lt ${maxShellInput} ] && [ -f "$kept" ] && [ ! "$data/statusline.json" -nt "$kept" ] && [ ! "$data/tools/$3.json" -nt "$kept" ]; then
    model=\${input#*\\"model\\":}
    question="$*|\${model%%\\}*}"
    now=$(date +%s)
    while IFS= read -r until && IFS= read -r asked && IFS= read -r line && IFS= read -r _; do
      [ "$asked" = "$question" ] && [ "$until" -gt "$now" ] && printf '%s\\n' "$line" && exit
    done 2>/dev/null <"$kept"
  fi
  ${statusInputVariable}=$input
  export ${statusInputVariable}
fi`
}

function readTextIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Electron version of the release, inserted by the build. */
const releasedElectron = process.env.RELEASED_ELECTRON

/** Versions of Electron, Chromium and Node, and the path of the license file next to the installed program. */
export function describeRuntime({ versions, execPath }: Pick<NodeJS.Process, 'versions' | 'execPath'>) {
  const { electron = '', chrome: chromium = '', node } = versions
  const folder = process.platform === 'darwin' ? '../Resources' : '.'
  const licencesPath = join(dirname(execPath), folder, 'LICENSES.packages.txt')
  const isLauncher = releasedElectron !== undefined && releasedElectron !== electron
  return {
    electron,
    chromium,
    node,
    isStandIn: isLauncher,
    ...(existsSync(licencesPath) && { licences: licencesPath }),
  }
}
