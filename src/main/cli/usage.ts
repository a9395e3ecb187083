import { type Command, Option } from 'commander'
import { addConnectionOption } from './options'
import { inLine, print } from './output'
import { sources, splits, steps, type UsageContext, type UsageOptions } from './usage-session'

/** `companion usage`. `--line` loads what it needs and no more: shells ask for it with every prompt. */
export function addUsageCommand(program: Command, context: () => UsageContext): void {
  addConnectionOption(program.command('usage'))
    .description('usage over time or by model, tool, key or plan')
    .option('--plan <plan>', 'name or id')
    .option('--model <code>', 'model code')
    .option('--tool <tool>', 'coding tool, by id')
    .option('--key <key>', 'subscription key, by name or id')
    .option('--from <when>', 'start: a day, a time, today, month, 24h, 7d or 2w', '7d')
    .option('--to <when>', 'end, in the same form (a day is included)', 'now')
    .addOption(new Option('--by <what>', 'row per').choices([...steps, ...splits]).default('day'))
    .addOption(new Option('--source <source>', 'data source').choices(sources).default('machine'))
    .option('--csv', 'print CSV')
    .option('--line', 'print the lowest quota in one line, for shell prompts and status lines')
    .action(async (options: UsageOptions) => {
      const parts = context()
      try {
        await (options.line ? showLine(parts) : show(parts, options))
      } finally {
        await parts.close()
      }
    })
}

/** Nothing where nothing is known: a prompt is no place for explanations. */
async function showLine({ output, tightestLine }: UsageContext): Promise<void> {
  const line = await tightestLine()
  if (output.isJson) print(output, { line: line ?? null }, () => [])
  else if (line !== undefined) output.out(`${inLine(line)}\n`)
}

async function show(parts: UsageContext, options: UsageOptions): Promise<void> {
  const { showUsage } = await import('./usage-show')
  await showUsage(parts, options)
}
