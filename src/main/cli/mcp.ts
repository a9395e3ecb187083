import { McpPermission } from '@shared/contract/mcp'
import { AppError } from '@shared/failure'
import type { Command } from 'commander'
import type { CommandContext } from './context'
import type { McpRunOptions } from './mcp-run'
import { print } from './output'

type McpThreads = Omit<McpRunOptions, 'toolId'>

/** `companion mcp` and `companion mcp allow | refuse`. The server and its library are loaded by the first alone; `parts` are what it runs with. */
export function addMcpCommands(program: Command, context: () => CommandContext, parts: () => McpThreads): void {
  const mcp = program
    .command('mcp')
    .option('--tool <id>', 'the coding tool that starts it')
    .description(
      'serve plans, quota, usage, models and memories to a coding tool as an MCP server over standard input and output',
    )
    .action(async ({ tool }: { tool?: string }) => {
      const { runMcp } = await import('./mcp-run')
      await runMcp(context(), { ...parts(), toolId: tool })
    })
  for (const [name, isOn, description] of [
    ['allow', true, 'let a coding tool use an MCP tool that costs quota or writes'],
    ['refuse', false, 'take that back'],
  ] as const) {
    mcp
      .command(name)
      .argument('<tool>', 'id of the coding tool')
      .argument('<what>', McpPermission.options.join(' or '))
      .description(description)
      .action((tool: string, what: string) => setPermission(context(), { tool, what, isOn }))
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
    throw new AppError('input.invalid', `There is no switch ${what}. There are: ${known}.`, { field: 'what' })
  }
  const permissions = setMcpPermission(core.settings, { toolId: id, permission, isOn })
  print(output, { toolId: id, permissions }, () => [
    `${name} may use beside reading: ${permissions.length === 0 ? 'nothing' : permissions.join(', ')}.`,
  ])
}
