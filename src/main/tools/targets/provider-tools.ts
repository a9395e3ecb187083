import { getContextTokens } from '@shared/model-facts'
import { absolutePath, joinPath, shellQuote, type ToolEnvironment } from '../../core/environment'
import { requestAddress } from '../../core/net/address'
import { getValueAt, isJsonObject } from '../editors/editor'
import type { ConflictSource, Edit, EditValue, TargetInput, WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  fileSource,
  forPlatform,
  foundModelSettings,
  homeFolder,
  listAt,
  listDecidingPaths,
  listDefinedPaths,
  localFolder,
  modelCodes,
  parentFiles,
  plainCredential,
  projectFiles,
  readKey,
  refusedModels,
  settingsFolder,
  slotModel,
  text,
  textAt,
  tokenLimits,
  variableSources,
  xdgConfigFolder,
} from './shared'

const PROVIDER = 'platform-companion'
const provider = ['providers', PROVIDER]
const providerEdit = (name: string, value: EditValue): Edit => ({ path: [...provider, name], value })
const crushModels = listDecidingPaths('model', ['models', 'large'], ['models', 'small'])

/**
 * Crush: writes strict JSON in `crush.json`, an older format that is read first, so a user's `crushrc` overrides it.
 * Provider type `openai-compat` uses the chat API, `openai` the Responses API. Source: code of Crush at commit
 * 37f36e9.
 */
