import { createHash } from 'node:crypto'
import type { Site } from '@shared/contract/tools'

/** This user's home. */
export const userSite: Site = { kind: 'user' }

/** Names a tool at a site in file names: the tool alone for this user's home. */
export function setupIdOf(toolId: string, site: Site): string {
  if (site.kind === 'user') return toolId
  const where = site.kind === 'project' ? site.folder : site.distribution
  return `${toolId}@${site.kind}-${createHash('sha256').update(where).digest('hex').slice(0, 12)}`
}

/** True when both are the same place. */
export function sameSite(a: Site, b: Site): boolean {
  return setupIdOf('', a) === setupIdOf('', b)
}
