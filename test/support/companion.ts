import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Machine, root } from './app'

/** What a run of the command line left. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs `companion` under plain Node on a machine, `input` on its standard input. */
export async function companion(
  machine: Machine,
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<CommandOutcome> {
  const command = [join(root, 'out/main/cli.cjs'), '--data-dir', machine.dataDir, ...args]
  const child = spawn(process.execPath, command, { env: { ...machine.env, ...env } })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}
