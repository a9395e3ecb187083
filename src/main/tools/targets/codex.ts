import { z } from 'zod'
import { baseAddress, requestSuffix } from '../../gateway/address'
import { parseJson } from '../../gateway/server-message'
import { valueAt } from '../editors/json-value'
import { joinPath, shellQuote, type ToolEnvironment } from '../environment'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { launcherScript } from './launcher-script'
import { localFolder, text } from './shared'

const standard = 'chat-completions'
const VARIABLE = 'PLATFORM_COMPANION_CODEX_KEY'
const NAME = 'platform-companion'
const provider = `model_providers.${NAME}`

/** How long the command that prints the key may take, in ms: more than a keychain that has to be unlocked first. */
const longestHelperMs = 30_000

/**
 * Codex CLI: speaks only the Responses protocol, so the relay translates for it. Its own file stays as it is, because one
 * line that it does not understand keeps it from starting: a program of ours, `codex-companion`, starts it with settings.
 */
export const codex: WrittenTarget = {
  kind: 'written',
  id: 'codex',
  name: 'Codex CLI',
  standard,
  executables: ['codex'],
  install: { command: 'npm install -g @openai/codex' },
  sites: ['user'],
  evidence: { kind: 'run', version: '0.169.0' },
  needsRestart: true,
  deliveries: ['helper', 'env'],
  routes: ['relay'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: '/responses',
  checkSuffix: requestSuffix(standard),
  variable: VARIABLE,
  files: [{ id: 'settings', format: 'text', path: launcherPath, edits, mode: 0o700 }],
  readBack,
  rivals: [],
}

/** Where programs of a user are; on Windows the one such folder that is on every user's path. */
function launcherPath(env: ToolEnvironment): string {
  if (env.platform !== 'win32') return joinPath(env, env.home, '.local', 'bin', 'codex-companion')
  return joinPath(env, localFolder(env), 'Microsoft', 'WindowsApps', 'codex-companion.cmd')
}

/** Address and way to the key are one text, which can only come and go whole: it is the credential. */
function edits(input: TargetInput, _current: unknown, { platform }: ToolEnvironment): Edit[] {
  const credential = credentialSettings(input)
  if (credential === undefined) return []
  const settings: (readonly [string, TomlValue])[] = [
    ['model_provider', NAME],
    ['model', input.modelCode],
    ['model_context_window', input.contextTokens],
    [`${provider}.name`, 'Platform Companion'],
    [`${provider}.base_url`, baseAddress(input.gatewayUrl, standard)],
    [`${provider}.wire_api`, 'responses'],
    // It takes every refusal for a cut connection: five more tries are five more failed requests of the plan.
    [`${provider}.stream_max_retries`, 2],
    ...credential,
  ]
  const comment = "Codex CLI with the models of your plan, through Platform Companion's relay; written by that app."
  const script = { comment, command: commandLine('codex', settings, platform) }
  return [{ path: ['content'], value: launcherScript(script, platform), role: 'credential' }]
}

function credentialSettings({ delivery, helperArgv }: TargetInput): (readonly [string, TomlValue])[] | undefined {
  if (delivery !== 'helper') return [[`${provider}.env_key`, VARIABLE]]
  const [command, ...args] = helperArgv ?? []
  if (command === undefined) return undefined
  return [
    [`${provider}.auth.command`, command],
    [`${provider}.auth.args`, args],
    [`${provider}.auth.timeout_ms`, longestHelperMs],
  ]
}

function readBack({ settings = {} }: SettingsByFile, { platform }: ToolEnvironment): FoundSettings {
  const set = settingsIn(text(valueAt(settings, ['content'])) ?? '')
  const base = textIn(set, `${provider}.base_url`)
  return base === undefined ? {} : { base, modelCode: textIn(set, 'model'), credential: credentialIn(set, platform) }
}

type Found = ReadonlyMap<string, TomlValue>

function credentialIn(set: Found, platform: NodeJS.Platform): FoundCredential | undefined {
  const command = textIn(set, `${provider}.auth.command`)
  const args = set.get(`${provider}.auth.args`)
  if (command === undefined || !Array.isArray(args)) {
    const name = textIn(set, `${provider}.env_key`)
    return name === undefined ? undefined : { kind: 'variable', name }
  }
  return { kind: 'helper', command: shellQuote([command, ...args], platform) }
}

function textIn(set: Found, name: string): string | undefined {
  const value = set.get(name)
  return typeof value === 'string' ? value : undefined
}

/** A value as Codex takes it on its command line. */
type TomlValue = string | number | readonly string[]

const Written = z.union([z.string(), z.number(), z.array(z.string())])

/**
 * The command line that starts a program with settings of its own, one on each line, and with what it was started with.
 * TOML's other quotes are taken on Windows, where a quote within an argument is read differently by each program.
 */
function commandLine(
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
function settingsIn(script: string): ReadonlyMap<string, TomlValue> {
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
