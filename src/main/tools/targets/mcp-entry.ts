import { AppError } from '@shared/failure'
import { Secret } from '../../core/secret'
import { getValueAt, isJsonObject, type Json } from '../editors/editor'
import type { EditValue } from '../target'
import {
  createUnsupportedError,
  getSingleVariable,
  hasSecret,
  isValue,
  type McpText,
  parseText,
  type Syntax,
  writeText,
} from './mcp-text'

/** An MCP server, independent of a tool's format. */
export type McpServer = {
  readonly isOn?: boolean
  readonly settings?: readonly Setting[]
  /** Names of settings in the entry that this app cannot convert for other tools. */
  readonly unknownSettings?: readonly string[]
} & (
  | { readonly kind: 'stdio'; readonly command: McpText; readonly args: readonly McpText[]; readonly env: McpValues }
  | { readonly kind: 'http' | 'sse'; readonly url: McpText; readonly headers: McpValues }
)
export type McpValues = Readonly<Record<string, McpText>>

/** Settings of MCP servers that several tools have under different names. Timeouts are in ms. */
const settingIds = ['cwd', 'envFile', 'startTimeout', 'callTimeout', 'allowedTools', 'blockedTools'] as const
type SettingId = (typeof settingIds)[number]

/** A setting of a server entry. `name` is its name in the tool's file. */
type Setting = { readonly name: string } & (
  | { readonly id: 'cwd' | 'envFile'; readonly value: McpText }
  | { readonly id: 'startTimeout' | 'callTimeout'; readonly value: number }
  | { readonly id: 'allowedTools' | 'blockedTools'; readonly value: readonly string[] }
)

/** Format of MCP server entries in a tool: names of fields, and syntax of values. */
export interface McpForm {
  /** Supported server kinds with the tool's name for each. An empty name means that the field is omitted. */
  readonly typeByKind: Readonly<Partial<Record<McpServer['kind'], string>>>
  /** Name of the field that contains the kind of server. Default: `type`. */
  readonly kindField?: 'transport' | 'source'
  readonly command?: 'cmd'
  /** Whether the program and its arguments are elements of the same list. */
  readonly isOneList?: boolean
  readonly env?: 'environment' | 'envs'
  readonly url?: Readonly<Partial<Record<'http' | 'sse', string>>>
  readonly headers?: readonly [string] | readonly [string, string]
  /** Additional fields that each new entry needs in this tool. */
  readonly rest?: (name: string) => Readonly<Record<string, Json>>
  /** Name of the field that switches a server off. */
  readonly toggle?: 'enabled' | 'disabled'
  readonly settings?: Readonly<Partial<Record<SettingId, string>>>
  readonly timeoutsIn?: 'seconds'
  /** Syntax of variables. Undefined if the tool does not expand any. */
  readonly syntax?: Syntax
  /** Name of the field that lists environment variables to pass to the program. */
  readonly inherited?: 'env_vars' | 'env_keys'
  /** Fields that take header values from variables. `bearer`: of the bearer token. `table`: by header name. */
  readonly headerVariables?: { readonly bearer: string; readonly table: string }
}

type Entry = Readonly<Record<string, Json>>

/** Parses a server entry. Undefined for an entry that is no MCP server, such as an extension of the tool. */
export function readServer(form: McpForm, entry: Json | undefined): (McpServer & { isOn: boolean }) | undefined {
  if (!isJsonObject(entry)) return undefined
  const parse = (text: string): McpText => parseText(text, form.syntax)
  const parts = [entry[form.command ?? 'command'], entry.args].flat().filter((part) => typeof part === 'string')
  const [command, ...args] = parts.map(parse)
  const isOn = form.toggle === undefined || entry[form.toggle] !== (form.toggle === 'disabled')
  const settings = readSettings(form, entry)
  const sharedFields = { isOn, settings, unknownSettings: otherNames(form, entry, settings) }
  if (command !== undefined) {
    const inherited = listTexts(form.inherited && entry[form.inherited]).map((name) => [name, [variable(name)]])
    const env = { ...Object.fromEntries(inherited), ...readValues(entry[form.env ?? 'env'], parse) }
    return { kind: 'stdio', command, args, env, ...sharedFields }
  }
  const kind = remoteKind(form, entry)
  const url = entry[urlField(form, kind)]
  if (typeof url !== 'string') return undefined
  const headers = {
    ...readValues(getValueAt(entry, form.headers ?? ['headers']), parse),
    ...readHeaderVariables(form, entry),
  }
  return { kind, url: parse(url), headers, ...sharedFields }
}

const variable = (env: string) => ({ raw: env, env })

