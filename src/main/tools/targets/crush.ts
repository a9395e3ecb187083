import { getContextTokens } from '@shared/model-facts'
import { joinPath, listParentFolders, shellQuote, type ToolEnvironment } from '../../core/environment'
import { isJsonObject } from '../editors/editor'
import type { Edit, EditValue, TargetInput, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  fileSource,
  listDecidingPaths,
  listDefinedPaths,
  localFolder,
  modelCodes,
  outputTokens,
  readKey,
  slotModel,
  textAt,
} from './shared'

const PROVIDER = 'platform-companion'
const provider = ['providers', PROVIDER]
const providerEdit = (name: string, value: EditValue): Edit => ({ path: [...provider, name], value })
const chosenModels = listDecidingPaths('model', ['models', 'large'], ['models', 'small'])

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
      path: (env) => existingFile(env, '.crush.json') ?? joinPath(env, getFolder(env), 'crush.json'),
      edits: (input) => [
        providerEdit('name', 'Platform Companion'),
        providerEdit('type', 'openai-compat'),
        { ...providerEdit('base_url', chatAddress(input.gatewayUrl)), role: 'address' },
        { ...providerEdit('api_key', toKeyReference(input)), role: 'credential' },
        providerEdit(
          'models',
          modelCodes(input).map((code) => ({
            id: code,
            name: code,
            context_window: getContextTokens(input, code),
            default_max_tokens: outputTokens(getContextTokens(input, code)),
          })),
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
    fileSource('user', 'json', (env) => listDefinedPaths(statePath(env)), chosenModels),
    fileSource(
      'user',
      'text',
      (env) => [existingFile(env, '.crushrc') ?? joinPath(env, getFolder(env), 'crushrc')],
      listDecidingPaths('provider', ['content']),
    ),
    fileSource('project', 'json', projectPaths, [
      ...listDecidingPaths('address', [...provider, 'base_url']),
      ...listDecidingPaths('credential', [...provider, 'api_key']),
      ...chosenModels,
    ]),
  ],
  isPlanModel: (value, models) =>
    isJsonObject(value) && value.provider === PROVIDER && models.includes(String(value.model)),
}

/** Crush reads the files of all folders from the start folder up. */
function projectPaths(env: ToolEnvironment): string[] {
  if (env.project !== undefined) return []
  return listParentFolders(env, env.workFolder).flatMap((folder) =>
    ['crush.json', '.crush.json'].map((name) => joinPath(env, folder, name)),
  )
}

/** Path of a project's hidden file, if it exists. */
function existingFile(env: ToolEnvironment, name: string): string | undefined {
  const path = joinPath(env, getFolder(env), name)
  return env.project && env.exists(path) ? path : undefined
}

function getFolder({ project, ...env }: ToolEnvironment): string {
  const config = env.vars.XDG_CONFIG_HOME || joinPath(env, env.home, '.config')
  return project ?? (env.vars.CRUSH_GLOBAL_CONFIG || joinPath(env, config, 'crush'))
}

/** File that Crush itself writes, for example for models selected in its UI. It overrides the user's file. */
function statePath(env: ToolEnvironment): string | undefined {
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
