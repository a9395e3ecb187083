import { z } from 'zod'
import { parseJson } from '../../gateway/server-message'
import { shellQuote } from '../helper-command'

/** A value as Codex takes it on its command line. */
export type TomlValue = string | number | readonly string[]

const Written = z.union([z.string(), z.number(), z.array(z.string())])

/**
 * The command line that starts a program with settings of its own, one on each line, and with what it was started with.
 * TOML's other quotes are taken on Windows, where a quote within an argument is read differently by each program.
 */
export function commandLine(
  program: string,
  settings: readonly (readonly [string, TomlValue])[],
  platform: NodeJS.Platform,
): string {
  const isWindows = platform === 'win32'
  const written = settings.map(([name, value]) => {
    const toml = `${name}=${isWindows ? literal(value) : JSON.stringify(value)}`
    return isWindows ? `-c "${toml.replaceAll('%', '%%')}"` : `-c ${shellQuote([toml], platform)}`
  })
  return [program, ...written, isWindows ? '%*' : '"$@"'].join(isWindows ? ' ^\r\n  ' : ' \\\n  ')
}

/** Text with the quote in it that would end it stays bare: Codex takes what is no TOML as text. */
function literal(value: TomlValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.includes("'") ? value : `'${value}'`
  return `[${value.map(literal).join(',')}]`
}

/** The settings in a text of `commandLine`, for either platform. */
export function settingsIn(script: string): ReadonlyMap<string, TomlValue> {
  const words = [...script.matchAll(/^ {2}-c (?:'(.+)'|"(.+)") [\\^]\r?$/gm)].map(([, sh, cmd]) =>
    sh === undefined ? (cmd ?? '').replaceAll('%%', '%') : sh.replaceAll(`'\\''`, "'"),
  )
  const pairs = words.flatMap((word) => {
    const [, name, toml] = /^([\w.-]+)=(.*)$/.exec(word) ?? []
    return name === undefined || toml === undefined ? [] : [[name, readToml(toml)] as const]
  })
  return new Map(pairs)
}

function readToml(toml: string): TomlValue {
  const json = Written.safeParse(parseJson(toml))
  if (json.success) return json.data
  if (toml.startsWith('[')) return [...toml.matchAll(/'([^']*)'/g)].map(([, word = '']) => word)
  return toml.startsWith("'") ? toml.slice(1, -1) : toml
}