export const crush: WrittenTarget = {
  ...chatTool,
  id: 'crush',
  name: 'Crush',
  executables: ['crush'],
  install: { command: 'npm install -g @charmland/crush' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['helper', 'env'],
  slots: [{ id: 'small', isSmall: true }],
  variable: 'PLATFORM_COMPANION_CRUSH_KEY',
  files: [
    {
      id: 'settings',
      format: 'json',
      // In a project, `.crush.json` overrides `crush.json`.
      path: (env) => existingCrushFile(env, '.crush.json') ?? joinPath(env, getCrushFolder(env), 'crush.json'),
      edits: (input) => [
        providerEdit('name', 'Platform Companion'),
        providerEdit('type', 'openai-compat'),
        { ...providerEdit('base_url', chatAddress(input.gatewayUrl)), role: 'address' },
        { ...providerEdit('api_key', toKeyReference(input)), role: 'credential' },
        providerEdit(
          'models',
          modelCodes(input).map((code) => {
            const { context, output } = tokenLimits(input, code)
            return { id: code, name: code, context_window: context, default_max_tokens: output }
          }),
        ),
        { path: ['models', 'large'], value: { provider: PROVIDER, model: input.modelCode } },
        { path: ['models', 'small'], value: { provider: PROVIDER, model: slotModel(input, 'small') } },
      ],
      isUsersOwn: (path, value) => path[0] === 'models' && !(isJsonObject(value) && value.provider === PROVIDER),
    },
  ],
  readBack: ({ settings = {} }) => {
    const name = textAt(settings, 'models', 'large', 'provider')
    if (name === undefined) return {}
    const key = textAt(settings, 'providers', name, 'api_key')
    const command = /^\$\((.+)\)$/.exec(key ?? '')?.[1]
    return {
      base: textAt(settings, 'providers', name, 'base_url'),
      modelCode: textAt(settings, 'models', 'large', 'model'),
      credential: command === undefined ? readKey(key, /^\$\{?(\w+)\}?$/) : { kind: 'helper', command },
    }
  },
  overriddenBy: [
    fileSource('user', 'json', (env) => listDefinedPaths(crushStatePath(env)), crushModels),
    fileSource(
      'user',
      'text',
      (env) => [existingCrushFile(env, '.crushrc') ?? joinPath(env, getCrushFolder(env), 'crushrc')],
      listDecidingPaths('provider', ['content']),
    ),
    // Crush reads the files of all folders from the start folder up.
    fileSource('project', 'json', (env) => (env.project ? [] : parentFiles('crush.json', '.crush.json')(env)), [
      ...listDecidingPaths('address', [...provider, 'base_url']),
      ...listDecidingPaths('credential', [...provider, 'api_key']),
      ...crushModels,
    ]),
  ],
  isPlanModel: (value, models) =>
    isJsonObject(value) && value.provider === PROVIDER && models.includes(String(value.model)),
}

/** Path of a project's hidden file, if it exists. */
function existingCrushFile(env: ToolEnvironment, name: string): string | undefined {
  const path = joinPath(env, getCrushFolder(env), name)
  return env.project && env.exists(path) ? path : undefined
}

function getCrushFolder({ project, ...env }: ToolEnvironment): string {
  const config = env.vars.XDG_CONFIG_HOME || joinPath(env, env.home, '.config')
  return project ?? (env.vars.CRUSH_GLOBAL_CONFIG || joinPath(env, config, 'crush'))
}

/** File that Crush itself writes, for example for models selected in its UI. It overrides the user's file. */
function crushStatePath(env: ToolEnvironment): string | undefined {
  if (env.project) return undefined
  const localDataFolder = env.platform === 'win32' ? localFolder(env) : joinPath(env, env.home, '.local', 'share')
  const folder = env.vars.CRUSH_GLOBAL_DATA || joinPath(env, env.vars.XDG_DATA_HOME || localDataFolder, 'crush')
  return joinPath(env, folder, 'crush.json')
}

/** Reference to the key, which Crush expands with its own POSIX-like shell on every platform. */
function toKeyReference({ delivery, helperArgv, helperCommand, variable }: TargetInput): string | undefined {
  if (delivery === 'env') return `$${variable}`
  const command = helperArgv ? shellQuote(helperArgv, 'linux') : helperCommand
  return command && `$(${command})`
}

const DROID_KEY = 'PLATFORM_COMPANION_DROID_KEY'
const droidManagedFolders = {
  win32: 'C:\\Program Files\\Factory\\',
  darwin: '/Library/Application Support/Factory/',
  linux: '/etc/factory/',
}
const droidDefaultModel = ['sessionDefaultSettings', 'model']
const droidSettings = [
  ...listDecidingPaths('provider', ['customModels']),
  ...listDecidingPaths('model', droidDefaultModel),
]

/** Id of the model entry. Without one, Droid generates `custom:Display-Name-INDEX`, which changes with the order. */
const toDroidModelId = (code: string): string => `custom:platform-companion/${code}`

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
  variable: DROID_KEY,
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => joinPath(env, getDroidFolder(env), env.project ? 'settings.local.json' : 'settings.json'),
      // Each list element contains both address and credential. With delivery `env`, Droid's UI replaces the variable
      // with the key when it saves.
      edits: (input) => {
        const { gatewayUrl, delivery, variable, key } = input
        const element = (code: string): Edit => ({
          path: ['customModels'],
          element: { id: toDroidModelId(code) },
          role: 'credential',
          isVolatile: delivery === 'env',
          value: {
            model: code,
            id: toDroidModelId(code),
            baseUrl: chatAddress(gatewayUrl),
            apiKey: delivery === 'plain' ? key : `\${${variable}}`,
            displayName: `Platform Companion: ${code}`,
            maxContextLimit: tokenLimits(input, code).context,
            maxOutputTokens: tokenLimits(input, code).output,
            provider: 'generic-chat-completion-api',
          },
        })
        return [...modelCodes(input).map(element), { path: droidDefaultModel, value: toDroidModelId(input.modelCode) }]
      },
      isUsersOwn: (path, value) =>
        path.join('.') === droidDefaultModel.join('.') && !String(value).startsWith(toDroidModelId('')),
    },
  ],
  readBack: ({ settings = {} }) => {
    const chosenId = textAt(settings, ...droidDefaultModel)
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
      (env) => (env.project ? [] : [joinPath(env, getDroidFolder(env), 'settings.local.json')]),
      droidSettings,
    ),
    fileSource(
      'project',
      'jsonc',
      projectFiles('.factory/settings.json', '.factory/settings.local.json'),
      droidSettings,
    ),
    fileSource('managed', 'jsonc', (env) => [`${forPlatform(env, droidManagedFolders)}settings.json`], droidSettings),
    agentFiles('user', (env) => [joinPath(env, getDroidFolder(env), 'droids', '*.md')]),
    agentFiles('project', projectFiles('.factory/droids/*.md')),
  ],
  isPlanModel: (value, models) => value === 'inherit' || models.some((code) => value === toDroidModelId(code)),
  // Droid 0.225.2 writes the key in place of its variable when its UI saves settings.
  warnings: (_settings, { delivery }) =>
    delivery === 'env' ? [{ code: 'toolWritesKey', subject: 'customModels.apiKey' }] : [],
}

