import type { ToolWarning } from '@shared/contract/tools'
import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { getValueAt, isJsonObject, type Json } from '../editors/editor'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { agentFiles, listDecidingPaths, modelCodes, outputTokens, plainCredential, projectFiles, text } from './shared'

const apiStandard = 'chat-completions'
const KEY_VARIABLE = 'PLATFORM_COMPANION_DROID_KEY'
const defaultModel = ['sessionDefaultSettings', 'model']
const decidingSettings = [
  ...listDecidingPaths('provider', ['customModels']),
  ...listDecidingPaths('model', defaultModel),
]

/**
 * Id of the model entry. Without an id, Droid generates `custom:Display-Name-INDEX`, which changes with the order of
 * the list.
 */
const toModelId = (code: string): string => `custom:platform-companion/${code}`

/**
 * Factory Droid: writes a `customModels` element per model, and a default model, because Droid otherwise requires a
 * Factory account. Provider `generic-chat-completion-api` uses the chat API, `openai` the Responses API. Droid does
 * not expand `${VARIABLE}` if the variable is unset.
 */
export const droid: WrittenTarget = {
  kind: 'written',
  id: 'droid',
  name: 'Factory Droid',
  standard: apiStandard,
  executables: ['droid'],
  install: { command: 'npm install -g droid' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '0.225.2' },
  needsRestart: true,
  deliveries: ['env', 'plain'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, apiStandard),
  requestSuffix: requestSuffix(apiStandard),
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => joinPath(env, getFolder(env), env.project ? 'settings.local.json' : 'settings.json'),
      edits,
      isUsersOwn: (path, value) =>
        path.join('.') === defaultModel.join('.') && !String(value).startsWith(toModelId('')),
    },
  ],
  readBack: readBackSettings,
  precedence: {
    checked: '0.225.2',
    sources: [
      {
        kind: 'file',
        origin: 'user',
        format: 'jsonc',
        paths: (env) => (env.project ? [] : [joinPath(env, getFolder(env), 'settings.local.json')]),
        settings: decidingSettings,
      },
      {
        kind: 'file',
        origin: 'project',
        format: 'jsonc',
        paths: projectFiles('.factory/settings.json', '.factory/settings.local.json'),
        settings: decidingSettings,
      },
      {
        kind: 'file',
        origin: 'managed',
        format: 'jsonc',
        paths: (env) => [managedPath(env)],
        settings: decidingSettings,
      },
      agentFiles('user', (env) => [joinPath(env, getFolder(env), 'droids', '*.md')]),
      agentFiles('project', projectFiles('.factory/droids/*.md')),
    ],
    isPlanModel: (value, models) => value === 'inherit' || models.some((code) => value === toModelId(code)),
  },
  warnings,
}

/** Path of the settings folder, in the project or in the home. */
function getFolder(env: ToolEnvironment): string {
  return joinPath(env, env.project ?? (env.vars.FACTORY_HOME_OVERRIDE || env.home), '.factory')
}

function managedPath({ platform }: ToolEnvironment): string {
  if (platform === 'win32') return 'C:\\Program Files\\Factory\\settings.json'
  return `${platform === 'darwin' ? '/Library/Application Support/Factory' : '/etc/factory'}/settings.json`
}

/**
 * Each list element contains both address and credential. With delivery `env`, Droid's UI replaces the variable with
 * the key when it saves.
 */
function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, modelCode, delivery, variable, key } = input
  const element = (code: string): Edit => ({
    path: ['customModels'],
    element: { id: toModelId(code) },
    role: 'credential',
    isVolatile: delivery === 'env',
    value: {
      model: code,
      id: toModelId(code),
      baseUrl: baseAddress(gatewayUrl, apiStandard),
      apiKey: delivery === 'plain' ? key : `\${${variable}}`,
      displayName: `Platform Companion: ${code}`,
      maxContextLimit: getContextTokens(input, code),
      maxOutputTokens: outputTokens(getContextTokens(input, code)),
      provider: 'generic-chat-completion-api',
    },
  })
  return [...modelCodes(input).map(element), { path: defaultModel, value: toModelId(modelCode) }]
}

function readBackSettings({ settings = {} }: SettingsByFile): FoundSettings {
  const models = getValueAt(settings, ['customModels'])
  const defaultModelId = text(getValueAt(settings, defaultModel))
  const chosenItem = Array.isArray(models) ? models.find((item: Json) => isChosen(item, defaultModelId)) : undefined
  return {
    base: text(getValueAt(chosenItem, ['baseUrl'])),
    modelCode: text(getValueAt(chosenItem, ['model'])),
    credential: readCredential(text(getValueAt(chosenItem, ['apiKey']))),
  }
}

function isChosen(model: Json, chosen: string | undefined): boolean {
  return isJsonObject(model) && chosen !== undefined && (model.id === chosen || `custom:${model.model}` === chosen)
}

function readCredential(key: string | undefined): FoundCredential | undefined {
  const name = /^\$\{(\w+)\}$/.exec(key ?? '')?.[1]
  return name === undefined ? plainCredential(key) : { kind: 'variable', name }
}

/** Warns that Droid 0.225.2 writes the key in place of its variable when its UI saves settings. */
function warnings(_settings: SettingsByFile, { delivery }: TargetInput): ToolWarning[] {
  return delivery === 'env' ? [{ code: 'toolWritesKey', subject: 'customModels.apiKey' }] : []
}
