import type { ToolWarning } from '@shared/contract/tools'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { type Json, valueAt } from '../editors/editor'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { listDeciding, modelCodes, plainCredential, projectFiles, settingsFolder, text } from './shared'

const standard = 'chat-completions'
const PROVIDER = 'Platform Companion'
const VARIABLE = 'PLATFORM_COMPANION_NANOCODER_KEY'
const providers = ['nanocoder', 'providers']

const hasNoOwnProvider = (list: Json): boolean =>
  !Array.isArray(list) || list.every((listedProvider: Json) => valueAt(listedProvider, ['name']) !== PROVIDER)

/**
 * nanocoder: writes strict JSON. Also sets the last used provider and model in its preferences, because `nanocoder
 * run` stops if that provider is missing. A project's file adds providers and replaces those with the same name.
 */
export const nanocoder: WrittenTarget = {
  kind: 'written',
  id: 'nanocoder',
  name: 'nanocoder',
  standard,
  executables: ['nanocoder'],
  install: { command: 'npm install -g @nanocollective/nanocoder' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.30.0' },
  needsRestart: true,
  deliveries: ['env', 'plain'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: requestSuffix(standard),
  variable: VARIABLE,
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
      edits,
    },
  ],
  readBack,
  precedence: {
    checked: '1.30.0',
    sources: [
      ...['NANOCODER_PROVIDERS', 'NANOCODER_PROVIDERS_FILE'].map((name) => ({ kind: 'variable' as const, name })),
      {
        kind: 'file',
        origin: 'project',
        format: 'json',
        paths: (env) => (env.vars.NANOCODER_CONFIG_DIR ? [] : projectFiles('agents.config.json')(env)),
        settings: [
          { path: providers, decides: 'provider', isHarmless: hasNoOwnProvider },
          ...listDeciding('provider', ['nanocoder', 'modeProviders']),
        ],
      },
    ],
  },
  warnings,
}

function getFolder(env: ToolEnvironment): string {
  if (env.vars.NANOCODER_CONFIG_DIR) return env.vars.NANOCODER_CONFIG_DIR
  const folder = env.platform === 'darwin' ? joinPath(env, env.home, 'Library', 'Preferences') : settingsFolder(env)
  return joinPath(env, folder, 'nanocoder')
}

/** Edits of the settings. One element contains both address and credential. */
function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, contextTokens, delivery, variable, key } = input
  const value = {
    name: PROVIDER,
    baseUrl: baseAddress(gatewayUrl, standard),
    apiKey: delivery === 'plain' ? key : `$${variable}`,
    models: modelCodes(input),
    contextWindow: contextTokens,
  }
  return [{ path: providers, element: { name: PROVIDER }, role: 'credential', value }]
}

function readBack({ settings = {}, preferences = {} }: SettingsByFile): FoundSettings {
  const list = valueAt(settings, providers) ?? valueAt(settings, ['providers'])
  const lastProvider = text(valueAt(preferences, ['lastProvider']))
  const allProviders: readonly Json[] = Array.isArray(list) ? list : []
  const readName = (provider: Json): string | undefined => text(valueAt(provider, ['name']))
  const chosenProvider =
    allProviders.find((item) => readName(item)?.toLowerCase() === lastProvider?.toLowerCase()) ?? allProviders[0]
  const models = valueAt(chosenProvider, ['models'])
  const codes = Array.isArray(models) ? models : []
  const usedModel = valueAt(preferences, ['providerModels', readName(chosenProvider ?? null) ?? ''])
  return {
    base: text(valueAt(chosenProvider, ['baseUrl'])),
    modelCode: text(codes.find((code: Json) => code === usedModel) ?? codes[0]),
    credential: readCredential(text(valueAt(chosenProvider, ['apiKey']))),
  }
}

function readCredential(key: string | undefined): FoundCredential | undefined {
  const name = /^\$\{?([A-Z_][A-Z0-9_]*)(?::-.*)?\}?$/.exec(key ?? '')?.[1]
  return name === undefined ? plainCredential(key) : { kind: 'variable', name }
}

/**
 * Warns of providers for single modes, which override ours. Also warns of providers at the root (old format), which
 * nanocoder ignores once our provider exists.
 */
function warnings({ settings = {} }: SettingsByFile): ToolWarning[] {
  const isSet = (path: string): boolean => valueAt(settings, path.split('.')) !== undefined
  const modes = 'nanocoder.modeProviders'
  const isSplit = isSet('providers') && !isSet(providers.join('.'))
  return [
    ...(isSet(modes) ? [{ code: 'modelSetting', subject: modes, origin: 'settings', fix: 'takeOut' } as const] : []),
    ...(isSplit ? [{ code: 'overridesExisting', subject: 'providers' } as const] : []),
  ]
}
