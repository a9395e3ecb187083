import { Delivery, type ToolView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { CommandContext } from './context'
import { checkLines, previewLines, print, table } from './output'

interface ConfigureOptions {
  readonly plan: string
  readonly model?: string
  readonly smallModel?: string
  readonly delivery?: Delivery
  readonly moveComments?: boolean
  readonly dryRun?: boolean
}

/** `companion tools | configure | restore | verify`. */
export function addToolCommands(program: Command, context: () => CommandContext): void {
  program
    .command('tools')
    .description('coding tools on this machine and how they are configured')
    .action(() => listTools(context()))
  program
    .command('configure')
    .argument('<tool>', 'id, as "companion tools" shows it')
    .requiredOption('--plan <plan>', 'name or id of the plan')
    .option('--model <code>', "model code (default: the plan's first)")
    .option('--small-model <code>', 'model code for small jobs (default: the same)')
    .addOption(new Option('--delivery <how>', 'how the tool gets the key').choices(Delivery.options))
    .option('--move-comments', 'write a strict JSON file without its comments; the commented original stays beside it')
    .option('--dry-run', 'print the diff and write nothing')
    .description('point a tool at a plan')
    .action((tool: string, options: ConfigureOptions) => configure(context(), tool, options))
  program
    .command('restore')
    .argument('<tool>', 'id')
    .option('--dry-run', 'print the diff and write nothing')
    .description("put a tool's files back as they were")
    .action((tool: string, options: { dryRun?: boolean }) => restore(context(), tool, options))
  program
    .command('verify')
    .argument('<tool>', 'id')
    .description('make one real small request as the tool would')
    .action(async (tool: string) => {
      const { core, output } = context()
      const check = await core.tools.verify(tool)
      print(output, check, () => checkLines(check))
      if (!check.ok) process.exitCode = 1
    })
}

async function listTools({ core, output }: CommandContext): Promise<void> {
  const tools = await core.tools.list()
  const brief = tools.map(({ id, name, standard, installed, version, status, supported, reason }) => ({
    id,
    name,
    standard,
    installed,
    version: version ?? null,
    status,
    supported,
    ...(reason ? { reason } : {}),
  }))
  const row = (tool: ToolView): string[] => [
    tool.id,
    tool.installed ? (tool.version ?? 'installed') : 'not installed',
    tool.status,
    tool.applied?.planName ?? '-',
    tool.applied?.modelCode ?? '-',
  ]
  print(output, brief, () => table(['TOOL', 'VERSION', 'STATUS', 'PLAN', 'MODEL'], tools.map(row)))
}

async function configure({ core, output }: CommandContext, toolId: string, options: ConfigureOptions): Promise<void> {
  const plan = core.plans.find(options.plan)
  const modelCode = options.model ?? plan.models[0]
  if (!modelCode) {
    throw new AppError('input.invalid', `No model code of ${plan.name} is known. Name one with --model.`, {
      field: 'model',
    })
  }
  const { smallModel: smallModelCode, delivery, moveComments: moveCommentsToCopy } = options
  const choice = { toolId, planId: plan.id, modelCode, smallModelCode, delivery, moveCommentsToCopy }
  const preview = await core.tools.preview(choice)
  if (!options.dryRun) await core.tools.carryOut(preview.previewId)
  const done = options.dryRun ? 'Nothing was written (--dry-run).' : `${toolId} now uses ${plan.name}.`
  print(output, { ...preview, written: !options.dryRun }, () => [...previewLines(preview, output.hasColour), done])
}

async function restore({ core, output }: CommandContext, toolId: string, { dryRun = false }): Promise<void> {
  const preview = await core.tools.previewRestore(toolId)
  if (!dryRun) await core.tools.carryOut(preview.previewId)
  const done = dryRun ? 'Nothing was written (--dry-run).' : `${toolId} is as it was before.`
  print(output, { ...preview, written: !dryRun }, () => [...previewLines(preview, output.hasColour), done])
}
