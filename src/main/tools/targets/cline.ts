import { getContextTokens } from '@shared/model-facts'
import { joinPath } from '../../core/environment'
import { getValueAt } from '../editors/editor'
import type { Edit, EditValue, WrittenTarget } from '../target'
import { chatAddress, chatTool, plainCredential, textAt } from './shared'

const PROVIDER = 'openai-compatible'
const entry = ['providers', PROVIDER]

const setting = (name: string, value: EditValue): Edit => ({ path: [...entry, 'settings', name], value })
const volatileEdit = (path: readonly string[], value: EditValue): Edit => ({ path, value, isVolatile: true })

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
      path: (env) => {
        const { CLINE_PROVIDER_SETTINGS_PATH: file, CLINE_DATA_DIR: data, CLINE_DIR: folder } = env.vars
        const home = folder || joinPath(env, env.home, '.cline')
        return file || joinPath(env, data || joinPath(env, home, 'data'), 'settings', 'providers.json')
      },
      edits: (input) => [
        volatileEdit(['version'], 1),
        { path: ['lastUsedProvider'], value: PROVIDER },
        volatileEdit(['modes'], {}),
        setting('provider', PROVIDER),
        { ...setting('apiKey', input.key), role: 'credential' },
        setting('model', input.modelCode),
        setting('contextWindow', getContextTokens(input, input.modelCode)),
        { ...setting('baseUrl', chatAddress(input.gatewayUrl)), role: 'address' },
        // Remove headers of other services, because they may contain a key.
        setting('headers', undefined),
        volatileEdit([...entry, 'updatedAt'], '2026-01-01T00:00:00.000Z'),
        volatileEdit([...entry, 'tokenSource'], 'manual'),
      ],
      isUsersOwn: (path, value) => path.join('.') === 'lastUsedProvider' && value !== PROVIDER,
    },
  ],
  readBack: ({ settings }) => {
    if (getValueAt(settings, ['lastUsedProvider']) !== PROVIDER) return {}
    const readText = (name: string): string | undefined => textAt(settings, ...entry, 'settings', name)
    return { base: readText('baseUrl'), modelCode: readText('model'), credential: plainCredential(readText('apiKey')) }
  },
}
