import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { osKeychain } from '../core/vault/keychain'
import { parseRunWords } from '../tools/mcp-run-words'

// Coding tools start all their MCP servers at the same time and wait for them, so import no library here.

/**
 * `mcp run --item=ITEM --value=NAME… -- COMMAND [ARG...]`: runs an MCP server with values of a keychain item as
 * environment variables. The values are in no file or argument. Returns false for other arguments.
 */
export async function runMcpWithSecrets(argv: readonly string[]): Promise<boolean> {
  const runArguments = parseRunWords(argv)
  if (runArguments === undefined) return false
  const { account, names } = runArguments.kept
  const [command = '', ...args] = argv.slice(runArguments.length)
  try {
    const keychainValue: unknown = JSON.parse((await osKeychain().get(account)) ?? '{}')
    const storedValues = new Map(Object.entries(Object(keychainValue)).map(([name, value]) => [name, String(value)]))
    const values = Object.fromEntries(names.map((name) => [name, storedValues.get(name)]))
    const missingNames = names.filter((name) => !storedValues.has(name))
    if (missingNames.length > 0)
      throw new Error(`${missingNames.join(', ')} is not in the keychain. Copy the MCP server to this tool again`)
    // The launcher sets ELECTRON_RUN_AS_NODE for this process only, so the MCP server must not inherit it.
    const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
    process.exitCode = await run(command, args, { ...env, ...values })
  } catch (error) {
    process.stderr.write(`companion: ${error instanceof Error ? error.message : 'The server cannot be started'}.\n`)
    process.exitCode = 1
  }
  return true
}

/** Runs a program with this process's streams, forwards signals and returns its exit code. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}
