import { baseAddress, requestSuffix } from '../../gateway/address'
import { valueAt } from '../editors/json-value'
import { joinPath, type ToolEnvironment } from '../environment'
import { shellQuote } from '../helper-command'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { commandLine, settingsIn, type TomlValue } from './codex-settings'
import { text } from './found'
import { launcherScript } from './launcher-script'
import { localFolder } from './os-folders'

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
