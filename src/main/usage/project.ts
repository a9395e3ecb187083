import { hash } from 'node:crypto'
import type { MethodInput } from '@shared/contract'
import type { UsageFilter, UsageShare } from '@shared/contract/usage'
import { AppError } from '@shared/failure'

const digestLength = 12
const maxNameLength = 100

/** Id of a project folder: digest of the parent, and the name, never the full path. Undefined for a root folder. */
export function toProjectId(folder: string): string | undefined {
  const path = folder.startsWith('file:') ? readFileUrl(folder) : folder
  const isWindows = /^[a-z]:[\\/]|^\\\\/i.test(path)
  if (!isWindows && !path.startsWith('/')) return undefined
  const segments = path.split(isWindows ? /[\\/]+/ : /\/+/).filter((segment) => segment !== '')
  const name = segments.pop()
  if (name === undefined || (isWindows && segments.length === 0)) return undefined
  const parent = segments.join('/')
  // Windows ignores case in paths, and tools differ in the case of the drive letter.
  const digest = hash('sha256', isWindows ? parent.toLowerCase() : parent).slice(0, digestLength)
  return `${digest}/${name.slice(0, maxNameLength)}`
}

export const toProjectName = (projectId: string): string => projectId.slice(projectId.indexOf('/') + 1)

/** Returns the names by id. Names of several projects get a part of the digest. */
export function toProjectNames(projectIds: readonly string[]): ReadonlyMap<string, string> {
  const names = projectIds.map(toProjectName)
  const isUnique = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name)
  return new Map(
    projectIds.map((id) => {
      const name = toProjectName(id)
      return [id, isUnique(name) ? name : `${name} (${id.slice(0, 4)})`]
    }),
  )
}

/**
 * Restricts a filter to a project, given by name or id. Fails with `input.invalid` if no project or several projects in
 * the period have the name.
 */
export async function filterByProject(
  usage: { shares(query: MethodInput<'usage.shares'>): Promise<readonly UsageShare[]> },
  filter: UsageFilter,
  nameOrId: string,
): Promise<UsageFilter> {
  const { scope, from, to } = filter
  const shares = await usage.shares({ filter: { scope, from, to }, by: 'project' })
  const projects = shares.filter(({ id }) => id !== '')
  const matches = projects.filter(({ id, name }) => [id, name, toProjectName(id)].includes(nameOrId))
  const [match] = matches
  if (match && matches.length === 1) return { ...filter, projectId: match.id }
  const listNames = (projectShares: typeof projects): string =>
    projectShares.map(({ id, name }) => name ?? id).join(', ')
  const message = match
    ? `${matches.length} projects are named ${nameOrId}: ${listNames(matches)}.`
    : `No usage of project ${nameOrId} in this period. Known projects: ${listNames(projects) || 'none'}.`
  throw new AppError('input.invalid', message, { field: 'project' })
}

/** Path of a file URL such as `file:///c%3A/code`. Empty if invalid. */
function readFileUrl(url: string): string {
  try {
    const path = decodeURIComponent(new URL(url).pathname)
    return /^\/[a-z]:/i.test(path) ? path.slice(1) : path
  } catch {
    return ''
  }
}
