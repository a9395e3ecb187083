import { AppError } from '@shared/failure'
import { getContextTokens } from '@shared/model-facts'
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
  outputTokens,
  readKey,
  slotModel,
  textAt,
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

const isPlanModel = (value: Json, models: readonly string[]): boolean =>
  models.some((code) => value === `${PROVIDER}/${code}`)

const overridingFiles = (
  origin: 'user' | 'project' | 'managed',
  paths: (env: ToolEnvironment) => readonly string[],
): ConflictSource => fileSource(origin, 'jsonc', paths, decidingSettings)

/** Settings that select a model for an agent, mode or command: in the settings file and in Markdown files. */
function listAgentSources(
  userFolders: (env: ToolEnvironment) => readonly string[],
  projectFolders: (env: ToolEnvironment) => readonly string[],
): ConflictSource[] {
  const paths = (folders: typeof userFolders) => (env: ToolEnvironment) =>
    folders(env).flatMap((folder) =>
      ['agent', 'agents', 'mode', 'modes', 'command', 'commands'].map((name) =>
        joinPath(env, folder, name, '**', '*.md'),
      ),
    )
  return [
    { kind: 'own', settings: agentModels },
    agentFiles('user', paths(userFolders)),
    agentFiles('project', paths(projectFolders)),
  ]
}

const listFolderFiles = (env: ToolEnvironment, folders: readonly string[]): string[] =>
  folders.flatMap((folder) => ['opencode.json', 'opencode.jsonc'].map((name) => joinPath(env, folder, name)))

/** Files that override ours, in OpenCode 1.18.33's order, after `OPENCODE_CONFIG`. */
function openCodeSources(): ConflictSource[] {
  const projectFolders = (env: ToolEnvironment): string[] =>
    listParentFolders(env, startFolder(env)).map((folder) => joinPath(env, folder, '.opencode'))
  const homeFolder = (env: ToolEnvironment): string => joinPath(env, env.home, '.opencode')
  const globalFolder = (env: ToolEnvironment): string => joinPath(env, xdgConfigFolder(env), 'opencode')
  const namedFolder = ({ vars }: ToolEnvironment): string[] => listDefinedPaths(vars.OPENCODE_CONFIG_DIR)
  return [
    ...variableSources('OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_CONFIG_CONTENT'),
    overridingFiles('user', (env) => [
      ...(env.project === undefined ? listDefinedPaths(env.vars.OPENCODE_CONFIG) : []),
      ...listFolderFiles(env, [...namedFolder(env), homeFolder(env)]),
    ]),
    overridingFiles('project', (env) => [
      ...(env.project === undefined ? listFolderFiles(env, listParentFolders(env, env.workFolder)) : []),
      ...listFolderFiles(env, projectFolders(env)),
    ]),
    overridingFiles('managed', (env) => listFolderFiles(env, [managedFolder(env, 'opencode')])),
    ...listAgentSources((env) => [globalFolder(env), homeFolder(env), ...namedFolder(env)], projectFolders),
  ]
}

/** Folder of the organization's files, for OpenCode and its fork. */
const managedFolder = (env: ToolEnvironment, name: string): string =>
  forPlatform(env, {
    win32: joinPath(env, env.vars.ProgramData || 'C:\\ProgramData', name),
    darwin: `/Library/Application Support/${name}`,
    linux: `/etc/${name}`,
  })

/** OpenCode: the global `opencode.jsonc`, else `opencode.json`. The settings refer to a key file. */
export const openCode: WrittenTarget = {
  ...chatTool,
  id: 'opencode',
  name: 'OpenCode',
  executables: ['opencode'],
  install: { command: 'npm install -g opencode-ai' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '1.18.33' },
  deliveries: ['file', 'env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
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
  readBack: ({ settings = {} }) => readProvider(settings),
  overriddenBy: openCodeSources(),
  isPlanModel,
}

/** Settings of our provider and its models, for OpenCode and its fork. `name`: display name of the provider. */
function providerEdits(input: TargetInput, name: string): Edit[] {
  const { gatewayUrl, modelCode } = input
  const limit = (context: number) => ({ context, output: outputTokens(context) })
  const buildEdit = (path: readonly string[], value: EditValue): Edit => ({ path: [...provider, ...path], value })
  return [
    buildEdit(['npm'], '@ai-sdk/openai-compatible'),
    buildEdit(['name'], 'Platform Companion'),
    { ...buildEdit(['options', 'baseURL'], chatAddress(gatewayUrl)), role: 'address' },
    { ...buildEdit(['options', 'apiKey'], credential(input, name)), role: 'credential' },
    ...modelCodes(input).map((code) =>
      buildEdit(['models', code], { name: code, limit: limit(getContextTokens(input, code)) }),
    ),
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
  ...chatTool,
  id: 'kilo',
  name: 'Kilo CLI',
  executables: ['kilo', 'kilocode'],
  install: { command: 'npm install -g @kilocode/cli' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '7.7.7' },
  deliveries: ['file', 'env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
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
  readBack: ({ settings = {} }) => readProvider(settings),
  overriddenBy: kiloSources(),
  isPlanModel,
}

/** A migration in Kilo allows all commands if there are other settings. With an empty rule, Kilo continues to ask. */
const keepPermissionEdit: Edit = { path: ['permission', 'bash'], value: {}, isVolatile: true }

/** Files that override ours, in Kilo 7.7.7's order. */
function kiloSources(): ConflictSource[] {
  const listFolderFiles = (env: ToolEnvironment, folders: readonly string[]): string[] =>
    folders.flatMap((folder) => kiloFileNames.map((name) => joinPath(env, folder, name)))
  const listDotFolders = (env: ToolEnvironment, folders: readonly string[]): string[] =>
    folders.flatMap((folder) => ['.kilo', '.kilocode'].map((name) => joinPath(env, folder, name)))
  const projectFolders = (env: ToolEnvironment): string[] =>
    listDotFolders(env, listParentFolders(env, startFolder(env)))
  const userFolders = (env: ToolEnvironment): string[] => [
    ...listDefinedPaths(env.vars.KILO_CONFIG_DIR),
    ...listDotFolders(env, [env.home]),
  ]
  return [
    ...variableSources('KILO_CONFIG', 'KILO_CONFIG_DIR', 'KILO_CONFIG_CONTENT'),
    overridingFiles('user', (env) => [
      ...listDefinedPaths(env.vars.KILO_CONFIG),
      ...listFolderFiles(env, userFolders(env)),
    ]),
    overridingFiles('project', (env) => [
      ...listFolderFiles(env, listParentFolders(env, startFolder(env))),
      ...listFolderFiles(env, projectFolders(env)),
    ]),
    overridingFiles('managed', (env) => listFolderFiles(env, [managedFolder(env, 'kilo')])),
    ...listAgentSources((env) => [joinPath(env, xdgConfigFolder(env), 'kilo'), ...userFolders(env)], projectFolders),
  ]
}
