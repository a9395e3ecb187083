import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/** What decides where a tool's files are. Variables are those this app was started with, not those of every shell. */
export type ToolEnvironment = {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly exists: (path: string) => boolean
  /** With the settings of one project: its folder. */
  readonly project?: string
}

/** The environment of this machine, with the real file system behind `exists`. */
export function environmentOf(facts: Omit<ToolEnvironment, 'exists'>): ToolEnvironment {
  return { ...facts, exists: existsSync }
}

/** Joins path segments the way the environment's platform does. */
export function joinPath({ platform }: Pick<ToolEnvironment, 'platform'>, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}
