import { getContextTokens } from '@shared/model-facts'
import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { ConflictSource, Edit, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  envFileEdits,
  fileSource,
  listDecidingPaths,
  modelCodes,
  plainCredential,
  slotModel,
  textAt,
  variableSources,
  withoutPrefix,
} from './shared'

/** Name of the key variable, which only Aider reads. It overrides OPENAI_API_KEY of the shell and of `.env` files. */
const KEY_VARIABLE = 'AIDER_OPENAI_API_KEY'
const PREFIX = 'openai/'
const toFolderPath = (name: string) => (env: ToolEnvironment) => joinPath(env, env.project ?? env.home, name)

/**
 * Aider: writes `.aider.conf.yml`, with LiteLLM model names. Aider loads `~/.aider/oauth-keys.env` (its own file),
 * `~/.env` and the project's `.env`. The last one wins. An `env-file` setting adds one more file.
 */
export const aider: WrittenTarget = {
  ...chatTool,
  id: 'aider',
  name: 'Aider',
  executables: ['aider'],
  install: { command: 'python -m pip install aider-install && aider-install' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['envFile', 'plain'],
  slots: [{ id: 'small', isSmall: true }, { id: 'editor' }],
  variable: KEY_VARIABLE,
  files: [
    { id: 'env', format: 'dotenv', path: envFile, edits: envFileEdits },
    { id: 'models', format: 'jsonc', path: toFolderPath('.aider.model.metadata.json'), edits: modelEdits },
    {
      id: 'settings',
      format: 'yaml',
      path: toFolderPath('.aider.conf.yml'),
      edits: settingEdits,
      isUsersOwn: (path, value) => path[0] === 'model' && !String(value).startsWith(PREFIX),
    },
  ],
  readBack: readBackSettings,
  precedence: {
    checked: 'docs',
    sources: sources(),
    isPlanModel: (value, models) => models.some((code) => value === PREFIX + code),
  },
  conflicts: ({ settings }) =>
    [getValueAt(settings, ['set-env'])]
      .flat()
      .filter((item) => String(item).startsWith('OPENAI_BASE_URL='))
      .map(() => ({ code: 'otherProviderSwitch', subject: 'set-env', origin: 'settings' })),
  shell: (input) => [
    { name: 'AIDER_OPENAI_API_BASE', value: chatAddress(input.gatewayUrl) },
    { name: KEY_VARIABLE, value: undefined },
    { name: 'AIDER_MODEL', value: PREFIX + input.modelCode },
    { name: 'AIDER_WEAK_MODEL', value: PREFIX + slotModel(input, 'small') },
    { name: 'AIDER_EDITOR_MODEL', value: PREFIX + slotModel(input, 'editor') },
  ],
}

function envFile(env: ToolEnvironment): string {
  return env.project ? joinPath(env, env.project, '.env') : joinPath(env, env.home, '.aider', 'oauth-keys.env')
}

/** Metadata of the models. Without metadata, Aider asks about the unknown model at every start. */
function modelEdits(input: TargetInput): Edit[] {
  return modelCodes(input).map((code) => ({
    path: [PREFIX + code],
    value: { max_input_tokens: getContextTokens(input, code), litellm_provider: 'openai', mode: 'chat' },
  }))
}

/**
 * Remove the user's OpenAI key from the settings, because Aider would send it to the gateway if our key were missing.
 */
function settingEdits(input: TargetInput): Edit[] {
  const { gatewayUrl, modelCode, delivery, key } = input
  const apiKey: Edit =
    delivery === 'plain'
      ? { path: ['openai-api-key'], value: key, role: 'credential' }
      : { path: ['openai-api-key'], value: undefined }
  return [
    { path: ['openai-api-base'], value: chatAddress(gatewayUrl), role: 'address' },
    apiKey,
    { path: ['model'], value: PREFIX + modelCode },
    { path: ['weak-model'], value: PREFIX + slotModel(input, 'small') },
    { path: ['editor-model'], value: PREFIX + slotModel(input, 'editor') },
  ]
}

function readBackSettings({ settings, env }: SettingsByFile): FoundSettings {
  return {
    base: textAt(settings, 'openai-api-base'),
    modelCode: withoutPrefix(textAt(settings, 'model'), PREFIX),
    credential: plainCredential(textAt(env, KEY_VARIABLE)) ?? plainCredential(textAt(settings, 'openai-api-key')),
  }
}

/** OPENAI_BASE_URL is a conflict: LiteLLM prefers it to Aider's base URL, so our key would be sent there. */
function sources(): ConflictSource[] {
  const models = ['AIDER_MODEL', 'AIDER_WEAK_MODEL', 'AIDER_EDITOR_MODEL']
  const addresses = ['OPENAI_BASE_URL', 'AIDER_OPENAI_API_BASE']
  const dotenvSettings = [
    ...listDecidingPaths('address', ...addresses.map((name) => [name])),
    ...listDecidingPaths('model', ...models.map((name) => [name])),
    ...listDecidingPaths('credential', [KEY_VARIABLE]),
  ]
  return [
    ...variableSources(...addresses, ...models),
    fileSource('user', 'dotenv', (env) => [joinPath(env, env.home, '.env')], dotenvSettings),
    fileSource('project', 'dotenv', (env) => projectPaths(env, '.env'), dotenvSettings),
    fileSource('project', 'yaml', (env) => projectPaths(env, '.aider.conf.yml'), [
      ...listDecidingPaths('address', ['openai-api-base']),
      ...listDecidingPaths('credential', ['openai-api-key']),
      ...listDecidingPaths('model', ['model'], ['weak-model'], ['editor-model']),
      {
        path: ['set-env'],
        decides: 'address',
        isHarmless: (value) => ![value].flat().some((item) => String(item).startsWith('OPENAI_BASE_URL=')),
      },
    ]),
  ]
}

/**
 * Settings files of the project. Aider reads the file in the home, then in the repository root, then in the start
 * folder.
 */
function projectPaths(env: ToolEnvironment, name: string): string[] {
  const folder = startFolder(env)
  if (folder === undefined) return []
  const top = listParentFolders(env, folder).at(-1) ?? folder
  const isRepository = env.exists(joinPath(env, top, '.git'))
  // In a configured project, Aider reads that project's file last, so files of the repository root cannot override
  // it.
  const parentPaths = isRepository && env.project === undefined ? [top] : []
  return [...new Set([folder, ...parentPaths])].map((item) => joinPath(env, item, name))
}
