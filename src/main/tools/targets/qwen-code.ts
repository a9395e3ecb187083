import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt, isJsonObject } from '../editors/editor'
import type { Edit, WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  envFileEdits,
  fileSource,
  forPlatform,
  homeFolder,
  listAt,
  listDecidingPaths,
  modelCodes,
  plainCredential,
  projectFiles,
  slotModel,
  textAt,
} from './shared'

/** Name of the key variable. Shell variables override Qwen Code's `.env`, and many shells set OPENAI_API_KEY. */
const KEY_VARIABLE = 'COMPANION_QWEN_KEY'
const providers = ['modelProviders', 'openai']
const decidingSettings = [
  ...listDecidingPaths('provider', providers, ['security', 'auth', 'selectedType']),
  ...listDecidingPaths('model', ['model', 'name']),
  ...listDecidingPaths('address', ['model', 'baseUrl']),
]

/** Qwen Code: writes `settings.json` with one entry per model, and the key into the `.env` in the same folder. */
export const qwenCode: WrittenTarget = {
  ...chatTool,
  id: 'qwen-code',
  name: 'Qwen Code',
  executables: ['qwen'],
  install: { command: 'npm install -g @qwen-code/qwen-code' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '0.24.4' },
  deliveries: ['envFile', 'env'],
  slots: [{ id: 'small', isSmall: true }],
  variable: KEY_VARIABLE,
  files: [
    { id: 'env', format: 'dotenv', path: toFolderPath('.env'), edits: envFileEdits },
    {
      id: 'settings',
      format: 'jsonc',
      path: toFolderPath('settings.json'),
      edits: (input, current) => {
        const { gatewayUrl, modelCode, variable, delivery } = input
        const baseUrl = chatAddress(gatewayUrl)
        const isEmptyFile = isJsonObject(current) && Object.keys(current).length === 0
        // Qwen Code migrates a file without `$version`.
        const version: Edit = { path: ['$version'], value: 4, isVolatile: true }
        const entry = (id: string): Edit => ({
          path: providers,
          element: { id, envKey: variable },
          ...(id === modelCode && delivery === 'env' ? { role: 'credential' } : {}),
          value: {
            id,
            name: id,
            baseUrl,
            envKey: variable,
            generationConfig: { contextWindowSize: getContextTokens(input, id) },
          },
        })
        return [
          ...(isEmptyFile ? [version] : []),
          ...modelCodes(input).map(entry),
          { path: ['security', 'auth', 'selectedType'], value: 'openai' },
          { path: ['model', 'name'], value: modelCode },
          // Distinguishes entries of the same id.
          { path: ['model', 'baseUrl'], value: baseUrl, role: 'address' },
          { path: ['fastModel'], value: slotModel(input, 'small') },
        ]
      },
      isUsersOwn: (path, value) => path.join('.') === 'security.auth.selectedType' && value !== 'openai',
    },
  ],
  readBack: ({ settings = {}, env = {} }) => {
    if (getValueAt(settings, ['security', 'auth', 'selectedType']) !== 'openai') return {}
    const modelCode = textAt(settings, 'model', 'name')
    const chosenAddress = textAt(settings, 'model', 'baseUrl')
    const entries = listAt(settings, ...providers).filter((entry) => getValueAt(entry, ['id']) === modelCode)
    const entry = entries.find((item) => getValueAt(item, ['baseUrl']) === chosenAddress) ?? entries[0]
    const name = textAt(entry, 'envKey')
    if (name === undefined) return { modelCode }
    const key = textAt(env, name) ?? textAt(settings, 'env', name)
    const credential = plainCredential(key) ?? { kind: 'variable', name }
    return { base: textAt(entry, 'baseUrl'), modelCode, credential }
  },
  overriddenBy: [
    { kind: 'variable', name: 'QWEN_CODE_SYSTEM_SETTINGS_PATH' },
    fileSource('managed', 'jsonc', (env) => [systemPath(env)], decidingSettings),
    fileSource('project', 'jsonc', projectFiles('.qwen/settings.json'), decidingSettings),
    {
      kind: 'own',
      settings: [
        { path: ['security', 'auth', 'enforcedType'], decides: 'provider', isHarmless: (type) => type === 'openai' },
        ...listDecidingPaths('agentModel', ['agents', 'builtin', 'exploreModel']),
      ],
    },
    agentFiles('user', (env) => [userFolder(env, 'agents', '**', '*.md')]),
    agentFiles('project', projectFiles('.qwen/agents/**/*.md')),
  ],
  isPlanModel: (value, models) =>
    typeof value === 'string' && (/^(?:inherit|fast)$/i.test(value) || models.includes(value.replace(/^openai:/, ''))),
  shell: ({ gatewayUrl, modelCode }) => [
    { name: 'OPENAI_BASE_URL', value: chatAddress(gatewayUrl) },
    { name: 'OPENAI_API_KEY', value: undefined },
    { name: 'OPENAI_MODEL', value: modelCode },
  ],
}

function toFolderPath(name: string) {
  return (env: ToolEnvironment): string =>
    env.project === undefined ? userFolder(env, name) : joinPath(env, env.project, '.qwen', name)
}

const userFolder = homeFolder('QWEN_HOME', '.qwen')

const systemPath = (env: ToolEnvironment): string =>
  forPlatform(env, {
    win32: joinPath(env, env.vars.ProgramData || 'C:\\ProgramData', 'qwen-code\\settings.json'),
    darwin: '/Library/Application Support/QwenCode/settings.json',
    linux: '/etc/qwen-code/settings.json',
  })
