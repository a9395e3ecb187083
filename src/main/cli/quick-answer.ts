import { fstatSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRegularFile, resolveDataDir } from '../core/data-dir'
import { KeychainStalled, osKeychain, setKeychainStall } from '../core/vault/keychain'
import { printStatusLine } from './statusline'

// Coding tools often run these commands and wait for the result, so import no library here and Node modules only on
// demand.

/** Answers `key print`, `statusline` and `mcp run`. False for other commands, which the full program handles. */
export async function runFastCommand(args: readonly string[]): Promise<boolean> {
  // The launcher puts `--data-dir` in front. Arguments after "mcp run" belong to the MCP server and are not parsed as
  // options of this app.
  const argv = args[0] === '--data-dir' ? args.slice(2) : args
  if (argv[0] === 'mcp' && argv[1] === 'run') return (await import('./mcp-start')).runMcpWithSecrets(argv)
  const quickArguments = readArguments(args)
  if (quickArguments?.argv === 'key print') return printKeyLine(await readKey(quickArguments))
  if (quickArguments?.argv === 'statusline')
    return printKeyLine(await printStatusLine(quickArguments.dataDir, quickArguments.options, args.slice(2)))
  return false
}

interface QuickArguments {
  readonly argv: string
  readonly dataDir: string
  readonly options: Readonly<Record<string, string | undefined>>
}

const options = {
  'data-dir': { type: 'string' },
  plan: { type: 'string' },
  key: { type: 'string' },
  tool: { type: 'string' },
  template: { type: 'string' },
  chain: { type: 'string' },
} as const

function readArguments(args: readonly string[]): QuickArguments | undefined {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { 'data-dir': dataDirOption, ...rest } = values
    return { argv: positionals.join(' '), dataDir: resolveDataDir(dataDirOption), options: rest }
  } catch {
    return undefined
  }
}

/** Writes to the file descriptor, because loading `process.stdout` takes most of the time. False without a line. */
function printKeyLine(line: string | undefined): boolean {
  if (line === undefined) return false
  let remainingBytes = Buffer.from(`${line}\n`)
  try {
    // Write bytes only to files and pipes, because a Windows console would interpret them in its own encoding.
    while (remainingBytes.length > 0 && !fstatSync(1).isCharacterDevice())
      remainingBytes = remainingBytes.subarray(writeSync(1, remainingBytes))
  } catch {
    // If the pipe is full, `process.stdout` writes the remaining bytes.
  }
  if (remainingBytes.length > 0) process.stdout.write(remainingBytes)
  return true
}

/** Prints a key only if its plan is unambiguous. The full program handles everything else. */
async function readKey({ dataDir, options: { plan, key, ...rest } }: QuickArguments): Promise<string | undefined> {
  const hasOtherOptions = Object.values(rest).some((value) => value !== undefined)
  const id = plan === undefined || hasOtherOptions ? undefined : findKey(dataDir, plan, key)
  if (id === undefined) return undefined
  try {
    return (await osKeychain().get(id)) ?? undefined
  } catch (error) {
    if (error instanceof KeychainStalled) setKeychainStall(error)
    return undefined
  }
}

/** Keychain id of the key with these names in the settings file. Undefined if no key or several keys match. */
function findKey(dataDir: string, planName: string, keyName: string | undefined): string | undefined {
  try {
    const { plans } = JSON.parse(readRegularFile(join(dataDir, 'settings.json')).toString())
    const [plan, ...otherPlans] = plans.filter(matchesIdOrName(planName))
    const [key, ...otherKeys] = keyName === undefined ? plan.keys : plan.keys.filter(matchesIdOrName(keyName))
    const isUniqueMatch = otherPlans.length === 0 && otherKeys.length === 0 && key.kept === 'keychain'
    return isUniqueMatch && typeof key.id === 'string' ? key.id : undefined
  } catch {
    return undefined
  }
}

const matchesIdOrName =
  (nameOrId: string) =>
  ({ id, name }: { id: unknown; name: unknown }): boolean =>
    id === nameOrId || name === nameOrId
