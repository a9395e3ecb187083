import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** What to look at for a list of paths, as things stand on the disk. */
export type Sight = {
  /** The folders to begin at: for each path the one above the nearest that exists. */
  readonly roots: readonly string[]
  /** True for a path, and for every folder above one. */
  leadsOn(path: string): boolean
  /** True for what lies directly in a folder that was asked for. */
  isInFolder(path: string): boolean
  /** The paths, as they were asked for, that this one leads to or that is one of them. */
  namesAt(path: string): readonly string[]
  /** The same as long as the same files are behind the paths. */
  readonly key: string
}

/** What to look at for these files and folders. A symbolic link counts with the file it leads to. */
export function sightOf(paths: readonly string[], watchedFolders: readonly string[]): Sight {
  const asked = [...paths, ...watchedFolders]
  const places = asked.flatMap((name) => bothPaths(name).map((at) => ({ at, name })))
  const folders = new Set(watchedFolders.flatMap(bothPaths))
  const onTheWay = new Set(places.flatMap(({ at }) => withParents(at)))
  const isInFolder = (path: string): boolean => folders.has(dirname(path)) && !isTemporary(path)
  const namesBelow = (path: string): string[] =>
    places.filter(({ at }) => withParents(at).includes(path)).map(({ name }) => name)
  return {
    // One above: that a folder is gone itself is seen from there only.
    roots: outermost(places.map(({ at }) => dirname(nearestFolder(dirname(at))))),
    leadsOn: (path) => onTheWay.has(path),
    isInFolder,
    namesAt: (path) => (isInFolder(path) ? [path] : namesBelow(path)),
    key: places.map(({ at }) => at).join('\0'),
  }
}

const bothPaths = (path: string): string[] => [...new Set([resolve(path), realPathOf(resolve(path))])]

/** What the engine writes beside a file before it takes its place. */
const isTemporary = (path: string): boolean => basename(path).endsWith('.companion-tmp')

/** Where the links on the way lead, as far as there is something: a program may replace the file there. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path))
  }
}

function withParents(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]
}

function nearestFolder(path: string): string {
  return isFolder(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Without those that lie in another: it leads on to them. */
function outermost(folders: readonly string[]): string[] {
  const all = new Set(folders)
  return [...all].filter((folder) => !withParents(folder).some((above) => above !== folder && all.has(above)))
}
