import { AppError } from '@shared/failure'
import { type Format, type Json, valueAt } from '../editors/editor'
import { joinPath, shellQuote, type ToolEnvironment } from '../environment'
import type { Edit, Target, TargetFile, WrittenTarget } from '../target'
import { claudeCode } from './claude-code'
import { claudeDesktop } from './claude-desktop'
import { cline } from './cline'
import { codex } from './codex'
import { continueCli } from './continue'
import { copilotCli } from './copilot-cli'
import { crush } from './crush'
import { cursor } from './cursor'
import { droid } from './droid'
import { goose } from './goose'
import { kilo } from './kilo'
import { nanocoder } from './nanocoder'
import { openCode } from './opencode'
import { qwenCode } from './qwen-code'
import { settingsFolder, text } from './shared'
import { vscodeCopilot } from './vscode-copilot'
import { zed } from './zed'

/** What the companion's server is called in every tool. */
const serverName = 'companion'

/** Where a tool keeps its MCP servers, and what one of them looks like there: data. */
export type McpTarget = {
  readonly toolId: string
  readonly name: string
  readonly format: Format
  readonly path: (environment: ToolEnvironment) => string | undefined
  /** Where the servers are in the file. */
  readonly servers: readonly string[]
  /** A list of servers with names, rather than servers by their names. */
  readonly isList?: boolean
  /** A server that is a program with arguments. */
  readonly form: (program: string, args: readonly string[]) => Readonly<Record<string, Json>>
}

type Place = Pick<McpTarget, 'format' | 'path'>

/** One of the files that a tool is configured with as well. */
function fileOf({ files }: WrittenTarget, id = 'settings'): Place {
  const file = files.find((each) => each.id === id)
  if (file) return { format: file.format, path: file.path }
  throw new AppError('internal.unexpected', `There is no file ${id}.`)
}

const inHome =
  (...names: string[]) =>
  (env: ToolEnvironment): string =>
    joinPath(env, env.home, ...names)

/** Beside one of the files that a tool is configured with. */
const beside =
  ({ path }: Place, name: string) =>
  (env: ToolEnvironment): string | undefined =>
    path(env)?.replace(/[^\\/]+$/, name)

const row = (
  { id: toolId, name }: Target,
  place: Place,
  rest: Pick<McpTarget, 'servers' | 'form' | 'isList'>,
): McpTarget => ({ toolId, name, ...place, ...rest })

const plain: McpTarget['form'] = (command, args) => ({ command, args: [...args] })
const typed =
  (type: string, more: Readonly<Record<string, Json>> = {}): McpTarget['form'] =>
  (command, args) => ({ type, command, args: [...args], ...more })
/** OpenCode and its relatives: one list for program and arguments. */
const local: McpTarget['form'] = (command, args) => ({ type: 'local', command: [command, ...args], enabled: true })

const usual = ['mcpServers']

/** Every tool that speaks MCP and whose servers this app can add to, in the order in which they are shown. */
export const mcpTargets: readonly McpTarget[] = [
  row(claudeCode, { format: 'json', path: claudeStatePath }, { servers: usual, form: typed('stdio') }),
  row(openCode, fileOf(openCode), { servers: ['mcp'], form: local }),
  row(kilo, fileOf(kilo), { servers: ['mcp'], form: local }),
  row(qwenCode, fileOf(qwenCode), { servers: usual, form: plain }),
  row(continueCli, fileOf(continueCli), { servers: usual, isList: true, form: plain }),
  row(cline, { format: 'json', path: clinePath }, { servers: usual, form: plain }),
  row(codex, fileOf(codex), { servers: ['mcp_servers'], form: plain }),
  row(copilotCli, { format: 'json', path: copilotPath }, { servers: usual, form: typed('local', { tools: ['*'] }) }),
  row(droid, { format: 'json', path: beside(fileOf(droid), 'mcp.json') }, { servers: usual, form: typed('stdio') }),
  row(
    nanocoder,
    { format: 'json', path: beside(fileOf(nanocoder), '.mcp.json') },
    { servers: usual, form: (command, args) => ({ transport: 'stdio', command, args: [...args] }) },
  ),
  row(crush, fileOf(crush), { servers: ['mcp'], form: typed('stdio') }),
  row(goose, fileOf(goose), { servers: ['extensions'], form: gooseForm }),
  row(zed, fileOf(zed), {
    servers: ['context_servers'],
    form: (command, args) => ({ source: 'custom', command, args: [...args] }),
  }),
  row(
    vscodeCopilot,
    { format: 'jsonc', path: beside(fileOf(vscodeCopilot), 'mcp.json') },
    { servers: ['servers'], form: typed('stdio') },
  ),
  row(cursor, { format: 'json', path: inHome('.cursor', 'mcp.json') }, { servers: usual, form: plain }),
  row(claudeDesktop, { format: 'json', path: claudeDesktopPath }, { servers: usual, form: plain }),
]

