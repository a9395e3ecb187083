import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import { isJsonObject } from '../editors/editor'
import type { WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  flatpakConfig,
  listDecidingPaths,
  localFolder,
  modelCodes,
  outputTokens,
  settingsFolder,
  slotModel,
  textAt,
  xdgConfigFolder,
} from './shared'

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
        const models = modelCodes(input).map((name) => ({
          name,
          max_tokens: getContextTokens(input, name),
          max_output_tokens: outputTokens(getContextTokens(input, name)),
        }))
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
