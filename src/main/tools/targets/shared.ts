import type { ToolWarning } from '@shared/contract/tools'
import { getContextTokens } from '@shared/model-facts'
import {
  absolutePath,
  joinPath,
  listParentFolders,
  shellQuote,
  startFolder,
  type ToolEnvironment,
} from '../../core/environment'
import { baseAddress, requestAddressFor, requestSuffix } from '../../core/net/address'
import { Secret } from '../../core/secret'
import { getValueAt, type Json } from '../editors/editor'
import type {
  ConflictSource,
  DecidingSetting,
  Edit,
  FileSource,
  FoundCredential,
  ShellVariable,
  TargetInput,
  WrittenTarget,
} from '../target'

/** Base URL of the chat API, which most tools use. */
export const chatAddress = (gatewayUrl: string): string => baseAddress(gatewayUrl, 'chat-completions')

/** Complete URL of the chat API, for tools that append nothing to it. */
export const chatEndpoint = (gatewayUrl: string): string => requestAddressFor(gatewayUrl, 'chat-completions')

/** Fields that most targets have in common. */
export const chatTool = {
  kind: 'written',
  standard: 'chat-completions',
  needsRestart: true,
  slots: [],
  base: chatAddress,
  requestSuffix: requestSuffix('chat-completions'),
  overriddenBy: [],
} satisfies Partial<WrittenTarget>

/** The key in a tool's env file, for the delivery `envFile`. */
export const envFileEdits = ({ delivery, variable, key }: TargetInput): Edit[] =>
  delivery === 'envFile' ? [{ path: [variable], value: key, role: 'credential' }] : []

export const listDecidingPaths = (
  decides: DecidingSetting['decides'],
  ...paths: readonly (readonly string[])[]
): DecidingSetting[] => paths.map((path) => ({ path, decides }))

export const variableSources = (...names: readonly string[]): ConflictSource[] =>
  names.map((name) => ({ kind: 'variable', name }))

export const fileSource = (
  origin: FileSource['origin'],
  format: FileSource['format'],
  paths: FileSource['paths'],
  settings: readonly DecidingSetting[],
): ConflictSource => ({ kind: 'file', origin, format, paths, settings })

/** Markdown files of agents, modes or commands. Each may select its own model. */
export const agentFiles = (origin: FileSource['origin'], paths: FileSource['paths']): ConflictSource =>
  fileSource(origin, 'markdown', paths, listDecidingPaths('agentModel', ['model']))

/** Settings files in the folder where the tool starts. None if the tool is configured for one project. */
export const projectFiles =
  (...names: readonly string[]) =>
  ({ project, workFolder, ...environment }: ToolEnvironment): string[] =>
    project === undefined && workFolder !== undefined
      ? names.map((name) => joinPath(environment, workFolder, name))
      : []

/** Files in the start folder and its parents, up to the root of the repository. */
export const parentFiles =
  (...names: readonly string[]) =>
  (environment: ToolEnvironment): string[] =>
    listParentFolders(environment, startFolder(environment)).flatMap((folder) =>
      names.map((name) => joinPath(environment, folder, name)),
    )

export const listDefinedPaths = (...paths: readonly (string | undefined)[]): string[] =>
  paths.flatMap((path) => path ?? [])

/** The value for the platform of the tool. All systems but Windows and macOS count as Linux. */
export const forPlatform = <T>(
  { platform }: ToolEnvironment,
  values: Readonly<Record<'win32' | 'darwin' | 'linux', T>>,
): T => values[platform === 'win32' || platform === 'darwin' ? platform : 'linux']

/** Returns the value if it is a non-blank string, else undefined. */
export const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** Non-blank text at a path of a tool's settings. */
export const textAt = (settings: Json | undefined, ...path: readonly string[]): string | undefined =>
  text(getValueAt(settings, path))

/** List at a path of a tool's settings. Empty for other values. */
export function listAt(settings: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const value = getValueAt(settings, path)
  return Array.isArray(value) ? value : []
}

export const withoutPrefix = (value: string | undefined, prefix: string): string | undefined =>
  value?.startsWith(prefix) ? value.slice(prefix.length) : undefined

/** The key in a setting: the variable that `reference` captures, or plain text. */
export function readKey(value: string | undefined, reference: RegExp): FoundCredential | undefined {
  const name = reference.exec(value ?? '')?.[1]
  return name === undefined ? plainCredential(value) : { kind: 'variable', name }
}

/** Warns of chosen models that the tool does not accept. */
export const refusedModels = (
  { modelCode, slots }: TargetInput,
  isRefused: (modelCode: string) => boolean,
): ToolWarning[] =>
  [...new Set([modelCode, ...Object.values(slots)])]
    .filter(isRefused)
    .map((subject) => ({ code: 'modelRefused', subject }))

/** Warns of settings that choose another model or provider. They can be removed in a new preview. */
export const foundModelSettings = (
  settings: Json | undefined,
  ...paths: readonly (readonly string[])[]
): ToolWarning[] =>
  paths
    .filter((path) => getValueAt(settings, path) !== undefined)
    .map((path) => ({ code: 'modelSetting', subject: path.join('.'), origin: 'settings', fix: 'takeOut' }))

