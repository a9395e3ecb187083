import { execFile } from 'node:child_process'
import { err, ok, type Result } from '@shared/result'

/** How long a command may run and how much it may print. */
export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Runs a command; what it printed, or what became of it in words that repeat nothing of it. Never rejects. */
export type RunCommand = (argv: readonly string[], limits: CommandLimits) => Promise<Result<string, string>>

/** Runs a program with its arguments and no shell between, without input; it is killed when a limit is reached. */
export const runCommand: RunCommand = ([program = '', ...args], { timeoutMs, maxBytes }) => {
  const options = { timeout: timeoutMs, maxBuffer: maxBytes, killSignal: 'SIGKILL', windowsHide: true } as const
  return new Promise((resolve) => {
    try {
      const child = execFile(program, args, options, (error, stdout) =>
        resolve(error === null ? ok(stdout) : err(becameOf(error))),
      )
      child.stdin?.end()
    } catch {
      resolve(err('cannot be started'))
    }
  })
}

/** The error's own message repeats the arguments and what the program wrote. */
function becameOf({ code, killed, signal }: { code?: unknown; killed?: boolean; signal?: unknown }): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed too much'
  if (killed === true) return 'did not end in time'
  if (typeof code === 'number') return `failed with exit code ${code}`
  return typeof signal === 'string' ? `was ended by ${signal}` : `cannot be started (${String(code)})`
}
