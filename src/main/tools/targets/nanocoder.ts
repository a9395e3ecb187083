import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  fileSource,
  listAt,
  listDecidingPaths,
  modelCodes,
  projectFiles,
  readKey,
  settingsFolder,
  text,
  textAt,
  variableSources,
} from './shared'

const PROVIDER = 'Platform Companion'
const KEY_VARIABLE = 'PLATFORM_COMPANION_NANOCODER_KEY'
const providers = ['nanocoder', 'providers']

/**
 * nanocoder: writes strict JSON. Also sets the last used provider and model in its preferences, because `nanocoder
 * run` stops if that provider is missing. A project's file adds providers and replaces those with the same name.
 */
export const nanocoder: WrittenTarget = {
  ...chatTool,
  id: 'nanocoder',
  name: 'nanocoder',
  executables: ['nanocoder'],
  install: { command: 'npm install -g @nanocollective/nanocoder' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.30.0' },
  deliveries: ['env', 'plain'],
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'preferences',
      format: 'json',
      path: (env) => joinPath(env, getFolder(env), 'nanocoder-preferences.json'),
      edits: ({ modelCode }) => [
        { path: ['lastProvider'], value: PROVIDER },
        { path: ['providerModels', PROVIDER], value: modelCode },
      ],
    },
    {
      id: 'settings',
      format: 'json',
      path: (env) => joinPath(env, getFolder(env), 'agents.config.json'),
      // One element contains both address and credential.
      edits: (input) => {
        const { gatewayUrl, modelCode, delivery, variable, key } = input
        const value = {
          name: PROVIDER,
          baseUrl: chatAddress(gatewayUrl),
          apiKey: delivery === 'plain' ? key : `$${variable}`,
          models: modelCodes(input),
          contextWindow: getContextTokens(input, modelCode),
        }
        return [{ path: providers, element: { name: PROVIDER }, role: 'credential', value }]
      },
    },
  ],
  readBack: ({ settings = {}, preferences = {} }) => {
    const allProviders = listAt(getValueAt(settings, providers) ?? getValueAt(settings, ['providers']))
    const lastProvider = textAt(preferences, 'lastProvider')?.toLowerCase()
    const chosenProvider =
      allProviders.find((item) => textAt(item, 'name')?.toLowerCase() === lastProvider) ?? allProviders[0]
    const codes = listAt(chosenProvider, 'models')
    const usedModel = getValueAt(preferences, ['providerModels', textAt(chosenProvider, 'name') ?? ''])
    return {
      base: textAt(chosenProvider, 'baseUrl'),
      modelCode: text(codes.find((code) => code === usedModel) ?? codes[0]),
      credential: readKey(textAt(chosenProvider, 'apiKey'), /^\$\{?([A-Z_][A-Z0-9_]*)(?::-.*)?\}?$/),
    }
  },
  overriddenBy: [
    ...variableSources('NANOCODER_PROVIDERS', 'NANOCODER_PROVIDERS_FILE'),
    fileSource(
      'project',
      'json',
      (env) => (env.vars.NANOCODER_CONFIG_DIR ? [] : projectFiles('agents.config.json')(env)),
      [
        {
          path: providers,
          decides: 'provider',
          isHarmless: (list) => listAt(list).every((item) => getValueAt(item, ['name']) !== PROVIDER),
        },
        ...listDecidingPaths('provider', ['nanocoder', 'modeProviders']),
      ],
    ),
    agentFiles('user', (env) => [joinPath(env, getFolder(env), 'agents', '*.md')]),
    agentFiles('project', projectFiles('.nanocoder/agents/*.md')),
  ],
  isPlanModel: (value, models) => value === 'inherit' || models.some((code) => code === value),
  // Providers for single modes override ours. nanocoder ignores providers at the root (old format) once ours exists.
  warnings: ({ settings = {} }) => {
    const isSettingPresent = (path: string): boolean => getValueAt(settings, path.split('.')) !== undefined
    const modes = 'nanocoder.modeProviders'
    const hasOldFormat = isSettingPresent('providers') && !isSettingPresent(providers.join('.'))
    return [
      ...(isSettingPresent(modes)
        ? [{ code: 'modelSetting', subject: modes, origin: 'settings', fix: 'takeOut' } as const]
        : []),
      ...(hasOldFormat ? [{ code: 'overridesExisting', subject: 'providers' } as const] : []),
    ]
  },
}

function getFolder(env: ToolEnvironment): string {
  if (env.vars.NANOCODER_CONFIG_DIR) return env.vars.NANOCODER_CONFIG_DIR
  const folder = env.platform === 'darwin' ? joinPath(env, env.home, 'Library', 'Preferences') : settingsFolder(env)
  return joinPath(env, folder, 'nanocoder')
}
