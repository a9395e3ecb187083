import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { isJsonObject } from '../editors/editor'
import type { Edit, WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  fileSource,
  forPlatform,
  listAt,
  listDecidingPaths,
  modelCodes,
  outputTokens,
  projectFiles,
  readKey,
  textAt,
} from './shared'

const KEY_VARIABLE = 'PLATFORM_COMPANION_DROID_KEY'
const managedFolders = {
  win32: 'C:\\Program Files\\Factory\\',
  darwin: '/Library/Application Support/Factory/',
  linux: '/etc/factory/',
}
const defaultModel = ['sessionDefaultSettings', 'model']
const decidingSettings = [
  ...listDecidingPaths('provider', ['customModels']),
  ...listDecidingPaths('model', defaultModel),
]

/** Id of the model entry. Without one, Droid generates `custom:Display-Name-INDEX`, which changes with the order. */
const toModelId = (code: string): string => `custom:platform-companion/${code}`

/**
 * Factory Droid: writes a `customModels` element per model, and a default model, because Droid otherwise requires a
 * Factory account. Provider `generic-chat-completion-api` uses the chat API, `openai` the Responses API. Droid does
 * not expand `${VARIABLE}` if the variable is unset.
 */
export const droid: WrittenTarget = {
  ...chatTool,
  id: 'droid',
  name: 'Factory Droid',
  executables: ['droid'],
  install: { command: 'npm install -g droid' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '0.225.2' },
  deliveries: ['env', 'plain'],
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => joinPath(env, getFolder(env), env.project ? 'settings.local.json' : 'settings.json'),
      // Each list element contains both address and credential. With delivery `env`, Droid's UI replaces the variable
      // with the key when it saves.
      edits: (input) => {
        const { gatewayUrl, delivery, variable, key } = input
        const element = (code: string): Edit => ({
          path: ['customModels'],
          element: { id: toModelId(code) },
          role: 'credential',
          isVolatile: delivery === 'env',
          value: {
            model: code,
            id: toModelId(code),
            baseUrl: chatAddress(gatewayUrl),
            apiKey: delivery === 'plain' ? key : `\${${variable}}`,
            displayName: `Platform Companion: ${code}`,
            maxContextLimit: getContextTokens(input, code),
            maxOutputTokens: outputTokens(getContextTokens(input, code)),
            provider: 'generic-chat-completion-api',
          },
        })
        return [...modelCodes(input).map(element), { path: defaultModel, value: toModelId(input.modelCode) }]
      },
      isUsersOwn: (path, value) =>
        path.join('.') === defaultModel.join('.') && !String(value).startsWith(toModelId('')),
    },
  ],
  readBack: ({ settings = {} }) => {
    const chosenId = textAt(settings, ...defaultModel)
    const chosenItem = listAt(settings, 'customModels').find(
      (item) =>
        isJsonObject(item) && chosenId !== undefined && (item.id === chosenId || `custom:${item.model}` === chosenId),
    )
    return {
      base: textAt(chosenItem, 'baseUrl'),
      modelCode: textAt(chosenItem, 'model'),
      credential: readKey(textAt(chosenItem, 'apiKey'), /^\$\{(\w+)\}$/),
    }
  },
  overriddenBy: [
    fileSource(
      'user',
      'jsonc',
      (env) => (env.project ? [] : [joinPath(env, getFolder(env), 'settings.local.json')]),
      decidingSettings,
    ),
    fileSource(
      'project',
      'jsonc',
      projectFiles('.factory/settings.json', '.factory/settings.local.json'),
      decidingSettings,
    ),
    fileSource('managed', 'jsonc', (env) => [`${forPlatform(env, managedFolders)}settings.json`], decidingSettings),
    agentFiles('user', (env) => [joinPath(env, getFolder(env), 'droids', '*.md')]),
    agentFiles('project', projectFiles('.factory/droids/*.md')),
  ],
  isPlanModel: (value, models) => value === 'inherit' || models.some((code) => value === toModelId(code)),
  // Droid 0.225.2 writes the key in place of its variable when its UI saves settings.
  warnings: (_settings, { delivery }) =>
    delivery === 'env' ? [{ code: 'toolWritesKey', subject: 'customModels.apiKey' }] : [],
}

/** Path of the settings folder, in the project or in the home. */
const getFolder = (env: ToolEnvironment): string =>
  joinPath(env, env.project ?? (env.vars.FACTORY_HOME_OVERRIDE || env.home), '.factory')
