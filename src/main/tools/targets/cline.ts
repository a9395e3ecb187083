import { getContextTokens } from '@shared/model-facts'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { Edit, EditValue, FoundSettings, SettingsByFile, TargetInput, WrittenTarget } from '../target'
import { chatAddress, chatTool, plainCredential, textAt } from './shared'

const PROVIDER = 'openai-compatible'
const entry = ['providers', PROVIDER]

/**
 * Cline CLI: writes strict JSON in `providers.json`, which Cline rewrites at each run. It supports no references to
 * keys. If an entry is incomplete, Cline discards the whole file, so always write the time and origin fields.
 */
export const cline: WrittenTarget = {
  ...chatTool,
  id: 'cline',
  name: 'Cline CLI',
  executables: ['cline'],
  install: { command: 'npm install -g cline' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '3.0.65' },
  deliveries: ['plain'],
  variable: 'COMPANION_CLINE_KEY',
  files: [
    {
      id: 'settings',
      format: 'json',
      path: settingsPath,
      edits,
      isUsersOwn: (path, value) => path.join('.') === 'lastUsedProvider' && value !== PROVIDER,
    },
  ],
  readBack: readBackSettings,
  precedence: { checked: '3.0.65', sources: [] },
}

function settingsPath(env: ToolEnvironment): string {
  const { CLINE_PROVIDER_SETTINGS_PATH: file, CLINE_DATA_DIR: data, CLINE_DIR: folder } = env.vars
  const home = folder || joinPath(env, env.home, '.cline')
  return file || joinPath(env, data || joinPath(env, home, 'data'), 'settings', 'providers.json')
}

/** Edits of the settings. Removes headers of other services, because they may contain a key. */
function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, modelCode, key } = input
  const setting = (name: string, value: EditValue): Edit => ({ path: [...entry, 'settings', name], value })
  const createVolatileEdit = (path: readonly string[], value: EditValue): Edit => ({ path, value, isVolatile: true })
  return [
    createVolatileEdit(['version'], 1),
    { path: ['lastUsedProvider'], value: PROVIDER },
    createVolatileEdit(['modes'], {}),
    setting('provider', PROVIDER),
    { ...setting('apiKey', key), role: 'credential' },
    setting('model', modelCode),
    setting('contextWindow', getContextTokens(input, modelCode)),
    { ...setting('baseUrl', chatAddress(gatewayUrl)), role: 'address' },
    setting('headers', undefined),
    createVolatileEdit([...entry, 'updatedAt'], '2026-01-01T00:00:00.000Z'),
    createVolatileEdit([...entry, 'tokenSource'], 'manual'),
  ]
}

function readBackSettings({ settings }: SettingsByFile): FoundSettings {
  if (getValueAt(settings, ['lastUsedProvider']) !== PROVIDER) return {}
  const readText = (name: string): string | undefined => textAt(settings, ...entry, 'settings', name)
  return { base: readText('baseUrl'), modelCode: readText('model'), credential: plainCredential(readText('apiKey')) }
}
