import { baseAddress, requestSuffix } from '../../gateway/address'
import { isJsonObject, type Json } from '../editors/editor'
import { joinPath, type ToolEnvironment } from '../environment'
import type { ConflictSource, Edit, TargetInput, WrittenTarget } from '../target'
import { decidingSettings, isOtherModel, providerEdits, readProvider } from './opencode'
import { xdgConfigFolder } from './shared'

const standard = 'chat-completions'

/** In the order in which Kilo merges them, the last one winning; `config.json` comes before them all. */
const fileNames = ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc']

/** Kilo CLI, OpenCode's fork: `kilo.jsonc`; a project's file may not point at a key outside of the project. */
export const kilo: WrittenTarget = {
  kind: 'written',
  id: 'kilo',
  name: 'Kilo CLI',
  standard,
  executables: ['kilo', 'kilocode'],
  install: { command: 'npm install -g @kilocode/cli' },
  sites: ['user', 'wsl'],
  evidence: { kind: 'run', version: '7.7.7' },
  needsRestart: true,
  deliveries: ['file', 'env', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: requestSuffix(standard),
  variable: 'COMPANION_KILO_KEY',
  files: [{ id: 'settings', format: 'jsonc', path: settingsPath, edits, isUsersOwn: isOtherModel }],
  readBack: ({ settings = {} }) => readProvider(settings),
  rivals: rivals(),
}

function settingsPath(env: ToolEnvironment): string {
  const folder = joinPath(env, xdgConfigFolder(env), 'kilo')
  const found = fileNames.filter((name) => env.exists(joinPath(env, folder, name)))
  return joinPath(env, folder, found.at(-1) ?? 'kilo.jsonc')
}

function edits(input: TargetInput, current: Json): Edit[] {
  return [
    { path: ['$schema'], value: 'https://app.kilo.ai/config.json', isVolatile: true },
    ...providerEdits(input, 'Kilo'),
    ...(isFresh(current) ? [keepAsking] : []),
  ]
}

/**
 * Kilo takes whoever has settings at its first start for a user of old and lets the model run every command; an empty
 * rule tells it that there is nothing to migrate, and it goes on asking as it does by itself.
 */
const keepAsking: Edit = { path: ['permission', 'bash'], value: {}, isVolatile: true }

const isFresh = (current: Json): boolean =>
  isJsonObject(current) && Object.keys(current).every((name) => name === '$schema')

function rivals(): ConflictSource[] {
  const file = (origin: 'user' | 'managed', folder: (env: ToolEnvironment) => string): ConflictSource[] =>
    fileNames.map((name) => ({
      kind: 'file',
      origin,
      format: 'jsonc',
      path: (env) => joinPath(env, folder(env), name),
      settings: decidingSettings,
    }))
  return [
    ...['KILO_CONFIG', 'KILO_CONFIG_DIR', 'KILO_CONFIG_CONTENT'].map(
      (name): ConflictSource => ({ kind: 'variable', name }),
    ),
    ...file('user', (env) => joinPath(env, env.home, '.kilo')),
    ...file('user', (env) => joinPath(env, env.home, '.kilocode')),
    ...file('managed', managedFolder),
  ]
}

function managedFolder(env: ToolEnvironment): string {
  if (env.platform === 'win32') return joinPath(env, env.vars.ProgramData || 'C:\\ProgramData', 'kilo')
  return env.platform === 'darwin' ? '/Library/Application Support/kilo' : '/etc/kilo'
}
