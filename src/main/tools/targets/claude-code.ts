import type { ToolWarning } from '@shared/contract/tools'
import { baseAddress, requestSuffix } from '../../gateway/address'
import { type Json, valueAt } from '../editors/editor'
import { joinPath, type ToolEnvironment } from '../environment'
import type { Edit, FoundSettings, SettingsByFile, ShellVariable, TargetInput, WrittenTarget } from '../target'
import { plainCredential, slotModel, text } from './shared'

/** Settings that send Claude Code to another provider, whatever the base address says. */
const providerSwitches = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY']

/** Settings that decide where requests go and with which key. */
const deciding = [
  ['env', 'ANTHROPIC_BASE_URL'],
  ['env', 'ANTHROPIC_AUTH_TOKEN'],
  ['env', 'ANTHROPIC_MODEL'],
  ['apiKeyHelper'],
]

/** Claude Code: `settings.json`, strict JSON; the key comes from a command that it runs. */
export const claudeCode: WrittenTarget = {
  id: 'claude-code',
  name: 'Claude Code',
  kind: 'written',
  standard: 'messages',
  executables: ['claude'],
  install: { command: 'npm install -g @anthropic-ai/claude-code' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '2.1.330' },
  needsRestart: false,
  deliveries: ['helper', 'plain'],
  slots: [{ id: 'opus' }, { id: 'sonnet' }, { id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, 'messages'),
  requestSuffix: requestSuffix('messages'),
  variable: 'ANTHROPIC_AUTH_TOKEN',
  files: [{ id: 'settings', format: 'json', path: settingsPath, edits }],
  readBack,
  rivals: [
    ...providerSwitches.map((name) => ({ kind: 'variable' as const, name })),
    { kind: 'variable', name: 'ANTHROPIC_CUSTOM_HEADERS' },
    { kind: 'file', origin: 'managed', format: 'json', path: managedPath, settings: deciding },
  ],
  conflicts,
  warnings,
  shell,
}

/** In a project, the file that is not meant for its repository; it wins over the project's and the user's. */
function settingsPath(env: ToolEnvironment): string {
  if (env.project !== undefined) return joinPath(env, env.project, '.claude', 'settings.local.json')
  return joinPath(env, env.vars.CLAUDE_CONFIG_DIR || joinPath(env, env.home, '.claude'), 'settings.json')
}

function managedPath({ platform }: ToolEnvironment): string {
  if (platform === 'win32') return 'C:\\Program Files\\ClaudeCode\\managed-settings.json'
  const folder = platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'
  return `${folder}/managed-settings.json`
}

/** The empty strings silence a token or key of the user's shell, which would be sent along. */
function edits({ delivery, helperCommand, key, ...input }: TargetInput): Edit[] {
  const env = (name: string, value: string): Edit => ({ path: ['env', name], value })
  const token = ['env', 'ANTHROPIC_AUTH_TOKEN']
  const credential: Edit[] =
    delivery === 'helper'
      ? [
          { path: ['apiKeyHelper'], value: helperCommand, role: 'credential' },
          { path: token, value: '' },
        ]
      : [
          { path: ['apiKeyHelper'], value: undefined },
          { path: token, value: key, role: 'credential' },
        ]
  return [
    { path: ['env', 'ANTHROPIC_BASE_URL'], value: baseAddress(input.gatewayUrl, 'messages'), role: 'address' },
    ...credential,
    env('ANTHROPIC_API_KEY', ''),
    env('ANTHROPIC_MODEL', input.modelCode),
    env('ANTHROPIC_DEFAULT_OPUS_MODEL', slotModel(input, 'opus')),
    env('ANTHROPIC_DEFAULT_SONNET_MODEL', slotModel(input, 'sonnet')),
    env('ANTHROPIC_DEFAULT_HAIKU_MODEL', slotModel(input, 'small')),
    env('ANTHROPIC_DEFAULT_FABLE_MODEL', input.modelCode),
    env('CLAUDE_CODE_MAX_CONTEXT_TOKENS', String(input.contextTokens)),
    env('CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS', '1'),
    env('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', '1'),
  ]
}

function readBack({ settings = {} }: SettingsByFile): FoundSettings {
  const env = (name: string): string | undefined => text(valueAt(settings, ['env', name]))
  const command = text(valueAt(settings, ['apiKeyHelper']))
  const helper = command === undefined ? undefined : { kind: 'helper' as const, command }
  const credential = plainCredential(env('ANTHROPIC_AUTH_TOKEN')) ?? helper ?? plainCredential(env('ANTHROPIC_API_KEY'))
  return { base: env('ANTHROPIC_BASE_URL'), modelCode: env('ANTHROPIC_MODEL'), credential }
}

/** A provider switched on in the file sends requests elsewhere; a model chosen in it is what a session starts with. */
function conflicts({ settings = {} }: SettingsByFile): ToolWarning[] {
  const isOn = (value: Json | undefined): boolean => /^(?:1|true|yes|on)$/i.test(String(value ?? ''))
  const switched = providerSwitches.filter((name) => isOn(valueAt(settings, ['env', name])))
  return switched.map((name) => inTheWay('otherProviderSwitch', `env.${name}`))
}

function warnings({ settings = {} }: SettingsByFile): ToolWarning[] {
  return valueAt(settings, ['model']) === undefined ? [] : [inTheWay('modelSetting', 'model')]
}

const inTheWay = (code: 'otherProviderSwitch' | 'modelSetting', subject: string): ToolWarning => ({
  code,
  subject,
  origin: 'settings',
  fix: 'takeOut',
})

/** Everything that the settings file would say, as variables. */
function shell(input: TargetInput): ShellVariable[] {
  const model = (name: string, value: string): ShellVariable => ({ name: `ANTHROPIC_${name}`, value })
  return [
    model('BASE_URL', baseAddress(input.gatewayUrl, 'messages')),
    { name: 'ANTHROPIC_AUTH_TOKEN', value: undefined },
    model('MODEL', input.modelCode),
    model('DEFAULT_OPUS_MODEL', slotModel(input, 'opus')),
    model('DEFAULT_SONNET_MODEL', slotModel(input, 'sonnet')),
    model('DEFAULT_HAIKU_MODEL', slotModel(input, 'small')),
    { name: 'CLAUDE_CODE_MAX_CONTEXT_TOKENS', value: String(input.contextTokens) },
  ]
}
