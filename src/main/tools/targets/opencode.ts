import { baseAddress, requestSuffix } from '../../gateway/address'
import { type Json, valueAt } from '../editors/editor'
import { joinPath, type ToolEnvironment } from '../environment'
import type { ConflictSource, Edit, TargetInput, WrittenTarget } from '../target'
import { isOtherModel, providerEdits, readProvider } from './opencode-like'
import { xdgConfigFolder } from './shared'

const standard = 'chat-completions'

/** Sources that OpenCode merges over its global file. They may not exist in every shell, so we write the global file. */
const overrides = ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_CONFIG_CONTENT']

/** OpenCode: the global `opencode.jsonc`, else `opencode.json`; the key stays in a file that its settings point at. */
export const openCode: WrittenTarget = {
  kind: 'written',
  id: 'opencode',
  name: 'OpenCode',
  standard,
  executables: ['opencode'],
  install: { command: 'npm install -g opencode-ai' },
  sites: ['user', 'project', 'wsl'],
  evidence: { kind: 'run', version: '1.18.33' },
  needsRestart: true,
  deliveries: ['file', 'env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: requestSuffix(standard),
  variable: 'COMPANION_OPENCODE_KEY',
  files: [{ id: 'settings', format: 'jsonc', path: settingsPath, edits, isUsersOwn: isOtherModel }],
  readBack: ({ settings = {} }) => readProvider(settings),
  rivals: overrides.map((name): ConflictSource => ({ kind: 'variable', name })),
}

function settingsPath(env: ToolEnvironment): string {
  const folder = env.project ?? joinPath(env, xdgConfigFolder(env), 'opencode')
  const commented = joinPath(env, folder, 'opencode.jsonc')
  return env.exists(commented) ? commented : joinPath(env, folder, 'opencode.json')
}

/** OpenCode adds the missing `$schema` line itself. */
function edits(input: TargetInput, current: Json): Edit[] {
  const schema = { path: ['$schema'], value: 'https://opencode.ai/config.json' }
  return [...(valueAt(current, ['$schema']) === undefined ? [schema] : []), ...providerEdits(input, 'OpenCode')]
}
