import { posix, win32 } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Delivery, ToolWarning } from '@shared/contract/tools'
import type { Failure } from '@shared/failure'
import { joinPath, type ToolEnvironment } from '../core/environment'
import type { Disk } from '../core/files/disk'
import { decodeText, readSnapshot } from '../core/files/files'
import { editors } from './editors'
import { getValueAt, isJsonObject, type Json } from './editors/editor'
import type { LoginShell, Variables } from './login-shell'
import type { ConflictSource, DecidingSetting, FileSource, SettingsByFile, TargetFile, WrittenTarget } from './target'
import { flatpakConfig, parentFiles, settingsFolder } from './targets/shared'

/** Dependencies of the search for conflicting settings. */
export type ConflictSearch = {
  readonly environment: ToolEnvironment
  readonly loginShell: LoginShell
  readonly disk: Disk
  /** Folders in which the tool is started, for user settings. */
  readonly workFolders?: readonly string[] | undefined
}

type FileSearch = Omit<ConflictSearch, 'loginShell'>

type Intent = { readonly base?: string | undefined; readonly models: readonly string[] }

type VariableSource = Extract<ConflictSource, { kind: 'variable' }>

/** Shell variables that override a tool's settings, without values. */
export async function findVariableConflicts(
  { overriddenBy, variable, files }: Pick<WrittenTarget, 'overriddenBy' | 'variable' | 'files'>,
  delivery: Delivery,
  { environment, loginShell }: ConflictSearch,
): Promise<ToolWarning[]> {
  const shell = await loginShell(environment)
  const names = [...(delivery === 'envFile' ? [variable] : []), ...findRelocatingVariables(files, shell, environment)]
  const sources: VariableSource[] = [
    ...overriddenBy.filter((source) => source.kind === 'variable'),
    ...names.map((name) => ({ kind: 'variable' as const, name })),
  ]
  return sources.flatMap((source) => variableWarnings(source, shell, environment))
}

/** Variables that make a tool read its settings from another path, such as CLAUDE_CONFIG_DIR. */
function findRelocatingVariables(
  files: readonly Pick<TargetFile, 'path'>[],
  variables: Variables,
  environment: ToolEnvironment,
): string[] {
  const paths = files.map(({ path }) => path(environment))
  return Object.entries(variables).flatMap(([name, value]) => {
    const movedEnvironment = { ...environment, vars: { ...environment.vars, [name]: value } }
    return files.some(({ path }, index) => path(movedEnvironment) !== paths[index]) ? [name] : []
  })
}

export async function findBlockers(
  target: Pick<WrittenTarget, 'overriddenBy' | 'isPlanModel' | 'files'>,
  settings: SettingsByFile,
  intent: Intent,
  fileSearch: FileSearch,
): Promise<ToolWarning[]> {
  const variables = target.overriddenBy.flatMap((source) =>
    source.kind === 'variable' && source.decides === 'header'
      ? variableWarnings(source, {}, fileSearch.environment)
      : [],
  )
  return [
    ...findOwnConflicts(target, settings, intent),
    ...variables,
    ...(await findFileConflicts(target, settings.settings, intent, fileSearch)),
  ]
}

export function findOwnConflicts(
  { overriddenBy, isPlanModel }: Pick<WrittenTarget, 'overriddenBy' | 'isPlanModel'>,
  settings: SettingsByFile,
  intent: Intent,
): ToolWarning[] {
  const decidingSettings = overriddenBy.flatMap((source) => (source.kind === 'own' ? source.settings : []))
  return decidingSettings.flatMap((setting) =>
    listConflicts(settings.settings, setting, { isPlanModel, intent, own: undefined }).map((path): ToolWarning => {
      const fix = setting.isShared || path.some((name) => name.includes('.')) ? 'openFile' : 'takeOut'
      return { code: warningCodes[setting.decides], subject: path.join('.'), origin: 'settings', fix }
    }),
  )
}

const warningCodes = {
  address: 'otherProviderSwitch',
  credential: 'otherProviderSwitch',
  header: 'foreignCredential',
  provider: 'otherProviderSwitch',
  model: 'modelSetting',
  agentModel: 'agentModel',
  start: 'toolStops',
} as const satisfies Record<DecidingSetting['decides'], ToolWarning['code']>

