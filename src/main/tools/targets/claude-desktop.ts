import type { ToolWarning } from '@shared/contract/tools'
import { baseAddress, requestSuffix } from '../../gateway/address'
import { valueAt } from '../editors/json-value'
import { joinPath, type ToolEnvironment } from '../environment'
import { shellQuote } from '../helper-command'
import type { Edit, EditValue, FoundSettings, SettingsByFile, TargetFile, TargetInput, WrittenTarget } from '../target'
import { claudeFolder, gatewayFolder, helperPath, inLibrary, managedPath, markers } from './claude-desktop-folders'
import { plainCredential, slotOf, text } from './found'
import { launcherScript } from './launcher-script'
import { modelCodes } from './plan-models'

const standard = 'messages'
/** The app takes no name of another form. */
const ENTRY = '5e0c7f1a-93d4-4b62-8a17-2f6d0b9c4e38'
const SECONDS_TO_KEEP_A_KEY = 300
const CLAUDE_LIKE = /claude|anthropic/i

/**
 * Claude Desktop with third-party inference: a configuration of our own in its library, chosen in `_meta.json`, and the
 * mode that makes it read them. It saves its settings when it quits. Read in its documentation and in other programs.
 */
export const claudeDesktop: WrittenTarget = {
  kind: 'written',
  id: 'claude-desktop',
  name: 'Claude Desktop',
  standard,
  executables: [],
  markers,
  install: { url: 'https://claude.ai/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['helper', 'plain'],
  slots: [{ id: 'small', isSmall: true }],
  base: (gatewayUrl) => baseAddress(gatewayUrl, standard),
  requestSuffix: requestSuffix(standard),
  variable: '',
  files: [
    { id: 'helper', format: 'text', path: helperPath, edits: helperEdits, mode: 0o700 },
    modeFile('mode', claudeFolder),
    modeFile('gateway-mode', gatewayFolder),
    { id: 'meta', format: 'json', path: (env) => inLibrary(env, '_meta.json'), edits: choiceEdits },
    { id: 'settings', format: 'json', path: (env) => inLibrary(env, `${ENTRY}.json`), edits },
  ],
  readBack,
  rivals: [{ kind: 'file', origin: 'managed', format: 'json', path: managedPath, settings: [['inferenceProvider']] }],
  warnings,
}

function modeFile(id: string, folderOf: (env: ToolEnvironment) => string | undefined): TargetFile {
  const path = (env: ToolEnvironment): string | undefined => {
    const folder = folderOf(env)
    return folder && joinPath(env, folder, 'claude_desktop_config.json')
  }
  return { id, format: 'json', path, edits: () => [{ path: ['deploymentMode'], value: '3p' }] }
}

/** It runs one program without arguments, so ours has them in it. */
function helperEdits(
  { delivery, helperCommand }: TargetInput,
  _current: unknown,
  { platform }: ToolEnvironment,
): Edit[] {
  if (delivery !== 'helper' || helperCommand === undefined) return []
  const command = platform === 'win32' ? helperCommand.replaceAll('%', '%%') : helperCommand
  const comment = 'Prints the key of your plan for Claude Desktop; written by Platform Companion.'
  return [{ path: ['content'], value: launcherScript({ comment, command }, platform), role: 'credential' }]
}

function choiceEdits(): Edit[] {
  return [
    { path: ['appliedId'], value: ENTRY },
    { path: ['entries'], element: { id: ENTRY }, value: { id: ENTRY, name: 'Platform Companion' } },
  ]
}

function edits(input: TargetInput, _current: unknown, env: ToolEnvironment): Edit[] {
  const at = (name: string, value: EditValue): Edit => ({ path: [`inference${name}`], value })
  const credential: Edit[] =
    input.delivery === 'helper'
      ? [
          at('CredentialKind', 'helper-script'),
          { ...at('CredentialHelper', helperPath(env)), role: 'credential' },
          at('CredentialHelperTtlSec', SECONDS_TO_KEEP_A_KEY),
        ]
      : [at('CredentialKind', 'static'), { ...at('GatewayApiKey', input.key), role: 'credential' }]
  return [
    at('Provider', 'gateway'),
    { ...at('GatewayBaseUrl', baseAddress(input.gatewayUrl, standard)), role: 'address' },
    at('GatewayAuthScheme', 'bearer'),
    ...credential,
    { path: ['modelDiscoveryEnabled'], value: false },
    at('Models', modelsOf(input)),
  ]
}

/** The first is the default. The tier says which of Claude's own names a model answers to. */
function modelsOf(input: TargetInput): EditValue {
  const isSmall = (code: string): boolean => code !== input.modelCode && code === slotOf(input, 'small')
  const models = input.models.filter((code) => CLAUDE_LIKE.test(code))
  return modelCodes({ ...input, models }).map((name) => ({
    name,
    labelOverride: CLAUDE_LIKE.test(name) ? undefined : name,
    anthropicFamilyTier:
      /opus|sonnet|haiku|fable|mythos/i.exec(name)?.[0].toLowerCase() ?? (isSmall(name) ? 'haiku' : 'sonnet'),
  }))
}

function readBack({ settings = {}, meta = {} }: SettingsByFile, { platform }: ToolEnvironment): FoundSettings {
  const at = (name: string): string | undefined => text(valueAt(settings, [`inference${name}`]))
  if (valueAt(meta, ['appliedId']) !== ENTRY) return {}
  const models = valueAt(settings, ['inferenceModels'])
  const program = at('CredentialHelper')
  return {
    base: at('GatewayBaseUrl'),
    modelCode: Array.isArray(models) ? text(valueAt(models[0], ['name'])) : undefined,
    credential:
      program === undefined
        ? plainCredential(at('GatewayApiKey'))
        : { kind: 'helper', command: shellQuote([program], platform) },
  }
}

/** Other model names are refused by the app itself, whatever the gateway serves. */
function warnings(_settings: SettingsByFile, input: TargetInput): ToolWarning[] {
  const refused = [...new Set([input.modelCode, slotOf(input, 'small')])].filter((code) => !CLAUDE_LIKE.test(code))
  return refused.map((subject) => ({ code: 'modelRefused', subject }))
}
