import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Machine } from './app'
import { cliPath } from './companion'

/** Environment variables of a machine as the MCP client library expects them, without empty ones. */
export const toEnvironment = ({ env }: Machine): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** A client of the built `companion mcp`, started like a coding tool does. */
export async function startClient(machine: Machine, ...extraArgs: readonly string[]): Promise<Client> {
  const args = [cliPath, '--data-dir', machine.dataDir, 'mcp', ...extraArgs]
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: toEnvironment(machine) }))
  return client
}
