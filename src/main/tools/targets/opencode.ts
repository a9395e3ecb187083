import { AppError } from '@shared/failure'
import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../../core/environment'
import { getValueAt, isJsonObject, type Json } from '../editors/editor'
import type {
  ConflictSource,
  DecidingSetting,
  Edit,
  EditValue,
  FoundSettings,
  TargetInput,
  WrittenTarget,
} from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  fileSource,
  forPlatform,
  listDecidingPaths,
  listDefinedPaths,
  modelCodes,
  readKey,
  slotModel,
  textAt,
  tokenLimits,
  variableSources,
  withoutPrefix,
  xdgConfigFolder,
} from './shared'

const PROVIDER = 'platform-companion'
const provider = ['provider', PROVIDER]

const agentModels = listDecidingPaths(
  'agentModel',
  ['agent', '*', 'model'],
  ['mode', '*', 'model'],
  ['command', '*', 'model'],
)

const decidingSettings: readonly DecidingSetting[] = [
  ...listDecidingPaths('address', [...provider, 'options', 'baseURL']),
  ...listDecidingPaths('credential', [...provider, 'options', 'apiKey']),
  ...listDecidingPaths('model', ['model'], ['small_model']),
  { path: ['enabled_providers'], decides: 'provider', isHarmless: (value) => [value].flat().includes(PROVIDER) },
  { path: ['disabled_providers'], decides: 'provider', isHarmless: (value) => ![value].flat().includes(PROVIDER) },
  ...agentModels,
]

const agentFolders = ['agent', 'agents', 'mode', 'modes', 'command', 'commands']

/** OpenCode or its fork. Variables have the name of the program as prefix. */
type Program = {
  readonly name: 'opencode' | 'kilo'
  /** Names of settings files in merge order: a later file overrides earlier ones. */
  readonly fileNames: readonly string[]
  /** Names of settings folders in the home and in projects. */
  readonly dotFolders: readonly string[]
}

/** Files that override ours, in the order of OpenCode 1.18.33 and Kilo 7.7.7, and models of agents, modes and commands. */
function listSources({ name, fileNames, dotFolders }: Program): ConflictSource[] {
  const variable = `${name.toUpperCase()}_CONFIG`
  const joinEach = (env: ToolEnvironment, folders: readonly string[], names: readonly string[]): string[] =>
    folders.flatMap((folder) => names.map((item) => joinPath(env, folder, item)))
  const userFolders = (env: ToolEnvironment): string[] => [
    ...listDefinedPaths(env.vars[`${variable}_DIR`]),
    ...joinEach(env, [env.home], dotFolders),
  ]
  const projectFolders = (env: ToolEnvironment): string[] =>
    joinEach(env, listParentFolders(env, startFolder(env)), dotFolders)
  const managedFolder = (env: ToolEnvironment): string =>
    forPlatform(env, {
      win32: joinPath(env, env.vars.ProgramData || 'C:\\ProgramData', name),
      darwin: `/Library/Application Support/${name}`,
      linux: `/etc/${name}`,
    })
  const files = (
    origin: 'user' | 'project' | 'managed',
    folders: (env: ToolEnvironment) => readonly string[],
    otherPaths: (env: ToolEnvironment) => readonly string[] = () => [],
  ): ConflictSource => {
    const paths = (env: ToolEnvironment) => [
      ...(env.project === undefined ? otherPaths(env) : []),
      ...joinEach(env, folders(env), fileNames),
    ]
    return fileSource(origin, 'jsonc', paths, decidingSettings)
  }
  const agents = (origin: 'user' | 'project', folders: (env: ToolEnvironment) => readonly string[]): ConflictSource =>
    agentFiles(origin, (env) =>
      joinEach(env, folders(env), agentFolders).map((folder) => joinPath(env, folder, '**', '*.md')),
    )
  return [
    ...variableSources(variable, `${variable}_DIR`, `${variable}_CONTENT`),
    files('user', userFolders, (env) => listDefinedPaths(env.vars[variable])),
    files('project', projectFolders, (env) => joinEach(env, listParentFolders(env, env.workFolder), fileNames)),
    files('managed', (env) => [managedFolder(env)]),
    { kind: 'own', settings: agentModels },
    agents('user', (env) => [joinPath(env, xdgConfigFolder(env), name), ...userFolders(env)]),
    agents('project', projectFolders),
  ]
}

