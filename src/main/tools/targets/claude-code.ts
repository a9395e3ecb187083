import type { ToolWarning } from '@shared/contract/tools'
import { baseAddress, requestSuffix } from '../../gateway/address'
import { type Json, valueAt } from '../editors/json-value'
import { joinPath, type ToolEnvironment } from '../environment'
import type { Edit, FoundSettings, Target, TargetInput } from '../target'
import { plainCredential, text } from './found'

const standard = 'messages'

/** Settings that send Claude Code to another provider, whatever the base address says. */
const providerSwitches = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY']

/** Claude Code: `settings.json`, strict JSON; the key comes from a command that it runs. */
export const claudeCode: Target = {
  id: 'claude-code',
  name: 'Claude Code',
  standard,
  executable: 'claude',
  needsRestart: false,
  deliveries: ['helper', 'plain'],
  format: 'json',
  requestSuffix: requestSuffix(standard),
  file: (env) => joinPath(env, env.vars.CLAUDE_CONFIG_DIR || joinPath(env, env.home, '.claude'), 'settings.json'),
  edits,
  readBack,
  warnings,
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
    { path: ['env', 'ANTHROPIC_BASE_URL'], value: baseAddress(input.gatewayUrl, standard), role: 'address' },
    ...credential,
    env('ANTHROPIC_API_KEY', ''),
    env('ANTHROPIC_MODEL', input.modelCode),
    env('ANTHROPIC_DEFAULT_OPUS_MODEL', input.modelCode),
    env('ANTHROPIC_DEFAULT_SONNET_MODEL', input.modelCode),
    env('ANTHROPIC_DEFAULT_HAIKU_MODEL', input.smallModelCode),
    env('ANTHROPIC_DEFAULT_FABLE_MODEL', input.modelCode),
    env('CLAUDE_CODE_MAX_CONTEXT_TOKENS', String(input.contextTokens)),
    env('CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS', '1'),
    env('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', '1'),
  ]
}

function readBack(current: Json): FoundSettings {
  const env = (name: string): string | undefined => text(valueAt(current, ['env', name]))
  const command = text(valueAt(current, ['apiKeyHelper']))
  const helper = command === undefined ? undefined : { kind: 'helper' as const, command }
  const credential = plainCredential(env('ANTHROPIC_AUTH_TOKEN')) ?? helper ?? plainCredential(env('ANTHROPIC_API_KEY'))
  return { base: env('ANTHROPIC_BASE_URL'), modelCode: env('ANTHROPIC_MODEL'), credential }
}

function warnings(current: Json, { vars }: ToolEnvironment): ToolWarning[] {
  const isOn = (value: Json | undefined): boolean => /^(?:1|true|yes|on)$/i.test(String(value ?? ''))
  const inFile = providerSwitches.filter((name) => isOn(valueAt(current, ['env', name])))
  const inShell = providerSwitches.filter((name) => isOn(vars[name]) && valueAt(current, ['env', name]) === undefined)
  const model = valueAt(current, ['model']) === undefined ? [] : [{ code: 'modelSetting' as const, subject: 'model' }]
  return [
    ...inFile.map((name) => ({ code: 'otherProviderSwitch' as const, subject: `env.${name}` })),
    ...[...inShell, ...(vars.ANTHROPIC_CUSTOM_HEADERS ? ['ANTHROPIC_CUSTOM_HEADERS'] : [])].map((subject) => ({
      code: 'shellVariable' as const,
      subject,
    })),
    ...model,
  ]
}
