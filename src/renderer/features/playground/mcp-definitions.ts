import type { ApiStandard, McpServerRef, McpToolOffer, PlaygroundMcpTool, PlaygroundSetup } from '@shared/contract'
import { parseJson } from '@shared/json'
import { withParameter } from './parameters-fields'

export const serverKey = ({ toolId, name }: McpServerRef): string => `${toolId} ${name}`

/** These limits must match the contract. */
export const maxToolsLength = 200_000
const maxNameLength = 64
const maxMcpTools = 128

type Definition = Readonly<Record<string, unknown>>

function parseDefinitions(text = ''): readonly Definition[] {
  const value = parseJson(text)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

const getName = ({ name, function: inner }: Definition): unknown =>
  name ?? (typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : undefined)

/** Returns a name that APIs accept. Adds the server's name, and then a number, if the name is taken. */
function createToolName(tool: string, server: string, takenNames: ReadonlySet<unknown>): string {
  const clean = (text: string): string => text.replaceAll(/[^\w-]+/g, '_')
  const shortName = clean(tool).slice(0, maxNameLength)
  if (!takenNames.has(shortName)) return shortName
  const longName = `${clean(server)}_${clean(tool)}`.slice(0, maxNameLength)
  if (!takenNames.has(longName)) return longName
  const stem = longName.slice(0, maxNameLength - 4)
  let number = 2
  while (takenNames.has(stem + number)) number += 1
  return stem + number
}

interface OfferedTools {
  readonly standard: ApiStandard
  readonly server: McpServerRef
  readonly offers: readonly McpToolOffer[]
}

/** Adds tools of a server to the definitions in the settings. Replaces definitions of the same tools. */
export function withMcpTools(setup: PlaygroundSetup, { standard, server, offers }: OfferedTools): PlaygroundSetup {
  const isReplaced = ({ server: otherServer, tool }: PlaygroundMcpTool): boolean =>
    serverKey(otherServer) === serverKey(server) && offers.some(({ name }) => name === tool)
  const { mcpTools = [], parameters } = setup
  const replacedNames = new Set<unknown>(mcpTools.filter(isReplaced).map(({ name }) => name))
  const definitions = parseDefinitions(parameters.tools).filter((definition) => !replacedNames.has(getName(definition)))
  const takenNames = new Set(definitions.map(getName))
  const added = offers.map(({ name: tool, description, schema }) => {
    const name = createToolName(tool, server.name, takenNames)
    takenNames.add(name)
    const inputSchema: unknown = JSON.parse(schema)
    const definition =
      standard === 'messages'
        ? { name, description, input_schema: inputSchema }
        : { type: 'function', function: { name, description, parameters: inputSchema } }
    return { definition, mcpTool: { name, server, tool } }
  })
  const otherMcpTools = mcpTools.filter((mcpTool) => !isReplaced(mcpTool) && takenNames.has(mcpTool.name))
  const text = JSON.stringify([...definitions, ...added.map(({ definition }) => definition)], undefined, 2)
  return {
    ...setup,
    parameters: withParameter(parameters, 'tools', text),
    mcpTools: [...otherMcpTools, ...added.map(({ mcpTool }) => mcpTool)].slice(-maxMcpTools),
  }
}
