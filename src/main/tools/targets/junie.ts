import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { requestAddressFor } from '../../core/net/address'
import { getValueAt } from '../editors/editor'
import type { Edit, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { plainCredential, text } from './shared'

const apiStandard = 'chat-completions'
const PROFILE_NAME = 'platform-companion'
const KEY_VARIABLE = 'PLATFORM_COMPANION_JUNIE_KEY'

/**
 * Junie CLI: writes one file per model profile. The address in it is the complete endpoint. A chat profile sends
 * `Authorization: Bearer`, which the gateway accepts. An `Anthropic` profile does not send it. There is no setting
 * for the default profile, so the user selects one or sets JUNIE_MODEL.
 */
export const junie: WrittenTarget = {
  kind: 'written',
  id: 'junie',
  name: 'Junie CLI',
  standard: apiStandard,
  executables: ['junie'],
  start: `junie --model custom:${PROFILE_NAME}`,
  install: { command: 'npm install -g @jetbrains/junie' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => requestAddressFor(gatewayUrl, apiStandard),
  requestSuffix: '',
  variable: KEY_VARIABLE,
  files: [{ id: 'settings', format: 'json', path: profileFile, edits }],
  readBack: readBackSettings,
  precedence: { checked: 'docs', sources: [] },
  warnings: () => [
    {
      code: 'variableNeeded',
      subject: 'JUNIE_MODEL',
      fix: 'copyLine',
      text: `junie --model custom:${PROFILE_NAME}`,
    },
  ],
}

function profileFile(env: ToolEnvironment): string {
  const folder = env.project ? joinPath(env, env.project, '.junie') : env.vars.JUNIE_HOME
  return joinPath(env, folder || joinPath(env, env.home, '.junie'), 'models', `${PROFILE_NAME}.json`)
}

function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, modelCode, slots, delivery, variable, key } = input
  return [
    { path: ['id'], value: modelCode },
    { path: ['displayName'], value: modelCode },
    { path: ['providerName'], value: 'Platform Companion' },
    { path: ['baseUrl'], value: requestAddressFor(gatewayUrl, apiStandard), role: 'address' },
    { path: ['apiType'], value: 'OpenAICompletion' },
    { path: ['apiKey'], value: delivery === 'plain' ? key : `\${${variable}}`, role: 'credential' },
    { path: ['maxContextLength'], value: getContextTokens(input, modelCode) },
    { path: ['fasterModel', 'id'], value: slots.small ?? modelCode },
  ]
}

function readBackSettings({ settings }: SettingsByFile): FoundSettings {
  const readText = (name: string): string | undefined => text(getValueAt(settings, [name]))
  const key = readText('apiKey')
  const name = /^\$\{(\w+)\}$/.exec(key ?? '')?.[1]
  return {
    base: readText('baseUrl'),
    modelCode: readText('id'),
    credential: name === undefined ? plainCredential(key) : { kind: 'variable', name },
  }
}
