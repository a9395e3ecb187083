import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { minuteMs } from '@shared/durations'
import type { ToolEnvironment } from './environment'

/** Variables by name. Their values may be keys: compare them, never show or log them. */
export type Variables = Readonly<Record<string, string>>

/** The variables that a new terminal of this user would have; none where they cannot be had. Never rejects. */
export interface LoginShell {
  (environment: ToolEnvironment): Promise<Variables>
  /** Asks anew the next time: a person may just have changed a file of the shell. */
  forget?(): void
}

const TIME_LIMIT_MS = 5_000
const KEPT_MS = minuteMs
const MOST_BYTES = 4_000_000

/** The shells that understand `-ilc` and the one line below. */
const knownShells: readonly string[] = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh']

/** What a terminal gives its shell; all else must come from the shell's own files to be found there. */
const givenVariables: readonly string[] = [
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'ZDOTDIR'],
]

/** The variables of the user's login shell, asked for at most once in 60 s for each shell and home. */
export function createLoginShell(now: () => number = () => performance.now()): LoginShell {
  const kept = new Map<string, { readonly at: number; readonly variables: Promise<Variables> }>()
  const ask: LoginShell = (environment) => {
    const name = `${environment.vars.SHELL} ${environment.home}`
    const known = kept.get(name)
    if (known !== undefined && now() - known.at < KEPT_MS) return known.variables
    const variables = readLoginShell(environment)
    kept.set(name, { at: now(), variables })
    return variables
  }
  ask.forget = () => kept.clear()
  return ask
}

/** The same, asked for now. What the shell's files print is not looked at; a shell that takes too long is killed. */
export async function readLoginShell(environment: ToolEnvironment, limitMs = TIME_LIMIT_MS): Promise<Variables> {
  const shell = environment.vars.SHELL ?? ''
  if (environment.platform === 'win32' || !knownShells.includes(posix.basename(shell))) return {}
  const mark = randomBytes(16).toString('hex')
  const printed = await runShell({ shell, environment, mark, limitMs })
  return readPrinted(printed, mark)
}

/**
 * One line for every known shell. It goes through awk because not every `env` separates what it prints by anything but
 * line breaks, which values may hold. The mark is in two parts, so that a shell that repeats the line does not print it.
 */
function printingLine(mark: string): string {
  const written = `"${mark.slice(0, 16)}" "${mark.slice(16)}"`
  return `command awk 'BEGIN { m = ${written}; printf "%s", m; for (n in ENVIRON) printf "%s=%s%s", n, ENVIRON[n], m; printf "%s", m }'`
}

type ShellRun = {
  readonly shell: string
  readonly environment: ToolEnvironment
  readonly mark: string
  readonly limitMs: number
}

/** In a session of its own: an interactive shell would else take the terminal that this process was started from. */
function runShell({ shell, environment, mark, limitMs }: ShellRun): Promise<string> {
  const { home, vars } = environment
  const given = givenVariables.flatMap((name) => (vars[name] === undefined ? [] : [[name, vars[name]]]))
  const child = spawn(shell, ['-ilc', printingLine(mark)], {
    cwd: home,
    env: { ...Object.fromEntries(given), HOME: home, TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  return new Promise((resolve) => {
    let printed = ''
    const end = (): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      killGroup(child.pid)
      resolve(printed)
    }
    const timer = setTimeout(end, limitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      // Something that a file of the shell left running in the background may hold the output open.
      if (printed.endsWith(mark + mark) || printed.length > MOST_BYTES) end()
    })
    child.stdout.on('error', end).on('end', end)
    child.on('error', end)
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** Empty unless everything came: between the first mark and the two at the end. */
function readPrinted(printed: string, mark: string): Variables {
  const records = printed.slice(printed.indexOf(mark)).split(mark)
  const [before, ...rest] = records
  if (before !== '' || rest.at(-1) !== '' || rest.at(-2) !== '') return {}
  return Object.fromEntries(rest.slice(0, -2).map(pairOf))
}

function pairOf(record: string): readonly [name: string, value: string] {
  const end = record.indexOf('=')
  return [record.slice(0, end), record.slice(end + 1)]
}
