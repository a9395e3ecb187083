import { sep } from 'node:path'
import type { StartingFile } from './starting-point'

/** The missing folders, and those that undoing an earlier apply removes on the way; outermost first. */
export function foldersToMake({ snapshot, record }: StartingFile, missing: readonly string[]): string[] {
  const ours = record?.createdFolders.filter((folder) => snapshot.realPath.startsWith(folder + sep)) ?? []
  return [...new Set([...ours, ...missing])].sort((a, b) => a.length - b.length)
}
