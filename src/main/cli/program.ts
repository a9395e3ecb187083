import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Command } from 'commander'
import type { Core } from '../core'
import { type Output, print } from './output'
import { addPlanCommands, type CommandContext } from './plan-commands'
import { addToolCommands } from './tool-commands'

export interface ProgramOptions {
  readonly version: string
  readonly sandboxPath: string
  readonly openCore: (dataDir: string | undefined) => Core
  readonly makeOutput: (isJson: boolean) => Output
  readonly readStdin: () => Promise<string>
}

interface GlobalOptions {
  readonly json?: boolean
  readonly dataDir?: string
}

/** The `companion` command: the window's features, from a terminal. */
export function createProgram({ version, sandboxPath, openCore, makeOutput, readStdin }: ProgramOptions): Command {
  const program = new Command('companion')
    .description('Desktop companion for a prepaid token plan: plans, keys and coding tools from the terminal')
    .version(version)
    .option('--json', 'print JSON')
    .option('--data-dir <dir>', "the app's data folder")
    .showHelpAfterError('("companion --help" shows what there is)')
  const context = (): CommandContext => {
    const { json = false, dataDir } = program.opts<GlobalOptions>()
    return { core: openCore(dataDir), output: makeOutput(json), readStdin }
  }
  addPlanCommands(program, context)
  addToolCommands(program, context)
  program
    .command('key')
    .description('keys in the OS keychain')
    .command('print')
    .requiredOption('--plan <plan>', 'name or id of the plan')
    .option('--key <key>', 'name or id of the key (default: the first)')
    .description("print a plan's key; tools' helper settings call this")
    .action(async ({ plan, key }: { plan: string; key?: string }) => {
      const { core, output } = context()
      const secret = await core.plans.secretOf(core.plans.find(plan), key)
      print(output, { key: secret.expose() }, () => [secret.expose()])
    })
  program
    .command('sandbox')
    .option('--gateway-port <port>', 'port of the gateway (0: a free one)')
    .option('--platform-port <port>', 'port of the platform (0: a free one)')
    .option('--state <file>', 'keep plans and keys in this file')
    .option('--seed <text>', 'begin with the world of this text: the same text, the same keys')
    .description('run the built-in sandbox until Ctrl+C')
    .action((options: Record<string, string>) => runSandbox(sandboxPath, options, program.opts<GlobalOptions>().json))
  return program
}

async function runSandbox(path: string, options: Readonly<Record<string, string>>, isJson = false): Promise<void> {
  const names = { gatewayPort: '--gateway-port', platformPort: '--platform-port', state: '--state', seed: '--seed' }
  const args = Object.entries(names).flatMap(([name, flag]) =>
    options[name] === undefined ? [] : [`${flag}=${options[name]}`],
  )
  const child = spawn(process.execPath, [path, ...args, ...(isJson ? ['--json'] : [])], { stdio: 'inherit' })
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  const [code] = await once(child, 'exit')
  process.exitCode = typeof code === 'number' ? code : 1
}
