import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../../core/environment'
import { isJsonObject } from '../editors/editor'
import type { ConflictSource, Edit, WrittenTarget } from '../target'
import {
  isOtherModel,
  isPlanModel,
  listAgentSources,
  managedFolder,
  overridingFiles,
  providerEdits,
  readProvider,
} from './opencode'
import { chatTool, listDefinedPaths, variableSources, xdgConfigFolder } from './shared'

/** Kilo's settings files in merge order: a later file overrides earlier ones. Kilo reads `config.json` first. */
const fileNames = ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc']

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
        const existingFiles = fileNames.filter((name) => env.exists(joinPath(env, folder, name)))
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
  overriddenBy: sources(),
  isPlanModel,
}

/** A migration in Kilo allows all commands if there are other settings. With an empty rule, Kilo continues to ask. */
const keepPermissionEdit: Edit = { path: ['permission', 'bash'], value: {}, isVolatile: true }

/** Files that override ours, in Kilo 7.7.7's order. */
function sources(): ConflictSource[] {
  const listFolderFiles = (env: ToolEnvironment, folders: readonly string[]): string[] =>
    folders.flatMap((folder) => fileNames.map((name) => joinPath(env, folder, name)))
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
