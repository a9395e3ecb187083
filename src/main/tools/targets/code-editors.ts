import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt, isJsonObject } from '../editors/editor'
import type { WrittenTarget } from '../target'
import {
  chatAddress,
  chatEndpoint,
  chatTool,
  flatpakConfig,
  listAt,
  listDecidingPaths,
  localFolder,
  modelCodes,
  settingsFolder,
  slotModel,
  textAt,
  tokenLimits,
  xdgConfigFolder,
} from './shared'

const MODEL_GROUP = 'Platform Companion'
const MODEL_VENDOR = 'customendpoint'

/**
 * Chat in VS Code (1.122 and newer): a group of models in `chatLanguageModels.json`. Its address is the full endpoint.
 * The user types the key into VS Code ("Update API Key" of the group), which writes a reference to its secret storage
 * as `apiKey`. A key in the file is ignored. Without `toolCalling` a model stays hidden.
 */
export const vscodeCopilot: WrittenTarget = {
  ...chatTool,
  id: 'vscode-copilot',
  name: 'VS Code Copilot Chat',
  executables: ['code', 'code-insiders'],
  markers: (env) => {
    const names = ['Visual Studio Code', 'Visual Studio Code - Insiders']
    if (env.platform === 'darwin') return names.map((name) => `/Applications/${name}.app`)
    if (env.platform !== 'win32') return []
    const windowsEditions = ['Microsoft VS Code', 'Microsoft VS Code Insiders']
    return windowsEditions.map((edition) => joinPath(env, localFolder(env), 'Programs', edition))
  },
  install: { url: 'https://code.visualstudio.com/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: false,
  deliveries: ['inTool'],
  base: chatEndpoint,
  requestSuffix: '',
  variable: '',
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: modelsPath,
      edits: (input) => {
        const models = modelCodes(input).map((code) => {
          const { context, output } = tokenLimits(input, code)
          return {
            id: code,
            name: code,
            url: chatEndpoint(input.gatewayUrl),
            toolCalling: true,
            vision: false,
            maxInputTokens: context - output,
            maxOutputTokens: output,
          }
        })
        const value = { name: MODEL_GROUP, vendor: MODEL_VENDOR, apiType: 'chat-completions', models }
        return [{ path: [], element: { name: MODEL_GROUP, vendor: MODEL_VENDOR }, role: 'address', value }]
      },
    },
  ],
  // The settings do not contain the model that the user selected in the chat, so assume the first model.
  readBack: ({ settings = {} }) => {
    const ownGroups = listAt(settings).filter((group) => getValueAt(group, ['vendor']) === MODEL_VENDOR)
    const ownGroup = ownGroups.find((group) => getValueAt(group, ['name']) === MODEL_GROUP) ?? ownGroups[0]
    const [firstModel] = listAt(ownGroup, 'models')
    return { base: textAt(firstModel, 'url'), modelCode: textAt(firstModel, 'id') }
  },
}

/** Profile folder of VS Code, its preview edition or Flatpak. Undefined with only VSCodium: no Copilot Chat. */
function modelsPath(env: ToolEnvironment): string | undefined {
  const root = settingsFolder(env)
  const editions = [
    { name: 'Code', flatpak: flatpakConfig(env, 'com.visualstudio.code') },
    { name: 'Code - Insiders', flatpak: flatpakConfig(env, 'com.visualstudio.code.insiders') },
  ]
  const [folder] = [
    ...editions.map(({ name }) => joinPath(env, root, name, 'User')).filter(env.exists),
    ...editions.flatMap(({ name, flatpak }) => (flatpak === undefined ? [] : [joinPath(env, flatpak, name, 'User')])),
  ]
  const hasCodium =
    env.exists(joinPath(env, root, 'VSCodium')) || flatpakConfig(env, 'com.vscodium.codium') !== undefined
  if (folder === undefined && hasCodium) return undefined
  return joinPath(env, folder ?? joinPath(env, root, 'Code', 'User'), 'chatLanguageModels.json')
}

