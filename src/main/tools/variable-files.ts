import { joinPath, listParentFolders, startFolder, type ToolEnvironment } from '../core/environment'
import { editors } from './editors'
import { getValueAt, isJsonObject, type Json } from './editors/editor'
import type { Variables } from './login-shell'
import type { ConflictSource } from './target'
import { flatpakConfig, settingsFolder } from './targets/shared'

type VariableFile = Pick<Extract<ConflictSource, { kind: 'file' }>, 'origin' | 'paths'> & {
  readonly read: (text: string, environment: ToolEnvironment) => Variables
}

/** Files that set environment variables for terminals and programs: direnv, mise, VS Code and its forks, systemd. */
export const variableFiles: readonly VariableFile[] = [
  { origin: 'project', paths: listPathsFromStartFolder('.envrc'), read: readAssignments },
  { origin: 'project', paths: listPathsFromStartFolder('mise.toml', '.mise.toml'), read: parseMiseVariables },
  {
    origin: 'project',
    paths: listPathsFromStartFolder('.vscode/settings.json', '*.code-workspace'),
    read: readTerminal,
  },
  { origin: 'user', paths: editorSettings, read: readTerminal },
  {
    origin: 'user',
    paths: (env) => (env.platform === 'linux' ? [joinPath(env, env.home, '.config', 'environment.d', '*.conf')] : []),
    read: readAssignments,
  },
]

function listPathsFromStartFolder(...names: readonly string[]) {
  return (env: ToolEnvironment): string[] =>
    listParentFolders(env, startFolder(env)).flatMap((folder) => names.map((name) => joinPath(env, folder, name)))
}

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
export function readVariables(
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
