import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Machine } from './app'
import { cliPath } from './companion'

/** The environment of a machine as a client starts a server in it. */
export const toEnvironment = ({ env }: Machine): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** A client of the built `companion mcp`, as a coding tool starts it. */
export async function startClient(machine: Machine, ...more: readonly string[]): Promise<Client> {
  const args = [cliPath, '--data-dir', machine.dataDir, 'mcp', ...more]
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: toEnvironment(machine) }))
  return client
}