/** Finds settings in other files that override the settings of the tool's own file (`own`). */
export async function findFileConflicts(
  { overriddenBy, isPlanModel, files }: Pick<WrittenTarget, 'overriddenBy' | 'isPlanModel' | 'files'>,
  own: Json | undefined,
  intent: Intent,
  fileSearch: FileSearch,
): Promise<ToolWarning[]> {
  const writtenPaths = files.flatMap(({ path }) => path(fileSearch.environment) ?? [])
  const fileConflicts = overriddenBy.map((source) =>
    source.kind === 'file'
      ? forEachPath(source, fileSearch, async (path) => {
          if (writtenPaths.includes(path)) return []
          const settings = await parseSettings(path, source, fileSearch.disk).catch(() => undefined)
          return fileWarnings(settings, path, source, { isPlanModel, intent, own })
        })
      : [],
  )
  const variableConflicts = await findVariablesInFiles(overriddenBy, files, fileSearch)
  return [...(await Promise.all(fileConflicts)).flat(), ...variableConflicts]
}

async function forEachPath(
  source: Pick<FileSource, 'paths'>,
  fileSearch: FileSearch,
  warn: (path: string) => Promise<ToolWarning[]>,
): Promise<ToolWarning[]> {
  return (await Promise.all((await sourcePaths(source, fileSearch)).map(warn))).flat()
}

/** Finds environment variables in files that override a tool's settings or change the path it reads them from. */
async function findVariablesInFiles(
  overriddenBy: readonly ConflictSource[],
  files: WrittenTarget['files'],
  fileSearch: FileSearch,
): Promise<ToolWarning[]> {
  const { environment, disk } = fileSearch
  const sources = overriddenBy.filter((source) => source.kind === 'variable')
  const warnings = variableFiles.map(({ paths, read, origin }) =>
    forEachPath({ paths }, fileSearch, async (path) => {
      const text = (await readText(path, disk).catch(() => undefined)) ?? ''
      const variables = readVariables(text, { read, folder: joinPath(environment, path, '..') }, environment)
      const effectiveSources = sources.filter((source) => isEffective(source, variables))
      const warn = (subject: string, code: ToolWarning['code']): ToolWarning => {
        return { code, origin, path, subject, fix: 'openFile' }
      }
      return [
        ...effectiveSources.map(({ name, decides }) =>
          warn(name, decides === 'header' ? 'foreignCredential' : 'rivalFile'),
        ),
        ...findRelocatingVariables(files, variables, environment).map((name) => warn(name, 'rivalFile')),
      ]
    }),
  )
  return (await Promise.all(warnings)).flat()
}

interface ConflictContext {
  readonly isPlanModel: WrittenTarget['isPlanModel']
  readonly intent: Intent
  readonly own: Json | undefined
}

function fileWarnings(
  settings: Json | undefined,
  path: string,
  source: FileSource,
  context: ConflictContext,
): ToolWarning[] {
  const conflicts = source.settings.flatMap((setting) =>
    listConflicts(settings, setting, context).map((names) => ({ decides: setting.decides, subject: names.join('.') })),
  )
  // A file that also sets a key sends its own key to its own address. It does not send our key there.
  const hasCredential = conflicts.some(({ decides }) => decides === 'credential')
  const toWarningCode = (decides: DecidingSetting['decides']): ToolWarning['code'] => {
    if (decides === 'address' && !hasCredential) return 'keySentElsewhere'
    if (decides === 'header') return 'foreignCredential'
    return decides === 'agentModel' ? 'agentModel' : 'rivalFile'
  }
  return conflicts.map(({ decides, subject }) => {
    return { code: toWarningCode(decides), origin: source.origin, path, subject, fix: 'openFile' }
  })
}

function listConflicts(settings: Json | undefined, setting: DecidingSetting, context: ConflictContext): string[][] {
  return expandWildcards(settings, setting.path).filter((path) => {
    const value = getValueAt(settings, path)
    return value !== undefined && value !== null && value !== '' && !isHarmless(value, path, setting, context)
  })
}

function isHarmless(
  value: Json,
  path: readonly string[],
  setting: DecidingSetting,
  { isPlanModel, intent, own }: ConflictContext,
): boolean {
  if (setting.isHarmless?.(value) || isDeepStrictEqual(getValueAt(own, path), value)) return true
  if (setting.decides === 'address')
    return typeof value === 'string' && trimAddress(value) === trimAddress(intent.base ?? '')
  if (setting.decides !== 'model' && setting.decides !== 'agentModel') return false
  return isPlanModel?.(value, intent.models) ?? (typeof value === 'string' && intent.models.includes(value))
}

const trimAddress = (address: string): string => address.trim().replace(/\/+$/, '')

