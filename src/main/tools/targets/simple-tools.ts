import { getContextTokens } from '@shared/model-facts'
import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { DecidingSetting, Edit, EditValue, ShellVariable, TargetInput, WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatEndpoint,
  chatTool,
  envFileEdits,
  fileSource,
  homeFolder,
  launcherScript,
  launcherVariables,
  listAt,
  listDecidingPaths,
  modelCodes,
  plainCredential,
  readKey,
  refusedModels,
  settingsFolder,
  slotModel,
  textAt,
  tokenLimits,
  userProgram,
  variableSources,
  withoutPrefix,
} from './shared'

/** Name of our client. AIChat derives the key's variable from it, so it has no hyphens. */
const AICHAT_CLIENT = 'companion_aichat'
const AICHAT_KEY = 'COMPANION_AICHAT_API_KEY'

/** AIChat: writes a client in `config.yaml`. AIChat's `.env` overrides shell variables, which override a key there. */
export const aichat: WrittenTarget = {
  ...chatTool,
  id: 'aichat',
  name: 'AIChat',
  executables: ['aichat'],
  install: { url: 'https://github.com/sigoden/aichat#install' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['envFile', 'env', 'plain'],
  variable: AICHAT_KEY,
  files: [
    {
      id: 'env',
      format: 'dotenv',
      path: (env) => env.vars.AICHAT_ENV_FILE || joinPath(env, aichatFolder(env), '.env'),
      edits: envFileEdits,
    },
    {
      id: 'settings',
      format: 'yaml',
      path: (env) => env.vars.AICHAT_CONFIG_FILE || joinPath(env, aichatFolder(env), 'config.yaml'),
      // Without an env file, the client is treated as the credential, because its name determines the variable with
      // the key.
      edits: (input) => [
        { path: ['model'], value: `${AICHAT_CLIENT}:${input.modelCode}` },
        {
          path: ['clients'],
          element: { name: AICHAT_CLIENT },
          role: input.delivery === 'envFile' ? 'address' : 'credential',
          value: {
            type: 'openai-compatible',
            name: AICHAT_CLIENT,
            api_base: chatAddress(input.gatewayUrl),
            ...(input.delivery === 'plain' ? { api_key: input.key } : {}),
            models: modelCodes(input).map((name) => ({ name, max_input_tokens: getContextTokens(input, name) })),
          },
        },
      ],
      isUsersOwn: (path, value) => path[0] === 'model' && !String(value).startsWith(`${AICHAT_CLIENT}:`),
    },
  ],
  readBack: ({ settings, env }) => {
    const client = listAt(settings, 'clients').find((item) => getValueAt(item, ['name']) === AICHAT_CLIENT)
    if (client === undefined) return {}
    const key = textAt(env, AICHAT_KEY) ?? textAt(client, 'api_key')
    return {
      base: textAt(client, 'api_base'),
      modelCode: withoutPrefix(textAt(settings, 'model'), `${AICHAT_CLIENT}:`),
      credential: plainCredential(key) ?? { kind: 'variable', name: AICHAT_KEY },
    }
  },
  overriddenBy: [
    ...variableSources('AICHAT_MODEL', 'COMPANION_AICHAT_API_BASE'),
    agentFiles('user', (env) => [
      joinPath(env, env.vars.AICHAT_ROLES_DIR || joinPath(env, aichatFolder(env), 'roles'), '*.md'),
    ]),
  ],
  isPlanModel: (value, models) => models.some((code) => value === `${AICHAT_CLIENT}:${code}`),
}

/** Folder of the settings. AIChat reads XDG_CONFIG_HOME on macOS and Windows too. */
function aichatFolder(env: ToolEnvironment): string {
  return env.vars.AICHAT_CONFIG_DIR || joinPath(env, env.vars.XDG_CONFIG_HOME || settingsFolder(env), 'aichat')
}

/** Name of the key variable, which only Aider reads. It overrides OPENAI_API_KEY of the shell and of `.env` files. */
const AIDER_KEY = 'AIDER_OPENAI_API_KEY'
const OPENAI_PREFIX = 'openai/'

const aiderModels = [
  { setting: 'model', variable: 'AIDER_MODEL', slot: 'main' },
  { setting: 'weak-model', variable: 'AIDER_WEAK_MODEL', slot: 'small' },
  { setting: 'editor-model', variable: 'AIDER_EDITOR_MODEL', slot: 'editor' },
]
const aiderModelVariables = aiderModels.map(({ variable }) => variable)
/** OPENAI_BASE_URL is a conflict: LiteLLM prefers it to Aider's base URL, so our key would be sent there. */
const aiderAddressVariables = ['OPENAI_BASE_URL', 'AIDER_OPENAI_API_BASE']
const aiderDotenvSettings = [
  ...listDecidingPaths('address', ...aiderAddressVariables.map((name) => [name])),
  ...listDecidingPaths('model', ...aiderModelVariables.map((name) => [name])),
  ...listDecidingPaths('credential', [AIDER_KEY]),
]
/** Variables that Aider sets when it starts. */
const aiderVariables: DecidingSetting = {
  path: ['set-env'],
  decides: 'address',
  isShared: true,
  isHarmless: (value) => ![value].flat().some((item) => String(item).startsWith('OPENAI_BASE_URL=')),
}

const toAiderPath = (name: string) => (env: ToolEnvironment) => joinPath(env, env.project ?? env.home, name)

/**
 * Aider: writes `.aider.conf.yml`, with LiteLLM model names. Aider loads `~/.aider/oauth-keys.env` (its own file),
 * `~/.env` and the project's `.env`. The last one wins. An `env-file` setting adds one more file.
 */
export const aider: WrittenTarget = {
  ...chatTool,
  id: 'aider',
  name: 'Aider',
  executables: ['aider'],
  install: { command: 'python -m pip install aider-install && aider-install' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['envFile', 'plain'],
  slots: [{ id: 'small', isSmall: true }, { id: 'editor' }],
  variable: AIDER_KEY,
  files: [
    {
      id: 'env',
      format: 'dotenv',
      path: (env) =>
        env.project ? joinPath(env, env.project, '.env') : joinPath(env, env.home, '.aider', 'oauth-keys.env'),
      edits: envFileEdits,
    },
    {
      id: 'models',
      format: 'jsonc',
      path: toAiderPath('.aider.model.metadata.json'),
      // Without metadata, Aider asks about the unknown model at every start.
      edits: (input) =>
        modelCodes(input).map((code) => ({
          path: [OPENAI_PREFIX + code],
          value: { max_input_tokens: getContextTokens(input, code), litellm_provider: 'openai', mode: 'chat' },
        })),
    },
    {
      id: 'settings',
      format: 'yaml',
      path: toAiderPath('.aider.conf.yml'),
      edits: (input) => [
        { path: ['openai-api-base'], value: chatAddress(input.gatewayUrl), role: 'address' },
        // Remove the user's OpenAI key, because Aider would send it to the gateway if our key were missing.
        input.delivery === 'plain'
          ? { path: ['openai-api-key'], value: input.key, role: 'credential' }
          : { path: ['openai-api-key'], value: undefined },
        ...aiderModels.map(({ setting, slot }) => ({ path: [setting], value: OPENAI_PREFIX + slotModel(input, slot) })),
      ],
      isUsersOwn: (path, value) => path[0] === 'model' && !String(value).startsWith(OPENAI_PREFIX),
    },
  ],
  readBack: ({ settings, env }) => ({
    base: textAt(settings, 'openai-api-base'),
    modelCode: withoutPrefix(textAt(settings, 'model'), OPENAI_PREFIX),
    credential: plainCredential(textAt(env, AIDER_KEY)) ?? plainCredential(textAt(settings, 'openai-api-key')),
  }),
  overriddenBy: [
    ...variableSources(...aiderAddressVariables, ...aiderModelVariables),
    fileSource('user', 'dotenv', (env) => [joinPath(env, env.home, '.env')], aiderDotenvSettings),
    fileSource('project', 'dotenv', (env) => aiderProjectPaths(env, '.env'), aiderDotenvSettings),
    fileSource('project', 'yaml', (env) => aiderProjectPaths(env, '.aider.conf.yml'), [
      ...listDecidingPaths('address', ['openai-api-base']),
      ...listDecidingPaths('credential', ['openai-api-key']),
      ...listDecidingPaths('model', ...aiderModels.map(({ setting }) => [setting])),
      aiderVariables,
    ]),
    { kind: 'own', settings: [aiderVariables] },
  ],
  isPlanModel: (value, models) => models.some((code) => value === OPENAI_PREFIX + code),
  shell: (input) => [
    { name: 'AIDER_OPENAI_API_BASE', value: chatAddress(input.gatewayUrl) },
    { name: AIDER_KEY, value: undefined },
    ...aiderModels.map(({ variable, slot }) => ({ name: variable, value: OPENAI_PREFIX + slotModel(input, slot) })),
  ],
}

/** The project's files. Aider reads the home's file, then those of the repository root and of the start folder. */
function aiderProjectPaths(env: ToolEnvironment, name: string): string[] {
  const folder = startFolder(env)
  if (folder === undefined) return []
  const top = listParentFolders(env, folder).at(-1) ?? folder
  const isRepository = env.exists(joinPath(env, top, '.git'))
  // In a configured project, Aider reads that project's file last, so files of the repository root cannot override
  // it.
  const parentPaths = isRepository && env.project === undefined ? [top] : []
  return [...new Set([folder, ...parentPaths])].map((item) => joinPath(env, item, name))
}

const CLINE_PROVIDER = 'openai-compatible'
const clineEntry = ['providers', CLINE_PROVIDER]

const clineSetting = (name: string, value: EditValue): Edit => ({ path: [...clineEntry, 'settings', name], value })
const volatileEdit = (path: readonly string[], value: EditValue): Edit => ({ path, value, isVolatile: true })

/**
 * Cline CLI: writes strict JSON in `providers.json`, which Cline rewrites at each run. It supports no references to
 * keys. If an entry is incomplete, Cline discards the whole file, so always write the time and origin fields.
 */
export const cline: WrittenTarget = {
  ...chatTool,
  id: 'cline',
  name: 'Cline CLI',
  executables: ['cline'],
  install: { command: 'npm install -g cline' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '3.0.65' },
  deliveries: ['plain'],
  variable: 'COMPANION_CLINE_KEY',
  files: [
    {
      id: 'settings',
      format: 'json',
      path: (env) => {
        const { CLINE_PROVIDER_SETTINGS_PATH: file, CLINE_DATA_DIR: data, CLINE_DIR: folder } = env.vars
        const home = folder || joinPath(env, env.home, '.cline')
        return file || joinPath(env, data || joinPath(env, home, 'data'), 'settings', 'providers.json')
      },
      edits: (input) => [
        volatileEdit(['version'], 1),
        { path: ['lastUsedProvider'], value: CLINE_PROVIDER },
        volatileEdit(['modes'], {}),
        clineSetting('provider', CLINE_PROVIDER),
        { ...clineSetting('apiKey', input.key), role: 'credential' },
        clineSetting('model', input.modelCode),
        clineSetting('contextWindow', getContextTokens(input, input.modelCode)),
        { ...clineSetting('baseUrl', chatAddress(input.gatewayUrl)), role: 'address' },
        // Remove headers of other services, because they may contain a key.
        clineSetting('headers', undefined),
        volatileEdit([...clineEntry, 'updatedAt'], '2026-01-01T00:00:00.000Z'),
        volatileEdit([...clineEntry, 'tokenSource'], 'manual'),
      ],
      isUsersOwn: (path, value) => path.join('.') === 'lastUsedProvider' && value !== CLINE_PROVIDER,
    },
  ],
  readBack: ({ settings }) => {
    if (getValueAt(settings, ['lastUsedProvider']) !== CLINE_PROVIDER) return {}
    const readText = (name: string): string | undefined => textAt(settings, ...clineEntry, 'settings', name)
    return { base: readText('baseUrl'), modelCode: readText('model'), credential: plainCredential(readText('apiKey')) }
  },
}

const COPILOT_KEY = 'COPILOT_PROVIDER_API_KEY'
const COPILOT_KEY_COMMAND = 'COPILOT_PROVIDER_API_KEY_COMMAND'

/** Shell variables that would override key, wire format or model (seen with 1.0.102). */
const unsetCopilotVariables = ['BEARER_TOKEN', 'WIRE_API', 'WIRE_MODEL', 'MODEL_ID', 'TRANSPORT'].map(
  (name) => `COPILOT_PROVIDER_${name}`,
)

/**
 * GitHub Copilot CLI: a provider can only be set by variables. So this app writes a program `copilot-companion` that
 * starts `copilot` with them. `copilot` itself stays unchanged. A GitHub sign-in is not needed.
 */
export const copilotCli: WrittenTarget = {
  ...chatTool,
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  executables: ['copilot'],
  start: 'copilot-companion',
  install: { command: 'npm install -g @github/copilot' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.0.102' },
  deliveries: ['helper', 'env'],
  variable: COPILOT_KEY,
  files: [
    {
      id: 'settings',
      format: 'text',
      mode: 0o700,
      path: (env) => userProgram(env, 'copilot-companion'),
      // The program's text contains address and credential, so they are written and removed together. The text has the
      // role of the credential.
      edits: (input, _current, { platform }) => {
        const isHelper = input.delivery === 'helper'
        if (isHelper && input.helperCommand === undefined) return []
        const script = {
          comment: 'GitHub Copilot CLI with the models of your plan; written by Platform Companion.',
          unset: isHelper ? unsetCopilotVariables : [...unsetCopilotVariables, COPILOT_KEY_COMMAND],
          variables: copilotVariables(input),
          command: platform === 'win32' ? 'copilot %*' : 'copilot "$@"',
        }
        return [{ path: ['content'], value: launcherScript(script, platform), role: 'credential' }]
      },
    },
  ],
  readBack: ({ settings = {} }) => {
    const set = launcherVariables(textAt(settings, 'content') ?? '')
    const {
      COPILOT_PROVIDER_BASE_URL: base,
      COPILOT_MODEL: modelCode,
      [COPILOT_KEY_COMMAND]: command,
      [COPILOT_KEY]: key,
    } = set
    if (base === undefined) return {}
    const credential =
      command === undefined
        ? (plainCredential(key) ?? { kind: 'variable' as const, name: COPILOT_KEY })
        : { kind: 'helper' as const, command }
    return { base, modelCode, credential }
  },
  shell: copilotVariables,
}

function copilotVariables(input: TargetInput): ShellVariable[] {
  const { gatewayUrl, modelCode, delivery, helperCommand } = input
  const { context, output } = tokenLimits(input, modelCode)
  return [
    { name: 'COPILOT_PROVIDER_TYPE', value: 'openai' },
    { name: 'COPILOT_PROVIDER_BASE_URL', value: chatAddress(gatewayUrl) },
    { name: 'COPILOT_MODEL', value: modelCode },
    { name: 'COPILOT_PROVIDER_MAX_PROMPT_TOKENS', value: String(context - output) },
    { name: 'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS', value: String(output) },
    delivery === 'helper'
      ? { name: COPILOT_KEY_COMMAND, value: helperCommand }
      : { name: COPILOT_KEY, value: undefined },
  ]
}

const JUNIE_PROFILE = 'platform-companion'
const JUNIE_KEY = 'PLATFORM_COMPANION_JUNIE_KEY'

/**
 * Junie CLI: writes one file per model profile. The address in it is the complete endpoint. A chat profile sends
 * `Authorization: Bearer`, which the gateway accepts. An `Anthropic` profile does not send it. There is no setting
 * for the default profile, so the user selects one or sets JUNIE_MODEL.
 */
export const junie: WrittenTarget = {
  ...chatTool,
  id: 'junie',
  name: 'Junie CLI',
  executables: ['junie'],
  start: `junie --model custom:${JUNIE_PROFILE}`,
  install: { command: 'npm install -g @jetbrains/junie' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: chatEndpoint,
  requestSuffix: '',
  variable: JUNIE_KEY,
  files: [
    {
      id: 'settings',
      format: 'json',
      path: (env) => {
        const folder = env.project ? joinPath(env, env.project, '.junie') : homeFolder('JUNIE_HOME', '.junie')(env)
        return joinPath(env, folder, 'models', `${JUNIE_PROFILE}.json`)
      },
      edits: (input) => [
        { path: ['id'], value: input.modelCode },
        { path: ['displayName'], value: input.modelCode },
        { path: ['providerName'], value: 'Platform Companion' },
        { path: ['baseUrl'], value: chatEndpoint(input.gatewayUrl), role: 'address' },
        { path: ['apiType'], value: 'OpenAICompletion' },
        {
          path: ['apiKey'],
          value: input.delivery === 'plain' ? input.key : `\${${input.variable}}`,
          role: 'credential',
        },
        { path: ['maxContextLength'], value: getContextTokens(input, input.modelCode) },
        { path: ['fasterModel', 'id'], value: slotModel(input, 'small') },
      ],
    },
  ],
  readBack: ({ settings }) => ({
    base: textAt(settings, 'baseUrl'),
    modelCode: textAt(settings, 'id'),
    credential: readKey(textAt(settings, 'apiKey'), /^\$\{(\w+)\}$/),
  }),
  warnings: () => [
    {
      code: 'variableNeeded',
      subject: 'JUNIE_MODEL',
      fix: 'copyLine',
      text: `junie --model custom:${JUNIE_PROFILE}`,
    },
  ],
}

const CONDENSER_CLASS = 'LLMSummarizingCondenser'
/** Model codes containing these names use the Responses API. */
const OPENHANDS_RESPONSES_MODEL = /gpt-5|codex-mini-latest/i

/**
 * OpenHands CLI: writes the saved agent in `agent_settings.json`. LLM_* variables apply only with
 * `--override-with-envs`. If OpenHands cannot read the file, it reports it as corrupted and shows its setup form.
 */
export const openHands: WrittenTarget = {
  ...chatTool,
  id: 'openhands',
  name: 'OpenHands CLI',
  executables: ['openhands'],
  install: { command: 'uv tool install openhands --python 3.12' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['plain'],
  slots: [{ id: 'small', isSmall: true }],
  variable: 'LLM_API_KEY',
  files: [
    {
      id: 'settings',
      format: 'json',
      path: (env) => homeFolder('OPENHANDS_PERSISTENCE_DIR', '.openhands')(env, 'agent_settings.json'),
      // A separate model summarizes long conversations (condenser). The file may contain null for it, or no model.
      edits: (input, current) => {
        const condenser = getValueAt(current, ['condenser'])
        const hasModel = condenser === undefined || getValueAt(condenser, ['kind']) === CONDENSER_CLASS
        const condenserEdits = [
          { path: ['condenser', 'kind'], value: CONDENSER_CLASS },
          ...llmEdits(['condenser', 'llm'], input, { model: slotModel(input, 'small'), usage: 'condenser' }),
        ]
        return [
          ...llmEdits(['llm'], input, { model: input.modelCode, usage: 'agent' }),
          ...(hasModel ? condenserEdits : []),
        ]
      },
    },
  ],
  readBack: ({ settings }) => ({
    base: textAt(settings, 'llm', 'base_url'),
    modelCode: withoutPrefix(textAt(settings, 'llm', 'model'), OPENAI_PREFIX),
    credential: plainCredential(textAt(settings, 'llm', 'api_key')),
  }),
  warnings: (_settings, input) => refusedModels(input, (code) => OPENHANDS_RESPONSES_MODEL.test(code)),
}

function llmEdits(
  path: readonly string[],
  input: TargetInput,
  { model, usage }: { readonly model: string; readonly usage: string },
): Edit[] {
  return [
    { path: [...path, 'model'], value: OPENAI_PREFIX + model },
    { path: [...path, 'base_url'], value: chatAddress(input.gatewayUrl), role: 'address' },
    { path: [...path, 'api_key'], value: input.key, role: 'credential' },
    { path: [...path, 'usage_id'], value: usage },
    { path: [...path, 'max_input_tokens'], value: getContextTokens(input, model) },
  ]
}
