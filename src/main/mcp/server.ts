import { McpServer } from '@modelcontextprotocol/server'
import type { Clock, Log } from '../ports'
import { Calls } from './calls'
import { addLibrary, type LibraryDeps } from './library'
import { memoryTools } from './memory-tools'
import { planTools } from './plan-tools'
import type { McpServices } from './services'

export interface McpServerOptions {
  readonly version: string
  readonly services: McpServices
  /** The coding tool that the server was started for. */
  readonly toolId: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** Runs something again and again, for tests; a timer unless given. */
  readonly every?: LibraryDeps['every']
}

const instructions =
  'Platform Companion: prepaid token plans of this computer. Ask "quota" before long work, "models" for codes that can be called, "diagnose" when requests fail. Everything but ask_model and memory_remember only reads.'

/** How many elements the arguments of one call may have. */
const mostElements = 10_000

/** The MCP tools that there are, in the order in which they are listed. */
export const mcpTools = [...planTools, ...memoryTools]

/** The MCP server over the app's domains, not connected yet; one for each client. */
export function createMcpServer({ version, ...deps }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'platform-companion', title: 'Platform Companion', version },
    { instructions, maxToolInputElements: mostElements },
  )
  const calls = new Calls(deps)
  for (const { register } of mcpTools) register(server, calls)
  addLibrary(server, deps)
  return server
}