function expandWildcards(settings: Json | undefined, path: readonly string[]): string[][] {
  const wildcardIndex = path.indexOf('*')
  if (wildcardIndex < 0) return [[...path]]
  const parent = getValueAt(settings, path.slice(0, wildcardIndex))
  const names = isJsonObject(parent) ? Object.keys(parent) : []
  return names.flatMap((name) =>
    expandWildcards(settings, [...path.slice(0, wildcardIndex), name, ...path.slice(wildcardIndex + 1)]),
  )
}

const maxFilesPerFolder = 500
const maxDepth = 4

/** Paths of a source's settings files, in every folder where the tool is started. */
export async function sourcePaths(
  { paths }: Pick<FileSource, 'paths'>,
  { environment, disk, workFolders = [] }: FileSearch,
): Promise<string[]> {
  const environments = [environment, ...workFolders.map((workFolder) => ({ ...environment, workFolder }))]
  const { basename, dirname, extname, join } = environment.platform === 'win32' ? win32 : posix
  const list = async (folder: string, extension: string, depth: number): Promise<string[]> => {
    const names = await disk.readdir(folder).catch(() => [])
    const entries = names.slice(0, maxFilesPerFolder).toSorted()
    const pathLists = await Promise.all(
      entries.map(async (name) => {
        if (extname(name) === extension) return [join(folder, name)]
        return depth > 0 && extname(name) === '' ? list(join(folder, name), extension, depth - 1) : []
      }),
    )
    return pathLists.flat()
  }
  const expandedPaths = await Promise.all(
    [...new Set(environments.flatMap(paths))].map(async (path) => {
      const pattern = basename(path)
      if (!pattern.startsWith('*')) return [path]
      const folder = dirname(path)
      const isRecursive = basename(folder) === '**'
      return list(isRecursive ? dirname(folder) : folder, extname(pattern), isRecursive ? maxDepth : 0)
    }),
  )
  return [...new Set(expandedPaths.flat())]
}

export function createOverriddenFailure(
  { id, name }: Pick<WrittenTarget, 'id' | 'name'>,
  { code, subject, path, origin, fix }: ToolWarning,
): Failure {
  const setting = [subject, path && `in ${path}`].filter(Boolean).join(' ')
  const remedy =
    fix === 'takeOut'
      ? `Run "companion configure ${id} --take-out ${subject}".`
      : origin === 'managed'
        ? 'Your organization manages that file: ask its administrator.'
        : origin === 'app' || origin === 'loginShell'
          ? 'Unset the variable in your shell profile.'
          : 'Remove it there.'
  const effect = effects[code]?.(name, setting) ?? `The setting ${setting} overrides the configuration of ${name}.`
  return { code: 'tool.overridden', message: `${effect} ${remedy}` }
}

const effects: Partial<Record<ToolWarning['code'], (name: string, setting: string) => string>> = {
  toolStops: (name, setting) => `${name} does not start with the setting ${setting}.`,
  keySentElsewhere: (name, setting) =>
    `The setting ${setting} sends the requests of ${name}, with your plan's key, to another address.`,
  foreignCredential: (_name, setting) => `${setting} sends another service's credential to your plan's gateway.`,
  agentModel: (_name, setting) => `The setting ${setting} names a model that your plan does not have.`,
}

/** Warns also of variables that only the login shell sets, because every new terminal has them. */
function variableWarnings(source: VariableSource, shell: Variables, environment: ToolEnvironment): ToolWarning[] {
  const { name, decides } = source
  const isInShell = isEffective(source, shell)
  if (!isInShell && !isEffective(source, environment.vars)) return []
  const code = decides === 'header' ? 'foreignCredential' : 'shellVariable'
  const warning = { code, subject: name, origin: isInShell ? 'loginShell' : 'app' } as const
  const { platform, vars } = environment
  if (platform === 'win32') return [{ ...warning, fix: 'copyLine', text: `Remove-Item Env:${name}` }]
  if (!isInShell) return [warning]
  const isFish = posix.basename(vars.SHELL ?? '') === 'fish'
  return [{ ...warning, fix: 'copyLine', text: isFish ? `set -e ${name}` : `unset ${name}` }]
}

const isEffective = ({ name, isHarmless }: VariableSource, variables: ToolEnvironment['vars']): boolean =>
  Boolean(variables[name]) && !isHarmless?.(variables[name] ?? '')

/** Unreadable or invalid files override nothing, and the tool itself reports them. */
async function parseSettings(path: string, { format }: FileSource, disk: Disk): Promise<Json | undefined> {
  const text = await readText(path, disk)
  if (text === undefined) return undefined
  if (format === 'markdown') return parseFrontMatter(text)
  const parsedDocument = editors[format].parse(text)
  return parsedDocument.ok ? parsedDocument.value : undefined
}