/** A key in plain text in a settings file. Undefined if it cannot be sent in an HTTP header. */
export function plainCredential(value: string | undefined): FoundCredential | undefined {
  if (value === undefined) return undefined
  try {
    return { kind: 'plain', text: new Secret(value) }
  } catch {
    return undefined
  }
}

/** Model code of a slot (secondary model). Default: the main model. */
export const slotModel = ({ slots, modelCode }: Pick<TargetInput, 'slots' | 'modelCode'>, id: string): string =>
  slots[id] ?? modelCode

/** Paths in a folder of the home (`folder`), or in the folder that a variable names. */
export const homeFolder =
  (variable: string, ...folder: readonly string[]) =>
  (environment: ToolEnvironment, ...names: readonly string[]): string =>
    joinPath(environment, environment.vars[variable] || joinPath(environment, environment.home, ...folder), ...names)

/** A program in the user's program folder. On Windows, in the only such folder on every user's path. */
export const userProgram = (env: ToolEnvironment, name: string): string =>
  env.platform === 'win32'
    ? joinPath(env, localFolder(env), 'Microsoft', 'WindowsApps', `${name}.cmd`)
    : joinPath(env, env.home, '.local', 'bin', name)

/** `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
export function settingsFolder(environment: ToolEnvironment): string {
  const { platform, home, vars } = environment
  if (platform === 'win32') return vars.APPDATA || joinPath(environment, home, 'AppData', 'Roaming')
  if (platform === 'darwin') return joinPath(environment, home, 'Library', 'Application Support')
  return xdgConfigFolder(environment)
}

/** `~/.config` or an absolute XDG_CONFIG_HOME, for tools that use it on every Unix. */
export const xdgConfigFolder = (env: ToolEnvironment): string =>
  absolutePath(env, env.vars.XDG_CONFIG_HOME) ?? joinPath(env, env.home, '.config')

/** Settings folder of a Flatpak. Undefined if the Flatpak was never started. */
export function flatpakConfig(env: ToolEnvironment, id: string): string | undefined {
  const folder = joinPath(env, env.home, '.var', 'app', id)
  return env.platform === 'linux' && env.exists(folder) ? joinPath(env, folder, 'config') : undefined
}

export const localFolder = (env: ToolEnvironment): string =>
  env.vars.LOCALAPPDATA || joinPath(env, env.home, 'AppData', 'Local')

const MAX_OUTPUT_TOKENS = 8192

/** Context size of a model, and maximum output that leaves room for the input, in tokens. */
export function tokenLimits(input: Pick<TargetInput, 'contextTokens' | 'modelFacts'>, modelCode: string) {
  const context = getContextTokens(input, modelCode)
  return { context, output: Math.min(MAX_OUTPUT_TOKENS, Math.floor(context / 2)) }
}

type ModelChoice = Pick<TargetInput, 'modelCode' | 'slots' | 'models'>

/** All model codes without duplicates: the main model first, then secondary models, then other models of the plan. */
export const modelCodes = ({ modelCode, slots, models }: ModelChoice): string[] => [
  ...new Set([modelCode, ...Object.values(slots), ...models]),
]

type LauncherScript = {
  readonly comment: string
  readonly unset?: readonly string[]
  /** Variables that the script sets. A variable without a value is unset. */
  readonly variables?: readonly ShellVariable[]
  /** The command line that the script ends with, in the syntax of the platform's shell. */
  readonly command: string
}

/** Builds a shell script, or a command file on Windows. `launcherVariables` reads the variables from it. */
export function launcherScript(script: LauncherScript, platform: NodeJS.Platform): string {
  const { comment, unset = [], variables = [], command } = script
  const set = variables.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
  if (platform !== 'win32') {
    const unsetLines = unset.length === 0 ? [] : [`unset ${unset.join(' ')}`]
    const exportLines = set.map(({ name, value }) => `export ${name}=${shellQuote([value], platform)}`)
    return ['#!/bin/sh', `# ${comment}`, ...unsetLines, ...exportLines, `exec ${command}`, ''].join('\n')
  }
  const unsetLines = unset.map((name) => `set "${name}="`)
  // Quotes in a value end the outer ones, so characters between them need carets.
  const exportLines = set.map(({ name, value }) => {
    const escapedValue = replaceOutsideQuotes(value, (part) => part.replace(/[&|<>^]/g, '^$&')).replaceAll('%', '%%')
    return `set "${name}=${escapedValue}"`
  })
  // Switch to UTF-8, because legacy code pages lack some characters of paths.
  const head = ['@echo off', `rem ${comment}`, 'chcp 65001 >nul', 'setlocal']
  return [...head, ...unsetLines, ...exportLines, command, ''].join('\r\n')
}

/** Variables of a `launcherScript`, for either platform. */
export function launcherVariables(text: string): Readonly<Record<string, string>> {
  const exports = [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', word = '']) => {
    return [name, word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word]
  })
  const sets = [...text.matchAll(/^set "(\w+)=(.+)"\r?$/gm)].map(([, name = '', value = '']) => {
    return [name, replaceOutsideQuotes(value.replaceAll('%%', '%'), (part) => part.replace(/\^(.)/g, '$1'))]
  })
  return Object.fromEntries([...exports, ...sets])
}

function replaceOutsideQuotes(value: string, change: (part: string) => string): string {
  const parts = value.split('"')
  return parts.map((part, index) => (index % 2 === 0 ? part : change(part))).join('"')
}