/** Path of the settings folder, in the project or in the home. */
const getDroidFolder = (env: ToolEnvironment): string =>
  joinPath(env, env.project ?? (env.vars.FACTORY_HOME_OVERRIDE || env.home), '.factory')

const GOOSE_KEY = 'PLATFORM_COMPANION_GOOSE_KEY'
const GOOSE_CHAT_PATH = '/v1/chat/completions'
/** Model codes that goose's OpenAI engine sends to the Responses API with any provider. */
const GOOSE_RESPONSES_MODEL = /(?:^|[-/])(?:o\d+(?:$|-)|gpt-5(?:$|[-.]))/i

/** Settings and variables of models for other tasks. */
const gooseModels = ['GOOSE_LEAD_MODEL', 'GOOSE_PLANNER_MODEL', 'GOOSE_SUBAGENT_MODEL']

/** Recipes, which may select their own model. */
const gooseRecipes = (origin: 'user' | 'project', paths: (env: ToolEnvironment) => readonly string[]): ConflictSource =>
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
  requestSuffix: GOOSE_CHAT_PATH,
  variable: GOOSE_KEY,
  files: [
    {
      id: 'provider',
      format: 'json',
      path: (env) => joinPath(env, gooseFolder(env), 'custom_providers', `${PROVIDER}.json`),
      edits: (input) => [
        { path: ['name'], value: PROVIDER },
        { path: ['engine'], value: 'openai' },
        { path: ['display_name'], value: 'Platform Companion' },
        { path: ['base_url'], value: getGooseBaseUrl(input.gatewayUrl), role: 'address' },
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
      path: (env) => joinPath(env, gooseFolder(env), 'config.yaml'),
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
      base: baseUrl?.endsWith(GOOSE_CHAT_PATH) ? baseUrl.slice(0, -GOOSE_CHAT_PATH.length) : baseUrl,
      modelCode: textAt(settings, 'providers', PROVIDER, 'model') ?? textAt(settings, 'GOOSE_MODEL'),
      credential: name === undefined ? undefined : { kind: 'variable', name },
    }
  },
  overriddenBy: [
    ...variableSources('GOOSE_PROVIDER', 'GOOSE_MODEL', ...gooseModels),
    gooseRecipes('user', (env) => [joinPath(env, gooseFolder(env), 'recipes', '*.yaml')]),
    gooseRecipes('project', projectFiles('.goose/recipes/*.yaml')),
  ],
  warnings: ({ settings }, input) => [
    ...foundModelSettings(settings, ...gooseModels.map((name) => [name])),
    ...refusedModels(input, (code) => GOOSE_RESPONSES_MODEL.test(code)),
  ],
  shell: ({ gatewayUrl, modelCode }) => [
    { name: 'GOOSE_PROVIDER', value: 'openai' },
    { name: 'GOOSE_MODEL', value: modelCode },
    { name: 'OPENAI_HOST', value: gatewayUrl },
    { name: 'OPENAI_BASE_PATH', value: GOOSE_CHAT_PATH.slice(1) },
    { name: 'OPENAI_API_KEY', value: undefined },
  ],
}

function gooseFolder(env: ToolEnvironment): string {
  const root = absolutePath(env, env.vars.GOOSE_PATH_ROOT)
  if (root !== undefined) return joinPath(env, root, 'config')
  if (env.platform === 'win32') return joinPath(env, settingsFolder(env), 'Block', 'goose', 'config')
  return joinPath(env, xdgConfigFolder(env), 'goose')
}