const PROVIDER = 'platform-companion'
/** Zed derives the name from the provider's id, plus `_API_KEY`. The variable overrides the keychain. */
const KEY_VARIABLE = 'PLATFORM_COMPANION_API_KEY'
const providers = ['language_models', 'openai_compatible']

/** Parts of the settings that override the others: of a system, a release channel, or a settings profile. */
const overridingSections = [
  ...['linux', 'macos', 'windows', 'stable', 'preview', 'nightly', 'dev'].map((name) => [name]),
  ['profiles', '*'],
  ['profiles', '*', 'settings'],
]
const agentModels = [
  'default_model',
  'inline_assistant_model',
  'subagent_model',
  'commit_message_model',
  'thread_summary_model',
]

/**
 * Zed: writes a provider into `settings.json`, which Zed reloads when it changes. The user types the key into Zed,
 * which stores it in the system's keychain by address, or the key is a variable. It is never in the file. Sources:
 * Zed's documentation and code.
 */
export const zed: WrittenTarget = {
  ...chatTool,
  id: 'zed',
  name: 'Zed',
  executables: ['zed', 'zeditor'],
  markers: (env) => {
    if (env.platform === 'win32') return [joinPath(env, localFolder(env), 'Programs', 'Zed', 'Zed.exe')]
    if (env.platform !== 'darwin') return [joinPath(env, env.home, '.local', 'zed.app')]
    return ['/Applications/Zed.app', joinPath(env, env.home, 'Applications', 'Zed.app')]
  },
  install: { url: 'https://zed.dev/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: false,
  deliveries: ['inTool', 'env'],
  slots: [{ id: 'small', isSmall: true }],
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => {
        if (env.platform === 'win32') return joinPath(env, settingsFolder(env), 'Zed', 'settings.json')
        const folder = env.platform === 'darwin' ? joinPath(env, env.home, '.config') : xdgConfigFolder(env)
        const path = joinPath(env, folder, 'zed', 'settings.json')
        const flatpakFolder = env.exists(path) ? undefined : flatpakConfig(env, 'dev.zed.Zed')
        return flatpakFolder === undefined ? path : joinPath(env, flatpakFolder, 'zed', 'settings.json')
      },
      edits: (input) => {
        const toChoice = (model: string) => ({ provider: PROVIDER, model })
        const models = modelCodes(input).map((name) => {
          const { context, output } = tokenLimits(input, name)
          return { name, max_tokens: context, max_output_tokens: output }
        })
        return [
          // Also has the role of the credential, because the provider's id determines the key in keychain and shell.
          { path: [...providers, PROVIDER, 'api_url'], value: chatAddress(input.gatewayUrl), role: 'credential' },
          { path: [...providers, PROVIDER, 'available_models'], value: models },
          { path: ['agent', 'default_model'], value: toChoice(input.modelCode) },
          { path: ['agent', 'commit_message_model'], value: toChoice(slotModel(input, 'small')) },
          { path: ['agent', 'thread_summary_model'], value: toChoice(slotModel(input, 'small')) },
        ]
      },
      isUsersOwn: (path, value) => path[0] === 'agent' && !(isJsonObject(value) && value.provider === PROVIDER),
    },
  ],
  // The file does not show how the key is delivered.
  readBack: ({ settings = {} }) => {
    const name = textAt(settings, 'agent', 'default_model', 'provider')
    const base = name === undefined ? undefined : textAt(settings, ...providers, name, 'api_url')
    return base === undefined ? {} : { base, modelCode: textAt(settings, 'agent', 'default_model', 'model') }
  },
  overriddenBy: [
    {
      kind: 'own',
      settings: listDecidingPaths(
        'agentModel',
        ['agent', 'inline_assistant_model'],
        ['agent', 'subagent_model'],
        ['agent', 'profiles', '*', 'default_model'],
        ...overridingSections.flatMap((section) => agentModels.map((name) => [...section, 'agent', name])),
      ),
    },
  ],
  isPlanModel: (value, models) =>
    isJsonObject(value) && value.provider === PROVIDER && models.includes(String(value.model)),
}
