import { AppError } from '@shared/failure'
import type { Secret } from '../../secret'
import { type Format, isJsonObject, type Json, valueAt } from '../editors/editor'
import { joinPath, shellQuote, type ToolEnvironment } from '../environment'
import type { Edit, EditValue, Target, TargetFile, WrittenTarget } from '../target'
import { claudeCode } from './claude-code'
import { claudeDesktop } from './claude-desktop'
import { cline } from './cline'
import { codex } from './codex'
import { continueCli } from './continue'
import { copilotCli } from './copilot-cli'
import { crush } from './crush'
import { droid } from './droid'
import { goose } from './goose'
import { cursor } from './guided'
import { kilo } from './kilo'
import { nanocoder } from './nanocoder'
import { openCode } from './opencode'
import { qwenCode } from './qwen-code'
import { settingsFolder, text } from './shared'
import { vscodeCopilot } from './vscode-copilot'
import { zed } from './zed'

/** What the companion's server is called in every tool. */
const serverName = 'companion'

/** An MCP server, apart from how a tool writes it down. Values of variables and headers may be secrets. */
export type McpServer =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: Values }
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Values }
type Values = Readonly<Record<string, string | Secret>>

/** How a tool writes a server down: names of fields and words. */
interface McpForm {
  /** The kinds that it has, and its word for each; empty: none is written. */
  readonly kinds: Readonly<Partial<Record<McpServer['kind'], string>>>
  /** Where that word is; `type` unless given. */
  readonly kindField?: 'transport' | 'source'
  readonly command?: 'cmd'
  /** Program and arguments in one list. */
  readonly isOneList?: boolean
  readonly env?: 'environment' | 'envs'
  readonly url?: Readonly<Partial<Record<'http' | 'sse', string>>>
  readonly headers?: readonly string[]
  /** What every entry has besides. */
  readonly rest?: (name: string) => Readonly<Record<string, Json>>
  /** The field by which a server is switched off. */
  readonly toggle?: 'enabled' | 'disabled'
  /** How an entry names a variable of the environment; undefined: it cannot. */
  readonly reference?: (name: string) => string
}

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
  readonly form: McpForm
}

type ConfigFile = Pick<McpTarget, 'format' | 'path'>

