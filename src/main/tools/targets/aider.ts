import { getContextTokens } from '@shared/model-facts'
import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { WrittenTarget } from '../target'
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

const modelVariables = ['AIDER_MODEL', 'AIDER_WEAK_MODEL', 'AIDER_EDITOR_MODEL']
/** OPENAI_BASE_URL is a conflict: LiteLLM prefers it to Aider's base URL, so our key would be sent there. */
const addressVariables = ['OPENAI_BASE_URL', 'AIDER_OPENAI_API_BASE']
const dotenvSettings = [
  ...listDecidingPaths('address', ...addressVariables.map((name) => [name])),
  ...listDecidingPaths('model', ...modelVariables.map((name) => [name])),
  ...listDecidingPaths('credential', [KEY_VARIABLE]),
]

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
    {
      id: 'env',
      format: 'dotenv',
      path: (env) =>
        env.project ? joinPath(env, env.project, '.env') : joinPath(env, env.home, '.aider', 'oauth-keys.env'),
      edits: envFileEdits,
    },
    {
      id: 'models',
      format: 'jsonc',
      path: toFolderPath('.aider.model.metadata.json'),
      // Without metadata, Aider asks about the unknown model at every start.
      edits: (input) =>
        modelCodes(input).map((code) => ({
          path: [PREFIX + code],
          value: { max_input_tokens: getContextTokens(input, code), litellm_provider: 'openai', mode: 'chat' },
        })),
    },
    {
      id: 'settings',
      format: 'yaml',
      path: toFolderPath('.aider.conf.yml'),
      edits: (input) => [
        { path: ['openai-api-base'], value: chatAddress(input.gatewayUrl), role: 'address' },
        // Remove the user's OpenAI key, because Aider would send it to the gateway if our key were missing.
        input.delivery === 'plain'
          ? { path: ['openai-api-key'], value: input.key, role: 'credential' }
          : { path: ['openai-api-key'], value: undefined },
        { path: ['model'], value: PREFIX + input.modelCode },
        { path: ['weak-model'], value: PREFIX + slotModel(input, 'small') },
        { path: ['editor-model'], value: PREFIX + slotModel(input, 'editor') },
      ],
      isUsersOwn: (path, value) => path[0] === 'model' && !String(value).startsWith(PREFIX),
    },
  ],
  readBack: ({ settings, env }) => ({
    base: textAt(settings, 'openai-api-base'),
    modelCode: withoutPrefix(textAt(settings, 'model'), PREFIX),
    credential: plainCredential(textAt(env, KEY_VARIABLE)) ?? plainCredential(textAt(settings, 'openai-api-key')),
  }),
  overriddenBy: [
    ...variableSources(...addressVariables, ...modelVariables),
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
  ],
  isPlanModel: (value, models) => models.some((code) => value === PREFIX + code),
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

/** The project's files. Aider reads the home's file, then those of the repository root and of the start folder. */
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
