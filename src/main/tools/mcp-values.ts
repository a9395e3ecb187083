import { Secret } from '../secret'
import { type McpServer, namesVariable } from './targets/mcp-servers'

/**
 * Values of an MCP server's variables or headers, which may be secrets. Those of a program can be in the keychain: then a tool starts this
 * app (`mcp run`), which starts the program with them.
 */

/** Values that are in the keychain: from which tool, of which of its servers, and what they are called. */
export interface KeptValues {
  readonly from: string
  readonly server: string
  readonly names: readonly string[]
}

const valuesOf = (server: McpServer) => (server.kind === 'stdio' ? server.env : server.headers)
const withValues = (server: McpServer, values: ReturnType<typeof valuesOf>): McpServer =>
  server.kind === 'stdio' ? { ...server, env: values } : { ...server, headers: values }
const isText = (value: string | Secret): boolean => typeof value !== 'string' || !namesVariable(value)

const textsOf = (server: McpServer) => Object.entries(valuesOf(server)).filter(([, value]) => isText(value))

/** The names of what does not lead to a variable of the environment. */
export const namesOfValues = (server: McpServer): string[] => textsOf(server).map(([name]) => name)

/** With nothing but what leads to a variable of the environment. */
export const withoutValues = (server: McpServer): McpServer =>
  withValues(server, Object.fromEntries(Object.entries(valuesOf(server)).filter(([, value]) => !isText(value))))

/** With its values as secrets: nobody knows whether they are. */
export function secretly(server: McpServer): McpServer {
  const closed = Object.entries(valuesOf(server)).map(([name, value]) => [
    name,
    typeof value === 'string' && isText(value) ? new Secret(value, 'text') : value,
  ])
  return withValues(server, Object.fromEntries(closed))
}

/** Its values as one secret for the keychain, as `mcp run` reads them: JSON with escapes for everything but printable ASCII. */
export function packValues(server: McpServer): Secret {
  const json = JSON.stringify(Object.fromEntries(textsOf(server)))
  return new Secret(json.replace(/[^\x21-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** The program with its values left to `mcp run`; `launcher`: what a tool starts this app with. */
export function wrapServer(
  server: McpServer & { readonly kind: 'stdio' },
  { from, server: name, names }: KeptValues,
  launcher: readonly string[],
): McpServer {
  const [command = '', ...args] = [
    ...launcher,
    'mcp',
    'run',
    from,
    name,
    ...names,
    '--',
    server.command,
    ...server.args,
  ]
  return { ...server, command, args }
}

/** What `mcp run` starts, and the values that it takes along; undefined where the program is not this app's. */
export function unwrapServer(
  server: McpServer,
  launcherPath: string,
): { readonly server: McpServer; readonly kept: KeptValues } | undefined {
  if (server.kind !== 'stdio') return undefined
  const words = [server.command, ...server.args]
  const [mcp, run, from, name, ...rest] = words.slice(words.indexOf(launcherPath) + 1)
  const at = rest.indexOf('--')
  const [command, ...args] = rest.slice(at + 1)
  if (!words.includes(launcherPath) || mcp !== 'mcp' || run !== 'run' || at === -1) return undefined
  if (from === undefined || name === undefined || command === undefined) return undefined
  return { server: { ...server, command, args }, kept: { from, server: name, names: rest.slice(0, at) } }
}
