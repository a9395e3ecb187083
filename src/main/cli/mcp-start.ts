import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { osKeychain } from '../vault/keychain'
import { mcpValuesAccount } from '../vault/vault'

// A tool starts its servers all at once and waits: nothing is imported here that loads a library.

/**
 * `mcp run TOOL SERVER [NAME...] -- COMMAND [ARG...]`: starts an MCP server with these values of the keychain as its variables, and ends with
 * it. They are in no file and no argument. False for other words.
 */
export async function startWithValues(args: readonly string[]): Promise<boolean> {
  const at = args.indexOf('--')
  const [command, ...rest] = args.slice(at + 1)
  const [, , tool, server, ...names] = wordsOf(args.slice(0, at))
  if (at === -1 || tool === undefined || server === undefined || command === undefined) return false
  try {
    const kept = readValues(await osKeychain().get(mcpValuesAccount(tool, server)))
    const values = Object.fromEntries(names.flatMap((name) => (kept.has(name) ? [[name, kept.get(name)]] : [])))
    const missing = names.filter((name) => !kept.has(name))
    if (missing.length > 0)
      throw new Error(`${missing.join(', ')} of ${server} is not in the keychain. Copy the server to this tool again`)
    // Set by the launcher for this process alone.
    const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
    process.exitCode = await run(command, rest, { ...env, ...values })
  } catch (error) {
    process.stderr.write(`companion: ${error instanceof Error ? error.message : 'The server cannot be started'}.\n`)
    process.exitCode = 1
  }
  return true
}

function wordsOf(args: readonly string[]): readonly string[] {
  return parseArgs({ args: [...args], options: { 'data-dir': { type: 'string' } }, allowPositionals: true }).positionals
}

function readValues(item: string | null): ReadonlyMap<string, string> {
  const found: unknown = JSON.parse(item ?? '{}')
  return new Map(Object.entries(Object(found)).map(([name, value]) => [name, String(value)]))
}

/** The exit code of a program on this process's own streams, which hears what this one is told. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}
