import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { WrittenTarget } from '../target'
import {
  chatEndpoint,
  chatTool,
  flatpakConfig,
  listAt,
  localFolder,
  modelCodes,
  outputTokens,
  settingsFolder,
  textAt,
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
          const context = getContextTokens(input, code)
          const output = outputTokens(context)
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
  const toUserFolder = (root: string, edition: string): string => joinPath(env, root, edition, 'User')
  const root = settingsFolder(env)
  const defaultFolder = toUserFolder(root, 'Code')
  const flatpaks = [
    ['com.visualstudio.code', 'Code'],
    ['com.visualstudio.code.insiders', 'Code - Insiders'],
  ] as const
  const flatpakFolders = flatpaks.map(([id, edition]) => {
    const config = flatpakConfig(env, id)
    return config === undefined ? undefined : toUserFolder(config, edition)
  })
  const folder =
    [defaultFolder, toUserFolder(root, 'Code - Insiders')].find(env.exists) ??
    flatpakFolders.find((folder) => folder !== undefined)
  const hasCodium =
    env.exists(joinPath(env, root, 'VSCodium')) || flatpakConfig(env, 'com.vscodium.codium') !== undefined
  if (folder === undefined && hasCodium) return undefined
  return joinPath(env, folder ?? defaultFolder, 'chatLanguageModels.json')
}
