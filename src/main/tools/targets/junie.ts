import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import type { WrittenTarget } from '../target'
import { chatEndpoint, chatTool, readKey, slotModel, textAt } from './shared'

const PROFILE_NAME = 'platform-companion'
const KEY_VARIABLE = 'PLATFORM_COMPANION_JUNIE_KEY'

/**
 * Junie CLI: writes one file per model profile. The address in it is the complete endpoint. A chat profile sends
 * `Authorization: Bearer`, which the gateway accepts. An `Anthropic` profile does not send it. There is no setting
 * for the default profile, so the user selects one or sets JUNIE_MODEL.
 */
export const junie: WrittenTarget = {
  ...chatTool,
  id: 'junie',
  name: 'Junie CLI',
  executables: ['junie'],
  start: `junie --model custom:${PROFILE_NAME}`,
  install: { command: 'npm install -g @jetbrains/junie' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: chatEndpoint,
  requestSuffix: '',
  variable: KEY_VARIABLE,
  files: [
    {
      id: 'settings',
      format: 'json',
      path: (env) => {
        const folder = env.project ? joinPath(env, env.project, '.junie') : env.vars.JUNIE_HOME
        return joinPath(env, folder || joinPath(env, env.home, '.junie'), 'models', `${PROFILE_NAME}.json`)
      },
      edits: (input) => [
        { path: ['id'], value: input.modelCode },
        { path: ['displayName'], value: input.modelCode },
        { path: ['providerName'], value: 'Platform Companion' },
        { path: ['baseUrl'], value: chatEndpoint(input.gatewayUrl), role: 'address' },
        { path: ['apiType'], value: 'OpenAICompletion' },
        {
          path: ['apiKey'],
          value: input.delivery === 'plain' ? input.key : `\${${input.variable}}`,
          role: 'credential',
        },
        { path: ['maxContextLength'], value: getContextTokens(input, input.modelCode) },
        { path: ['fasterModel', 'id'], value: slotModel(input, 'small') },
      ],
    },
  ],
  readBack: ({ settings }) => ({
    base: textAt(settings, 'baseUrl'),
    modelCode: textAt(settings, 'id'),
    credential: readKey(textAt(settings, 'apiKey'), /^\$\{(\w+)\}$/),
  }),
  warnings: () => [
    {
      code: 'variableNeeded',
      subject: 'JUNIE_MODEL',
      fix: 'copyLine',
      text: `junie --model custom:${PROFILE_NAME}`,
    },
  ],
}