function readHeaderVariables({ headerVariables }: McpForm, entry: Entry): McpValues {
  if (headerVariables === undefined) return {}
  const { bearer, table } = headerVariables
  const token = entry[bearer]
  const variableEntries = Object.entries(isJsonObject(entry[table]) ? entry[table] : {})
  return {
    ...(typeof token === 'string' ? { Authorization: ['Bearer ', variable(token)] } : {}),
    ...Object.fromEntries(variableEntries.map(([name, env]) => [name, [variable(String(env))]])),
  }
}

function remoteKind(form: McpForm, entry: Entry): 'http' | 'sse' {
  const entryType = entry[form.kindField ?? 'type']
  if (entryType === 'sse') return 'sse'
  if (form.url?.http !== undefined && form.typeByKind.sse !== undefined) return form.url.http in entry ? 'http' : 'sse'
  return entryType === undefined && /\/sse\/?$/.test(String(entry.url)) ? 'sse' : 'http'
}

const urlField = ({ url = {} }: McpForm, kind: 'http' | 'sse'): string => url[kind] ?? 'url'

const listTexts = (fieldValue: Json | undefined): string[] =>
  Array.isArray(fieldValue) ? fieldValue.filter((element) => typeof element === 'string') : []

function readValues(fieldValue: Json | undefined, parse: (text: string) => McpText): McpValues {
  if (!isJsonObject(fieldValue)) return {}
  const valueEntries = Object.entries(fieldValue).filter(([, value]) => value !== null)
  return Object.fromEntries(valueEntries.map(([name, value]) => [name, parse(String(value))]))
}

function readSettings(form: McpForm, entry: Entry): Setting[] {
  return settingIds.flatMap((id): Setting | Setting[] => {
    const name = form.settings?.[id]
    const value = name === undefined ? undefined : entry[name]
    const isDefault = name === undefined || isSameFieldValue(value, form.rest?.('')[name])
    return isDefault ? [] : readSetting(id, name, value, form)
  })
}

function readSetting(id: SettingId, name: string, value: Json | undefined, form: McpForm): Setting | [] {
  if (id === 'cwd' || id === 'envFile')
    return typeof value === 'string' ? { id, name, value: parseText(value, form.syntax) } : []
  if (id === 'startTimeout' || id === 'callTimeout')
    return typeof value === 'number' ? { id, name, value: value * getUnitMs(form) } : []
  return Array.isArray(value) ? { id, name, value: listTexts(value) } : []
}

const isSameFieldValue = (fieldValue: Json | undefined, defaultValue: Json | undefined): boolean =>
  JSON.stringify(fieldValue) === JSON.stringify(defaultValue)

const getUnitMs = ({ timeoutsIn }: McpForm): number => (timeoutsIn === 'seconds' ? 1000 : 1)

/** Names of settings in an entry that this app does not know. */
function otherNames(form: McpForm, entry: Entry, settings: readonly Setting[]): string[] {
  const { kindField = 'type', command = 'command', env = 'env', url = {}, headers = ['headers'], toggle = '' } = form
  const { inherited = '', headerVariables: { bearer, table } = { bearer: '', table: '' }, rest } = form
  const [outer, inner] = headers
  const knownFields = ['name', kindField, command, 'args', env, 'url', toggle, inherited, outer, bearer, table]
  const unchangedDefaults = Object.entries(rest?.('') ?? {}).flatMap(([name, value]) =>
    isSameFieldValue(entry[name], value) ? [name] : [],
  )
  const readNames = [...knownFields, ...Object.values(url), ...unchangedDefaults, ...settings.map(({ name }) => name)]
  const nestedNames = inner !== undefined && isJsonObject(entry[outer]) ? Object.keys(entry[outer]) : []
  return [
    ...Object.keys(entry).filter(
      (name) => !readNames.includes(name) && !['null', '""', '[]', '{}'].includes(JSON.stringify(entry[name])),
    ),
    ...nestedNames.filter((name) => name !== inner).map((name) => `${outer}.${name}`),
  ]
}

interface Tool {
  readonly name: string
  readonly form: McpForm
}

