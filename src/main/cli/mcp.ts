import { McpPermission } from '@shared/contract/common'
import type { McpChange } from '@shared/contract/mcp'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import { formatExactTime } from '../core/local-time'
import type { McpRunOptions } from './mcp-run'
import type { CommandContext } from './output'
import { printOutput, table, toSingleLine } from './output'

type McpThreads = Omit<McpRunOptions, 'toolId'>

/** `companion mcp` and `companion mcp allow refuse`. Only `companion mcp` loads the MCP server and its library. */
export function addMcpCommands(program: Command, context: () => CommandContext, parts: () => McpThreads): void {
  const mcp = program
    .command('mcp')
    .option('--tool <id>', 'coding tool that starts the server')
    .description(
      'serve plans, quota, usage, models and memories to a coding tool as an MCP server over standard input and output',
    )
    .addOption(new Option('--relay', 'serve the clients of the relay, which starts this').hideHelp())
    .action(async ({ tool, relay = false }: { tool?: string; relay?: boolean }) => {
      const { runMcp, runMcpThroughRelay: runMcpForRelay } = await import('./mcp-run')
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
  addServerCommands(mcp, context)
  for (const [name, isOn, description] of [
    ['allow', true, 'let a coding tool use an MCP tool that costs quota or writes'],
    ['refuse', false, 'no longer allow it'],
  ] as const) {
    mcp
      .command(name)
      .argument('<tool>', 'id of the coding tool')
      .argument('<what>', McpPermission.options.join(' or '))
      .description(description)
      .action((tool: string, permission: string) => setPermission(context(), { tool, what: permission, isOn }))
  }
}

function addServerCommands(mcp: Command, context: () => CommandContext): void {
  mcp
    .command('copy')
    .argument('<server>', 'name of an MCP server')
    .requiredOption('--from <tool>', 'id of the coding tool that has it')
    .requiredOption('--to <tool...>', 'ids of the coding tools that get it')
    .addOption(new Option('--keychain', 'save values of variables in the keychain, where the server gets them'))
    .addOption(
      new Option('--with-values', 'copy values of variables and headers as plain text, which may be secrets').conflicts(
        'keychain',
      ),
    )
    .option('--dry-run', 'print the diff and write nothing')
    .description('copy an MCP server of one coding tool to others')
    .action((name: string, { from: toolId, to, withValues, keychain, ...options }: DryRun & CopyOptions) => {
      const values = withValues ? 'plain' : keychain ? 'keychain' : 'none'
      return change(context(), { what: 'anyServer', action: 'copy', toolId, name, to: [...to], values }, options)
    })
  mcp
    .command('run')
    .requiredOption('--item <account>', 'keychain item of the values')
    .option('--value <name...>', 'name of a value')
    .argument('<command...>', '"--" and the command with its arguments')
    .description('start an MCP server with values from the keychain (used by tools)')
    .action(() => {
      // Only reached without a command, because `quick-answer.ts` handles calls that have one.
      throw new AppError('input.invalid', 'Give the command after "--".', { field: 'command' })
    })
  for (const [command, action, description] of [
    ['drop', 'remove', 'remove an MCP server from a coding tool'],
    ['on', 'switchOn', 'switch an MCP server of a coding tool on'],
    ['off', 'switchOff', 'switch an MCP server of a coding tool off'],
  ] as const) {
    mcp
      .command(command)
      .argument('<server>', 'name of an MCP server')
      .argument('<tool>', 'id of the coding tool that has it')
      .option('--dry-run', 'print the diff and write nothing')
      .description(description)
      .action((name: string, toolId: string, options: DryRun) =>
        change(context(), { what: 'anyServer', action, toolId, name }, options),
      )
  }
  mcp
    .command('history')
    .description('list changes of MCP servers and status lines, newest first')
    .action(() => listHistory(context()))
  mcp
    .command('undo')
    .argument('<change>', 'id of a change, see "companion mcp history"')
    .option('--dry-run', 'print the diff and write nothing')
    .description('revert to before a change')
    .action((entryId: string, options: DryRun) => change(context(), { what: 'rewind', entryId }, options))
}

interface CopyOptions {
  readonly from: string
  readonly to: readonly string[]
  readonly withValues?: boolean
  readonly keychain?: boolean
}

async function listHistory({ core, output }: CommandContext): Promise<void> {
  const { mcpServers } = await core.loadTools()
  const entries = await mcpServers.history()
  printOutput(output, entries, () =>
    table(
      ['TIME', 'TOOL', 'SERVER', 'CHANGE', 'ID'],
      entries.flatMap(({ id, at, isUndone, changes }) =>
        changes.map(({ toolId, server = 'status line', kind }) => [
          formatExactTime(at),
          toolId,
          toSingleLine(server),
          isUndone ? `${kind}, undone` : kind,
          id,
        ]),
      ),
    ),
  )
}

/**
 * `companion statusline` and `companion statusline add remove`. Usually `quick-answer.ts` prints the line, and this
 * command is not loaded.
 */
export function addStatusLineCommand(program: Command, context: () => CommandContext): void {
  const line = program
    .command('statusline')
    .option('--tool <id>', 'coding tool that shows the line', 'claude-code')
    .option('--template <text>', 'with {model}, {plan}, {tokens}, {requests}, {forecast}, {route}')
    .option('--chain <command>', 'command of a status line to show before it')
    .description('print remaining quota as the status line of a coding tool')
    .action(async (options: Record<string, string>) => {
      const { printStatusLine: answerStatusLine } = await import('./statusline')
      const { core, output } = context()
      const { dataDir } = await core.app()
      output.out(`${await answerStatusLine(dataDir, options)}\n`)
    })
  for (const action of ['add', 'remove'] as const) {
    line
      .command(action)
      .argument('[tool]', 'id of the coding tool', 'claude-code')
      .option('--dry-run', 'print the diff and write nothing')
      .description(
        action === 'add' ? 'add it to a coding tool, after an existing status line' : 'remove it from a coding tool',
      )
      .action((toolId: string, options: DryRun) => {
        // `--template` may come before or after the subcommand.
        const { template } = line.opts<{ template?: string }>()
        const templateOption = action === 'add' && template ? { template } : {}
        return change(context(), { toolId, what: 'statusLine', action, ...templateOption }, options)
      })
  }
}

async function setPermission(
  { core, output }: CommandContext,
  { tool, what, isOn }: { readonly tool: string; readonly what: string; readonly isOn: boolean },
): Promise<void> {
  const { anyTarget } = await import('../tools/targets')
  const { setMcpPermission } = await import('../mcp/services')
  const { id, name } = anyTarget(tool)
  const permission = McpPermission.safeParse(what).data
  if (permission === undefined) {
    const permissionNames = McpPermission.options.join(', ')
    throw new AppError('input.invalid', `Unknown permission ${what}. Choose one of: ${permissionNames}.`, {
      field: 'what',
    })
  }
  const permissions = setMcpPermission(core.settings, { toolId: id, permission, isOn })
  printOutput(output, { toolId: id, permissions }, () => [
    `${name} may use, besides reading: ${permissions.length === 0 ? 'nothing' : permissions.join(', ')}.`,
  ])
}

interface DryRun {
  readonly dryRun?: boolean
}

/** Prints a change and applies it, unless `dryRun`. */
async function change({ core, output }: CommandContext, request: McpChange, { dryRun = false }: DryRun): Promise<void> {
  const { mcpServers } = await core.loadTools()
  const { changeLines, manyLines } = await import('./tool-changes')
  const { previewId, tools, left } = await mcpServers.preview(request)
  const [only] = tools
  if (!only)
    throw new AppError('input.invalid', left[0]?.failure.message ?? 'There is nothing to write.', left[0]?.failure)
  if (!dryRun) await mcpServers.carryOut(previewId)
  const isSingleTool = tools.length === 1 && left.length === 0
  printOutput(output, { ...(isSingleTool ? only : { tools, left }), isWritten: !dryRun }, () =>
    isSingleTool ? changeLines(only, output.hasColour) : manyLines({ previewId, tools, left }, output.hasColour),
  )
}

async function listServers({ core, output }: CommandContext): Promise<void> {
  const { mcpServers } = await core.loadTools()
  const tools = await mcpServers.list()
  printOutput(output, tools, () =>
    table(
      ['TOOL', 'COMPANION', 'OTHER SERVERS', 'SWITCHED ON', 'FILE'],
      tools.map(({ toolId, server, servers, permissions, file }) => [
        toolId,
        server,
        servers.flatMap(({ name, isOurs }) => (isOurs ? [] : [toSingleLine(name)])).join(', ') || '-',
        permissions.join(', ') || '-',
        file,
      ]),
    ),
  )
}
