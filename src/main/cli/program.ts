import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import { Command } from 'commander'
import type { Core } from '../compose'
import { addApiCommands } from './api'
import { addAuditCommands } from './audit'
import { addBudgetCommands } from './budget'
import { addChatCommand } from './chat'
import { addCompletionCommands } from './completion'
import { addConnectionCommands } from './connection'
import type { CommandContext } from './context'
import { addContractCommands } from './contract'
import { addDoctorCommand } from './doctor'
import { addHandoutCommands } from './handout'
import { addKeyCommands } from './key'
import { addMcpCommands, addStatusLineCommand } from './mcp'
import { addMetricsCommands } from './metrics'
import { readFileOrInput } from './options'
import { createPipes, type Output, type Pipes } from './output'
import { addPlanCommands } from './plan'
import { addProfileCommands } from './profile'
import { addRegisterCommands } from './register'
import { addRelayCommand } from './relay'
import { addRotateCommands } from './rotate'
import { addSecretCommands } from './secret'
import { addTeamCommands } from './team'
import { addToolCommands } from './tools'
import { addUsageCommand } from './usage'
import { openUsage } from './usage-session'

interface ProgramOptions {
  readonly version: string
  readonly sandboxPath: string
  /** The built file of the usage ledger's thread. */
  readonly usagePath: string
  /** The built file of the playground's thread. */
  readonly playgroundPath: string
  /** The built file of the thread that counts tokens. */
  readonly countPath: string
  readonly openCore: (dataDir: string | undefined) => Core
  readonly makeOutput: (isJson: boolean) => Output
  readonly readStdin: () => Promise<string>
  /** The process's own unless given. */
  readonly pipes?: Pipes
  /** The bytes of a protocol; the process's own unless given. */
  readonly streams?: { readonly stdin: () => Readable; readonly stdout: Writable }
}

interface GlobalOptions {
  readonly json?: boolean
  readonly dataDir?: string
}

/** The `companion` command: the window's features, from a terminal. */
export function createProgram(options: ProgramOptions): Command {
  const { version, sandboxPath, usagePath, playgroundPath, countPath, openCore, makeOutput, readStdin } = options
  const streams = options.streams ?? { stdin: () => process.stdin, stdout: process.stdout }
  const pipes = options.pipes ?? createPipes(streams.stdin, streams.stdout)
  const program = new Command('companion')
    .description('Desktop companion for a prepaid token plan: plans, keys and coding tools from the terminal')
    .version(version)
    .option('--json', 'print JSON')
    .option('--data-dir <dir>', "the app's data folder")
    .showHelpAfterError('("companion --help" lists all commands)')
  const context = (): CommandContext => {
    const { json = false, dataDir } = program.opts<GlobalOptions>()
    const readFile = (path: string): Promise<string> => readFileOrInput(path, readStdin)
    return { core: openCore(dataDir), output: makeOutput(json), readStdin, readFile, pipes }
  }
  addPlanCommands(program, context)
  addKeyCommands(program, context)
  addToolCommands(program, context)
  addProfileCommands(program, context)
  addDoctorCommand(program, context)
  addRotateCommands(program, async () => {
    const { core, output } = context()
    const { rotation } = await core.loadTools()
    return { output, core: { plans: core.plans, settings: core.settings, rotation } }
  })
  addRegisterCommands(program, context)
  addHandoutCommands(program, context)
  addAuditCommands(program, context)
  addTeamCommands(program, context, usagePath)
  addConnectionCommands(program, context)
  addApiCommands(program, context)
  addSecretCommands(program, context)
  addContractCommands(program, context)
  addRelayCommand(program, context, { usagePath, countPath })
  addMetricsCommands(program, context)
  addChatCommand(program, context, { usagePath, playgroundPath })
  addMcpCommands(program, context, () => ({
    ...{ version, usagePath, playgroundPath },
    ...{ stdin: streams.stdin(), stdout: streams.stdout },
  }))
  addUsageCommand(program, () => openUsage(context(), usagePath))
  addBudgetCommands(program, () => openUsage(context(), usagePath))
  addStatusLineCommand(program, context)
  program
    .command('sandbox')
    .option('--gateway-port <port>', 'port of the gateway (0: any free port)')
    .option('--platform-port <port>', 'port of the platform (0: any free port)')
    .option('--state <file>', 'save plans and keys to this file')
    .option('--seed <text>', 'seed of the sample data (the same seed gives the same keys)')
    .description('run the built-in sandbox until Ctrl+C')
    .action((options: Record<string, string>) => runSandbox(sandboxPath, options, program.opts<GlobalOptions>().json))
  addCompletionCommands(program, () => makeOutput(false))
  return program
}

/** What the sandbox's built file exports. */
interface SandboxProgram {
  readonly main: (args: readonly string[]) => Promise<void>
}

async function runSandbox(path: string, options: Readonly<Record<string, string>>, isJson = false): Promise<void> {
  const names = { gatewayPort: '--gateway-port', platformPort: '--platform-port', state: '--state', seed: '--seed' }
  const args = Object.entries(names).flatMap(([name, flag]) =>
    options[name] === undefined ? [] : [`${flag}=${options[name]}`],
  )
  const { main }: SandboxProgram = createRequire(path)(path)
  await main([...args, ...(isJson ? ['--json'] : [])])
  // It ends the process by itself, but for arguments that make no sense.
  if (process.exitCode === undefined) await new Promise(() => undefined)
}
