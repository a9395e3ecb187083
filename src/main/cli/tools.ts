import { Delivery, Route, type ToolView } from '@shared/contract'
import { type Command, Option } from 'commander'
import type { CommandContext } from './context'
import { addSiteOptions, collectPair, type SiteOptions, siteOf, yes } from './options'
import { checkLines, print, table } from './output'

/** `companion tools | configure | restore | verify | snippet | history | rewind`. What writes is loaded by these alone. */
export function addToolCommands(program: Command, context: () => CommandContext): void {
  program
    .command('tools')
    .description('coding tools and their configuration')
    .action(() => listTools(context()))
  addConfigure(program, context)
  addRestore(program, context)
  addSiteOptions(program.command('verify').argument('<tool>', 'id'))
    .description('test a tool with a live request')
    .action(async (toolId: string, options: SiteOptions) => {
      const { core, output } = context()
      const { tools } = await core.loadTools()
      const check = await tools.verify({ toolId, site: siteOf(options) })
      print(output, check, () => checkLines(check))
      if (!check.ok) process.exitCode = 1
    })
  program
    .command('history')
    .argument('[tool]', 'id')
    .description('change history of a tool, newest first')
    .action(async (toolId?: string) => (await import('./tool-actions')).listHistory(context(), toolId))
  program
    .command('rewind')
    .argument('<write>', 'id, as "companion history" shows it')
    .option('--dry-run', 'print the diff and write nothing')
    .description('revert files to before a change')
    .action(async (id: string, options: { dryRun?: boolean }) =>
      (await import('./tool-actions')).rewind(context(), id, options),
    )
}

function addConfigure(program: Command, context: () => CommandContext): void {
  const configuring = (command: Command): Command =>
    addSiteOptions(command)
      .requiredOption('--plan <plan>', 'name or id of the plan')
      .option('--key <key>', "name or id of the key (default: the plan's newest active)")
      .option('--model <code>', "model code (default: the plan's first)")
      .option('--small-model <code>', 'model code for small jobs (default: the same)')
      .option(
        '--slot <name=code>',
        "model code of another of the tool's slots; may be repeated",
        collectPair,
        new Map(),
      )
      .addOption(new Option('--delivery <how>', 'how the tool gets the key').choices(Delivery.options))
      .addOption(new Option('--route <where>', 'point it at the gateway or at the relay').choices(Route.options))
  configuring(program.command('configure').argument('[tools...]', 'ids, as "companion tools" shows them'))
    .option('--all', 'every installed tool whose files this app writes')
    .option('--move-comments', 'write a strict JSON file without its comments; the commented original stays beside it')
    .option('--take-out <setting...>', 'settings in the way, as dotted paths; undoing brings them back')
    .option('--keep <setting...>', 'settings to leave as they are, as dotted paths')
    .option('--dry-run', 'print the diff and write nothing')
    .description('configure tools for a plan (all or none)')
    .action(async (tools: string[], options) => (await import('./tool-actions')).configure(context(), tools, options))
  configuring(program.command('snippet').argument('<tool>', 'id'))
    .description('print configuration as a snippet (with a variable for the key)')
    .action(async (tool: string, options) => (await import('./tool-actions')).printSnippets(context(), tool, options))
}

function addRestore(program: Command, context: () => CommandContext): void {
  addSiteOptions(program.command('restore').argument('[tool]', 'id'))
    .option('--all', 'everything this app ever wrote, at every site')
    .addOption(yes('take back everything'))
    .option('--dry-run', 'print the diff and write nothing')
    .description("undo a tool's configuration")
    .action(async (tool: string | undefined, options) =>
      (await import('./tool-actions')).restore(context(), tool, options),
    )
}

/** A tool that something keeps from what was written is not simply configured. */
const wordOf = ({ status, conflicts }: ToolView): string =>
  status === 'configured' && conflicts ? 'overridden' : status

async function listTools({ core, output }: CommandContext): Promise<void> {
  const tools = await (await core.loadTools()).tools.list()
  const row = (tool: ToolView): string[] => [
    tool.id,
    tool.installed ? (tool.version ?? 'installed') : 'not installed',
    tool.kind === 'written' ? wordOf(tool) : tool.kind,
    tool.applied?.planName ?? '-',
    tool.applied?.modelCode ?? '-',
  ]
  print(output, tools, () => table(['TOOL', 'VERSION', 'STATUS', 'PLAN', 'MODEL'], tools.map(row)))
}