/** Base URL for goose. goose appends its default path if the URL has no path. A URL with a path must be complete. */
const getGooseBaseUrl = (gatewayUrl: string): string =>
  new URL(gatewayUrl).pathname === '/' ? gatewayUrl : requestAddress(gatewayUrl, GOOSE_CHAT_PATH)

const NANOCODER_PROVIDER = 'Platform Companion'
const NANOCODER_KEY = 'PLATFORM_COMPANION_NANOCODER_KEY'
const nanocoderProviders = ['nanocoder', 'providers']

/**
 * nanocoder: writes strict JSON. Also sets the last used provider and model in its preferences, because `nanocoder
 * run` stops if that provider is missing. A project's file adds providers and replaces those with the same name.
 */
export const nanocoder: WrittenTarget = {
  ...chatTool,
  id: 'nanocoder',
  name: 'nanocoder',
  executables: ['nanocoder'],
  install: { command: 'npm install -g @nanocollective/nanocoder' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.30.0' },
  deliveries: ['env', 'plain'],
  variable: NANOCODER_KEY,
  files: [
    {
      id: 'preferences',
      format: 'json',
      path: (env) => joinPath(env, getNanocoderFolder(env), 'nanocoder-preferences.json'),
      edits: ({ modelCode }) => [
        { path: ['lastProvider'], value: NANOCODER_PROVIDER },
        { path: ['providerModels', NANOCODER_PROVIDER], value: modelCode },
      ],
    },
    {
      id: 'settings',
      format: 'json',
      path: (env) => joinPath(env, getNanocoderFolder(env), 'agents.config.json'),
      // One element contains both address and credential.
      edits: (input) => {
        const { gatewayUrl, modelCode, delivery, variable, key } = input
        const value = {
          name: NANOCODER_PROVIDER,
          baseUrl: chatAddress(gatewayUrl),
          apiKey: delivery === 'plain' ? key : `$${variable}`,
          models: modelCodes(input),
          contextWindow: getContextTokens(input, modelCode),
        }
        return [{ path: nanocoderProviders, element: { name: NANOCODER_PROVIDER }, role: 'credential', value }]
      },
    },
  ],
  readBack: ({ settings = {}, preferences = {} }) => {
    const allProviders = listAt(getValueAt(settings, nanocoderProviders) ?? getValueAt(settings, ['providers']))
    const lastProvider = textAt(preferences, 'lastProvider')?.toLowerCase()
    const chosenProvider =
      allProviders.find((item) => textAt(item, 'name')?.toLowerCase() === lastProvider) ?? allProviders[0]
    const codes = listAt(chosenProvider, 'models')
    const usedModel = getValueAt(preferences, ['providerModels', textAt(chosenProvider, 'name') ?? ''])
    return {
      base: textAt(chosenProvider, 'baseUrl'),
      modelCode: text(codes.find((code) => code === usedModel) ?? codes[0]),
      credential: readKey(textAt(chosenProvider, 'apiKey'), /^\$\{?([A-Z_][A-Z0-9_]*)(?::-.*)?\}?$/),
    }
  },
  overriddenBy: [
    ...variableSources('NANOCODER_PROVIDERS', 'NANOCODER_PROVIDERS_FILE'),
    fileSource(
      'project',
      'json',
      (env) => (env.vars.NANOCODER_CONFIG_DIR ? [] : projectFiles('agents.config.json')(env)),
      [
        {
          path: nanocoderProviders,
          decides: 'provider',
          isHarmless: (list) => listAt(list).every((item) => getValueAt(item, ['name']) !== NANOCODER_PROVIDER),
        },
        ...listDecidingPaths('provider', ['nanocoder', 'modeProviders']),
      ],
    ),
    agentFiles('user', (env) => [joinPath(env, getNanocoderFolder(env), 'agents', '*.md')]),
    agentFiles('project', projectFiles('.nanocoder/agents/*.md')),
  ],
  isPlanModel: (value, models) => value === 'inherit' || models.some((code) => code === value),
  // Providers for single modes override ours. nanocoder ignores providers at the root (old format) once ours exists.
  warnings: ({ settings }) => {
    const isSettingPresent = (...path: readonly string[]): boolean => getValueAt(settings, path) !== undefined
    const hasOldFormat = isSettingPresent('providers') && !isSettingPresent(...nanocoderProviders)
    return [
      ...foundModelSettings(settings, ['nanocoder', 'modeProviders']),
      ...(hasOldFormat ? [{ code: 'overridesExisting', subject: 'providers' } as const] : []),
    ]
  },
}

function getNanocoderFolder(env: ToolEnvironment): string {
  if (env.vars.NANOCODER_CONFIG_DIR) return env.vars.NANOCODER_CONFIG_DIR
  const folder = env.platform === 'darwin' ? joinPath(env, env.home, 'Library', 'Preferences') : settingsFolder(env)
  return joinPath(env, folder, 'nanocoder')
}

const piFolder = homeFolder('PI_CODING_AGENT_DIR', '.pi', 'agent')

/** pi: a provider in `models.json` (allows comments), selected in `settings.json` (strict). */
export const pi: WrittenTarget = {
  ...chatTool,
  id: 'pi',
  name: 'pi',
  executables: ['pi'],
  install: { command: 'npm install -g @earendil-works/pi-coding-agent' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '0.87.1' },
  deliveries: ['helper', 'plain'],
  variable: 'COMPANION_PI_KEY',
  files: [
    {
      id: 'models',
      format: 'jsonc',
      path: (env) => piFolder(env, 'models.json'),
      edits: (input) => {
        const helper = input.helperCommand === undefined ? undefined : `!${input.helperCommand}`
        return [
          providerEdit('name', 'Platform Companion'),
          { ...providerEdit('baseUrl', chatAddress(input.gatewayUrl)), role: 'address' },
          providerEdit('api', 'openai-completions'),
          { ...providerEdit('apiKey', input.delivery === 'helper' ? helper : input.key), role: 'credential' },
          // Otherwise pi sends parameters that only OpenAI's own service accepts.
          providerEdit('compat', { supportsStore: false, supportsDeveloperRole: false, maxTokensField: 'max_tokens' }),
          providerEdit(
            'models',
            modelCodes(input).map((id) => {
              const { context, output } = tokenLimits(input, id)
              return { id, name: id, contextWindow: context, maxTokens: output }
            }),
          ),
        ]
      },
    },
    {
      id: 'settings',
      format: 'json',
      path: (env) => piFolder(env, 'settings.json'),
      edits: ({ modelCode }) => [
        { path: ['defaultProvider'], value: PROVIDER },
        { path: ['defaultModel'], value: modelCode },
        // pi uses the default model only if it is in the user's list of enabled models.
        { path: ['enabledModels'], member: `${PROVIDER}/*`, present: true },
      ],
      isUsersOwn: (path, value) => path[0] === 'defaultProvider' && value !== PROVIDER,
    },
  ],
  readBack: ({ models, settings }) => {
    const key = textAt(models, ...provider, 'apiKey')
    return {
      base: textAt(models, ...provider, 'baseUrl'),
      modelCode: textAt(settings, 'defaultProvider') === PROVIDER ? textAt(settings, 'defaultModel') : undefined,
      credential: key?.startsWith('!') ? { kind: 'helper', command: key.slice(1) } : plainCredential(key),
    }
  },
  overriddenBy: [
    fileSource('user', 'json', (env) => [piFolder(env, 'auth.json')], listDecidingPaths('credential', [PROVIDER])),
    fileSource('project', 'json', projectFiles('.pi/settings.json'), [
      { path: ['defaultProvider'], decides: 'provider', isHarmless: (value) => value === PROVIDER },
      ...listDecidingPaths('model', ['defaultModel']),
      // pi ignores a default model that the list does not include.
      {
        path: ['enabledModels'],
        decides: 'provider',
        isHarmless: (value) => [value].flat().some((item) => String(item).startsWith(`${PROVIDER}/`)),
      },
    ]),
  ],
}
