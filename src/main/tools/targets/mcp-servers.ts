import { AppError } from '@shared/failure'
import { joinPath, shellQuote, type ToolEnvironment } from '../../core/environment'
import type { Format } from '../editors/editor'
import type { Edit, EditValue, Target, TargetFile, WrittenTarget } from '../target'
import { claudeCode } from './claude-code'
import { claudeDesktop } from './claude-desktop'
import { vscodeCopilot, zed } from './code-editors'
import { codex } from './codex'
import { continueCli } from './continue'
import { cursor } from './guided'
import { type McpForm, type McpServer, writeServer } from './mcp-entry'
import type { Syntax } from './mcp-text'
import { kilo, openCode } from './opencode'
import { crush, droid, goose, nanocoder } from './provider-tools'
import { qwenCode } from './qwen-code'
import { homeFolder, settingsFolder, textAt } from './shared'
import { cline, copilotCli } from './simple-tools'

const serverName = 'companion'

/** Location and format of MCP servers in a tool's settings. */
export type McpTarget = {
  readonly toolId: string
  readonly name: string
  readonly format: Format
  readonly path: (environment: ToolEnvironment) => string | undefined
  readonly servers: readonly string[]
  /** Whether the tool's file has a list of servers with names, instead of an object with a property for each server. */
  readonly isList?: boolean
  readonly form: McpForm
}

type ConfigFile = Pick<McpTarget, 'format' | 'path'>

function requireFile({ files }: WrittenTarget, id = 'settings'): ConfigFile {
  const file = files.find((candidate) => candidate.id === id)
  if (file) return { format: file.format, path: file.path }
  throw new AppError('internal.unexpected', `The tool has no file ${id}.`)
}

const siblingFile = (tool: WrittenTarget, name: string) => (env: ToolEnvironment) =>
  requireFile(tool)
    .path(env)
    ?.replace(/[^\\/]+$/, name)

const row = (
  { id: toolId, name }: Target,
  form: McpForm,
  configFile: ConfigFile,
  servers: McpTarget['servers'] = ['mcpServers'],
): McpTarget => ({ toolId, name, ...configFile, servers, form })

const braceSyntax: Syntax = {
  pattern: /\$\{(?<env>\w+)(?::-(?<fallback>[^}]*))?\}/g,
  env: (name) => `\${${name}}`,
}
const fallbackSyntax: Syntax = { ...braceSyntax, fallback: (name, value) => `\${${name}:-${value}}` }
/** Variables of VS Code and Cursor. Names in braces without `env:` are inputs, settings or commands of the editor. */
const editor: Syntax = {
  pattern: /\$\{(?:env:(?<env>[^}]+)|(?<place>[^}]*))\}/g,
  env: (name) => `\${env:${name}}`,
  places: /^(?:workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|\/)$/,
}
const defaultKinds = { stdio: 'stdio', http: 'http', sse: 'sse' }
const localForm: McpForm = {
  typeByKind: { stdio: 'local', http: 'remote' },
  isOneList: true,
  env: 'environment',
  toggle: 'enabled',
  settings: { startTimeout: 'timeout' },
  rest: () => ({ enabled: true }),
  syntax: {
    pattern: /\{(?:env:(?<env>[^}]+)|(?<place>file:[^}]+))\}/g,
    env: (name) => `{env:${name}}`,
    places: /^file:/,
  },
}

const copilotFolder = homeFolder('COPILOT_HOME', '.copilot')

