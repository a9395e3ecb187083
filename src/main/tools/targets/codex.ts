import { open, readdir } from 'node:fs/promises'
import { getContextTokens } from '@shared/model-facts'
import { absolutePath, joinPath, shellQuote, type ToolEnvironment } from '../../core/environment'
import { getValueAt, type Json } from '../editors/editor'
import type { Edit, EditValue, FoundCredential, TargetInput, WrittenTarget } from '../target'
import {
  chatAddress,
  chatTool,
  fileSource,
  listDecidingPaths,
  parentFiles,
  plainCredential,
  textAt,
  userProgram,
} from './shared'

const KEY_VARIABLE = 'PLATFORM_COMPANION_CODEX_KEY'
const NAME = 'platform-companion'
const provider = ['model_providers', NAME]
/** In files of agents, which may select their own model and provider. */
const agentModel = listDecidingPaths('agentModel', ['model'])

/** Timeout of the key command in ms, long enough for a user to unlock the keychain. */
const maxHelperMs = 30_000

/**
 * Codex CLI: writes `config.toml` and selects our provider in it. Codex supports only the Responses protocol, which
 * the relay translates. If one line of the file is unknown, Codex does not start.
 */
export const codex: WrittenTarget = {
  ...chatTool,
  id: 'codex',
  name: 'Codex CLI',
  executables: ['codex'],
  install: { command: 'npm install -g @openai/codex' },
  sites: ['user'],
  evidence: { kind: 'run', version: '0.169.0' },
  deliveries: ['helper', 'env'],
  routes: ['relay'],
  requestSuffix: '/responses',
  variable: KEY_VARIABLE,
  files: [
    // Earlier app versions replaced Codex's launcher program. A new setup restores the original.
    {
      id: 'launcher',
      format: 'text',
      path: (env) => [userProgram(env, 'codex-companion')].find(env.exists),
      edits: () => [],
    },
    {
      id: 'settings',
      format: 'toml',
      path: (env) => toHomePath(env, 'config.toml'),
      edits,
      isUsersOwn: (path, value) => path.join('.') === 'model_provider' && value !== NAME,
    },
  ],
  readBack: ({ settings = {} }, { platform }) => {
    const name = textAt(settings, 'model_provider')
    if (name === undefined) return {}
    const providerTable = getValueAt(settings, ['model_providers', name])
    return {
      base: textAt(providerTable, 'base_url'),
      modelCode: textAt(settings, 'model'),
      credential: readCredential(providerTable, platform),
    }
  },
  overriddenBy: [
    // An organization's settings override the user's settings.
    fileSource(
      'managed',
      'toml',
      (env) => [env.platform === 'win32' ? toHomePath(env, 'managed_config.toml') : '/etc/codex/managed_config.toml'],
      [
        { path: ['model_provider'], decides: 'provider', isHarmless: (value) => value === NAME },
        ...listDecidingPaths('address', [...provider, 'base_url']),
        ...listDecidingPaths('credential', [...provider, 'env_key'], [...provider, 'auth', 'command']),
        ...listDecidingPaths('model', ['model']),
        ...listDecidingPaths('provider', ['profile']),
      ],
    ),
    // A project's file may choose the model but not the provider (ignored in 0.169.0).
    fileSource('project', 'toml', parentFiles('.codex/config.toml'), listDecidingPaths('model', ['model'])),
    {
      kind: 'own',
      settings: [
        // Newer Codex versions no longer support these settings. One of them makes Codex reject the whole file.
        { path: ['profile'], decides: 'start' },
        { path: ['model_providers', '*', 'wire_api'], decides: 'start', isHarmless: (value) => value !== 'chat' },
        ...listDecidingPaths(
          'agentModel',
          ['review_model'],
          ['memories', 'extract_model'],
          ['memories', 'consolidation_model'],
        ),
      ],
    },
    fileSource('user', 'toml', (env) => [toHomePath(env, 'agents/**/*.toml')], agentModel),
    fileSource('project', 'toml', parentFiles('.codex/agents/**/*.toml'), agentModel),
  ],
  sessions: readSessions,
}

const toHomePath = (env: ToolEnvironment, name: string): string =>
  joinPath(env, absolutePath(env, env.vars.CODEX_HOME) ?? joinPath(env, env.home, '.codex'), name)

const maxSessions = 1000
/** Bytes to read of a session file. The first line contains the provider's name within this length. */
const maxHeadBytes = 16_384

/** Finds sessions. Codex resumes a session with the provider named in the first line of its file. */
async function readSessions(env: ToolEnvironment): Promise<{ own: string[]; hasOthers: boolean }> {
  const names = await readdir(toHomePath(env, 'sessions'), { recursive: true }).catch(() => [])
  const ownFields: string[] = []
  let hasOtherProviders = false
  for (const name of names.filter((item) => item.endsWith('.jsonl')).slice(-maxSessions)) {
    const head = await readFirstLine(joinPath(env, toHomePath(env, 'sessions'), name)).catch(() => '')
    const provider = /"model_provider":"([^"]*)"/.exec(head)?.[1]
    const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(name)?.[0] ?? name
    if (provider === NAME) ownFields.push(id)
    else if (head !== '') hasOtherProviders = true
  }
  return { own: ownFields, hasOthers: hasOtherProviders }
}

async function readFirstLine(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
    return buffer.subarray(0, bytesRead).toString().split('\n', 1)[0] ?? ''
  } finally {
    await file.close()
  }
}

function edits(input: TargetInput): Edit[] {
  const { gatewayUrl, modelCode } = input
  const createEdit = (name: string, value: EditValue): Edit => ({ path: [...provider, name], value })
  const credential = credentialEdits(input)
  if (credential.length === 0) return []
  return [
    { path: ['model'], value: modelCode },
    { path: ['model_provider'], value: NAME },
    { path: ['model_context_window'], value: getContextTokens(input, modelCode) },
    createEdit('name', 'Platform Companion'),
    { ...createEdit('base_url', chatAddress(gatewayUrl)), role: 'address' },
    createEdit('wire_api', 'responses'),
    // Codex treats each refusal as a lost connection, and each retry costs a failed request of the plan.
    createEdit('stream_max_retries', 2),
    ...credential,
  ]
}

function credentialEdits({ delivery, helperArgv, variable }: TargetInput): Edit[] {
  if (delivery === 'env') return [{ path: [...provider, 'env_key'], value: variable, role: 'credential' }]
  const [command, ...args] = helperArgv ?? []
  if (command === undefined) return []
  const toAuthPath = (name: string): readonly string[] => [...provider, 'auth', name]
  return [
    { path: toAuthPath('command'), value: command, role: 'credential' },
    { path: toAuthPath('args'), value: args },
    { path: toAuthPath('timeout_ms'), value: maxHelperMs },
  ]
}

function readCredential(providerTable: Json | undefined, platform: NodeJS.Platform): FoundCredential | undefined {
  const command = textAt(providerTable, 'auth', 'command')
  const args = getValueAt(providerTable, ['auth', 'args']) ?? []
  if (command !== undefined && Array.isArray(args))
    return { kind: 'helper', command: shellQuote([command, ...args.map(String)], platform) }
  const name = textAt(providerTable, 'env_key')
  if (name !== undefined) return { kind: 'variable', name }
  return plainCredential(textAt(providerTable, 'experimental_bearer_token'))
}
