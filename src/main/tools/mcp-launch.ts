import { AppError } from '@shared/failure'
import { Secret } from '../core/secret'
import { buildRunArgs, parseRunWords, type StoredValues } from './mcp-run-words'
import type { McpServer, McpValues } from './targets/mcp-entry'
import { getLiteral, hasSecret, hasVariable, isValue, type McpText, showText } from './targets/mcp-text'

interface LaunchFacts {
  readonly name: string
  /** Command or address without secrets. */
  readonly runs: string
  /** Names of the environment variables or headers that the server gets. */
  readonly values: readonly string[]
}

/** Program or address of an MCP server, with its secrets. */
export type McpLaunch = LaunchFacts & {
  /** Tools of the server that its coding tool may use. Undefined: all. */
  readonly allowedTools: readonly string[] | undefined
  readonly blockedTools: readonly string[]
} & (
    | {
        readonly kind: 'stdio'
        readonly command: string
        readonly args: readonly string[]
        readonly env: Readonly<Record<string, string>>
        readonly cwd: string | undefined
      }
    | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  )

type Variables = Readonly<Record<string, string | undefined>>

/** Replaces environment variables in a server's settings. Fails with `input.invalid` for variables of a tool. */
export function resolveLaunch(launchFacts: LaunchFacts, server: McpServer, variables: Variables): McpLaunch {
  const { name } = launchFacts
  const createError = (problem: string): AppError =>
    new AppError('input.invalid', `${name} ${problem}`, { field: 'name' })
  const resolvePart = (part: McpText[number]): string => {
    if (typeof part === 'string') return part
    if (part instanceof Secret) return part.expose()
    const value = (part.env === undefined ? undefined : variables[part.env]) ?? part.fallback
    if (value === undefined) throw createError(`needs ${part.raw}, which only its tool or a shell can set.`)
    return value
  }
  const resolveText = (text: McpText): string => text.map(resolvePart).join('')
  const resolveValues = (values: McpValues): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([valueName, text]) => [valueName, resolveText(text)]))
  const { settings = [] } = server
  if (settings.some(({ id }) => id === 'envFile'))
    throw createError('reads its variables from a file, which this app does not.')
  const listTools = (id: 'allowedTools' | 'blockedTools') => {
    const setting = settings.find((candidate) => candidate.id === id)
    return Array.isArray(setting?.value) ? setting.value.map(String) : undefined
  }
  const allowedTools = listTools('allowedTools')
  const facts = { ...launchFacts, allowedTools, blockedTools: listTools('blockedTools') ?? [] }
  if (server.kind !== 'stdio')
    return { ...facts, kind: server.kind, url: resolveText(server.url), headers: resolveValues(server.headers) }
  const cwd = settings.find((setting) => setting.id === 'cwd')
  return {
    ...facts,
    kind: 'stdio',
    command: resolveText(server.command),
    args: server.args.map(resolveText),
    env: resolveValues(server.env),
    cwd: cwd?.id === 'cwd' ? resolveText(cwd.value) : undefined,
  }
}

/**
 * Values of variables or headers of an MCP server, which may be secret. Values of a local program can be stored in
 * the keychain. The tool then runs `mcp run` of this app, which starts the program with the values.
 */

type Program = McpServer & { readonly kind: 'stdio' }

const getValues = (server: McpServer): [name: string, text: McpText][] =>
  Object.entries(server.kind === 'stdio' ? server.env : server.headers).filter(([name, text]) => isValue(name, text))

/** Names of all variables and headers, and of arguments or addresses that contain a secret. */
export const listValueNames = (server: McpServer): string[] => [
  ...getValues(server).map(([name]) => name),
  ...listSecretLocations(server),
]

/** Names of arguments and addresses that contain a secret. A copy of the server needs these secrets too. */
export function listSecretLocations(server: McpServer): string[] {
  if (server.kind !== 'stdio') return hasSecret(server.url) ? ['url'] : []
  const commandParts = [server.command, ...server.args]
  return commandParts.flatMap((word, index) => {
    const option = commandParts[index - 1]
    if (!hasSecret(word, option)) return []
    const name = getLiteral(option ?? []) ?? ''
    return [name.startsWith('-') ? name : index === 0 ? 'command' : `argument ${index}`]
  })
}

/** Names of values that contain both text and a reference to an environment variable. */
export const mixedValues = (server: McpServer): string[] =>
  getValues(server).flatMap(([name, text]) => (hasVariable(text) ? [name] : []))

/** Copy of a server without its values. Keeps values that are references to environment variables. */
export function withoutValues<S extends McpServer>(server: S): S {
  const values = getValues(server).map(([name]) => name)
  const keepOnlyReferences = (valuesByName: McpValues): McpValues =>
    Object.fromEntries(Object.entries(valuesByName).filter(([name]) => !values.includes(name)))
  return server.kind === 'stdio'
    ? { ...server, env: keepOnlyReferences(server.env) }
    : { ...server, headers: keepOnlyReferences(server.headers) }
}

export function showServer(server: McpServer): string {
  if (server.kind !== 'stdio') return showText(server.url)
  const commandParts = [server.command, ...server.args]
  return commandParts.map((word, index) => showText(word, commandParts[index - 1])).join(' ')
}

/** Packs values as one keychain secret for `mcp run`, in ASCII-only JSON. */
export function packValues(server: McpServer): Secret {
  const json = JSON.stringify(
    Object.fromEntries(getValues(server).map(([name, text]) => [name, getLiteral(text) ?? ''])),
  )
  return new Secret(json.replace(/[^\x21-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** Wraps a program in `mcp run`. `launcher` is the command that starts this app. */
export function wrapServer(server: Program, keptValues: StoredValues, launcher: readonly string[]): McpServer {
  const [command = [''], ...args] = [...launcher, ...buildRunArgs(keptValues)].map((word) => [word])
  return { ...server, command, args: [...args, server.command, ...server.args] }
}

/** Program and values of an `mcp run` command. Undefined if the command is not ours. */
export function unwrapServer(
  server: McpServer,
  launcherPath: string,
): { readonly server: McpServer; readonly kept: StoredValues } | undefined {
  if (server.kind !== 'stdio') return undefined
  const commandParts = [server.command, ...server.args]
  const start = commandParts.findIndex((word) => getLiteral(word) === launcherPath) + 1
  const run = start === 0 ? undefined : parseRunWords(commandParts.slice(start).map((word) => getLiteral(word) ?? ''))
  const [command, ...args] = commandParts.slice(start + (run?.length ?? 0))
  if (run === undefined || command === undefined) return undefined
  return { server: { ...server, command, args }, kept: run.kept }
}