/** All tools to which this app can add MCP servers, in display order. */
export const mcpTargets: readonly McpTarget[] = [
  row(
    claudeCode,
    { typeByKind: defaultKinds, settings: { callTimeout: 'timeout' }, syntax: fallbackSyntax },
    // The state file, which has the user's servers, is next to the settings folder.
    { format: 'json', path: (env) => joinPath(env, env.vars.CLAUDE_CONFIG_DIR || env.home, '.claude.json') },
  ),
  row(openCode, localForm, requireFile(openCode), ['mcp']),
  row(kilo, localForm, requireFile(kilo), ['mcp']),
  row(
    qwenCode,
    {
      typeByKind: { stdio: '', http: '', sse: '' },
      url: { http: 'httpUrl' },
      settings: { cwd: 'cwd', callTimeout: 'timeout', allowedTools: 'includeTools', blockedTools: 'excludeTools' },
      syntax: { ...braceSyntax, pattern: /\$\{(?<env>\w+)\}|\$(?<bare>[A-Za-z_]\w*)/g },
    },
    requireFile(qwenCode),
  ),
  {
    ...row(
      continueCli,
      {
        typeByKind: { stdio: '', http: 'streamable-http', sse: 'sse' },
        headers: ['requestOptions', 'headers'],
        settings: { cwd: 'cwd', startTimeout: 'connectionTimeout' },
        syntax: { pattern: /\$\{\{[^}]*\}\}/g },
      },
      requireFile(continueCli),
    ),
    isList: true,
  },
  row(
    cline,
    {
      typeByKind: { stdio: '', http: 'streamableHttp', sse: 'sse' },
      toggle: 'disabled',
      settings: { cwd: 'cwd', callTimeout: 'timeout' },
      timeoutsIn: 'seconds',
    },
    {
      format: 'json',
      path: (env) => env.vars.CLINE_MCP_SETTINGS_PATH || siblingFile(cline, 'cline_mcp_settings.json')(env),
    },
  ),
  row(
    codex,
    {
      typeByKind: { stdio: '', http: '' },
      headers: ['http_headers'],
      toggle: 'enabled',
      inherited: 'env_vars',
      headerVariables: { bearer: 'bearer_token_env_var', table: 'env_http_headers' },
      settings: {
        cwd: 'cwd',
        startTimeout: 'startup_timeout_sec',
        callTimeout: 'tool_timeout_sec',
        allowedTools: 'enabled_tools',
        blockedTools: 'disabled_tools',
      },
      timeoutsIn: 'seconds',
    },
    requireFile(codex),
    ['mcp_servers'],
  ),
  row(
    copilotCli,
    {
      typeByKind: { ...defaultKinds, stdio: 'local' },
      rest: () => ({ tools: ['*'] }),
      syntax: braceSyntax,
      settings: { callTimeout: 'timeout', allowedTools: 'tools' },
    },
    { format: 'json', path: (env) => copilotFolder(env, 'mcp-config.json') },
  ),
  row(
    droid,
    {
      typeByKind: { stdio: 'stdio', http: 'http' },
      toggle: 'disabled',
      syntax: braceSyntax,
      settings: { blockedTools: 'disabledTools' },
    },
    { format: 'json', path: siblingFile(droid, 'mcp.json') },
  ),
  row(
    nanocoder,
    { typeByKind: { stdio: 'stdio', http: 'http' }, kindField: 'transport', syntax: fallbackSyntax },
    { format: 'json', path: siblingFile(nanocoder, '.mcp.json') },
  ),
  row(
    crush,
    {
      typeByKind: defaultKinds,
      toggle: 'disabled',
      timeoutsIn: 'seconds',
      settings: { startTimeout: 'timeout', blockedTools: 'disabled_tools' },
      // Crush executes `$(…)` and backticks in values as shell commands.
      syntax: {
        pattern: /\$\{(?<env>\w+)(?::-(?<fallback>[^}$`]*))?\}|\$(?<bare>[A-Za-z_]\w*)|\$\([^)]*\)?|`[^`]*`?|\$/g,
        env: (name) => `\${${name}}`,
        fallback: (name, value) => `\${${name}:-${value}}`,
      },
    },
    requireFile(crush),
    ['mcp'],
  ),
  row(
    goose,
    {
      typeByKind: { stdio: 'stdio', http: 'streamable_http' },
      command: 'cmd',
      env: 'envs',
      url: { http: 'uri' },
      toggle: 'enabled',
      rest: (name) => ({ enabled: true, name, timeout: 300 }),
      settings: { callTimeout: 'timeout', allowedTools: 'available_tools' },
      timeoutsIn: 'seconds',
      inherited: 'env_keys',
    },
    requireFile(goose),
    ['extensions'],
  ),
  row(
    zed,
    { typeByKind: { stdio: 'custom', http: 'custom' }, kindField: 'source', toggle: 'enabled' },
    requireFile(zed),
    ['context_servers'],
  ),
  row(
    vscodeCopilot,
    { typeByKind: defaultKinds, settings: { cwd: 'cwd', envFile: 'envFile' }, syntax: editor },
    { format: 'jsonc', path: siblingFile(vscodeCopilot, 'mcp.json') },
    ['servers'],
  ),
  row(
    cursor,
    { typeByKind: { stdio: '', http: '', sse: '' }, settings: { envFile: 'envFile' }, syntax: editor },
    { format: 'json', path: (env) => joinPath(env, env.home, '.cursor', 'mcp.json') },
  ),
  row(
    claudeDesktop,
    { typeByKind: { stdio: '' } },
    {
      format: 'json',
      // Claude Desktop reads MCP servers from the default folder, even if its gateway settings are elsewhere.
      path: (env) =>
        env.platform === 'linux'
          ? joinPath(env, settingsFolder(env), 'Claude', 'claude_desktop_config.json')
          : requireFile(claudeDesktop, 'mode').path(env),
    },
  ),
]

/** Finds the MCP settings of a tool. Fails with `tool.notFound`. */
export function mcpTarget(toolId: string): McpTarget {
  const target = mcpTargets.find((candidate) => candidate.toolId === toolId)
  if (target) return target
  const knownIds = mcpTargets.map((knownTarget) => knownTarget.toolId).join(', ')
  throw new AppError('tool.notFound', `The MCP server cannot be added to ${toolId}. It can be added to: ${knownIds}.`)
}

/** Values for required fields of a target that an MCP server does not use. */
const unusedFields = {
  kind: 'written',
  standard: 'messages',
  executables: [],
  sites: ['user'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['helper', 'plain'],
  slots: [],
  requestSuffix: '',
  variable: '',
  overriddenBy: [],
  base: (gatewayUrl: string) => gatewayUrl,
  readBack: () => ({}),
} satisfies Partial<WrittenTarget>

/** Engine target that adds our MCP server: a program (`helperArgv`), or an HTTP address with a token (key). */
export function serverTarget(mcp: McpTarget): WrittenTarget {
  return settingsTarget(mcp, mcp.toolId, ({ helperArgv = [], gatewayUrl, key }) => {
    const [command = [''], ...args] = helperArgv.map((word) => [word])
    const server: McpServer = key
      ? { kind: 'http', url: [gatewayUrl], headers: { 'x-api-key': [key] } }
      : { kind: 'stdio', command, args, env: {} }
    // Owns the whole entry. If the user changes anything in it, the entry becomes the user's and is kept.
    const [edit] = serverEdits(mcp, serverName, writeServer(mcp, serverName, server).entry)
    return edit ? [key ? { ...edit, role: 'credential' } : edit] : []
  })
}

export const anyServerTarget = (mcp: McpTarget, name: string, edits: readonly Edit[] = []): WrittenTarget =>
  settingsTarget(mcp, `${mcp.toolId}.${Buffer.from(name).toString('hex')}`, () => edits)

/** Finds target and server name by the id of a stored record. Fails with `tool.notFound`. */
export function recordedTarget(id: string): { target: WrittenTarget; toolId: string; server?: string } {
  if (id.endsWith(lineEnding)) {
    const toolId = id.slice(0, -lineEnding.length)
    return { target: statusLineTarget(toolId), toolId }
  }
  const [toolId = '', hex] = id.split('.')
  const mcp = mcpTarget(toolId)
  if (hex === undefined) return { target: serverTarget(mcp), toolId, server: serverName }
  const server = Buffer.from(hex, 'hex').toString()
  return { target: anyServerTarget(mcp, server), toolId, server }
}

/** The edit that switches a server on or off. Fails with `input.invalid` if the tool has no such setting. */
export function switchEdit({ name: tool, servers, form: { toggle } }: McpTarget, name: string, isOn: boolean) {
  if (toggle !== undefined) return { path: [...servers, name, toggle], value: isOn === (toggle === 'enabled') }
  throw new AppError('input.invalid', `${tool} cannot switch a server off. Remove it instead.`, { field: 'action' })
}

function settingsTarget(
  { name, format, path }: ConfigFile & { readonly name: string },
  id: string,
  edits: TargetFile['edits'],
): WrittenTarget {
  return { ...unusedFields, id, name, files: [{ id: 'settings', format, path, edits }] }
}

export function serverEdits({ servers, isList }: McpTarget, name: string, entry: EditValue): Edit[] {
  if (!isList) return [{ path: [...servers, name], value: entry }]
  const value = typeof entry === 'object' && entry !== null ? { name, ...entry } : undefined
  return [{ path: servers, element: { name }, value }]
}

const statusLinePlaces: readonly { tool: Target; place: ConfigFile; path: readonly string[] }[] = [
  { tool: claudeCode, place: requireFile(claudeCode), path: ['statusLine'] },
  { tool: qwenCode, place: requireFile(qwenCode), path: ['ui', 'statusLine'] },
  {
    tool: copilotCli,
    place: { format: 'jsonc', path: (env) => copilotFolder(env, 'settings.json') },
    path: ['statusLine'],
  },
  { tool: droid, place: requireFile(droid), path: ['statusLine'] },
]

/** Engine target for a tool's status line. An existing one is shown before ours. Fails with `tool.notFound`. */
export function statusLineTarget(toolId: string): WrittenTarget {
  const statusLinePlace = statusLinePlaces.find(({ tool }) => tool.id === toolId)
  if (statusLinePlace === undefined) {
    const knownIds = statusLinePlaces.map(({ tool }) => tool.id).join(', ')
    throw new AppError('tool.notFound', `${toolId} has no status line that this app sets. These have: ${knownIds}.`)
  }
  const { tool, place, path } = statusLinePlace
  const edits: TargetFile['edits'] = ({ helperArgv = [] }, current, { platform }) => {
    const commandBefore = textAt(current, ...path, 'command')
    const chain = commandBefore === undefined ? [] : ['--chain', commandBefore]
    return [
      { path: [...path, 'type'], value: 'command' },
      { path: [...path, 'command'], value: shellQuote([...helperArgv, ...chain], platform) },
    ]
  }
  const target = settingsTarget({ ...place, name: tool.name }, `${toolId}${lineEnding}`, edits)
  return { ...target, needsRestart: toolId !== claudeCode.id }
}

export const hasStatusLine = (toolId: string): boolean => statusLinePlaces.some(({ tool }) => tool.id === toolId)

const lineEnding = '-statusline'
