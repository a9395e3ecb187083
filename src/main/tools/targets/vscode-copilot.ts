import { requestAddressFor } from '../../gateway/address'
import { isJsonObject, type Json, valueAt } from '../editors/editor'
import { joinPath, type ToolEnvironment } from '../environment'
import type { Edit, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { localFolder, modelCodes, outputTokens, settingsFolder, text } from './shared'

const standard = 'chat-completions'
const GROUP = 'Platform Companion'
const VENDOR = 'customendpoint'

/**
 * Chat in VS Code (1.122 and newer): a group of models in the list that is `chatLanguageModels.json`. Its address is the
 * whole endpoint. The key is typed into its window ("Update API Key" of the group), which then writes a reference to its
 * secret storage into the group as `apiKey`; a key in the file is not read. Without `toolCalling` a model stays hidden.
 */
export const vscodeCopilot: WrittenTarget = {
  kind: 'written',
  id: 'vscode-copilot',
  name: 'VS Code Copilot Chat',
  standard,
  executables: ['code', 'code-insiders'],
  markers,
  install: { url: 'https://code.visualstudio.com/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: false,
  deliveries: ['inTool'],
  slots: [],
  base: (gatewayUrl) => requestAddressFor(gatewayUrl, standard),
  requestSuffix: '',
  variable: '',
  files: [{ id: 'settings', format: 'jsonc', path: modelsPath, edits }],
  readBack,
  rivals: [],
}

/** The default profile's; the preview edition's where only that one was ever started. */
function modelsPath(env: ToolEnvironment): string {
  const folder = (edition: string): string => joinPath(env, settingsFolder(env), edition, 'User')
  const preview = folder('Code - Insiders')
  const isPreview = !env.exists(folder('Code')) && env.exists(preview)
  return joinPath(env, isPreview ? preview : folder('Code'), 'chatLanguageModels.json')
}

function markers(env: ToolEnvironment): string[] {
  const names = ['Visual Studio Code', 'Visual Studio Code - Insiders']
  if (env.platform === 'darwin') return names.map((name) => `/Applications/${name}.app`)
  if (env.platform !== 'win32') return []
  const editions = ['Microsoft VS Code', 'Microsoft VS Code Insiders']
  return editions.map((edition) => joinPath(env, localFolder(env), 'Programs', edition))
}

function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, contextTokens } = input
  const output = outputTokens(contextTokens)
  const models = modelCodes(input).map((code) => ({
    id: code,
    name: code,
    url: requestAddressFor(gatewayUrl, standard),
    toolCalling: true,
    vision: false,
    maxInputTokens: contextTokens - output,
    maxOutputTokens: output,
  }))
  const value = { name: GROUP, vendor: VENDOR, apiType: standard, models }
  return [{ path: [], element: { name: GROUP, vendor: VENDOR }, role: 'address', value }]
}

/** Which model a person picked in its window is not in the file: the first one counts. */
function readBack({ settings = {} }: SettingsByFile): FoundSettings {
  const groups: readonly Json[] = Array.isArray(settings) ? settings : []
  const own = groups.filter((group) => isJsonObject(group) && group.vendor === VENDOR)
  const models = valueAt(own.find((group) => valueAt(group, ['name']) === GROUP) ?? own[0], ['models'])
  const first: Json | undefined = Array.isArray(models) ? models[0] : undefined
  return { base: text(valueAt(first, ['url'])), modelCode: text(valueAt(first, ['id'])) }
}
