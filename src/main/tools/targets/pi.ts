import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import type { Edit, EditValue, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  fileSource,
  listDecidingPaths,
  modelCodes,
  outputTokens,
  plainCredential,
  projectFiles,
  textAt,
} from './shared'

const PROVIDER = 'platform-companion'
const provider = ['providers', PROVIDER]

const providerEdit = (name: string, value: EditValue): Edit => ({ path: [...provider, name], value })

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
      path: toFolderPath('models.json'),
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
              const contextWindow = getContextTokens(input, id)
              return { id, name: id, contextWindow, maxTokens: outputTokens(contextWindow) }
            }),
          ),
        ]
      },
    },
    {
      id: 'settings',
      format: 'json',
      path: toFolderPath('settings.json'),
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
    fileSource('user', 'json', (env) => [toFolderPath('auth.json')(env)], listDecidingPaths('credential', [PROVIDER])),
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

function toFolderPath(name: string) {
  return (env: ToolEnvironment): string =>
    joinPath(env, env.vars.PI_CODING_AGENT_DIR || joinPath(env, env.home, '.pi', 'agent'), name)
}
