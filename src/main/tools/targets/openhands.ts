import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { Edit, TargetInput, WrittenTarget } from '../target'
import { chatAddress, chatTool, plainCredential, refusedModels, slotModel, textAt, withoutPrefix } from './shared'

const PREFIX = 'openai/'
const CONDENSER_CLASS = 'LLMSummarizingCondenser'
/** Model codes containing these names use the Responses API. */
const RESPONSES_MODEL = /gpt-5|codex-mini-latest/i

/**
 * OpenHands CLI: writes the saved agent in `agent_settings.json`. LLM_* variables apply only with
 * `--override-with-envs`. If OpenHands cannot read the file, it reports it as corrupted and shows its setup form.
 */
export const openHands: WrittenTarget = {
  ...chatTool,
  id: 'openhands',
  name: 'OpenHands CLI',
  executables: ['openhands'],
  install: { command: 'uv tool install openhands --python 3.12' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'docs' },
  deliveries: ['plain'],
  slots: [{ id: 'small', isSmall: true }],
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
      // A separate model summarizes long conversations (condenser). The file may contain null for it, or no model.
      edits: (input, current) => {
        const condenser = getValueAt(current, ['condenser'])
        const hasModel = condenser === undefined || getValueAt(condenser, ['kind']) === CONDENSER_CLASS
        const condenserEdits = [
          { path: ['condenser', 'kind'], value: CONDENSER_CLASS },
          ...llmEdits(['condenser', 'llm'], input, { model: slotModel(input, 'small'), usage: 'condenser' }),
        ]
        return [
          ...llmEdits(['llm'], input, { model: input.modelCode, usage: 'agent' }),
          ...(hasModel ? condenserEdits : []),
        ]
      },
    },
  ],
  readBack: ({ settings }) => ({
    base: textAt(settings, 'llm', 'base_url'),
    modelCode: withoutPrefix(textAt(settings, 'llm', 'model'), PREFIX),
    credential: plainCredential(textAt(settings, 'llm', 'api_key')),
  }),
  warnings: (_settings, input) => refusedModels(input, (code) => RESPONSES_MODEL.test(code)),
}

function llmEdits(
  path: readonly string[],
  input: TargetInput,
  { model, usage }: { readonly model: string; readonly usage: string },
): Edit[] {
  return [
    { path: [...path, 'model'], value: PREFIX + model },
    { path: [...path, 'base_url'], value: chatAddress(input.gatewayUrl), role: 'address' },
    { path: [...path, 'api_key'], value: input.key, role: 'credential' },
    { path: [...path, 'usage_id'], value: usage },
    { path: [...path, 'max_input_tokens'], value: getContextTokens(input, model) },
  ]
}
