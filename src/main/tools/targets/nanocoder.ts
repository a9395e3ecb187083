import type { ToolWarning } from '@shared/contract/tools'
import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { getValueAt, type Json } from '../editors/editor'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import {
  agentFiles,
  listDecidingPaths,
  modelCodes,
  plainCredential,
  projectFiles,
  settingsFolder,
  text,
} from './shared'

const apiStandard = 'chat-completions'
const PROVIDER = 'Platform Companion'
const KEY_VARIABLE = 'PLATFORM_COMPANION_NANOCODER_KEY'
const providers = ['nanocoder', 'providers']

const hasNoOwnProvider = (list: Json): boolean =>
  !Array.isArray(list) || list.every((listedProvider: Json) => getValueAt(listedProvider, ['name']) !== PROVIDER)

/**
 * nanocoder: writes strict JSON. Also sets the last used provider and model in its preferences, because `nanocoder
 * run` stops if that provider is missing. A project's file adds providers and replaces those with the same name.
 */
export const nanocoder: WrittenTarget = {
  kind: 'written',
  id: 'nanocoder',
  name: 'nanocoder',
  standard: apiStandard,
  executables: ['nanocoder'],
  install: { command: 'npm install -g @nanocollective/nanocoder' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.30.0' },
  needsRestart: true,
  deliveries: ['env', 'plain'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, apiStandard),
  requestSuffix: requestSuffix(apiStandard),
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
      edits,
    },
  ],
  readBack: readBackSettings,
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
          ...listDecidingPaths('provider', ['nanocoder', 'modeProviders']),
        ],
      },
      agentFiles('user', (env) => [joinPath(env, getFolder(env), 'agents', '*.md')]),
      agentFiles('project', projectFiles('.nanocoder/agents/*.md')),
    ],
    isPlanModel: (value, models) => value === 'inherit' || models.some((code) => code === value),
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
  const { gatewayUrl, modelCode, delivery, variable, key } = input
  const value = {
    name: PROVIDER,
    baseUrl: baseAddress(gatewayUrl, apiStandard),
    apiKey: delivery === 'plain' ? key : `$${variable}`,
    models: modelCodes(input),
    contextWindow: getContextTokens(input, modelCode),
  }
  return [{ path: providers, element: { name: PROVIDER }, role: 'credential', value }]
}

function readBackSettings({ settings = {}, preferences = {} }: SettingsByFile): FoundSettings {
  const list = getValueAt(settings, providers) ?? getValueAt(settings, ['providers'])
  const lastProvider = text(getValueAt(preferences, ['lastProvider']))
  const allProviders: readonly Json[] = Array.isArray(list) ? list : []
  const readName = (provider: Json): string | undefined => text(getValueAt(provider, ['name']))
  const chosenProvider =
    allProviders.find((item) => readName(item)?.toLowerCase() === lastProvider?.toLowerCase()) ?? allProviders[0]
  const models = getValueAt(chosenProvider, ['models'])
  const codes = Array.isArray(models) ? models : []
  const usedModel = getValueAt(preferences, ['providerModels', readName(chosenProvider ?? null) ?? ''])
  return {
    base: text(getValueAt(chosenProvider, ['baseUrl'])),
    modelCode: text(codes.find((code: Json) => code === usedModel) ?? codes[0]),
    credential: readCredential(text(getValueAt(chosenProvider, ['apiKey']))),
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
  const isSettingPresent = (path: string): boolean => getValueAt(settings, path.split('.')) !== undefined
  const modes = 'nanocoder.modeProviders'
  const hasDottedKeys = isSettingPresent('providers') && !isSettingPresent(providers.join('.'))
  return [
    ...(isSettingPresent(modes)
      ? [{ code: 'modelSetting', subject: modes, origin: 'settings', fix: 'takeOut' } as const]
      : []),
    ...(hasDottedKeys ? [{ code: 'overridesExisting', subject: 'providers' } as const] : []),
  ]
}
