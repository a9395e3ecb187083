import { McpPermission } from '@shared/contract/common'
import type { McpChange } from '@shared/contract/mcp'
import { AppError } from '@shared/failure'
import { Option } from 'commander'
import { formatExactTime } from '../core/local-time'
import type { CommandContext, Program } from './context'
import { inputError, listResult, type Result, table, toSingleLine } from './output'

/** `companion mcp` and `companion mcp allow refuse`. Only `companion mcp` loads the MCP server and its library. */
export function addMcpCommands(program: Program): void {
  const mcp = program
    .add(
      'mcp',
      'serve plans, quota, usage, models and memories to a coding tool as an MCP server over standard input and output',
    )
    .value('--tool <id>', 'coding tool that starts the server')
    .addOption(new Option('--relay', 'serve the clients of the relay, which starts this').hideHelp())
    .perform(async (context, { tool, relay = false }: { readonly tool?: string; readonly relay?: boolean }) => {
      const { runMcp, runMcpThroughRelay } = await import('./mcp-run')
      await (relay ? runMcpThroughRelay(context) : runMcp(context, tool))
    })
  for (const action of ['add', 'remove'] as const) {
    const description = `${action} this app's MCP server ${action === 'add' ? 'to' : 'from'} a coding tool`
    const command = mcp.add(`${action} <tool>`, description, 'id of the coding tool').dryRun()
    if (action === 'add') command.flag('--http', 'over HTTP on the port of the relay (the relay must run)')
    command.run((context, toolId, options: DryRun & { readonly http?: boolean }) => {
      const { http: isHttp = false } = options
      return change(
        context,
        { toolId, what: 'server', ...(action === 'add' ? { action, isHttp } : { action }) },
        options,
      )
    })
  }
  mcp.add('list', 'list tools that support MCP, with their servers').run(async ({ core }) => {
    const tools = await (await core.loadTools()).mcpServers.list()
    return listResult(tools, {
      TOOL: ({ toolId }) => toolId,
      COMPANION: ({ server }) => server,
      'OTHER SERVERS': ({ servers }) => servers.flatMap(({ name, isOurs }) => (isOurs ? [] : name)).join(', ') || '-',
      'SWITCHED ON': ({ permissions }) => permissions.join(', ') || '-',
      FILE: ({ file }) => file,
    })
  })
  mcp
    .add('copy <server>', 'copy an MCP server of one coding tool to others', 'name of an MCP server')
    .required('--from <tool>', 'id of the coding tool that has it')
    .required('--to <tool...>', 'ids of the coding tools that get it')
    .flag('--keychain', 'save values of variables in the keychain, where the server gets them')
    .flag('--with-values', 'copy values of variables and headers as plain text, which may be secrets')
    .dryRun()
    .run((context, name, options) => {
      const { from: toolId, to, keychain, withValues } = options
      if (keychain && withValues) throw inputError('Use either --keychain or --with-values.', 'keychain')
      const values = withValues ? 'plain' : keychain ? 'keychain' : 'none'
      return change(context, { what: 'anyServer', action: 'copy', toolId, name, to, values }, options)
    })
  mcp
    .add(
      'run <command...>',
      'start an MCP server with values from the keychain (used by tools)',
      '"--" and the command with its arguments',
    )
    .required('--item <account>', 'keychain item of the values')
    .value('--value <name...>', 'name of a value')
    .action(() => {
      // Only reached without a command, because `quick-answer.ts` handles calls that have one.
      throw inputError('Give the command after "--".', 'command')
    })
  for (const [command, action, description] of [
    ['drop', 'remove', 'remove an MCP server from a coding tool'],
    ['on', 'switchOn', 'switch an MCP server of a coding tool on'],
    ['off', 'switchOff', 'switch an MCP server of a coding tool off'],
  ] as const) {
    mcp
      .add(`${command} <server> <tool>`, description, 'name of an MCP server', 'id of the coding tool that has it')
      .dryRun()
      .run((context, name, toolId, options) => change(context, { what: 'anyServer', action, toolId, name }, options))
  }
  mcp.add('history', 'list changes of MCP servers and status lines, newest first').run(async ({ core }) => {
    const entries = await (await core.loadTools()).mcpServers.history()
    const rows = entries.flatMap(({ id, at, isUndone, changes }) =>
      changes.map(({ toolId, server = 'status line', kind }) => [
        formatExactTime(at),
        toolId,
        toSingleLine(server),
        isUndone ? `${kind}, undone` : kind,
        id,
      ]),
    )
    return [entries, table(['TIME', 'TOOL', 'SERVER', 'CHANGE', 'ID'], rows)]
  })
  mcp
    .add('undo <change>', 'revert to before a change', 'id of a change, see "companion mcp history"')
    .dryRun()
    .run((context, entryId, options) => change(context, { what: 'rewind', entryId }, options))
  for (const [name, isOn, description] of [
    ['allow', true, 'let a coding tool use an MCP tool that costs quota or writes'],
    ['refuse', false, 'no longer allow it'],
  ] as const) {
    mcp
      .add(`${name} <tool> <what>`, description, 'id of the coding tool', McpPermission.options.join(' or '))
      .run(async ({ core }, tool, what) => {
        const { anyTarget } = await import('../tools/targets')
        const { setMcpPermission } = await import('../mcp/services')
        const { id: toolId, name } = anyTarget(tool)
        const permission = McpPermission.safeParse(what).data
        if (permission === undefined)
          throw inputError(`Unknown permission ${what}. Choose one of: ${McpPermission.options.join(', ')}.`, 'what')
        const permissions = setMcpPermission(core.settings, { toolId, permission, isOn })
        return [{ toolId, permissions }, [`${name} may use, besides reading: ${permissions.join(', ') || 'nothing'}.`]]
      })
  }
}

