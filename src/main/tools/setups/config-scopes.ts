import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../../core/consent/consent'
import type { EngineContext } from '../../core/environment'
import type { Disk } from '../../core/files/disk'
import { userSite, type WrittenTarget } from '../target'
import { parseDistributions, runWsl, wslDisk, wslEnvironment } from '../wsl'

/** Environment of this computer, and of its WSL distributions. */
export interface SetupEnvironment {
  readonly place: Omit<EngineContext, 'site'>
  /** Requires that the user approved a project. Fails with `input.declined`. Default: every project is allowed. */
  readonly requireProject?: (folder: string) => Promise<void>
  readonly distributions: {
    list(): Promise<readonly string[]>
    /** Starts a WSL distribution and returns its environment and disk. Fails if the distribution cannot run. */
    open(distribution: string): Promise<Pick<EngineContext, 'environment' | 'disk'>>
  }
}

/** Finds the environment of a scope (user, project or WSL). Fails with `input.invalid` if the folder does not exist. */
export async function findContext(
  { place, requireProject, distributions }: SetupEnvironment,
  site: Site = userSite,
): Promise<EngineContext> {
  if (site.kind === 'user') return { ...place, site }
  if (site.kind === 'wsl') return { ...place, ...(await distributions.open(site.distribution)), site }
  await requireProject?.(site.folder)
  if (!place.environment.exists(site.folder)) {
    const message = `There is no folder ${site.folder}. Choose the project again.`
    throw new AppError('input.invalid', message, { field: 'site' })
  }
  return { ...place, environment: { ...place.environment, project: site.folder }, site }
}

/** Project folders that this app may read and write: chosen in the system's dialog, written before, or approved. */
export function createProjectFolders(deps: {
  readonly confirm: Confirm
  readonly isWritten: (folder: string) => Promise<boolean>
}) {
  const allowed = new Set<string>()
  return {
    allow: (folder: string): void => void allowed.add(folder),
    /** Asks the user to approve a project that is not allowed yet. Fails with `input.declined`. */
    async require(folder: string): Promise<void> {
      if (allowed.has(folder) || (await deps.isWritten(folder))) return
      await requireConsent(deps.confirm, { kind: 'useFolder', folder })
      allowed.add(folder)
    },
  }
}

/** Rejects a scope (user, project or WSL) in which the tool reads no settings. */
export function requireSite({ name, sites }: WrittenTarget, { kind }: Site): void {
  if (!sites.includes(kind))
    throw new AppError('input.invalid', `${name} has no settings in this scope.`, { field: 'site' })
}

/** The Linux distributions of this computer. Empty on other systems, or without the Windows subsystem. */
export function createDistributions(platform: NodeJS.Platform, disk: Disk): SetupEnvironment['distributions'] {
  const list = async (): Promise<readonly string[]> => {
    if (platform !== 'win32') return []
    return parseDistributions(await runWsl(['--list', '--verbose']).catch(() => new Uint8Array()))
  }
  return {
    list,
    async open(distribution) {
      // Check that the distribution exists, because `open` would start it.
      if (!(await list()).includes(distribution))
        throw new AppError('input.invalid', `There is no distribution ${distribution}.`, { field: 'site' })
      const mark = randomBytes(16).toString('hex')
      const environment = await wslEnvironment(distribution, { run: runWsl, exists: existsSync, mark })
      return { environment, disk: wslDisk(distribution, disk, runWsl) }
    },
  }
}