/** Builds a server entry. Lists optional settings that the tool lacks. Fails with `input.invalid` for required ones. */
export function writeServer({ name: tool, form }: Tool, name: string, server: McpServer) {
  const entryType = form.typeByKind[server.kind]
  if (entryType === undefined) {
    const kind = server.kind === 'stdio' ? 'a program' : server.kind.toUpperCase()
    throw new AppError('input.invalid', `${tool} has no MCP servers of this kind (${kind}).`, { field: 'toolId' })
  }
  const text = (value: McpText, field: string, option?: McpText): string | Secret =>
    toSecretText(writeText(value, field, tool, form.syntax), hasSecret(value, option))
  const values = (textsByName: McpValues): Record<string, EditValue> =>
    Object.fromEntries(
      Object.entries(textsByName).map(([item, value]) => [
        item,
        toSecretText(writeText(value, item, tool, form.syntax), isValue(item, value)),
      ]),
    )
  const { entry: settings, left } = writeSettings(form, server.settings ?? [], text)
  const serverFields =
    server.kind === 'stdio' ? writeProgram(form, server, text, values) : writeRemote(form, server, text, values)
  const kind = entryType === '' ? {} : { [form.kindField ?? 'type']: entryType }
  const { isOn = true } = server
  if (!isOn && form.toggle === undefined)
    throw createUnsupportedError(`The server is switched off, and ${tool} can't switch a server off.`)
  const toggle = isOn || form.toggle === undefined ? {} : { [form.toggle]: form.toggle === 'disabled' }
  const entry: Record<string, EditValue> = { ...kind, ...serverFields, ...form.rest?.(name), ...settings, ...toggle }
  return { entry, unknownSettings: [...(server.unknownSettings ?? []), ...left] }
}

const toSecretText = (text: string, isSecret: boolean): string | Secret => (isSecret ? new Secret(text, 'text') : text)

type WriteText = (value: McpText, field: string, option?: McpText) => string | Secret
type WriteValues = (textsByName: McpValues) => Record<string, EditValue>

function writeProgram(
  form: McpForm,
  { command, args, env }: Extract<McpServer, { kind: 'stdio' }>,
  text: WriteText,
  values: WriteValues,
) {
  const program = text(command, 'command')
  const parts = args.map((arg, index) => text(arg, `argument ${index + 1}`, args[index - 1]))
  const { inherited } = form
  const names = Object.keys(env).filter((name) => inherited && getSingleVariable(env[name] ?? []) === name)
  const otherVariables = Object.entries(env).filter(([name]) => !names.includes(name))
  return {
    ...(form.isOneList ? { command: [program, ...parts] } : { [form.command ?? 'command']: program, args: parts }),
    ...nestValues([form.env ?? 'env'], values(Object.fromEntries(otherVariables))),
    ...(inherited && names.length > 0 ? { [inherited]: names } : {}),
  }
}

function writeRemote(
  form: McpForm,
  { kind, url, headers }: Extract<McpServer, { kind: 'http' | 'sse' }>,
  text: WriteText,
  values: WriteValues,
) {
  const { literal, variables } = splitHeaders(form, headers)
  const headerEntries = nestValues(form.headers ?? ['headers'], values(literal))
  return { [urlField(form, kind)]: text(url, 'address'), ...headerEntries, ...variables }
}

/** Settings under the tool's names. `left`: names of those that the tool lacks. */
function writeSettings(form: McpForm, settings: readonly Setting[], text: WriteText) {
  const entry: Record<string, EditValue> = {}
  const left: string[] = []
  for (const setting of settings) {
    const field = form.settings?.[setting.id]
    if (field === undefined) left.push(setting.name)
    else entry[field] = writeSetting(setting, form, text)
  }
  return { entry, left }
}

function writeSetting(setting: Setting, form: McpForm, text: WriteText): EditValue {
  switch (setting.id) {
    case 'cwd':
    case 'envFile':
      return text(setting.value, setting.name)
    case 'startTimeout':
    case 'callTimeout':
      return setting.value / getUnitMs(form)
    default:
      return setting.value
  }
}

/** Splits headers into literal ones and those for which the tool has fields that name an environment variable. */
function splitHeaders({ headerVariables }: McpForm, headers: McpValues) {
  if (headerVariables === undefined) return { literal: headers, variables: {} }
  const { bearer, table } = headerVariables
  const entries = Object.entries(headers)
  const token = entries.find(
    ([name, [scheme, ...rest]]) =>
      name.toLowerCase() === 'authorization' && scheme === 'Bearer ' && getSingleVariable(rest) !== undefined,
  )
  const variableHeaders = entries.filter(([, value]) => getSingleVariable(value) !== undefined)
  const variablesByHeader = Object.fromEntries(variableHeaders.map(([name, value]) => [name, getSingleVariable(value)]))
  return {
    literal: Object.fromEntries(entries.filter((entry) => entry !== token && !variableHeaders.includes(entry))),
    variables: {
      ...(token ? { [bearer]: getSingleVariable(token[1].slice(1)) } : {}),
      ...(variableHeaders.length > 0 ? { [table]: variablesByHeader } : {}),
    },
  }
}

/** Puts values into nested objects at a path. Omits values that are empty. */
function nestValues(path: readonly string[], values: Record<string, EditValue>): Record<string, EditValue> {
  if (Object.keys(values).length === 0) return {}
  return path.reduceRight<Record<string, EditValue>>((inner, name) => ({ [name]: inner }), values)
}
