import type { Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Place } from '../tools/plan'
import { userSite } from '../tools/sites'
import type { WrittenTarget } from '../tools/target'

/** Where the engine works on this machine, and the homes of the Linux distributions that Windows runs. */
export interface Machine {
  readonly place: Omit<Place, 'site'>
  readonly distributions: {
    list(): Promise<readonly string[]>
    /** The surroundings and the disk of one. Fails where it does not run. */
    open(distribution: string): Promise<Pick<Place, 'environment' | 'disk'>>
  }
}

/** The place of a site. A folder that is not there is `input.invalid`. */
export async function placeOf({ place, distributions }: Machine, site: Site = userSite): Promise<Place> {
  if (site.kind === 'user') return { ...place, site }
  if (site.kind === 'wsl') return { ...place, ...(await distributions.open(site.distribution)), site }
  if (!place.environment.exists(site.folder))
    throw new AppError('input.invalid', `There is no folder ${site.folder}. Choose the project again.`, {
      field: 'site',
    })
  return { ...place, environment: { ...place.environment, project: site.folder }, site }
}

/** Refuses a site whose settings a tool does not read. */
export function requireSite({ name, sites }: WrittenTarget, { kind }: Site): void {
  if (!sites.includes(kind)) throw new AppError('input.invalid', `${name} reads no settings there.`, { field: 'site' })
}