/** Servers of the user are in the file of its state, beside its folder of settings. */
function claudeStatePath(env: ToolEnvironment): string {
  return joinPath(env, env.vars.CLAUDE_CONFIG_DIR || env.home, '.claude.json')
}

function clinePath(env: ToolEnvironment): string | undefined {
  return env.vars.CLINE_MCP_SETTINGS_PATH || beside(fileOf(cline), 'cline_mcp_settings.json')(env)
}

function copilotPath(env: ToolEnvironment): string {
  return joinPath(env, env.vars.COPILOT_HOME || joinPath(env, env.home, '.copilot'), 'mcp-config.json')
}

/** Unlike its gateway, its servers are always in the usual folder. */
function claudeDesktopPath(env: ToolEnvironment): string | undefined {
  const folder = env.platform === 'linux' ? joinPath(env, settingsFolder(env), 'Claude') : undefined
  return folder ? joinPath(env, folder, 'claude_desktop_config.json') : fileOf(claudeDesktop, 'mode').path(env)
}

function gooseForm(cmd: string, args: readonly string[]): Readonly<Record<string, Json>> {
  return { enabled: true, type: 'stdio', name: serverName, cmd, args: [...args], timeout: 300 }
}

/** The tool with this id. Fails with `tool.notFound`. */
export function mcpTarget(toolId: string): McpTarget {
  const target = mcpTargets.find((one) => one.toolId === toolId)
  if (target) return target
  const known = mcpTargets.map((one) => one.toolId).join(', ')
  throw new AppError('tool.notFound', `The MCP server cannot be added to ${toolId}. It can be added to: ${known}.`)
}

/** What both kinds of settings have that the engine asks of every target: no address, no key, this user's home. */
const nothingElse = {
  ...{ kind: 'written', standard: 'messages', executables: [], sites: ['user'], evidence: { kind: 'docs' } },
  ...{ needsRestart: true, deliveries: ['helper'], slots: [], requestSuffix: '', variable: '', rivals: [] },
  base: (gatewayUrl: string) => gatewayUrl,
  readBack: () => ({}),
} satisfies Partial<WrittenTarget>

/** The companion's server in a tool, for the engine; its program and arguments come as the helper's. */
export function serverTarget({ toolId, name, format, path, servers, isList, form }: McpTarget): WrittenTarget {
  const edits: TargetFile['edits'] = ({ helperArgv = [] }) => {
    const [program = '', ...args] = helperArgv
    const entry = form(program, args)
    if (isList) return [{ path: servers, element: { name: serverName }, value: { name: serverName, ...entry } }]
    // As a whole: an entry that somebody changed stays theirs as a whole, and never becomes half of one.
    return [{ path: [...servers, serverName], value: entry }]
  }
  return { ...nothingElse, id: toolId, name, files: [{ id: 'settings', format, path, edits }] }
}

/** The status line of Claude Code, for the engine; one that is there already is shown before it. */
export const statusLineTarget: WrittenTarget = {
  ...nothingElse,
  id: 'claude-code-statusline',
  name: claudeCode.name,
  needsRestart: false,
  files: [{ id: 'settings', ...fileOf(claudeCode), edits: statusLineEdits }],
}

function statusLineEdits(
  { helperArgv = [] }: { readonly helperArgv?: readonly string[] | undefined },
  current: Json,
  { platform }: ToolEnvironment,
): Edit[] {
  const before = text(valueAt(current, ['statusLine', 'command']))
  const chain = before === undefined ? [] : ['--chain', before]
  return [
    { path: ['statusLine', 'type'], value: 'command' },
    { path: ['statusLine', 'command'], value: shellQuote([...helperArgv, ...chain], platform) },
  ]
}
