import { readSnapshot, type Snapshot } from './files'
import { type Journal, readJournal } from './journal'
import type { Place } from './plan'
import { type Restoration, restorationsOf } from './restoration'
import type { Target } from './target'

/** What applying starts from: the tool's file now, and what it would be without us. */
export type StartingPoint = {
  readonly snapshot: Snapshot
  /** The file without us; undefined: no file. */
  readonly original: Uint8Array | undefined
  readonly originalMode: number | undefined
  /** True when `snapshot` may hold our settings. */
  readonly holdsOurs: boolean
  /** What we did before, and to which files; `journalHash` null: nothing. */
  readonly journal: Journal | undefined
  readonly journalHash: string | null
  readonly restorations: readonly Restoration[]
  /** True when our settings are, wholly or also, in another file than the one to write now. */
  readonly isElsewhere: boolean
}

/** Reads where things stand, so that applying twice is applying once and a switch leaves nothing behind. */
export async function startingPointOf(target: Target, place: Place): Promise<StartingPoint> {
  const { journal, hash: journalHash } = await readJournal(target.id, place)
  const snapshot = await readSnapshot(target.file(place.environment), place.disk)
  const facts = { journal, journalHash, snapshot }
  if (journal === undefined) return { ...facts, ...untouched(snapshot), restorations: [], isElsewhere: false }

  const restorations = await restorationsOf(target, journal, place)
  const here = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const touchedElsewhere = restorations.some((restoration) => restoration.touched && restoration !== here)
  const isElsewhere = touchedElsewhere || journal.realPath !== snapshot.realPath
  return {
    ...facts,
    original: here?.bytes,
    originalMode: isElsewhere ? snapshot.mode : (modeWithoutUs(snapshot, journal) ?? snapshot.mode),
    holdsOurs: here?.touched ?? false,
    restorations,
    isElsewhere,
  }
}

const untouched = (snapshot: Snapshot): Pick<StartingPoint, 'original' | 'originalMode' | 'holdsOurs'> => ({
  original: snapshot.bytes,
  originalMode: snapshot.mode,
  holdsOurs: false,
})

function modeWithoutUs({ mode }: Snapshot, journal: Journal): number | undefined {
  return mode === undefined || mode === journal.writtenMode ? journal.mode : mode
}
