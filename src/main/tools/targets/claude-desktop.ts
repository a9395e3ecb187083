import { joinPath, shellQuote, type ToolEnvironment } from '../../core/environment'
import { baseAddress, requestSuffix } from '../../core/net/address'
import { getValueAt } from '../editors/editor'
import type { Edit, EditValue, TargetFile, TargetInput, WrittenTarget } from '../target'
import {
  fileSource,
  launcherScript,
  listAt,
  listDecidingPaths,
  localFolder,
  modelCodes,
  plainCredential,
  refusedModels,
  settingsFolder,
  slotModel,
  textAt,
} from './shared'

const STORE_PACKAGE = 'Claude_pzs8sxrjxfjjc'

function gatewayFolder(env: ToolEnvironment): string {
  if (env.vars.CLAUDE_USER_DATA_DIR) return env.vars.CLAUDE_USER_DATA_DIR
  if (env.platform !== 'win32') return joinPath(env, settingsFolder(env), 'Claude-3p')
  return joinPath(env, getStoreCacheFolder(env, 'Local') ?? localFolder(env), 'Claude-3p')
}

/** Folder of Claude Desktop's general settings. Undefined if they are in the same folder as the gateway settings. */
function claudeFolder(env: ToolEnvironment): string | undefined {
  if (env.vars.CLAUDE_USER_DATA_DIR) return undefined
  const store = env.platform === 'win32' ? getStoreCacheFolder(env, 'Roaming') : undefined
  return joinPath(env, store ?? settingsFolder(env), 'Claude')
}

/** Virtualized `%LOCALAPPDATA%` or `%APPDATA%` of the Windows package. Undefined if not installed. */
function getStoreCacheFolder(env: ToolEnvironment, kind: 'Local' | 'Roaming'): string | undefined {
  const folder = joinPath(env, localFolder(env), 'Packages', STORE_PACKAGE)
  return env.exists(folder) ? joinPath(env, folder, 'LocalCache', kind) : undefined
}

const toLibraryPath = (env: ToolEnvironment, name: string): string =>
  joinPath(env, gatewayFolder(env), 'configLibrary', name)

const helperPath = (env: ToolEnvironment): string =>
  joinPath(env, gatewayFolder(env), `platform-companion-key${env.platform === 'win32' ? '.cmd' : ''}`)

const apiStandard = 'messages'
/** Name of our configuration. It is a UUID, because Claude Desktop accepts no other names. */
const MODEL_ENTRY_ID = '5e0c7f1a-93d4-4b62-8a17-2f6d0b9c4e38'
const KEY_CACHE_SECONDS = 300
const CLAUDE_LIKE = /claude|anthropic/i

/**
 * Claude Desktop with third-party inference. Writes a configuration into its library, selects it in `_meta.json`, and
 * enables the mode that uses it. Claude Desktop overwrites its settings when it exits. Sources: its documentation and
 * other programs.
 */
