import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import type { Json } from '../editors/editor'
import type { DecidingSetting, Edit, TargetInput, WrittenTarget } from '../target'
import {
  agentFiles,
  fileSource,
  forPlatform,
  foundModelSettings,
  homeFolder,
  listDecidingPaths,
  parentFiles,
  plainCredential,
  projectFiles,
  slotModel,
  textAt,
} from './shared'

/** Settings that select another provider, regardless of the base address. */
const providerSwitches = [
  'BEDROCK',
  'VERTEX',
  'FOUNDRY',
  'MANTLE',
  'GATEWAY',
  'ANTHROPIC_AWS',
  'ANTHROPIC_GOOGLE_CLOUD',
].map((name) => `CLAUDE_CODE_USE_${name}`)
const isFalsyFlag = (value: Json): boolean => !/^(?:1|true|yes|on)$/i.test(String(value))

/** Model aliases of Claude Code. They resolve to the session's model or to models that this app configured. */
const modelAliases = /^(?:inherit|default|best|opusplan|(?:opus|sonnet|haiku|fable)(?:\[1m\])?)$/i

const HEADERS = 'ANTHROPIC_CUSTOM_HEADERS'
const credentialHeader = /^(?:(?:proxy-)?authorization|cookie|.*(?:api[-_]?key|token|secret).*)$/i

/** Whether a text of headers, one per line, contains no credential. */
const hasNoCredential = (value: Json): boolean =>
  !String(value)
    .split(/\r?\n/)
    .some((line) => credentialHeader.test(line.slice(0, Math.max(0, line.indexOf(':'))).trim()))

const toEnvPaths = (...names: readonly string[]) => names.map((name) => ['env', name])

const providerSwitchEdits = providerSwitches.map(
  (name): DecidingSetting => ({ path: ['env', name], decides: 'provider', isHarmless: isFalsyFlag }),
)
const foreignHeaders: DecidingSetting = { path: ['env', HEADERS], decides: 'header', isHarmless: hasNoCredential }

/** Variables of models, and the slot of each. */
const modelVariables = [
  { name: 'ANTHROPIC_MODEL', slot: 'main' },
  { name: 'ANTHROPIC_DEFAULT_OPUS_MODEL', slot: 'opus' },
  { name: 'ANTHROPIC_DEFAULT_SONNET_MODEL', slot: 'sonnet' },
  { name: 'ANTHROPIC_DEFAULT_HAIKU_MODEL', slot: 'small' },
  { name: 'ANTHROPIC_DEFAULT_FABLE_MODEL', slot: 'main' },
  // The older variable for the Haiku slot overrides the newer one.
  { name: 'ANTHROPIC_SMALL_FAST_MODEL', slot: 'small', isAddedLater: true },
  { name: 'CLAUDE_CODE_SUBAGENT_MODEL', slot: 'subagent', isAddedLater: true },
]

/** Models of background work, which this app does not set. */
const backgroundModels = [
  'CLAUDE_CODE_AUTO_MODE_MODEL',
  'CLAUDE_CODE_BG_CLASSIFIER_MODEL',
  'CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL',
]
const backgroundModelSettings = listDecidingPaths('agentModel', ...toEnvPaths(...backgroundModels))

const decidingSettings: readonly DecidingSetting[] = [
  ...listDecidingPaths('address', ...toEnvPaths('ANTHROPIC_BASE_URL')),
  ...listDecidingPaths('credential', ['apiKeyHelper'], ...toEnvPaths('ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY')),
  ...listDecidingPaths('model', ...toEnvPaths(...modelVariables.map(({ name }) => name))),
  ...backgroundModelSettings,
  ...providerSwitchEdits,
  foreignHeaders,
]

const configFolder = homeFolder('CLAUDE_CONFIG_DIR', '.claude')

/** Markdown files of agents, commands and skills, which can select a model. */
const agentPaths = ['agents', 'commands', 'skills'].map((name) => `${name}/**/*.md`)

