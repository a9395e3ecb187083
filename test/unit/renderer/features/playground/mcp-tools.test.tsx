import type { PlaygroundSetup } from '@shared/contract'
import { expect, it } from 'vitest'
import { withMcpTools } from '../../../../../src/renderer/features/playground/mcp-tools'

const server = { toolId: 'claude-code', name: 'my files' }
const offer = (name: string) => ({ name, description: name, schema: '{"type":"object"}' })
const setup: PlaygroundSetup = {
  system: '',
  parameters: { tools: '[{"type":"function","function":{"name":"read","parameters":{}}}]' },
}
const readNames = ({ parameters }: PlaygroundSetup): unknown =>
  JSON.parse(parameters.tools ?? '[]').map(
    (definition: { name?: string; function?: { name: string } }) => definition.name ?? definition.function?.name,
  )

it('adds tools of a server under names that are free, and replaces them when added again', () => {
  const added = withMcpTools(setup, { standard: 'chat-completions', server, offers: [offer('read'), offer('a.b')] })
  expect(readNames(added)).toEqual(['read', 'my_files_read', 'a_b'])
  expect(added.mcpTools).toEqual([
    { name: 'my_files_read', server, tool: 'read' },
    { name: 'a_b', server, tool: 'a.b' },
  ])
  const again = withMcpTools(added, { standard: 'chat-completions', server, offers: [offer('a.b')] })
  expect(readNames(again)).toEqual(['read', 'my_files_read', 'a_b'])
  expect(again.mcpTools).toHaveLength(2)
})

it('forgets tools whose definition was removed, and uses the format of the standard', () => {
  const added = withMcpTools(setup, { standard: 'messages', server, offers: [offer('list')] })
  expect(JSON.parse(added.parameters.tools ?? '')[1]).toEqual({
    name: 'list',
    description: 'list',
    input_schema: { type: 'object' },
  })
  const emptied = { ...added, parameters: {} }
  const otherServer = { toolId: 'cursor', name: 'web' }
  expect(withMcpTools(emptied, { standard: 'messages', server: otherServer, offers: [offer('get')] }).mcpTools).toEqual(
    [{ name: 'get', server: otherServer, tool: 'get' }],
  )
})
