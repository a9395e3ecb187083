import { type McpChange, McpPermission } from '@shared/contract/mcp'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { CommandContext } from './context'
import type { McpRunOptions } from './mcp-run'
import { inLine, print, table } from './output'

type McpThreads = Omit<McpRunOptions, 'toolId'>

/** `companion mcp` and `companion mcp allow | refuse`. The server and its library are loaded by the first alone; `parts` are what it runs with. */
export function addMcpCommands(program: Command, context: () => CommandContext, parts: () => McpThreads): void {
  const mcp = program
    .command('mcp')
    .option('--tool <id>', 'coding tool that starts the server')
    .description(
      'serve plans, quota, usage, models and memories to a coding tool as an MCP server over standard input and output',
    )
    .addOption(new Option('--relay', 'serve the clients of the relay, which starts this').hideHelp())
    .action(async ({ tool, relay = false }: { tool?: string; relay?: boolean }) => {
      const { runMcp, runMcpForRelay } = await import('./mcp-run')
      await (relay ? runMcpForRelay : runMcp)(context(), { ...parts(), toolId: tool })
    })
  mcp
    .command('add')
    .argument('<tool>', 'id of the coding tool')
    .option('--http', 'over HTTP on the port of the relay (the relay must run)')
    .option('--dry-run', 'print the diff and write nothing')
    .description("add this app's MCP server to a coding tool")
    .action((toolId: string, { http: isHttp = false, ...options }: DryRun & { http?: boolean }) =>
      change(context(), { toolId, what: 'server', action: 'add', isHttp }, options),
    )
  mcp
    .command('remove')
    .argument('<tool>', 'id of the coding tool')
    .option('--dry-run', 'print the diff and write nothing')
    .description("remove this app's MCP server from a coding tool")
    .action((toolId: string, options: DryRun) =>
      change(context(), { toolId, what: 'server', action: 'remove' }, options),
    )
  mcp
    .command('list')
    .description('list tools that support MCP, with their servers')
    .action(() => listServers(context()))
  for (const [name, isOn, description] of [
    ['allow', true, 'let a coding tool use an MCP tool that costs quota or writes'],
    ['refuse', false, 'no longer allow it'],
  ] as const) {
    mcp
      .command(name)
      .argument('<tool>', 'id of the coding tool')
      .argument('<what>', McpPermission.options.join(' or '))
      .description(description)
      .action((tool: string, what: string) => setPermission(context(), { tool, what, isOn }))
  }
}

/** `companion statusline` and `companion statusline add | remove`. The line itself is usually printed before anything of this is loaded. */
export function addStatusLineCommand(program: Command, context: () => CommandContext): void {
  const line = program
    .command('statusline')
    .option('--tool <id>', 'coding tool that shows the line', 'claude-code')
    .option('--template <text>', 'with {model}, {plan}, {tokens}, {requests}, {forecast}, {route}')
    .option('--chain <command>', 'command of a status line to show before it')
    .description('print remaining quota as the status line of a coding tool')
    .action(async (options: Record<string, string>) => {
      const { printStatusLine } = await import('./statusline')
      const { dataDir } = await context().core.app()
      await printStatusLine({ words: 'statusline', dataDir, options })
    })
  for (const action of ['add', 'remove'] as const) {
    line
      .command(action)
      .option('--dry-run', 'print the diff and write nothing')
      .description(
        action === 'add' ? 'add it to Claude Code, after an existing status line' : 'remove it from Claude Code',
      )
      .action((options: DryRun) => change(context(), { toolId: 'claude-code', what: 'statusLine', action }, options))
  }
}

async function setPermission(
  { core, output }: CommandContext,
  { tool, what, isOn }: { readonly tool: string; readonly what: string; readonly isOn: boolean },
): Promise<void> {
  const { anyTarget } = await import('../tools/targets')
  const { setMcpPermission } = await import('../mcp/permissions')
  const { id, name } = anyTarget(tool)
  const permission = McpPermission.safeParse(what).data
  if (permission === undefined) {
    const known = McpPermission.options.join(', ')
    throw new AppError('input.invalid', `Unknown permission ${what}. Choose one of: ${known}.`, { field: 'what' })
  }
  const permissions = setMcpPermission(core.settings, { toolId: id, permission, isOn })
  print(output, { toolId: id, permissions }, () => [
    `${name} may use, besides reading: ${permissions.length === 0 ? 'nothing' : permissions.join(', ')}.`,
  ])
}

interface DryRun {
  readonly dryRun?: boolean
}

/** Prints what is changed, and changes it unless it is only to be shown. */
async function change({ core, output }: CommandContext, wish: McpChange, { dryRun = false }: DryRun): Promise<void> {
  const { mcpServers } = await core.loadTools()
  const { changeLines } = await import('./tool-changes')
  const { previewId, ...changes } = await mcpServers.preview(wish)
  if (!dryRun) await mcpServers.carryOut(previewId)
  print(output, { ...changes, isWritten: !dryRun }, () => changeLines(changes, output.hasColour))
}

async function listServers({ core, output }: CommandContext): Promise<void> {
  const { mcpServers } = await core.loadTools()
  const tools = await mcpServers.list()
  print(output, tools, () =>
    table(
      ['TOOL', 'COMPANION', 'OTHER SERVERS', 'SWITCHED ON', 'FILE'],
      tools.map(({ toolId, server, servers, permissions, file }) => [
        ...[toolId, server, servers.flatMap(({ name, isOurs }) => (isOurs ? [] : [inLine(name)])).join(', ') || '-'],
        ...[permissions.join(', ') || '-', file],
      ]),
    ),
  )
}
