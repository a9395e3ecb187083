import { AppError } from '@shared/failure'
import { Secret } from '../core/secret'
import type { McpServer, McpValues } from './targets/mcp-entry'
import type { McpText } from './targets/mcp-text'

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
