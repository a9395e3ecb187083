import type { ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { baseAddress, requestSuffix } from '../../gateway/address'
import { type Json, valueAt } from '../editors/json-value'
import { joinPath, type ToolEnvironment } from '../environment'
import type { Edit, EditValue, FoundSettings, Target, TargetInput } from '../target'
import { plainCredential, text } from './found'

const standard = 'chat-completions'
const PROVIDER = 'platform-companion'
const MOST_OUTPUT_TOKENS = 8192
const provider = ['provider', PROVIDER]

/** Sources that OpenCode merges over its global file. They may not exist in every shell, so we write the global file. */
const overrides = ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_CONFIG_CONTENT']

/** OpenCode: the global `opencode.jsonc`, else `opencode.json`; the key stays in a file that its settings point at. */
export const openCode: Target = {
  id: 'opencode',
  name: 'OpenCode',
  standard,
  executable: 'opencode',
  needsRestart: true,
  deliveries: ['file', 'plain'],
  format: 'jsonc',
  requestSuffix: requestSuffix(standard),
  file: (env) => {
    const folder = joinPath(env, env.vars.XDG_CONFIG_HOME || joinPath(env, env.home, '.config'), 'opencode')
    const commented = joinPath(env, folder, 'opencode.jsonc')
    return env.exists(commented) ? commented : joinPath(env, folder, 'opencode.json')
  },
  edits,
  readBack,
  warnings: (_current, { vars }: ToolEnvironment): ToolWarning[] =>
    overrides.filter((name) => vars[name]).map((subject) => ({ code: 'shellVariable', subject })),
  isUsersOwn: (path, value) =>
    ['model', 'small_model'].includes(path.join('.')) && !String(value).startsWith(`${PROVIDER}/`),
}

function edits(input: TargetInput, current: Json): Edit[] {
  const { gatewayUrl, modelCode, smallModelCode, contextTokens } = input
  const limit = { context: contextTokens, output: Math.min(MOST_OUTPUT_TOKENS, Math.floor(contextTokens / 2)) }
  const at = (path: readonly string[], value: EditValue): Edit => ({ path: [...provider, ...path], value })
  const schema = { path: ['$schema'], value: 'https://opencode.ai/config.json' }
  return [
    ...(valueAt(current, ['$schema']) === undefined ? [schema] : []),
    at(['npm'], '@ai-sdk/openai-compatible'),
    at(['name'], 'Platform Companion'),
    { ...at(['options', 'baseURL'], baseAddress(gatewayUrl, standard)), role: 'address' },
    { ...at(['options', 'apiKey'], credential(input)), role: 'credential' },
    ...[...new Set([modelCode, smallModelCode, ...input.models])].map((code) =>
      at(['models', code], { name: code, limit }),
    ),
    { path: ['model'], value: `${PROVIDER}/${modelCode}` },
    { path: ['small_model'], value: `${PROVIDER}/${smallModelCode}` },
    { path: ['enabled_providers'], member: PROVIDER, present: true },
    { path: ['disabled_providers'], member: PROVIDER, present: false },
  ]
}

/** OpenCode puts a file's content in for `{file:path}` before it parses, so the path must need no escape. */
function credential({ delivery, keyFile, key }: TargetInput): EditValue {
  if (delivery === 'plain') return key
  const path = keyFile?.replaceAll('\\', '/')
  if (path !== undefined && /[{}"\p{Cc}]/u.test(path))
    throw new AppError(
      'input.invalid',
      `OpenCode cannot be pointed at ${path}. Choose a data folder without {, } and ".`,
    )
  return path === undefined ? undefined : `{file:${path}}`
}

function readBack(current: Json): FoundSettings {
  const key = text(valueAt(current, [...provider, 'options', 'apiKey']))
  const model = text(valueAt(current, ['model']))
  const file = /^\{file:([^}]+)\}$/.exec(key ?? '')?.[1]
  return {
    base: text(valueAt(current, [...provider, 'options', 'baseURL'])),
    modelCode: model?.startsWith(`${PROVIDER}/`) ? model.slice(PROVIDER.length + 1) : undefined,
    credential: file === undefined ? plainCredential(key) : { kind: 'file', path: file },
  }
}