const readText = async (path: string, disk: Disk): Promise<string | undefined> =>
  decodeText(await readSnapshot(path, disk))

/** Tools accept descriptions of agents that are invalid YAML, such as `description: Use this: when`. */
function parseFrontMatter(text: string): Json {
  const frontMatterText = /^\uFEFF?---\r?\n(.*?)\r?\n---/s.exec(text)?.[1] ?? ''
  const parsedDocument = editors.yaml.parse(frontMatterText)
  if (parsedDocument.ok) return parsedDocument.value
  const lines = frontMatterText.matchAll(/^([\w-]+):[ \t]*["']?(.*?)["']?[ \t]*\r?$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value ?? '']))
}

type VariableFile = Pick<FileSource, 'origin' | 'paths'> & {
  readonly read: (text: string, environment: ToolEnvironment) => Variables
}

/** Files that set environment variables for terminals and programs: direnv, mise, VS Code and its forks, systemd. */
const variableFiles: readonly VariableFile[] = [
  { origin: 'project', paths: parentFiles('.envrc'), read: readAssignments },
  { origin: 'project', paths: parentFiles('mise.toml', '.mise.toml'), read: parseMiseVariables },
  { origin: 'project', paths: parentFiles('.vscode/settings.json', '*.code-workspace'), read: readTerminal },
  { origin: 'user', paths: editorSettings, read: readTerminal },
  {
    origin: 'user',
    paths: (env) => (env.platform === 'linux' ? [joinPath(env, env.home, '.config', 'environment.d', '*.conf')] : []),
    read: readAssignments,
  },
]

const editorNames = [
  'Code',
  'Code - Insiders',
  'Code - OSS',
  'VSCodium',
  'VSCodium - Insiders',
  'Cursor',
  'Windsurf',
  'Kiro',
  'Trae',
  'Antigravity',
  'Positron',
  'Void',
]
const editorFlatpaks = ['com.visualstudio.code', 'com.visualstudio.code.insiders', 'com.vscodium.codium']

function editorSettings(env: ToolEnvironment): string[] {
  const roots = [settingsFolder(env), ...editorFlatpaks.flatMap((id) => flatpakConfig(env, id) ?? [])]
  return roots.flatMap((root) =>
    editorNames.flatMap((name) => {
      const folder = joinPath(env, root, name, 'User')
      return [joinPath(env, folder, 'settings.json'), joinPath(env, folder, 'profiles', '**', '*.json')]
    }),
  )
}

const assignmentPattern = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;#]*))/gm

/** Reads lines such as `export NAME=value` without running a shell. */
function readAssignments(text: string): Variables {
  const matches = [...text.matchAll(assignmentPattern)]
  return Object.fromEntries(matches.map(([, name, quoted, literal, bare]) => [name, quoted ?? literal ?? bare ?? '']))
}

function parseMiseVariables(text: string): Variables {
  const parsedToml = editors.toml.parse(text)
  return parsedToml.ok ? listTexts(getValueAt(parsedToml.value, ['env'])) : {}
}

const terminalSetting = 'terminal.integrated.env.'
const systems: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows', darwin: 'osx' }

function readTerminal(text: string, { platform }: ToolEnvironment): Variables {
  const parsedJson = text.includes(terminalSetting) ? editors.jsonc.parse(text) : undefined
  if (!parsedJson?.ok) return {}
  const name = terminalSetting + (systems[platform] ?? 'linux')
  // A workspace file has its settings one level deeper.
  const settings = getValueAt(parsedJson.value, ['settings', name]) ?? getValueAt(parsedJson.value, [name])
  return listTexts(settings)
}

const listTexts = (value: Json | undefined): Variables =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, text]) =>
      text === null ? [] : [[name, String(text)]],
    ),
  )

const homeReference = /^~(?=\/|$)|\$HOME\b|\$\{(?:HOME|env:HOME|userHome)\}/g
const folderReference = /\$PWD\b|\$\{(?:PWD|workspaceFolder)\}|\$\(pwd\)|\{\{\s*config_root\s*\}\}/g

/** Parses the variables in the text of a variable file. `folder`: folder that contains the file. */
function readVariables(
  text: string,
  { read, folder }: Pick<VariableFile, 'read'> & { readonly folder: string },
  environment: ToolEnvironment,
): Variables {
  const expandReferences = (value: string): string =>
    value.replace(homeReference, () => environment.home).replace(folderReference, () => folder)
  return Object.fromEntries(
    Object.entries(read(text, environment)).map(([name, value]) => [name, expandReferences(value)]),
  )
}
