import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import type { Core } from '../compose/compose'
import { addCompletionCommands } from './completion'
import { type CommandContext, ContextCommand, openUsage, type Program } from './context'
import { addDoctorCommand } from './doctor'
import { addKeyCommands, addSecretCommands } from './key'
import { defineChatCommand, defineRelayCommand } from './lazy-commands'
import { addMcpCommands, addStatusLineCommand } from './mcp'
import { addAlertCommands, addBudgetCommands, addMetricsCommands, addUsageCommand } from './monitoring'
import { createLinePipes, type Output, readText, type Streams } from './output'
import { addPlanCommands } from './plan'
import { addApiCommands, addConnectionCommands, addContractCommands } from './platform'
import { addProfileCommands } from './profile'
import { addAuditCommands, addHandoutCommands, addRegisterCommands } from './register'
import { addRotateCommands } from './rotate'
import { addTeamCommands } from './team'
import { addToolCommands } from './tools'

interface ProgramOptions {
  readonly version: string
  /** Folder of the built programs. */
  readonly outDir: string
  readonly openCore: (dataDir: string | undefined) => Core
  readonly makeOutput: (isJson: boolean) => Output
  /** Default: those of the process. */
  readonly streams?: Streams
}

interface GlobalOptions {
  readonly json?: boolean
  readonly dataDir?: string
}

const examples = `
Examples:
  companion plan add --name team --gateway https://gateway.example.com --key-stdin < key.txt
  companion configure claude-code
  companion diagnose
  companion usage --by model --from 7d`

/** The `companion` command. */
export function createProgram(options: ProgramOptions): Program {
  const { version, outDir, openCore, makeOutput } = options
  const streams = options.streams ?? { stdin: () => process.stdin, stdout: process.stdout }
  const pipes = createLinePipes(streams)
  const readStdin = () => readText(streams.stdin())
  const readFile = (path: string): Promise<string> => readFileOrInput(path, readStdin)
  const openContext = (): CommandContext => {
    const { json = false, dataDir } = program.opts<GlobalOptions>()
    const session = openUsage({ core: openCore(dataDir), output: makeOutput(json), outDir })
    return { ...session, readStdin, readFile, pipes, streams, outDir }
  }
  const program: Program = new ContextCommand('companion', openContext)
    .description('Desktop companion for a prepaid token plan: plans, keys and coding tools from the terminal')
    .version(version)
    .flag('--json', 'print JSON')
    .value('--data-dir <dir>', "the app's data folder")
    .addHelpText('after', examples)
    .showHelpAfterError('("companion --help" lists all commands)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => makeOutput(false).out(text),
      writeErr: (text) => makeOutput(false).err(text),
    })
  program.commandsGroup('Plans and keys:')
  addPlanCommands(program)
  addKeyCommands(program)
  program.commandsGroup('Coding tools:')
  addToolCommands(program)
  addProfileCommands(program)
  addDoctorCommand(program)
  program.commandsGroup('People and teams:')
  addRotateCommands(program)
  addRegisterCommands(program)
  addHandoutCommands(program)
  addAuditCommands(program)
  addTeamCommands(program)
  program.commandsGroup('Platform:')
  addConnectionCommands(program)
  addApiCommands(program)
  addSecretCommands(program)
  addContractCommands(program)
  program.commandsGroup('Requests and usage:')
  defineRelayCommand(program).perform(async (context, options) => {
    const { runRelay } = await import('./relay-run')
    await runRelay(context, options)
  })
  addMetricsCommands(program)
  defineChatCommand(program).perform(async (context, promptWords, options) => {
    const { runChat } = await import('./chat-run')
    await runChat(context, { ...options, promptWords })
  })
  addMcpCommands(program)
  addUsageCommand(program)
  addBudgetCommands(program)
  addAlertCommands(program)
  addStatusLineCommand(program)
  program.commandsGroup('More:')
  program
    .add('sandbox', 'run the built-in sandbox until Ctrl+C')
    .value('--gateway-port <port>', 'port of the gateway (0: any free port)')
    .value('--platform-port <port>', 'port of the platform (0: any free port)')
    .value(
      '--state <file>',
      'save plans and keys to this file (default without --seed: the data of the sandbox of the app)',
    )
    .value('--seed <text>', 'seed of the sample data (the same seed gives the same keys)')
    .perform(async ({ core, output }, { state, seed, gatewayPort, platformPort }) => {
      const appStatePath = join(core.dataDir, 'sandbox.json')
      const file = state ?? (seed === undefined ? appStatePath : undefined)
      const plan = core.settings.read().plans.find(({ source }) => source === 'sandbox')
      if (plan && file === appStatePath) {
        process.once('exit', (code) => {
          if (code !== 1) return
          process.stderr.write(
            `If the sandbox of the app is running, use its plan ${plan.name} (${plan.gatewayUrl}):\n` +
              `  companion configure claude-code --plan ${plan.name}\n`,
          )
        })
      }
      const values = { 'gateway-port': gatewayPort, 'platform-port': platformPort, state: file, seed }
      const args = Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}=${value}`],
      )
      await runSandbox(join(outDir, 'sandbox.cjs'), output.isJson ? [...args, '--json'] : args)
    })
  addCompletionCommands(
    program,
    () => makeOutput(false),
    async (kind) => {
      if (kind === 'tools') return (await import('../tools/targets')).targets.map(({ id }) => id)
      const { plans } = openContext().core.settings.read()
      return kind === 'plans'
        ? plans.map(({ name }) => name)
        : plans.flatMap(({ keys }) => keys.map(({ name }) => name))
    },
  )
  return program
}

async function runSandbox(path: string, args: readonly string[]): Promise<void> {
  const { main }: { readonly main: (args: readonly string[]) => Promise<void> } = createRequire(path)(path)
  await main(args)
  // The sandbox program exits by itself, except for invalid arguments.
  if (process.exitCode === undefined) await new Promise(() => undefined)
}

/** Reads a file, or standard input for `-`. Fails with `file.unreadable`, or `input.invalid` if it is too large. */
async function readFileOrInput(path: string, readStdin: () => Promise<string>): Promise<string> {
  if (path === '-') return readStdin()
  try {
    return await readText(createReadStream(path))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('file.unreadable', `Can't read ${path}. Check its path and permissions.`, { cause })
  }
}