export const claudeDesktop: WrittenTarget = {
  kind: 'written',
  id: 'claude-desktop',
  name: 'Claude Desktop',
  standard: apiStandard,
  executables: [],
  markers: (env) => {
    if (env.platform === 'darwin')
      return ['/Applications/Claude.app', joinPath(env, env.home, 'Applications', 'Claude.app')]
    if (env.platform !== 'win32') return ['/usr/bin/claude-desktop']
    return ['AnthropicClaude', joinPath(env, 'Packages', STORE_PACKAGE)].map((name) =>
      joinPath(env, localFolder(env), name),
    )
  },
  install: { url: 'https://claude.ai/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['helper', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, apiStandard),
  requestSuffix: requestSuffix(apiStandard),
  variable: '',
  files: [
    {
      id: 'helper',
      format: 'text',
      mode: 0o700,
      path: helperPath,
      // Claude Desktop runs a helper program without arguments. So write a script that contains the arguments.
      edits: ({ delivery, helperCommand }, _current, { platform }) => {
        if (delivery !== 'helper' || helperCommand === undefined) return []
        const command = platform === 'win32' ? helperCommand.replaceAll('%', '%%') : helperCommand
        const comment = 'Prints the key of your plan for Claude Desktop; written by Platform Companion.'
        return [{ path: ['content'], value: launcherScript({ comment, command }, platform), role: 'credential' }]
      },
    },
    modeFile('mode', claudeFolder),
    modeFile('gateway-mode', gatewayFolder),
    {
      id: 'meta',
      format: 'json',
      path: (env) => toLibraryPath(env, '_meta.json'),
      edits: () => [
        { path: ['appliedId'], value: MODEL_ENTRY_ID },
        {
          path: ['entries'],
          element: { id: MODEL_ENTRY_ID },
          value: { id: MODEL_ENTRY_ID, name: 'Platform Companion' },
        },
      ],
    },
    { id: 'settings', format: 'json', path: (env) => toLibraryPath(env, `${MODEL_ENTRY_ID}.json`), edits },
  ],
  readBack: ({ settings = {}, meta = {} }, { platform }) => {
    const readText = (name: string): string | undefined => textAt(settings, `inference${name}`)
    if (getValueAt(meta, ['appliedId']) !== MODEL_ENTRY_ID) return {}
    const program = readText('CredentialHelper')
    return {
      base: readText('GatewayBaseUrl'),
      modelCode: textAt(listAt(settings, 'inferenceModels')[0], 'name'),
      credential:
        program === undefined
          ? plainCredential(readText('GatewayApiKey'))
          : { kind: 'helper', command: shellQuote([program], platform) },
    }
  },
  overriddenBy: [
    fileSource(
      'managed',
      'json',
      // On macOS and Windows, an administrator's settings are not in a file.
      ({ platform }) => (platform === 'linux' ? ['/etc/claude-desktop/managed-settings.json'] : []),
      listDecidingPaths('provider', ['inferenceProvider']),
    ),
  ],
  // Claude Desktop rejects models by their name, even if the gateway has them.
  warnings: (_settings, input) => refusedModels(input, (code) => !CLAUDE_LIKE.test(code)),
}

function modeFile(id: string, getFolder: (env: ToolEnvironment) => string | undefined): TargetFile {
  const path = (env: ToolEnvironment): string | undefined => {
    const folder = getFolder(env)
    return folder && joinPath(env, folder, 'claude_desktop_config.json')
  }
  return { id, format: 'json', path, edits: () => [{ path: ['deploymentMode'], value: '3p' }] }
}

function edits(input: TargetInput, _current: unknown, env: ToolEnvironment): Edit[] {
  const createEdit = (name: string, value: EditValue): Edit => ({ path: [`inference${name}`], value })
  const credential: Edit[] =
    input.delivery === 'helper'
      ? [
          createEdit('CredentialKind', 'helper-script'),
          { ...createEdit('CredentialHelper', helperPath(env)), role: 'credential' },
          createEdit('CredentialHelperTtlSec', KEY_CACHE_SECONDS),
        ]
      : [createEdit('CredentialKind', 'static'), { ...createEdit('GatewayApiKey', input.key), role: 'credential' }]
  return [
    createEdit('Provider', 'gateway'),
    { ...createEdit('GatewayBaseUrl', baseAddress(input.gatewayUrl, apiStandard)), role: 'address' },
    createEdit('GatewayAuthScheme', 'bearer'),
    ...credential,
    { path: ['modelDiscoveryEnabled'], value: false },
    createEdit('Models', listModels(input)),
  ]
}

/** Models for Claude Desktop, the default first. `tier` assigns a model to one of Claude's model names. */
function listModels(input: TargetInput): EditValue {
  const isSmallOnly = (code: string): boolean => code !== input.modelCode && code === slotModel(input, 'small')
  const models = input.models.filter((code) => CLAUDE_LIKE.test(code))
  return modelCodes({ ...input, models }).map((name) => ({
    name,
    labelOverride: CLAUDE_LIKE.test(name) ? undefined : name,
    anthropicFamilyTier:
      /opus|sonnet|haiku|fable|mythos/i.exec(name)?.[0].toLowerCase() ?? (isSmallOnly(name) ? 'haiku' : 'sonnet'),
  }))
}