/** `companion statusline` and its `add` and `remove`. Usually `quick-answer.ts` prints the line. */
export function addStatusLineCommand(program: Program): void {
  const line = program
    .add('statusline', 'print remaining quota as the status line of a coding tool')
    .valueOr('--tool <id>', 'coding tool that shows the line', String, 'claude-code')
    .value('--template <text>', 'with {model}, {plan}, {tokens}, {requests}, {forecast}, {route}')
    .value('--chain <command>', 'command of a status line to show before it')
    .perform(async ({ core, output }, options) => {
      const { printStatusLine } = await import('./statusline')
      output.out(`${await printStatusLine(core.dataDir, options)}\n`)
    })
  for (const action of ['add', 'remove'] as const) {
    const description =
      action === 'add' ? 'add it to a coding tool, after an existing status line' : 'remove it from a coding tool'
    line
      .add(`${action} [tool]`, description, 'id of the coding tool (default: claude-code)')
      .dryRun()
      .run((context, toolId = 'claude-code', options) => {
        // `--template` may come before or after the subcommand.
        const { template } = line.opts<{ template?: string }>()
        const templateOption = action === 'add' && template ? { template } : {}
        return change(context, { toolId, what: 'statusLine', action, ...templateOption }, options)
      })
  }
}

interface DryRun {
  readonly dryRun?: boolean
}

/** Prints a change and applies it, unless `dryRun`. */
async function change(
  { core, output }: CommandContext,
  request: McpChange,
  { dryRun = false }: DryRun,
): Promise<Result> {
  const { mcpServers } = await core.loadTools()
  const { changeLines, manyLines } = await import('./tool-changes')
  const { previewId, tools, left } = await mcpServers.preview(request)
  const [only] = tools
  if (!only)
    throw new AppError('input.invalid', left[0]?.failure.message ?? 'There is nothing to write.', left[0]?.failure)
  if (!dryRun) await mcpServers.carryOut(previewId)
  const isSingleTool = tools.length === 1 && left.length === 0
  return [
    { ...(isSingleTool ? only : { tools, left }), isWritten: !dryRun },
    isSingleTool ? changeLines(only, output.hasColour) : manyLines({ previewId, tools, left }, output.hasColour),
  ]
}
