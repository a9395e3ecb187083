import type { ToolWarning } from '@shared/contract/tools'
import { getContextTokens } from '@shared/model-facts'
import { absolutePath, joinPath, type ToolEnvironment } from '../../core/environment'
import { requestAddress } from '../../core/net/address'
import { getValueAt } from '../editors/editor'
import type { ConflictSource, WrittenTarget } from '../target'
import {
  chatTool,
  fileSource,
  listDecidingPaths,
  modelCodes,
  projectFiles,
  refusedModels,
  settingsFolder,
  slotModel,
  textAt,
  variableSources,
  xdgConfigFolder,
} from './shared'

const PROVIDER = 'platform-companion'
const KEY_VARIABLE = 'PLATFORM_COMPANION_GOOSE_KEY'
const CHAT_PATH = '/v1/chat/completions'
/** Model codes that goose's OpenAI engine sends to the Responses API with any provider. */
const RESPONSES_MODEL = /(?:^|[-/])(?:o\d+(?:$|-)|gpt-5(?:$|[-.]))/i

/** Settings and variables of models for other tasks. */
const otherModels = ['GOOSE_LEAD_MODEL', 'GOOSE_PLANNER_MODEL', 'GOOSE_SUBAGENT_MODEL']

/** Recipes, which may select their own model. */
const recipes = (origin: 'user' | 'project', paths: (env: ToolEnvironment) => readonly string[]): ConflictSource =>
  fileSource(origin, 'yaml', paths, listDecidingPaths('agentModel', ['settings', 'goose_model']))

/**
 * goose: writes a provider into `custom_providers` and selects it in `config.yaml`. Older goose versions read the
 * upper-case names. goose reads keys from the shell, then from the system keyring, and from `secrets.yaml` only
 * without a keyring, so that file stays unchanged.
 */
export const goose: WrittenTarget = {
  ...chatTool,
  id: 'goose',
  name: 'goose',
  executables: ['goose'],
  markers: (env) => (env.platform === 'darwin' ? ['/Applications/Goose.app'] : []),
  install: { url: 'https://block.github.io/goose/docs/getting-started/installation' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['env', 'inTool'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => gatewayUrl,
  requestSuffix: CHAT_PATH,
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'provider',
      format: 'json',
      path: (env) => joinPath(env, configFolder(env), 'custom_providers', `${PROVIDER}.json`),
      edits: (input) => [
        { path: ['name'], value: PROVIDER },
        { path: ['engine'], value: 'openai' },
        { path: ['display_name'], value: 'Platform Companion' },
        { path: ['base_url'], value: getWrittenBaseUrl(input.gatewayUrl), role: 'address' },
        { path: ['api_key_env'], value: input.variable, role: 'credential' },
        { path: ['requires_auth'], value: true },
        { path: ['supports_streaming'], value: true },
        // With `dynamic_models`, goose would request a list of models at every start.
        { path: ['dynamic_models'], value: false },
        { path: ['fast_model'], value: slotModel(input, 'small') },
        {
          path: ['models'],
          value: modelCodes(input).map((name) => ({ name, context_limit: getContextTokens(input, name) })),
        },
      ],
    },
    {
      id: 'settings',
      format: 'yaml',
      path: (env) => joinPath(env, configFolder(env), 'config.yaml'),
      edits: ({ modelCode }) => [
        { path: ['active_provider'], value: PROVIDER },
        { path: ['providers', PROVIDER, 'enabled'], value: true },
        { path: ['providers', PROVIDER, 'model'], value: modelCode },
        { path: ['providers', PROVIDER, 'configured'], value: true },
        { path: ['GOOSE_PROVIDER'], value: PROVIDER },
        { path: ['GOOSE_MODEL'], value: modelCode },
      ],
      isUsersOwn: (path, value) => ['active_provider', 'GOOSE_PROVIDER'].includes(path.join('.')) && value !== PROVIDER,
    },
  ],
  readBack: ({ settings, provider }) => {
    const chosenProvider = textAt(settings, 'active_provider') ?? textAt(settings, 'GOOSE_PROVIDER')
    if (chosenProvider !== PROVIDER) return {}
    const name = textAt(provider, 'api_key_env')
    const baseUrl = textAt(provider, 'base_url')
    return {
      base: baseUrl?.endsWith(CHAT_PATH) ? baseUrl.slice(0, -CHAT_PATH.length) : baseUrl,
      modelCode: textAt(settings, 'providers', PROVIDER, 'model') ?? textAt(settings, 'GOOSE_MODEL'),
      credential: name === undefined ? undefined : { kind: 'variable', name },
    }
  },
  overriddenBy: [
    ...variableSources('GOOSE_PROVIDER', 'GOOSE_MODEL', ...otherModels),
    recipes('user', (env) => [joinPath(env, configFolder(env), 'recipes', '*.yaml')]),
    recipes('project', projectFiles('.goose/recipes/*.yaml')),
  ],
  warnings: ({ settings }, input) => [
    ...otherModels
      .filter((name) => getValueAt(settings, [name]) !== undefined)
      .map((subject): ToolWarning => ({ code: 'modelSetting', subject, origin: 'settings', fix: 'takeOut' })),
    ...refusedModels(input, (code) => RESPONSES_MODEL.test(code)),
  ],
  shell: ({ gatewayUrl, modelCode }) => [
    { name: 'GOOSE_PROVIDER', value: 'openai' },
    { name: 'GOOSE_MODEL', value: modelCode },
    { name: 'OPENAI_HOST', value: gatewayUrl },
    { name: 'OPENAI_BASE_PATH', value: CHAT_PATH.slice(1) },
    { name: 'OPENAI_API_KEY', value: undefined },
  ],
}

function configFolder(env: ToolEnvironment): string {
  const root = absolutePath(env, env.vars.GOOSE_PATH_ROOT)
  if (root !== undefined) return joinPath(env, root, 'config')
  if (env.platform === 'win32') return joinPath(env, settingsFolder(env), 'Block', 'goose', 'config')
  return joinPath(env, xdgConfigFolder(env), 'goose')
}

/** Base URL for goose. goose appends its default path if the URL has no path. A URL with a path must be complete. */
const getWrittenBaseUrl = (gatewayUrl: string): string =>
  new URL(gatewayUrl).pathname === '/' ? gatewayUrl : requestAddress(gatewayUrl, CHAT_PATH)
