import { getContextTokens } from '@shared/model-facts'
import { getValueAt } from '../editors/editor'
import type { TargetInput, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  envFileEdits,
  fileSource,
  homeFolder,
  listAt,
  listDecidingPaths,
  modelCodes,
  plainCredential,
  refusedModels,
  textAt,
} from './shared'

/** Model codes that Continue sends to the Responses API with any provider. */
const RESPONSES_MODEL = /^(?:gpt-5|o\d)/i

const getFolder = homeFolder('CONTINUE_GLOBAL_DIR', '.continue')

/** Continue CLI and IDE extensions: writes `config.yaml`, whose first model is used, and the key into its `.env`. */
export const continueCli: WrittenTarget = {
  ...chatTool,
  id: 'continue',
  name: 'Continue',
  executables: ['cn'],
  install: { command: 'npm install -g @continuedev/cli' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.5.47' },
  deliveries: ['envFile', 'env', 'plain'],
  variable: 'COMPANION_CONTINUE_KEY',
  files: [
    { id: 'env', format: 'dotenv', path: (env) => getFolder(env, '.env'), edits: envFileEdits },
    // Marks onboarding as completed. Otherwise Continue asks for an Anthropic key at its first start, although a
    // model is configured.
    {
      id: 'onboarding',
      format: 'text',
      path: (env) => getFolder(env, '.onboarding_complete'),
      edits: (_input, current) => [
        { path: ['content'], value: getValueAt(current, ['content']) ?? 'Platform Companion\n' },
      ],
    },
    {
      id: 'settings',
      format: 'yaml',
      path: (env) => getFolder(env, 'config.yaml'),
      edits: (input) => {
        const { modelCode, delivery } = input
        const otherModels = modelCodes(input).filter((code) => code !== modelCode && !RESPONSES_MODEL.test(code))
        return [
          // Continue rejects a file without name and version.
          { path: ['name'], value: 'Local Config', isVolatile: true },
          { path: ['version'], value: '1.0.0', isVolatile: true },
          { path: ['schema'], value: 'v1', isVolatile: true },
          { ...modelEdit(modelCode, input), role: delivery === 'envFile' ? 'address' : 'credential', isFirst: true },
          ...otherModels.map((code) => modelEdit(code, input)),
        ]
      },
    },
  ],
  readBack: ({ settings = {}, env = {} }) => {
    const [firstModel] = listAt(settings, 'models')
    const key = textAt(firstModel, 'apiKey')
    const name = /^\$\{\{\s*secrets\.([\w-]+)\s*\}\}$/.exec(key ?? '')?.[1]
    return {
      base: textAt(firstModel, 'apiBase'),
      modelCode: textAt(firstModel, 'model'),
      credential:
        name === undefined ? plainCredential(key) : (plainCredential(textAt(env, name)) ?? { kind: 'variable', name }),
    }
  },
  overriddenBy: [
    fileSource(
      'user',
      'json',
      (env) => [getFolder(env, 'index', 'globalContext.json')],
      listDecidingPaths('provider', ['cliSelectedModel']),
    ),
  ],
  warnings: (_settings, input) => refusedModels(input, (code) => RESPONSES_MODEL.test(code)),
}

function modelEdit(code: string, input: TargetInput) {
  const { gatewayUrl, delivery, variable, key } = input
  const name = `Platform Companion ${code}`
  return {
    path: ['models'],
    element: { name },
    value: {
      name,
      provider: 'openai',
      model: code,
      apiBase: chatAddress(gatewayUrl),
      apiKey: delivery === 'plain' ? key : `\${{ secrets.${variable} }}`,
      roles: ['chat', 'edit', 'apply'],
      defaultCompletionOptions: { contextLength: getContextTokens(input, code) },
    },
  }
}
