import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Fails if the public age tool is missing (installed by `scripts/ensure-age.mjs`), unless its absence was declared. */
export const isAgeRequired = process.env.REAL_AGE === '1'

/** Whether the public age tool and `script` are installed. */
export const isAgeInstalled = ['age', 'age-keygen', 'script'].every((name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name))),
)

/** Runs a program with `input` on stdin. Fails with its output. */
async function run(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args)
  // The program may end before it reads its input.
  child.stdin.on('error', () => undefined).end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${out}${err}`)
  return out
}

/** Runs age without a passphrase. */
export const runAge = (...args: readonly string[]): Promise<string> => run('age', args)

/** Runs age in a pseudo terminal and types a passphrase at each prompt. */
export async function runAgeWithPassphrase(passphrase: string, ...args: readonly string[]): Promise<void> {
  const line = ['age', ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ')
  await run('script', ['-qec', line, '/dev/null'], `${passphrase}\n${passphrase}\n`)
}

/** Creates a key pair with age. */
export async function createAgeKeyPair(path: string): Promise<{ identityFile: string; recipient: string }> {
  await run('age-keygen', ['-o', path])
  return { identityFile: path, recipient: (await run('age-keygen', ['-y', path])).trim() }
}
