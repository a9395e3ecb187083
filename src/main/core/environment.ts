import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { Site } from '@shared/contract/tools'
import type { Disk } from './files/disk'

/** Location of the files of tools. A shell may have other variables than this process. */
export type ToolEnvironment = {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly exists: (path: string) => boolean
  readonly project?: string
  /** Folder in which the tool is started. Files in this folder may override the user's settings. */
  readonly workFolder?: string
}

export type EngineContext = {
  readonly site: Site
  readonly environment: ToolEnvironment
  readonly dataDir: string
  readonly disk: Disk
  readonly clock: () => Date
}

/** The local environment with the real file system. */
export function createEnvironment(facts: Omit<ToolEnvironment, 'exists'>): ToolEnvironment {
  return { ...facts, exists: existsSync }
}

/** Joins path parts with the separator of the environment's platform. */
export function joinPath({ platform }: Pick<ToolEnvironment, 'platform'>, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}

export const startFolder = ({ project, workFolder }: ToolEnvironment): string | undefined => project ?? workFolder

/** Maximum number of parent folders to search. */
const maxParents = 50

/** A folder and its parents up to the Git root or file system root. Innermost first. */
export function listParentFolders(environment: ToolEnvironment, innermostFolder: string | undefined): string[] {
  if (innermostFolder === undefined) return []
  const { dirname } = environment.platform === 'win32' ? win32 : posix
  const folders: string[] = []
  let folder = innermostFolder
  while (folders.length < maxParents) {
    folders.push(folder)
    const parent = dirname(folder)
    if (parent === folder || environment.exists(joinPath(environment, folder, '.git'))) break
    folder = parent
  }
  return folders
}

/** Quotes a command for the shell that tools use: sh, or cmd on Windows. */
export function shellQuote(argv: readonly string[], platform: NodeJS.Platform): string {
  return argv.map(platform === 'win32' ? quoteForCmd : quoteForSh).join(' ')
}

/** Quotes a word for a POSIX shell. */
export function quoteForSh(argument: string): string {
  if (/^[\w@%+:,./-]+$/.test(argument)) return argument
  return `'${argument.replaceAll("'", `'\\''`)}'`
}

/** Places percent signs after a caret outside quotes, because cmd expands variables inside quotes. */
function quoteForCmd(argument: string): string {
  if (/^[\w@+=:,./\\-]+$/.test(argument)) return argument
  // In Windows argument parsing, backslashes only escape before a quote.
  const quote = (text: string): string => `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return argument.split('%').map(quote).join('^%')
}

export function absolutePath({ platform }: ToolEnvironment, path: string | undefined): string | undefined {
  const { isAbsolute } = platform === 'win32' ? win32 : posix
  return path !== undefined && isAbsolute(path) ? path : undefined
}
