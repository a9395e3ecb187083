import { resolve } from 'node:path'
import type { Site } from '@shared/contract'
import { type Command, Option } from 'commander'

/** The options that say where settings are; none: this user's home. */
export interface SiteOptions {
  readonly project?: string
  readonly wsl?: string
}

/** Adds them. */
export function addSiteOptions(command: Command): Command {
  return command
    .addOption(new Option('--project <folder>', "a project's settings in place of the user's").conflicts('wsl'))
    .option('--wsl <distribution>', "the user's settings in a Linux distribution on Windows")
}

/** The site that they name; a folder is taken from where the command runs. */
export function siteOf({ project, wsl }: SiteOptions): Site {
  if (project !== undefined) return { kind: 'project', folder: resolve(project) }
  return wsl === undefined ? { kind: 'user' } : { kind: 'wsl', distribution: wsl }
}
