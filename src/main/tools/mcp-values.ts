import { type KeptValues, parseRunWords, runWords } from '../mcp/run-words'
import { Secret } from '../secret'
import type { McpServer, Values } from './targets/mcp-entry'
import { hasSecret, hasVariable, isValue, literalIn, showText, type Text } from './targets/mcp-text'

/**
 * Values of an MCP server's variables or headers, which may be secrets. Those of a program can be in the keychain: then a tool starts this
 * app (`mcp run`), which starts the program with them.
 */

type Program = McpServer & { readonly kind: 'stdio' }

const valuesOf = (server: McpServer): [name: string, text: Text][] =>
  Object.entries(server.kind === 'stdio' ? server.env : server.headers).filter(([name, text]) => isValue(name, text))

/** The names of variables and headers with a value, and of arguments and addresses with a secret. */
export const namesOfValues = (server: McpServer): string[] => [
  ...valuesOf(server).map(([name]) => name),
  ...secretPlaces(server),
]

/** Arguments and addresses with a secret. They can't be left out of a copy. */
export function secretPlaces(server: McpServer): string[] {
  if (server.kind !== 'stdio') return hasSecret(server.url) ? ['url'] : []
  const words = [server.command, ...server.args]
  return words.flatMap((word, at) => {
    const option = words[at - 1]
    if (!hasSecret(word, option)) return []
    const name = literalIn(option ?? []) ?? ''
    return [name.startsWith('-') ? name : at === 0 ? 'command' : `argument ${at}`]
  })
}

/** Names of values that combine a secret and a variable. */
export const mixedValues = (server: McpServer): string[] =>
  valuesOf(server).flatMap(([name, text]) => (hasVariable(text) ? [name] : []))

/** With nothing but what leads to a variable of the environment. */
export function withoutValues<S extends McpServer>(server: S): S {
  const values = valuesOf(server).map(([name]) => name)
  const others = (all: Values): Values =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !values.includes(name)))
  return server.kind === 'stdio'
    ? { ...server, env: others(server.env) }
    : { ...server, headers: others(server.headers) }
}

/** Command line or address with secrets masked. */
export function showServer(server: McpServer): string {
  if (server.kind !== 'stdio') return showText(server.url)
  const words = [server.command, ...server.args]
  return words.map((word, at) => showText(word, words[at - 1])).join(' ')
}

/** Its values as one secret for the keychain, as `mcp run` reads them: JSON with escapes for everything but printable ASCII. */
export function packValues(server: McpServer): Secret {
  const json = JSON.stringify(Object.fromEntries(valuesOf(server).map(([name, text]) => [name, literalIn(text) ?? ''])))
  return new Secret(json.replace(/[^\x21-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** The program with its values left to `mcp run`; `launcher`: what a tool starts this app with. */
export function wrapServer(server: Program, kept: KeptValues, launcher: readonly string[]): McpServer {
  const [command = [''], ...args] = [...launcher, ...runWords(kept)].map((word) => [word])
  return { ...server, command, args: [...args, server.command, ...server.args] }
}

/** What `mcp run` starts, and the values that it takes along; undefined where the program is not this app's. */
export function unwrapServer(
  server: McpServer,
  launcherPath: string,
): { readonly server: McpServer; readonly kept: KeptValues } | undefined {
  if (server.kind !== 'stdio') return undefined
  const words = [server.command, ...server.args]
  const start = words.findIndex((word) => literalIn(word) === launcherPath) + 1
  const run = start === 0 ? undefined : parseRunWords(words.slice(start).map((word) => literalIn(word) ?? ''))
  const [command, ...args] = words.slice(start + (run?.length ?? 0))
  if (run === undefined || command === undefined) return undefined
  return { server: { ...server, command, args }, kept: run.kept }
}
