import type { ToolWarning } from '@shared/contract/tools'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { isJsonObject, type Json, valueAt } from '../editors/editor'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { agentFiles, listDeciding, modelCodes, outputTokens, plainCredential, projectFiles, text } from './shared'

const standard = 'chat-completions'
const VARIABLE = 'PLATFORM_COMPANION_DROID_KEY'
const defaultModel = ['sessionDefaultSettings', 'model']
const decidingSettings = [...listDeciding('provider', ['customModels']), ...listDeciding('model', defaultModel)]

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
  standard,
  executables: ['droid'],
  install: { command: 'npm install -g droid' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '0.225.2' },
  needsRestart: true,
  deliveries: ['env', 'plain'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: requestSuffix(standard),
  variable: VARIABLE,
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
  readBack,
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
  const { gatewayUrl, modelCode, contextTokens, delivery, variable, key } = input
  const element = (code: string): Edit => ({
    path: ['customModels'],
    element: { id: toModelId(code) },
    role: 'credential',
    isVolatile: delivery === 'env',
    value: {
      model: code,
      id: toModelId(code),
      baseUrl: baseAddress(gatewayUrl, standard),
      apiKey: delivery === 'plain' ? key : `\${${variable}}`,
      displayName: `Platform Companion: ${code}`,
      maxContextLimit: contextTokens,
      maxOutputTokens: outputTokens(contextTokens),
      provider: 'generic-chat-completion-api',
    },
  })
  return [...modelCodes(input).map(element), { path: defaultModel, value: toModelId(modelCode) }]
}

function readBack({ settings = {} }: SettingsByFile): FoundSettings {
  const models = valueAt(settings, ['customModels'])
  const chosen = text(valueAt(settings, defaultModel))
  const chosenItem = Array.isArray(models) ? models.find((item: Json) => isChosen(item, chosen)) : undefined
  return {
    base: text(valueAt(chosenItem, ['baseUrl'])),
    modelCode: text(valueAt(chosenItem, ['model'])),
    credential: readCredential(text(valueAt(chosenItem, ['apiKey']))),
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
