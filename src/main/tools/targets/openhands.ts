import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { getValueAt, type Json } from '../editors/editor'
import type { Edit, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { plainCredential, text } from './shared'

const apiStandard = 'chat-completions'
const PREFIX = 'openai/'
const CONDENSER_CLASS = 'LLMSummarizingCondenser'
/** Model codes containing these names use the Responses API. */
const RESPONSES_MODEL = /gpt-5|codex-mini-latest/i

/**
 * OpenHands CLI: writes the saved agent in `agent_settings.json`. LLM_* variables apply only with
 * `--override-with-envs`. If OpenHands cannot read the file, it reports it as corrupted and shows its setup form.
 */
export const openHands: WrittenTarget = {
  kind: 'written',
  id: 'openhands',
  name: 'OpenHands CLI',
  standard: apiStandard,
  executables: ['openhands'],
  install: { command: 'uv tool install openhands --python 3.12' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, apiStandard),
  requestSuffix: requestSuffix(apiStandard),
  variable: 'LLM_API_KEY',
  files: [
    {
      id: 'settings',
      format: 'json',
      path: (env) =>
        joinPath(
          env,
          env.vars.OPENHANDS_PERSISTENCE_DIR || joinPath(env, env.home, '.openhands'),
          'agent_settings.json',
        ),
      edits,
    },
  ],
  readBack: readBackSettings,
  precedence: { checked: 'docs', sources: [] },
  warnings: (_settings, { modelCode, slots }) =>
    [...new Set([modelCode, ...Object.values(slots)])]
      .filter((code) => RESPONSES_MODEL.test(code))
      .map((subject) => ({ code: 'modelRefused', subject })),
}

/**
 * Settings of the condenser, which summarizes long conversations with a separate model. The file may contain null
 * for it, or no model.
 */
function edits(input: TargetInput, current: Json): Edit[] {
  const condenser = getValueAt(current, ['condenser'])
  const kind = getValueAt(condenser, ['kind'])
  const hasModel = condenser === undefined || kind === CONDENSER_CLASS
  const smallModel = input.slots.small ?? input.modelCode
  return [
    ...llmEdits(['llm'], input, { model: input.modelCode, usage: 'agent' }),
    ...(hasModel ? [{ path: ['condenser', 'kind'], value: CONDENSER_CLASS }] : []),
    ...(hasModel ? llmEdits(['condenser', 'llm'], input, { model: smallModel, usage: 'condenser' }) : []),
  ]
}

type ModelUsage = { readonly model: string; readonly usage: string }

function llmEdits(path: readonly string[], input: TargetInput, use: ModelUsage): Edit[] {
  const { gatewayUrl, key } = input
  return [
    { path: [...path, 'model'], value: PREFIX + use.model },
    { path: [...path, 'base_url'], value: baseAddress(gatewayUrl, apiStandard), role: 'address' },
    { path: [...path, 'api_key'], value: key, role: 'credential' },
    { path: [...path, 'usage_id'], value: use.usage },
    { path: [...path, 'max_input_tokens'], value: getContextTokens(input, use.model) },
  ]
}

function readBackSettings({ settings }: SettingsByFile): FoundSettings {
  const readText = (name: string): string | undefined => text(getValueAt(settings, ['llm', name]))
  const model = readText('model')
  return {
    base: readText('base_url'),
    modelCode: model?.startsWith(PREFIX) ? model.slice(PREFIX.length) : undefined,
    credential: plainCredential(readText('api_key')),
  }
}
