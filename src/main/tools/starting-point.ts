import { readSnapshot, type Snapshot } from './files'
import { type FileRecord, type Journal, readJournal } from './journal'
import type { Place } from './plan'
import { type Restoration, restorationsOf } from './restoration'
import type { TargetFile, WrittenTarget } from './target'

/** What applying starts from in one file: the file now, and what it would be without us. */
export type StartingFile = {
  readonly file: TargetFile
  readonly snapshot: Snapshot
  /** The file without us; undefined: no file. */
  readonly original: Uint8Array | undefined
  readonly originalMode: number | undefined
  /** True when `snapshot` may hold our settings. */
  readonly holdsOurs: boolean
  /** What we did to it before. */
  readonly record: FileRecord | undefined
  readonly restorations: readonly Restoration[]
  /** True when our settings are, wholly or also, in another file than the one to write now. */
  readonly isElsewhere: boolean
}

/** What applying starts from in all files of a tool. */
export type Start = {
  /** `journalHash` null: nothing was done before. */
  readonly journal: Journal | undefined
  readonly journalHash: string | null
  readonly files: readonly StartingFile[]
}

/** Reads where things stand, so that applying twice is applying once and a switch leaves nothing behind. */
export async function startingPointOf(target: WrittenTarget, place: Place): Promise<Start> {
  const { journal, hash: journalHash } = await readJournal(target.id, place)
  const files = await Promise.all(target.files.map((file) => startingFileOf(file, { target, journal }, place)))
  return { journal, journalHash, files: files.flatMap((file) => file ?? []) }
}

type Ground = { readonly target: WrittenTarget; readonly journal: Journal | undefined }

async function startingFileOf(
  file: TargetFile,
  { target, journal }: Ground,
  place: Place,
): Promise<StartingFile | undefined> {
  const path = file.path(place.environment)
  if (path === undefined) return undefined
  const snapshot = await readSnapshot(path, place.disk)
  const record = journal?.files.find(({ id }) => id === file.id)
  if (journal === undefined || record === undefined)
    return { file, snapshot, ...untouched(snapshot), record, restorations: [], isElsewhere: false }

  const restorations = await restorationsOf({ target, journal, record }, place)
  const here = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const touchedElsewhere = restorations.some((restoration) => restoration.touched && restoration !== here)
  const isElsewhere = touchedElsewhere || record.realPath !== snapshot.realPath
  return {
    file,
    snapshot,
    original: here?.bytes,
    originalMode: isElsewhere ? snapshot.mode : (modeWithoutUs(snapshot, record) ?? snapshot.mode),
    holdsOurs: here?.touched ?? false,
    record,
    restorations,
    isElsewhere,
  }
}

const untouched = (snapshot: Snapshot): Pick<StartingFile, 'original' | 'originalMode' | 'holdsOurs'> => ({
  original: snapshot.bytes,
  originalMode: snapshot.mode,
  holdsOurs: false,
})

function modeWithoutUs({ mode }: Snapshot, record: FileRecord): number | undefined {
  return mode === undefined || mode === record.writtenMode ? record.mode : mode
}
