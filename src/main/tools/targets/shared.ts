import { absolutePath, joinPath, shellQuote, type ToolEnvironment } from '../../core/environment'
import { Secret } from '../../core/secret'
import type { Json } from '../editors/editor'
import type { DecidingSetting, FoundCredential, ShellVariable, TargetInput } from '../target'

/** Settings that decide the same thing. */
export const deciding = (
  decides: DecidingSetting['decides'],
  ...paths: readonly (readonly string[])[]
): DecidingSetting[] => paths.map((path) => ({ path, decides }))

/** Files of the project where a tool is started, for a tool that is configured in this user's home. */
export const projectFiles =
  (...names: readonly string[]) =>
  ({ project, workFolder, ...environment }: ToolEnvironment): string[] =>
    project === undefined && workFolder !== undefined
      ? names.map((name) => joinPath(environment, workFolder, name))
      : []

/** The paths that a platform or a place has. */
export const listed = (...paths: readonly (string | undefined)[]): string[] => paths.flatMap((path) => path ?? [])

/** A setting's text; undefined when it is missing, blank or no text. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A key that stands in a file in plain text; undefined when no request could carry it. */
export function plainCredential(value: string | undefined): FoundCredential | undefined {
  if (value === undefined) return undefined
  try {
    return { kind: 'plain', text: new Secret(value) }
  } catch {
    return undefined
  }
}

/** The model code of a slot; the main one's where a target was given none. */
export function slotModel({ slots, modelCode }: Pick<TargetInput, 'slots' | 'modelCode'>, id: string): string {
  return slots[id] ?? modelCode
}

/** Where programs of this platform keep their settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
export function settingsFolder(environment: ToolEnvironment): string {
  const { platform, home, vars } = environment
  if (platform === 'win32') return vars.APPDATA || joinPath(environment, home, 'AppData', 'Roaming')
  if (platform === 'darwin') return joinPath(environment, home, 'Library', 'Application Support')
  return xdgConfigFolder(environment)
}

/** `~/.config` or what stands in for it, for tools that keep to it on every Unix; a relative one does not count. */
export function xdgConfigFolder(environment: ToolEnvironment): string {
  return (
    absolutePath(environment, environment.vars.XDG_CONFIG_HOME) ?? joinPath(environment, environment.home, '.config')
  )
}

/** Where a Flatpak keeps its settings, once it was started. */
export function flatpakConfig(environment: ToolEnvironment, id: string): string | undefined {
  const folder = joinPath(environment, environment.home, '.var', 'app', id)
  return environment.platform === 'linux' && environment.exists(folder)
    ? joinPath(environment, folder, 'config')
    : undefined
}

/** `%LOCALAPPDATA%`: what Windows programs keep on this machine alone. */
export function localFolder(environment: ToolEnvironment): string {
  return environment.vars.LOCALAPPDATA || joinPath(environment, environment.home, 'AppData', 'Local')
}

const MOST_OUTPUT_TOKENS = 8192

/** How long an answer may be, in tokens, so that a question of some length fits a model's window beside it. */
export function outputTokens(contextTokens: number): number {
  return Math.min(MOST_OUTPUT_TOKENS, Math.floor(contextTokens / 2))
}

/** Every model code to offer in a tool, each once: the chosen one, those of the slots, the rest of the plan. */
export function modelCodes({
  modelCode,
  slots,
  models,
}: Pick<TargetInput, 'modelCode' | 'slots' | 'models'>): string[] {
  return [...new Set([modelCode, ...Object.values(slots), ...models])]
}

/** What a small program of ours sets and takes out before it starts another one. */
type LauncherScript = {
  readonly comment: string
  readonly unset?: readonly string[]
  /** Variables without a value are left to the shell. */
  readonly variables?: readonly ShellVariable[]
  /** The command line that it becomes, written for the platform's shell. */
  readonly command: string
}

/** The program's text: a shell script, or a command file on Windows. Variables are read back by `launcherVariables`. */
export function launcherScript(script: LauncherScript, platform: NodeJS.Platform): string {
  const { comment, unset = [], variables = [], command } = script
  const set = variables.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
  if (platform !== 'win32') {
    const silenced = unset.length === 0 ? [] : [`unset ${unset.join(' ')}`]
    const exported = set.map(({ name, value }) => `export ${name}=${shellQuote([value], platform)}`)
    return lines(['#!/bin/sh', `# ${comment}`, ...silenced, ...exported, `exec ${command}`], '\n')
  }
  const silenced = unset.map((name) => `set "${name}="`)
  const exported = set.map(({ name, value }) => `set "${name}=${cmdValue(value)}"`)
  // Paths hold letters that no old code page has.
  return lines(
    ['@echo off', `rem ${comment}`, 'chcp 65001 >nul', 'setlocal', ...silenced, ...exported, command],
    '\r\n',
  )
}

/** The variables that a text of `launcherScript` sets, for either platform. */
export function launcherVariables(text: string): Readonly<Record<string, string>> {
  const exported = [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', word = '']) => [name, unquoted(word)])
  const set = [...text.matchAll(/^set "(\w+)=(.+)"\r?$/gm)].map(([, name = '', value = '']) => [
    name,
    unescapeCmd(value),
  ])
  return Object.fromEntries([...exported, ...set])
}

const lines = (all: readonly string[], end: string): string => all.map((line) => line + end).join('')

const unquoted = (word: string): string => (word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word)

/** Within `set "NAME=value"` a value's own quotes end and begin the outer ones: what is between them needs carets. */
function cmdValue(value: string): string {
  return outsideOfQuotes(value, (part) => part.replace(/[&|<>^]/g, '^$&')).replaceAll('%', '%%')
}

function unescapeCmd(value: string): string {
  return outsideOfQuotes(value.replaceAll('%%', '%'), (part) => part.replace(/\^(.)/g, '$1'))
}

function outsideOfQuotes(value: string, change: (part: string) => string): string {
  const parts = value.split('"')
  return parts.map((part, index) => (index % 2 === 0 ? part : change(part))).join('"')
}
