import type { ToolStatus } from '@shared/contract/tools'
import { AppError, type Failure } from '@shared/failure'
import { inputOf, type ToolRequest } from './apply'
import { parseJson } from './editors/json'
import type { Json } from './editors/json-value'
import { refusalOf } from './file-errors'
import { readSnapshot, type Snapshot, textOf } from './files'
import { digestOf, type Journal, type OwnedSetting, readJournal } from './journal'
import { dotted, holdsOurs, isAsWritten, ownedSettings } from './owned'
import type { Place } from './plan'
import { keyContent, openEdits } from './reveal'
import type { FoundSettings, Target } from './target'

/** How a tool's files stand. With status `absent`, a `journal` is what is left of something that was undone by hand. */
export type ToolState = {
  readonly status: ToolStatus
  /** The settings that are not as they should be. */
  readonly drift: readonly string[]
  readonly problem?: Failure
  readonly journal?: Journal
  /** The settings file. */
  readonly file: string
}

/** How a tool's files stand against what was written, and against `expected` (its plan as it is now). */
export async function toolStatus(target: Target, expected: ToolRequest | undefined, place: Place): Promise<ToolState> {
  const file = target.file(place.environment)
  try {
    const { journal } = await readJournal(target.id, place)
    const settings = await readSettings(target, file, place)
    if (journal === undefined) return { ...withoutJournal(settings), drift: [], file }
    if (settings.problem) return { status: 'unreadable', drift: [], problem: settings.problem, journal, file }
    const comparison = { target, journal, settings, expected }
    const drift = isGone(comparison) ? await driftElsewhere(comparison, place) : await driftOf(comparison, place)
    if (drift === 'absent') return { status: 'absent', drift: [], journal, file }
    return { status: drift.length === 0 ? 'configured' : 'drifted', drift, journal, file }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { status: 'unreadable', drift: [], problem: error.failure, file }
  }
}

/** The address, model and way to the key that a tool's file gives it now. Throws where the tool could not read it. */
export async function readTool(target: Target, place: Place): Promise<FoundSettings> {
  const file = target.file(place.environment)
  const { current, problem } = await readSettings(target, file, place)
  if (problem !== undefined) throw new AppError(problem.code, problem.message, problem)
  return target.readBack(current)
}

type Settings = { readonly snapshot: Snapshot; readonly current: Json; readonly problem?: Failure }

async function readSettings({ format }: Target, file: string, { disk }: Place): Promise<Settings> {
  const snapshot = await readSnapshot(file, disk)
  const parsed = parseJson(textOf(snapshot) ?? '', { strict: format === 'json' })
  if (parsed.ok) return { snapshot, current: parsed.value }
  return { snapshot, current: {}, problem: refusalOf(parsed.error, file).failure }
}

function withoutJournal({ problem }: Settings): Pick<ToolState, 'status' | 'problem'> {
  if (problem === undefined) return { status: 'absent' }
  return { status: problem.code === 'file.notStrict' ? 'absent' : 'unreadable', problem }
}

type Comparison = {
  readonly target: Target
  readonly journal: Journal
  readonly settings: Settings
  readonly expected: ToolRequest | undefined
}

/** True when the file is what it was without us, or nothing that we wrote is left in it. */
function isGone({ journal, settings: { snapshot, current } }: Comparison): boolean {
  if (snapshot.hash === undefined || snapshot.hash === journal.backup?.hash) return true
  return !journal.owned.some((setting) => setting.digest !== undefined && isAsWritten(setting, current, journal.salt))
}

/** Settings that are still in the file we wrote, while the tool would be given another one now. */
async function driftElsewhere({ target, journal, settings }: Comparison, place: Place): Promise<string[] | 'absent'> {
  if (settings.snapshot.realPath === journal.realPath) return 'absent'
  const { current } = await readSettings(target, journal.realPath, place)
  return holdsOurs(journal.owned, current, journal.salt) ? [journal.path] : 'absent'
}

async function driftOf(comparison: Comparison, place: Place): Promise<string[]> {
  const { owned, salt, keyFiles } = comparison.journal
  const { expected, settings } = comparison
  const { current } = settings
  const drifted = owned.filter((setting) => !isAsWritten(setting, current, salt))
  const credential = owned.filter(({ role }) => role === 'credential')
  const key = expected?.key && digestOf(keyContent(expected.key).hash, salt)
  const areKeysRight = await Promise.all(
    keyFiles.map(({ path, digest }) => isKeyIn(path, { digests: [digest, key], salt }, place)),
  )
  return [
    ...new Set(
      [...drifted, ...outdated(comparison, place), ...(areKeysRight.includes(false) ? credential : [])].map(dotted),
    ),
  ]
}

/** What the plan as it is now wants otherwise, or no longer. A key that is not known here is not compared. */
function outdated({ target, journal, settings: { current }, expected }: Comparison, place: Place): OwnedSetting[] {
  if (expected === undefined) return []
  const settingsFor = (settings: Json): OwnedSetting[] =>
    ownedSettings(openEdits(target.edits(inputOf(target, expected, place), settings)), journal.salt)
  const isUnknown = ({ role, digest }: OwnedSetting): boolean => role === 'credential' && digest === undefined
  const wanted = settingsFor(current).filter((setting) => !isUnknown(setting))
  const known = new Set(settingsFor({}).map(dotted))
  return [
    ...wanted.filter((setting) => !isAsWritten(setting, current, journal.salt)),
    ...journal.owned.filter((setting) => !known.has(dotted(setting))),
  ]
}

type KeyDigests = { readonly digests: readonly (string | undefined)[]; readonly salt: string }

/** True when a file holds the key that was written and that is wanted now, as far as these are known. */
async function isKeyIn(path: string, { digests, salt }: KeyDigests, { disk }: Place): Promise<boolean> {
  const { hash } = await readSnapshot(path, disk)
  const found = hash === undefined ? undefined : digestOf(hash, salt)
  return digests.every((digest) => digest === undefined || digest === found)
}