/** Claude Code: writes strict JSON in `settings.json`. Claude Code runs a command to get the key. */
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
  slots: [{ id: 'opus' }, { id: 'sonnet' }, { id: 'small', isSmall: true }, { id: 'subagent' }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, 'messages'),
  requestSuffix: requestSuffix('messages'),
  variable: 'ANTHROPIC_AUTH_TOKEN',
  files: [
    {
      id: 'settings',
      format: 'json',
      // In a project, `settings.local.json` is not committed and overrides the project's and the user's file.
      path: (env) =>
        env.project === undefined
          ? configFolder(env, 'settings.json')
          : joinPath(env, env.project, '.claude', 'settings.local.json'),
      edits,
    },
  ],
  readBack: ({ settings = {} }) => {
    const env = (name: string): string | undefined => textAt(settings, 'env', name)
    const command = textAt(settings, 'apiKeyHelper')
    const helper = command === undefined ? undefined : { kind: 'helper' as const, command }
    const token = plainCredential(env('ANTHROPIC_AUTH_TOKEN'))
    return {
      base: env('ANTHROPIC_BASE_URL'),
      modelCode: env('ANTHROPIC_MODEL'),
      credential: token ?? helper ?? plainCredential(env('ANTHROPIC_API_KEY')),
    }
  },
  overriddenBy: [
    ...providerSwitches.map((name) => ({ kind: 'variable' as const, name, isHarmless: isFalsyFlag })),
    { kind: 'variable', name: HEADERS, decides: 'header', isHarmless: hasNoCredential },
    // Sends all requests to a socket instead of the base address.
    { kind: 'variable', name: 'ANTHROPIC_UNIX_SOCKET' },
    ...backgroundModels.map((name) => ({
      kind: 'variable' as const,
      name,
      isHarmless: (value: Json) => modelAliases.test(String(value)),
    })),
    { kind: 'own', settings: [...providerSwitchEdits, ...backgroundModelSettings, foreignHeaders] },
    fileSource(
      'project',
      'json',
      projectFiles('.claude/settings.json', '.claude/settings.local.json'),
      decidingSettings,
    ),
    fileSource('managed', 'json', managedPaths, decidingSettings),
    agentFiles('user', (env) => agentPaths.map((path) => configFolder(env, path))),
    agentFiles('project', parentFiles(...agentPaths.map((path) => `.claude/${path}`))),
  ],
  isPlanModel: (value, models) =>
    typeof value === 'string' &&
    (modelAliases.test(value.trim()) || models.includes(value.trim().replace(/\[1m\]$/i, ''))),
  // Sessions may start with a model that the user chose in Claude Code.
  warnings: ({ settings }) => foundModelSettings(settings, ['model']),
  shell: (input) => [
    { name: 'ANTHROPIC_BASE_URL', value: baseAddress(input.gatewayUrl, 'messages') },
    { name: 'ANTHROPIC_AUTH_TOKEN', value: undefined },
    ...modelVariables.map(({ name, slot }) => ({ name, value: slotModel(input, slot) })),
    { name: 'CLAUDE_CODE_MAX_CONTEXT_TOKENS', value: String(getContextTokens(input, input.modelCode)) },
  ],
}

/** Settings of an organization, and the copy of the settings that its server manages. */
function managedPaths(env: ToolEnvironment): string[] {
  const darwin = '/Library/Application Support/ClaudeCode'
  const folder = forPlatform(env, { win32: 'C:\\Program Files\\ClaudeCode', darwin, linux: '/etc/claude-code' })
  return [
    joinPath(env, folder, 'managed-settings.json'),
    joinPath(env, folder, 'managed-settings.d', '*.json'),
    configFolder(env, 'remote-settings.json'),
  ]
}

/** Unused credential variables become empty strings. Otherwise a token or key of the user's shell is sent too. */
function edits({ delivery, helperCommand, key, ...input }: TargetInput): Edit[] {
  const env = (name: string, value: string): Edit => ({ path: ['env', name], value })
  const helper: Edit = { path: ['apiKeyHelper'], value: delivery === 'helper' ? helperCommand : undefined }
  return [
    { path: ['env', 'ANTHROPIC_BASE_URL'], value: baseAddress(input.gatewayUrl, 'messages'), role: 'address' },
    ...(delivery === 'helper'
      ? [{ ...helper, role: 'credential' as const }, env('ANTHROPIC_AUTH_TOKEN', '')]
      : [helper, { path: ['env', 'ANTHROPIC_AUTH_TOKEN'], value: key, role: 'credential' as const }]),
    env('ANTHROPIC_API_KEY', ''),
    ...modelVariables.map(({ name, slot, isAddedLater = false }) => {
      return { ...env(name, slotModel(input, slot)), isAddedLater }
    }),
    env('CLAUDE_CODE_MAX_CONTEXT_TOKENS', String(getContextTokens(input, input.modelCode))),
    env('CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS', '1'),
    env('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', '1'),
  ]
}
