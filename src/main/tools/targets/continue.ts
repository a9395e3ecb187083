import type { ToolWarning } from '@shared/contract/tools'
import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { getValueAt, type Json } from '../editors/editor'
import type { Edit, FoundCredential, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { listDecidingPaths, modelCodes, plainCredential, text } from './shared'

const apiStandard = 'chat-completions'
/** Model codes that Continue sends to the Responses API with any provider. */
const RESPONSES_MODEL = /^(?:gpt-5|o\d)/i

/**
 * Continue CLI and IDE extensions: writes `config.yaml`, whose first model Continue uses, and the key into Continue's
 * `.env`.
 */
export const continueCli: WrittenTarget = {
  kind: 'written',
  id: 'continue',
  name: 'Continue',
  standard: apiStandard,
  executables: ['cn'],
  install: { command: 'npm install -g @continuedev/cli' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.5.47' },
  needsRestart: true,
  deliveries: ['envFile', 'env', 'plain'],
  slots: [],
  base: (gatewayUrl) => baseAddress(gatewayUrl, apiStandard),
  requestSuffix: requestSuffix(apiStandard),
  variable: 'COMPANION_CONTINUE_KEY',
  files: [
    {
      id: 'env',
      format: 'dotenv',
      path: toFolderPath('.env'),
      edits: ({ delivery, variable, key }) =>
        delivery === 'envFile' ? [{ path: [variable], value: key, role: 'credential' }] : [],
    },
    // Marks onboarding as completed. Otherwise Continue asks for an Anthropic key at its first start, although a
    // model is configured.
    {
      id: 'onboarding',
      format: 'text',
      path: toFolderPath('.onboarding_complete'),
      edits: (_input, current) => [
        { path: ['content'], value: getValueAt(current, ['content']) ?? 'Platform Companion\n' },
      ],
    },
    { id: 'settings', format: 'yaml', path: toFolderPath('config.yaml'), edits: settingEdits },
  ],
  readBack: readBackSettings,
  precedence: {
    checked: '1.5.47',
    sources: [
      {
        kind: 'file',
        origin: 'user',
        format: 'json',
        paths: (env) => [toFolderPath('index', 'globalContext.json')(env)],
        settings: listDecidingPaths('provider', ['cliSelectedModel']),
      },
    ],
  },
  warnings: (_settings, { modelCode }): ToolWarning[] =>
    RESPONSES_MODEL.test(modelCode) ? [{ code: 'modelRefused', subject: modelCode }] : [],
}

function toFolderPath(...names: string[]) {
  return (env: ToolEnvironment): string =>
    joinPath(env, env.vars.CONTINUE_GLOBAL_DIR || joinPath(env, env.home, '.continue'), ...names)
}

/** Edits of the settings. Adds name and version, because Continue rejects a file without them. */
function settingEdits(input: TargetInput): Edit[] {
  const { modelCode, delivery } = input
  const otherModels = modelCodes(input).filter((code) => code !== modelCode && !RESPONSES_MODEL.test(code))
  return [
    { path: ['name'], value: 'Local Config', isVolatile: true },
    { path: ['version'], value: '1.0.0', isVolatile: true },
    { path: ['schema'], value: 'v1', isVolatile: true },
    { ...modelEdit(modelCode, input), role: delivery === 'envFile' ? 'address' : 'credential', isFirst: true },
    ...otherModels.map((code) => modelEdit(code, input)),
  ]
}

function modelEdit(code: string, input: TargetInput) {
  const { gatewayUrl, delivery, variable, key } = input
  const name = `Platform Companion ${code}`
  return {
    path: ['models'],
    element: { name },
    value: {
      name,
      provider: 'openai',
      model: code,
      apiBase: baseAddress(gatewayUrl, apiStandard),
      apiKey: delivery === 'plain' ? key : `\${{ secrets.${variable} }}`,
      roles: ['chat', 'edit', 'apply'],
      defaultCompletionOptions: { contextLength: getContextTokens(input, code) },
    },
  }
}

function readBackSettings({ settings = {}, env = {} }: SettingsByFile): FoundSettings {
  const models = getValueAt(settings, ['models'])
  const [firstModel]: readonly Json[] = Array.isArray(models) ? models : []
  const readText = (name: string): string | undefined => text(getValueAt(firstModel, [name]))
  return {
    base: readText('apiBase'),
    modelCode: readText('model'),
    credential: readCredential(readText('apiKey'), env),
  }
}

function readCredential(key: string | undefined, env: Json): FoundCredential | undefined {
  const [, name] = /^\$\{\{\s*secrets\.([\w-]+)\s*\}\}$/.exec(key ?? '') ?? []
  if (name === undefined) return plainCredential(key)
  return plainCredential(text(getValueAt(env, [name]))) ?? { kind: 'variable', name }
}
