import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { minuteMs } from '@shared/durations'
import type { ToolEnvironment } from '../core/environment'

/** Environment variables by name. Values may be secret, so never show or log them. */
export type Variables = Readonly<Record<string, string>>

/** Reads the environment variables of a new terminal. Resolves with none if they cannot be read. Never rejects. */
export interface LoginShell {
  (environment: ToolEnvironment): Promise<Variables>
  /** Clears the cache, because the user may have changed a shell file. */
  forget?(): void
}

const defaultTimeoutMs = 5_000
const cacheMs = minuteMs
const maxOutputBytes = 4_000_000

/** Shells that support `-ilc` and the command that prints the variables. */
const knownShells: readonly string[] = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh']

/** Minimal variables for starting the shell, so that all other variables come from the shell's files. */
const inheritedVariables: readonly string[] = [
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'ZDOTDIR',
]

/** Cached variables of the login shell, for 60 s per shell and home. Kills a shell after `timeoutMs`. */
export function createLoginShell(
  getNowMs: () => number = () => performance.now(),
  timeoutMs = defaultTimeoutMs,
): LoginShell {
  const variablesCache = new Map<string, { readonly atMs: number; readonly variables: Promise<Variables> }>()
  const readVariables: LoginShell = (environment) => {
    const name = `${environment.vars.SHELL} ${environment.home}`
    const cachedEntry = variablesCache.get(name)
    if (cachedEntry !== undefined && getNowMs() - cachedEntry.atMs < cacheMs) return cachedEntry.variables
    const variables = readLoginShell(environment, timeoutMs)
    variablesCache.set(name, { atMs: getNowMs(), variables })
    return variables
  }
  readVariables.forget = () => variablesCache.clear()
  return readVariables
}

/** Reads the variables without a cache. Ignores other output and kills the shell on timeout. */
async function readLoginShell(environment: ToolEnvironment, timeoutMs: number): Promise<Variables> {
  const shell = environment.vars.SHELL ?? ''
  if (environment.platform === 'win32' || !knownShells.includes(posix.basename(shell))) return {}
  const mark = randomBytes(16).toString('hex')
  return parsePrintedVariables(await runShell(shell, environment, mark, timeoutMs), mark)
}

/**
 * Shell command that prints all variables, for all known shells. Uses awk, because some `env` versions separate
 * variables only by line breaks, which values may contain. The mark is split, so a shell that echoes the command does
 * not print it.
 */
function buildPrintCommand(mark: string): string {
  const markCode = `"${mark.slice(0, 16)}" "${mark.slice(16)}"`
  return `command awk 'BEGIN { m = ${markCode}; printf "%s", m; for (n in ENVIRON) printf "%s=%s%s", n, ENVIRON[n], m; printf "%s", m }'`
}

/** Use a new session: an interactive shell would otherwise take over the controlling terminal. */
function runShell(shell: string, { home, vars }: ToolEnvironment, mark: string, timeoutMs: number): Promise<string> {
  const presentVariables = inheritedVariables.flatMap((name) => (vars[name] === undefined ? [] : [[name, vars[name]]]))
  const child = spawn(shell, ['-ilc', buildPrintCommand(mark)], {
    cwd: home,
    env: { ...Object.fromEntries(presentVariables), HOME: home, TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  return new Promise((resolve) => {
    let stdoutText = ''
    const finishShell = (): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The shell has already exited.
      }
      resolve(stdoutText)
    }
    const timer = setTimeout(finishShell, timeoutMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdoutText += text
      // Stop reading at the end mark, because a background process started by a shell file may keep the output open.
      if (stdoutText.endsWith(mark + mark) || stdoutText.length > maxOutputBytes) finishShell()
    })
    child.stdout.on('error', finishShell).on('end', finishShell)
    child.on('error', finishShell)
  })
}

/** Variables between the start mark and the double end mark. Empty if incomplete. */
function parsePrintedVariables(printed: string, mark: string): Variables {
  const records = printed.slice(printed.indexOf(mark)).split(mark)
  const [prefix, ...printedRecords] = records
  if (prefix !== '' || printedRecords.at(-1) !== '' || printedRecords.at(-2) !== '') return {}
  const variables = printedRecords.slice(0, -2).map((record) => {
    const end = record.indexOf('=')
    return [record.slice(0, end), record.slice(end + 1)] as const
  })
  return Object.fromEntries(variables)
}
