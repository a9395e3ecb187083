import { AppError } from '@shared/failure'
import type { ToolEnvironment } from '../environment'
import type { Variables } from '../login-shell'
import { requireDistribution } from './distributions'
import { toShare } from './paths'
import type { WslRun } from './run'

/** What a distribution is asked with, and how its files are looked for from Windows. */
export type WslAccess = {
  readonly run: WslRun
  readonly exists: (path: string) => boolean
  /** A random word, to tell what the shell's files print from what was asked for. */
  readonly mark: string
}

/** The tools' surroundings in a distribution: its user's home and variables. Fails with `file.unreadable`. */
export async function wslEnvironment(distribution: string, { run, exists, mark }: WslAccess): Promise<ToolEnvironment> {
  const name = requireDistribution(distribution)
  const printed = await run(environmentArguments(name, mark)).catch((cause: unknown) => {
    throw unreachable(name, cause)
  })
  const vars = readVariables(printed, mark)
  const home = vars.HOME
  if (home === undefined || !home.startsWith('/')) throw unreachable(name)
  return { home, platform: 'linux', vars, exists: (path) => exists(toShare(name, path)) }
}

/**
 * The arguments that print a distribution's variables after `mark`. `--exec` keeps the user's shell out, which would read
 * the line a second time; and the line needs no quote, dollar or backslash, which Windows would read a first time.
 */
export function environmentArguments(distribution: string, mark: string): string[] {
  const line = `echo ${mark} && exec env -0`
  return ['--distribution', requireDistribution(distribution), '--exec', 'sh', '-lc', line]
}

/** The variables behind `mark`; none when it is not there. */
function readVariables(printed: Uint8Array, mark: string): Variables {
  const [, text = ''] = Buffer.from(printed).toString().split(`${mark}\n`)
  const records = text.split('\0').filter((record) => record.indexOf('=') > 0)
  return Object.fromEntries(
    records.map((record) => [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)]),
  )
}

function unreachable(distribution: string, cause?: unknown): AppError {
  const message = `The Linux distribution ${distribution} did not answer. Start it once by hand, then try again.`
  return new AppError('file.unreadable', message, { cause })
}
