import { AppError } from '@shared/failure'
import { readSnapshot } from './files'
import { journalPath, readJournal } from './journal'
import type { Place, Step, ToolPlan } from './plan'
import { preconditionOf } from './restore'
import type { WrittenTarget } from './target'

/** Decides how this app forgets that it wrote a tool's files, which stay as they are. */
export async function planLetGo(target: WrittenTarget, place: Place): Promise<ToolPlan> {
  const { journal, hash } = await readJournal(target.id, place)
  if (journal === undefined)
    throw new AppError(
      'tool.notConfigured',
      `${target.name} is not configured by this app, so there is nothing to forget.`,
    )
  const snapshots = await Promise.all(journal.files.map(({ realPath }) => readSnapshot(realPath, place.disk)))
  const texts = snapshots.map(({ bytes }) => Buffer.from(bytes ?? '').toString())
  const isReferred = (path: string): boolean =>
    texts.some((text) => text.includes(path) || text.includes(path.replaceAll('\\', '/')))
  const unused = journal.keyFiles.filter(({ path }) => !isReferred(path))
  const path = journalPath(target.id, place)
  return {
    kind: 'letGo',
    toolId: target.id,
    place,
    files: [],
    warnings: [],
    preconditions: [{ path, realPath: path, hash }, ...snapshots.map(preconditionOf)],
    steps: [{ kind: 'remove', path }],
    tidying: unused.map((file): Step => ({ kind: 'remove', path: file.path })),
    past: { journal, next: undefined, files: [], newFolders: [], newKeyFiles: [] },
  }
}
