import { readFile } from 'node:fs/promises'
import type { FoundFile } from './find-files'
import type { Portion, Position } from './position'
import type { FileLog, Reading } from './tool-log'

/** A longer file is counted and left out. */
const longestFileBytes = 64_000_000

/**
 * Reads a file that its tool wrote anew. An answer without a time is told once, at the time when the file was written; a
 * file that cannot be understood may be half written and is read again when it changes. Fails as reading a file does.
 */
export async function* readWholeFile(log: FileLog, file: FoundFile, before: Position): AsyncGenerator<Portion> {
  const { path, name, size, mtimeMs } = file
  const reading = size > longestFileBytes ? undefined : readingOf(await readFile(path, 'utf8'), name, log)
  const notUnderstood = reading === undefined ? 1 : 0
  const told = new Set(before.known)
  const fresh = (reading ?? []).filter(({ id, at }) => at !== undefined || !told.has(id))
  const known = reading?.filter(({ at }) => at === undefined).map(({ id }) => id) ?? before.known
  const answers = fresh.map((answer) => ({ ...answer, at: answer.at ?? mtimeMs }))
  yield { answers, position: { ...before, size, mtimeMs, known, notUnderstood } }
}

function readingOf(text: string, name: string, log: FileLog): Reading {
  try {
    return log.read(JSON.parse(text), name)
  } catch {
    return undefined
  }
}
