import type { ApiStandard, McpServerRef, McpServerView, PlaygroundSetup } from '@shared/contract'
import { cleanup } from '@testing-library/react'
import { expect, it } from 'vitest'
import { AddMcpTools } from '../../../../../src/renderer/features/playground/mcp-tools'
import { chooseOption, clickButton, clickEnabledButton, installMain, renderInApp } from '../../support/fake-main'

const server = { toolId: 'claude-code', name: 'my files' }
const setup: PlaygroundSetup = {
  system: '',
  parameters: { tools: '[{"type":"function","function":{"name":"read","parameters":{}}}]' },
}
const readNames = ({ parameters }: PlaygroundSetup): unknown =>
  JSON.parse(parameters.tools ?? '[]').map(
    (definition: { name?: string; function?: { name: string } }) => definition.name ?? definition.function?.name,
  )

/** Adds all tools of a server in the dialog. Returns the setup with the tools. */
async function addTools(
  before: PlaygroundSetup,
  options: { standard: ApiStandard; server: McpServerRef; tools: readonly string[] },
): Promise<PlaygroundSetup> {
  const { toolId, name } = options.server
  const flags = { isOurs: false, isOn: true, canSwitch: true, areValuesKept: false }
  const servers: McpServerView[] = [{ name, kind: 'program', values: [], ...flags }]
  const toolState = { file: '', exists: true, server: 'absent', isHttp: false } as const
  installMain({
    'mcp.tools': () => [{ ...toolState, permissions: [], toolId, name: toolId, servers }],
    'playground.mcpTools': () =>
      options.tools.map((tool) => ({ name: tool, description: tool, schema: '{"type":"object"}' })),
  })
  let after = before
  const onChange = (nextSetup: PlaygroundSetup): void => {
    after = nextSetup
  }
  await renderInApp(<AddMcpTools setup={before} standard={options.standard} onChange={onChange} />)
  await clickButton(/^Add tools from/)
  await chooseOption('MCP server', new RegExp(name))
  await clickButton('Show tools…')
  await clickEnabledButton(/^Add \d tool/)
  cleanup()
  return after
}

it('adds tools of a server under names that are free, and replaces them when added again', async () => {
  const added = await addTools(setup, { standard: 'chat-completions', server, tools: ['read', 'a.b'] })
  expect(readNames(added)).toEqual(['read', 'my_files_read', 'a_b'])
  expect(added.mcpTools).toEqual([
    { name: 'my_files_read', server, tool: 'read' },
    { name: 'a_b', server, tool: 'a.b' },
  ])
  const again = await addTools(added, { standard: 'chat-completions', server, tools: ['a.b'] })
  expect(readNames(again)).toEqual(['read', 'my_files_read', 'a_b'])
  expect(again.mcpTools).toHaveLength(2)
})

it('forgets tools whose definition was removed, and uses the format of the standard', async () => {
  const added = await addTools(setup, { standard: 'messages', server, tools: ['list'] })
  const listTool = { name: 'list', description: 'list', input_schema: { type: 'object' } }
  expect(JSON.parse(added.parameters.tools ?? '')[1]).toEqual(listTool)
  const otherServer = { toolId: 'cursor', name: 'web' }
  const emptied = { ...added, parameters: {} }
  const replaced = await addTools(emptied, { standard: 'messages', server: otherServer, tools: ['get'] })
  expect(replaced.mcpTools).toEqual([{ name: 'get', server: otherServer, tool: 'get' }])
})