/** Fields that OpenCode and its fork have in common. */
const openCodeTool = {
  ...chatTool,
  deliveries: ['file', 'env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  readBack: ({ settings = {} }) => readProvider(settings),
  isPlanModel: (value, models) => models.some((code) => value === `${PROVIDER}/${code}`),
} satisfies Partial<WrittenTarget>

/** OpenCode: the global `opencode.jsonc`, else `opencode.json`. The settings refer to a key file. */
export const openCode: WrittenTarget = {
  ...openCodeTool,
  id: 'opencode',
  name: 'OpenCode',
  executables: ['opencode'],
  install: { command: 'npm install -g opencode-ai' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '1.18.33' },
  variable: 'COMPANION_OPENCODE_KEY',
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => {
        const folder = env.project ?? joinPath(env, xdgConfigFolder(env), 'opencode')
        const jsoncPath = joinPath(env, folder, 'opencode.jsonc')
        return env.exists(jsoncPath) ? jsoncPath : joinPath(env, folder, 'opencode.json')
      },
      edits: (input, current) => {
        // OpenCode adds the missing `$schema` line itself.
        const schema = { path: ['$schema'], value: 'https://opencode.ai/config.json' }
        const isSchemaMissing = getValueAt(current, ['$schema']) === undefined
        return [...(isSchemaMissing ? [schema] : []), ...providerEdits(input, 'OpenCode')]
      },
      isUsersOwn: isOtherModel,
    },
  ],
  overriddenBy: listSources({
    name: 'opencode',
    fileNames: ['opencode.json', 'opencode.jsonc'],
    dotFolders: ['.opencode'],
  }),
}

/** Settings of our provider and its models, for OpenCode and its fork. `name`: display name of the provider. */
function providerEdits(input: TargetInput, name: string): Edit[] {
  const { gatewayUrl, modelCode } = input
  const buildEdit = (path: readonly string[], value: EditValue): Edit => ({ path: [...provider, ...path], value })
  return [
    buildEdit(['npm'], '@ai-sdk/openai-compatible'),
    buildEdit(['name'], 'Platform Companion'),
    { ...buildEdit(['options', 'baseURL'], chatAddress(gatewayUrl)), role: 'address' },
    { ...buildEdit(['options', 'apiKey'], credential(input, name)), role: 'credential' },
    ...modelCodes(input).map((code) => buildEdit(['models', code], { name: code, limit: tokenLimits(input, code) })),
    { path: ['model'], value: `${PROVIDER}/${modelCode}` },
    { path: ['small_model'], value: `${PROVIDER}/${slotModel(input, 'small')}` },
    { path: ['enabled_providers'], member: PROVIDER, present: true },
    { path: ['disabled_providers'], member: PROVIDER, present: false },
  ]
}

/** Whether a setting names a model of another provider. */
function isOtherModel(path: readonly string[], value: Json): boolean {
  return ['model', 'small_model'].includes(path.join('.')) && !String(value).startsWith(`${PROVIDER}/`)
}

/** OpenCode replaces `{file:path}` before it parses the settings, so the path must not need escaping. */
function credential({ delivery, keyFile, key, variable }: TargetInput, name: string): EditValue {
  if (delivery === 'plain') return key
  if (delivery === 'env') return `{env:${variable}}`
  const path = keyFile?.replaceAll('\\', '/')
  if (path !== undefined && /[{}"\p{Cc}]/u.test(path))
    throw new AppError(
      'input.invalid',
      `${name} cannot be pointed at ${path}. Choose a data folder without {, } and ".`,
    )
  return path === undefined ? undefined : `{file:${path}}`
}

function readProvider(settings: Json): FoundSettings {
  const key = textAt(settings, ...provider, 'options', 'apiKey')
  const path = /^\{file:([^}]+)\}$/.exec(key ?? '')?.[1]
  return {
    base: textAt(settings, ...provider, 'options', 'baseURL'),
    modelCode: withoutPrefix(textAt(settings, 'model'), `${PROVIDER}/`),
    credential: path === undefined ? readKey(key, /^\{env:([^}]+)\}$/) : { kind: 'file', path },
  }
}

/** Kilo's settings files in merge order: a later file overrides earlier ones. Kilo reads `config.json` first. */
const kiloFileNames = ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc']

/** Kilo CLI, a fork of OpenCode: writes `kilo.jsonc`. A project's file cannot refer to a key file outside of it. */
export const kilo: WrittenTarget = {
  ...openCodeTool,
  id: 'kilo',
  name: 'Kilo CLI',
  executables: ['kilo', 'kilocode'],
  install: { command: 'npm install -g @kilocode/cli' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '7.7.7' },
  variable: 'COMPANION_KILO_KEY',
  files: [
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => {
        const folder = joinPath(env, xdgConfigFolder(env), 'kilo')
        const existingFiles = kiloFileNames.filter((name) => env.exists(joinPath(env, folder, name)))
        return joinPath(env, folder, existingFiles.at(-1) ?? 'kilo.jsonc')
      },
      edits: (input, current) => {
        const hasNoUserSettings = isJsonObject(current) && Object.keys(current).every((name) => name === '$schema')
        return [
          { path: ['$schema'], value: 'https://app.kilo.ai/config.json', isVolatile: true },
          ...providerEdits(input, 'Kilo'),
          ...(hasNoUserSettings ? [keepPermissionEdit] : []),
        ]
      },
      isUsersOwn: isOtherModel,
    },
  ],
  overriddenBy: listSources({ name: 'kilo', fileNames: kiloFileNames, dotFolders: ['.kilo', '.kilocode'] }),
}

/** A migration in Kilo allows all commands if there are other settings. With an empty rule, Kilo continues to ask. */
const keepPermissionEdit: Edit = { path: ['permission', 'bash'], value: {}, isVolatile: true }
