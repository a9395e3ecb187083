import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import type { ShellVariable, TargetInput, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  launcherScript,
  launcherVariables,
  localFolder,
  outputTokens,
  plainCredential,
  textAt,
} from './shared'

const KEY = 'COPILOT_PROVIDER_API_KEY'
const KEY_COMMAND = 'COPILOT_PROVIDER_API_KEY_COMMAND'

/** Shell variables that would override key, wire format or model (seen with 1.0.102). */
const unsetVariables = ['BEARER_TOKEN', 'WIRE_API', 'WIRE_MODEL', 'MODEL_ID', 'TRANSPORT'].map(
  (name) => `COPILOT_PROVIDER_${name}`,
)

/**
 * GitHub Copilot CLI: a provider can only be set by variables. So this app writes a program `copilot-companion` that
 * starts `copilot` with them. `copilot` itself stays unchanged. A GitHub sign-in is not needed.
 */
export const copilotCli: WrittenTarget = {
  ...chatTool,
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  executables: ['copilot'],
  start: 'copilot-companion',
  install: { command: 'npm install -g @github/copilot' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '1.0.102' },
  deliveries: ['helper', 'env'],
  variable: KEY,
  files: [
    {
      id: 'settings',
      format: 'text',
      mode: 0o700,
      // User program folder. On Windows, the only such folder on every user's path.
      path: (env) =>
        env.platform === 'win32'
          ? joinPath(env, localFolder(env), 'Microsoft', 'WindowsApps', 'copilot-companion.cmd')
          : joinPath(env, env.home, '.local', 'bin', 'copilot-companion'),
      // The program's text contains address and credential, so they are written and removed together. The text has the
      // role of the credential.
      edits: (input, _current, { platform }) => {
        const isHelper = input.delivery === 'helper'
        if (isHelper && input.helperCommand === undefined) return []
        const script = {
          comment: 'GitHub Copilot CLI with the models of your plan; written by Platform Companion.',
          unset: isHelper ? unsetVariables : [...unsetVariables, KEY_COMMAND],
          variables: variables(input),
          command: platform === 'win32' ? 'copilot %*' : 'copilot "$@"',
        }
        return [{ path: ['content'], value: launcherScript(script, platform), role: 'credential' }]
      },
    },
  ],
  readBack: ({ settings = {} }) => {
    const set = launcherVariables(textAt(settings, 'content') ?? '')
    const { COPILOT_PROVIDER_BASE_URL: base, COPILOT_MODEL: modelCode, [KEY_COMMAND]: command, [KEY]: key } = set
    if (base === undefined) return {}
    const credential =
      command === undefined
        ? (plainCredential(key) ?? { kind: 'variable' as const, name: KEY })
        : { kind: 'helper' as const, command }
    return { base, modelCode, credential }
  },
  shell: variables,
}

function variables(input: TargetInput): ShellVariable[] {
  const { gatewayUrl, modelCode, delivery, helperCommand } = input
  const context = getContextTokens(input, modelCode)
  const output = outputTokens(context)
  return [
    { name: 'COPILOT_PROVIDER_TYPE', value: 'openai' },
    { name: 'COPILOT_PROVIDER_BASE_URL', value: chatAddress(gatewayUrl) },
    { name: 'COPILOT_MODEL', value: modelCode },
    { name: 'COPILOT_PROVIDER_MAX_PROMPT_TOKENS', value: String(context - output) },
    { name: 'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS', value: String(output) },
    delivery === 'helper' ? { name: KEY_COMMAND, value: helperCommand } : { name: KEY, value: undefined },
  ]
}