/** One of the files that a tool is configured with as well. */
function fileOf({ files }: WrittenTarget, id = 'settings'): ConfigFile {
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
  ({ path }: ConfigFile, name: string) =>
  (env: ToolEnvironment): string | undefined =>
    path(env)?.replace(/[^\\/]+$/, name)

const row = (
  { id: toolId, name }: Target,
  place: ConfigFile,
  rest: Pick<McpTarget, 'servers' | 'form' | 'isList'>,
): McpTarget => ({ toolId, name, ...place, ...rest })

const inBraces = (name: string): string => `\${${name}}`
const inEnvBraces = (name: string): string => `\${env:${name}}`
const usualKinds = { stdio: 'stdio', http: 'http', sse: 'sse' }
/** OpenCode and its relatives. */
const local: McpForm = {
  kinds: { stdio: 'local', http: 'remote' },
  ...{ isOneList: true, env: 'environment', toggle: 'enabled' },
  rest: () => ({ enabled: true }),
  reference: (name) => `{env:${name}}`,
}

const usual = ['mcpServers']

/** Every tool that speaks MCP and whose servers this app can add to, in the order in which they are shown. */
export const mcpTargets: readonly McpTarget[] = [
  row(
    claudeCode,
    { format: 'json', path: claudeStatePath },
    { servers: usual, form: { kinds: usualKinds, reference: inBraces } },
  ),
  row(openCode, fileOf(openCode), { servers: ['mcp'], form: local }),
  row(kilo, fileOf(kilo), { servers: ['mcp'], form: local }),
  row(qwenCode, fileOf(qwenCode), {
    servers: usual,
    form: { kinds: { stdio: '', http: '', sse: '' }, url: { http: 'httpUrl' }, reference: inBraces },
  }),
  row(continueCli, fileOf(continueCli), {
    ...{ servers: usual, isList: true },
    form: { kinds: { stdio: '', http: 'streamable-http', sse: 'sse' }, headers: ['requestOptions', 'headers'] },
  }),
  row(
    cline,
    { format: 'json', path: clinePath },
    { servers: usual, form: { kinds: { stdio: '', http: 'streamableHttp', sse: 'sse' }, toggle: 'disabled' } },
  ),
  row(codex, fileOf(codex), {
    servers: ['mcp_servers'],
    form: { kinds: { stdio: '', http: '' }, headers: ['http_headers'], toggle: 'enabled' },
  }),
  row(
    copilotCli,
    { format: 'json', path: copilotFile('mcp-config.json') },
    {
      servers: usual,
      form: { kinds: { ...usualKinds, stdio: 'local' }, rest: () => ({ tools: ['*'] }), reference: inBraces },
    },
  ),
  row(
    droid,
    { format: 'json', path: beside(fileOf(droid), 'mcp.json') },
    { servers: usual, form: { kinds: { stdio: 'stdio', http: 'http' }, toggle: 'disabled', reference: inBraces } },
  ),
  row(
    nanocoder,
    { format: 'json', path: beside(fileOf(nanocoder), '.mcp.json') },
    {
      servers: usual,
      form: { kinds: { stdio: 'stdio', http: 'http' }, kindField: 'transport', reference: inBraces },
    },
  ),
  row(crush, fileOf(crush), {
    servers: ['mcp'],
    form: { kinds: usualKinds, toggle: 'disabled', reference: (name) => `$${name}` },
  }),
  row(goose, fileOf(goose), {
    servers: ['extensions'],
    form: {
      kinds: { stdio: 'stdio', http: 'streamable_http' },
      ...{ command: 'cmd', env: 'envs', url: { http: 'uri' }, toggle: 'enabled' },
      rest: (name) => ({ enabled: true, name, timeout: 300 }),
    },
  }),
  row(zed, fileOf(zed), {
    servers: ['context_servers'],
    form: { kinds: { stdio: 'custom', http: 'custom' }, kindField: 'source', toggle: 'enabled' },
  }),
  row(
    vscodeCopilot,
    { format: 'jsonc', path: beside(fileOf(vscodeCopilot), 'mcp.json') },
    { servers: ['servers'], form: { kinds: usualKinds, reference: inEnvBraces } },
  ),
  row(
    cursor,
    { format: 'json', path: inHome('.cursor', 'mcp.json') },
    { servers: usual, form: { kinds: { stdio: '', http: '', sse: '' }, reference: inEnvBraces } },
  ),
  row(claudeDesktop, { format: 'json', path: claudeDesktopPath }, { servers: usual, form: { kinds: { stdio: '' } } }),
]

/** Servers of the user are in the file of its state, beside its folder of settings. */
function claudeStatePath(env: ToolEnvironment): string {
  return joinPath(env, env.vars.CLAUDE_CONFIG_DIR || env.home, '.claude.json')
}

function clinePath(env: ToolEnvironment): string | undefined {
  return env.vars.CLINE_MCP_SETTINGS_PATH || beside(fileOf(cline), 'cline_mcp_settings.json')(env)
}

function copilotFile(name: string): ConfigFile['path'] {
  return (env) => joinPath(env, env.vars.COPILOT_HOME || joinPath(env, env.home, '.copilot'), name)
}

/** Unlike its gateway, its servers are always in the usual folder. */
function claudeDesktopPath(env: ToolEnvironment): string | undefined {
  const folder = env.platform === 'linux' ? joinPath(env, settingsFolder(env), 'Claude') : undefined
  return folder ? joinPath(env, folder, 'claude_desktop_config.json') : fileOf(claudeDesktop, 'mode').path(env)
}

/** The tool with this id. Fails with `tool.notFound`. */
export function mcpTarget(toolId: string): McpTarget {
  const target = mcpTargets.find((one) => one.toolId === toolId)
  if (target) return target
  const known = mcpTargets.map((one) => one.toolId).join(', ')
  throw new AppError('tool.notFound', `The MCP server cannot be added to ${toolId}. It can be added to: ${known}.`)
}

/** A server as a tool writes it down. Fails with `input.invalid` for what the tool cannot have. */
export function writeServer({ name: tool, form }: McpTarget, name: string, server: McpServer) {
  const word = form.kinds[server.kind]
  if (word === undefined) {
    const kind = server.kind === 'stdio' ? 'a program' : server.kind.toUpperCase()
    throw new AppError('input.invalid', `${tool} has no MCP servers of this kind (${kind}).`, { field: 'toolId' })
  }
  const values = (all: Values) =>
    Object.fromEntries(Object.entries(all).map(([key, value]) => [key, referred(value, { tool, form })]))
  const kind = word === '' ? {} : { [form.kindField ?? 'type']: word }
  const rest = form.rest?.(name) ?? {}
  if (server.kind === 'stdio') {
    const { command, args, env } = server
    const program = form.isOneList
      ? { command: [command, ...args] }
      : { [form.command ?? 'command']: command, args: [...args] }
    return { ...kind, ...program, ...under([form.env ?? 'env'], values(env)), ...rest }
  }
  const { headers = ['headers'] } = form
  return { ...kind, [urlField(form, server.kind)]: server.url, ...under(headers, values(server.headers)), ...rest }
}

const urlField = ({ url = {} }: McpForm, kind: 'http' | 'sse'): string => url[kind] ?? 'url'

/** Nothing for no values; else the values, however deep they go. */
function under([first = '', ...deeper]: readonly string[], values: Values): Record<string, EditValue> {
  if (Object.keys(values).length === 0) return {}
  return { [first]: deeper.length === 0 ? values : under(deeper, values) }
}

const references = /\$\{env:(\w+)\}|\{env:(\w+)\}|\$\{(\w+)\}/g

/** Variables of the environment as another tool names them. */
function referred(value: string | Secret, { tool, form }: { readonly tool: string; readonly form: McpForm }) {
  if (typeof value !== 'string' || !namesVariable(value)) return value
  const { reference } = form
  if (reference === undefined || /\$\{input:/.test(value)) {
    const message = `${tool} cannot read this server's variables from the environment. Add the server there yourself.`
    throw new AppError('input.invalid', message, { field: 'toolId' })
  }
  return value.replace(references, (_, ...names) => reference(String(names.find((one) => typeof one === 'string'))))
}

/** Whether a value leads to a variable instead of being one itself. */
export const namesVariable = (value: string): boolean => /\$\{(?:env:|input:)?\w|\{env:\w/.test(value)

/** The server of an entry, and whether it is switched on; undefined for what is none, such as what is built into a tool. */
export function readServer({ form }: McpTarget, entry: Json | undefined): (McpServer & { isOn: boolean }) | undefined {
  if (!isJsonObject(entry)) return undefined
  const isOn = form.toggle === undefined || entry[form.toggle] !== (form.toggle === 'disabled')
  const [command, ...args] = [entry[form.command ?? 'command'], entry.args]
    .flat()
    .filter((one) => typeof one === 'string')
  if (command !== undefined) return { kind: 'stdio', command, args, env: textsIn(entry[form.env ?? 'env']), isOn }
  const kind = remoteKind(form, entry)
  const url = entry[urlField(form, kind)]
  if (typeof url !== 'string') return undefined
  return { kind, url, headers: textsIn(valueAt(entry, form.headers ?? ['headers'])), isOn }
}

function remoteKind(form: McpForm, entry: Readonly<Record<string, Json>>): 'http' | 'sse' {
  const word = entry[form.kindField ?? 'type']
  if (word === 'sse') return 'sse'
  if (form.url?.http !== undefined && form.kinds.sse !== undefined) return form.url.http in entry ? 'http' : 'sse'
  return word === undefined && /\/sse\/?$/.test(String(entry.url)) ? 'sse' : 'http'
}

const textsIn = (found: Json | undefined): Record<string, string> =>
  isJsonObject(found)
    ? Object.fromEntries(
        Object.entries(found).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
      )
    : {}

/** What both kinds of settings have that the engine asks of every target: no address, no key, this user's home. */
const nothingElse = {
  ...{ kind: 'written', standard: 'messages', executables: [], sites: ['user'], evidence: { kind: 'docs' } },
  ...{ needsRestart: true, deliveries: ['helper', 'plain'], slots: [], requestSuffix: '', variable: '' },
  precedence: { checked: 'docs', sources: [] },
  base: (gatewayUrl: string) => gatewayUrl,
  readBack: () => ({}),
} satisfies Partial<WrittenTarget>

/** The companion's server in a tool, for the engine: its program comes as the helper's, or with a token its address as the gateway's. */
export function serverTarget(mcp: McpTarget): WrittenTarget {
  return settingsTarget(mcp, mcp.toolId, ({ helperArgv = [], gatewayUrl, key }) => {
    const [command = '', ...args] = helperArgv
    const server: McpServer = key
      ? { kind: 'http', url: gatewayUrl, headers: { 'x-api-key': key } }
      : { kind: 'stdio', command, args, env: {} }
    // As a whole: an entry that somebody changed stays theirs as a whole, and never becomes half of one.
    const [edit] = serverEdits(mcp, serverName, writeServer(mcp, serverName, server))
    return edit ? [key ? { ...edit, role: 'credential' } : edit] : []
  })
}

/** Any server in a tool, for the engine: what becomes of its entry. */
export const anyServerTarget = (mcp: McpTarget, name: string, edits: readonly Edit[] = []): WrittenTarget =>
  settingsTarget(mcp, `${mcp.toolId}.${Buffer.from(name).toString('hex')}`, () => edits)

/** The target of a record by its id, and the server that it is about. Fails with `tool.notFound`. */
export function recordedTarget(id: string): { target: WrittenTarget; toolId: string; server?: string } {
  if (id.endsWith(lineEnding)) {
    const ofLine = id.slice(0, -lineEnding.length)
    return { target: statusLineTarget(ofLine), toolId: ofLine }
  }
  const [toolId = '', hex] = id.split('.')
  const mcp = mcpTarget(toolId)
  if (hex === undefined) return { target: serverTarget(mcp), toolId, server: serverName }
  const server = Buffer.from(hex, 'hex').toString()
  return { target: anyServerTarget(mcp, server), toolId, server }
}

/** The setting that switches a server on or off. Fails with `input.invalid` where the tool has none. */
export function switchEdit({ name: tool, servers, form: { toggle } }: McpTarget, name: string, isOn: boolean) {
  if (toggle !== undefined) return { path: [...servers, name, toggle], value: isOn === (toggle === 'enabled') }
  throw new AppError('input.invalid', `${tool} cannot switch a server off. Remove it instead.`, { field: 'action' })
}

function settingsTarget({ name, format, path }: McpTarget, id: string, edits: TargetFile['edits']): WrittenTarget {
  return { ...nothingElse, id, name, files: [{ id: 'settings', format, path, edits }] }
}

/** The entry of a server, or its removal. */
export function serverEdits({ servers, isList }: McpTarget, name: string, entry: EditValue): Edit[] {
  if (!isList) return [{ path: [...servers, name], value: entry }]
  const value = typeof entry === 'object' && entry !== null ? { name, ...entry } : undefined
  return [{ path: servers, element: { name }, value }]
}

/** Where a tool keeps its status line. */
interface StatusLinePlace {
  readonly tool: Target
  readonly place: ConfigFile
  readonly path: readonly string[]
}

/** Every tool whose status line is the output of a command. */
const statusLinePlaces: readonly StatusLinePlace[] = [
  { tool: claudeCode, place: fileOf(claudeCode), path: ['statusLine'] },
  { tool: qwenCode, place: fileOf(qwenCode), path: ['ui', 'statusLine'] },
  { tool: copilotCli, place: { format: 'jsonc', path: copilotFile('settings.json') }, path: ['statusLine'] },
  { tool: droid, place: fileOf(droid), path: ['statusLine'] },
]

/** The status line of a tool, for the engine; one that is there already is shown before it. Fails with `tool.notFound`. */
export function statusLineTarget(toolId: string): WrittenTarget {
  const found = statusLinePlaces.find(({ tool }) => tool.id === toolId)
  if (found) return { ...nothingElse, ...lineSettings(found), needsRestart: toolId !== claudeCode.id }
  const known = statusLinePlaces.map(({ tool }) => tool.id).join(', ')
  throw new AppError('tool.notFound', `${toolId} has no status line that this app sets. These have: ${known}.`)
}

/** Whether a tool has a status line that this app can set. */
export const hasStatusLine = (toolId: string): boolean => statusLinePlaces.some(({ tool }) => tool.id === toolId)

const lineEnding = '-statusline'

function lineSettings({ tool, place, path }: StatusLinePlace): Pick<WrittenTarget, 'id' | 'name' | 'files'> {
  const edits: TargetFile['edits'] = ({ helperArgv = [] }, current, { platform }) => {
    const before = text(valueAt(current, [...path, 'command']))
    const chain = before === undefined ? [] : ['--chain', before]
    return [
      { path: [...path, 'type'], value: 'command' },
      { path: [...path, 'command'], value: shellQuote([...helperArgv, ...chain], platform) },
    ]
  }
  return { id: `${tool.id}${lineEnding}`, name: tool.name, files: [{ id: 'settings', ...place, edits }] }
}
