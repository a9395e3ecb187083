import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { WrittenTarget } from '../target'
import {
  agentFiles,
  chatAddress,
  chatTool,
  envFileEdits,
  listAt,
  modelCodes,
  plainCredential,
  settingsFolder,
  textAt,
  variableSources,
  withoutPrefix,
} from './shared'

/** Name of our client. AIChat derives the key's variable from it, so it has no hyphens. */
const CLIENT = 'companion_aichat'
const KEY_VARIABLE = 'COMPANION_AICHAT_API_KEY'

/** AIChat: writes a client in `config.yaml`. AIChat's `.env` overrides shell variables, which override a key there. */
export const aichat: WrittenTarget = {
  ...chatTool,
  id: 'aichat',
  name: 'AIChat',
  executables: ['aichat'],
  install: { url: 'https://github.com/sigoden/aichat#install' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['envFile', 'env', 'plain'],
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'env',
      format: 'dotenv',
      path: (env) => env.vars.AICHAT_ENV_FILE || joinPath(env, configFolder(env), '.env'),
      edits: envFileEdits,
    },
    {
      id: 'settings',
      format: 'yaml',
      path: (env) => env.vars.AICHAT_CONFIG_FILE || joinPath(env, configFolder(env), 'config.yaml'),
      // Without an env file, the client is treated as the credential, because its name determines the variable with
      // the key.
      edits: (input) => [
        { path: ['model'], value: `${CLIENT}:${input.modelCode}` },
        {
          path: ['clients'],
          element: { name: CLIENT },
          role: input.delivery === 'envFile' ? 'address' : 'credential',
          value: {
            type: 'openai-compatible',
            name: CLIENT,
            api_base: chatAddress(input.gatewayUrl),
            ...(input.delivery === 'plain' ? { api_key: input.key } : {}),
            models: modelCodes(input).map((name) => ({ name, max_input_tokens: getContextTokens(input, name) })),
          },
        },
      ],
      isUsersOwn: (path, value) => path[0] === 'model' && !String(value).startsWith(`${CLIENT}:`),
    },
  ],
  readBack: ({ settings, env }) => {
    const client = listAt(settings, 'clients').find((item) => getValueAt(item, ['name']) === CLIENT)
    if (client === undefined) return {}
    const key = textAt(env, KEY_VARIABLE) ?? textAt(client, 'api_key')
    return {
      base: textAt(client, 'api_base'),
      modelCode: withoutPrefix(textAt(settings, 'model'), `${CLIENT}:`),
      credential: plainCredential(key) ?? { kind: 'variable', name: KEY_VARIABLE },
    }
  },
  overriddenBy: [
    ...variableSources('AICHAT_MODEL', 'COMPANION_AICHAT_API_BASE'),
    agentFiles('user', (env) => [
      joinPath(env, env.vars.AICHAT_ROLES_DIR || joinPath(env, configFolder(env), 'roles'), '*.md'),
    ]),
  ],
  isPlanModel: (value, models) => models.some((code) => value === `${CLIENT}:${code}`),
}

/** Folder of the settings. AIChat reads XDG_CONFIG_HOME on macOS and Windows too. */
function configFolder(env: ToolEnvironment): string {
  return env.vars.AICHAT_CONFIG_DIR || joinPath(env, env.vars.XDG_CONFIG_HOME || settingsFolder(env), 'aichat')
}
