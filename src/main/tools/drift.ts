import type { DriftEntry } from '@shared/contract/tools'
import { inputOf, type ToolRequest } from './apply'
import { type Json, valueAt } from './editors/json-value'
import type { EngineContext, ToolEnvironment } from './environment'
import { type Journal, type OwnedSetting, readJournal } from './journal'
import { foundAt, isAsWritten, named, nameOf, type OwnedEdit, openEdits, ownedSettings } from './owned-settings'
import { maskSecrets } from './secret-masking'
import { type ReadFile, readFiles } from './status'
import type { WrittenTarget } from './target'

/** What the settings are compared with: the plan as it is now, and as it was chosen. */
export type DriftGround = { readonly expected: ToolRequest | undefined; readonly asChosen: ToolRequest | undefined }

/** Every setting that is ours, how it was written, how it stands and how it is wanted; values masked. */
export async function driftEntries(
  target: WrittenTarget,
  { expected, asChosen }: DriftGround,
  place: EngineContext,
): Promise<DriftEntry[]> {
  const { journal } = await readJournal(target.id, place)
  if (journal === undefined) return []
  const read = await readFiles(target, place)
  return journal.files.flatMap((record) => {
    const file = read.find(({ id }) => id === record.id)
    const ground = { target, journal, file, id: record.id, environment: place.environment }
    const wanted = editsFor(expected, ground)
    const chosen = editsFor(asChosen, ground)
    return record.owned.flatMap((setting): DriftEntry[] => {
      if (setting.member !== undefined || setting.isVolatile) return []
      const values = { found: foundAt(file?.current ?? {}, setting), wanted: valueIn(wanted, setting) }
      const written = writtenValue(setting, [values.found, values.wanted, valueIn(chosen, setting)], journal.salt)
      return [
        entryOf({ setting, id: record.id, path: record.path }, { ...values, written }, isSame(setting, file, journal)),
      ]
    })
  })
}

type FileGround = {
  readonly target: WrittenTarget
  readonly journal: Journal
  readonly file: ReadFile | undefined
  readonly id: string
  readonly environment: ToolEnvironment
}

function editsFor(
  request: ToolRequest | undefined,
  { target, journal, file, id, environment }: FileGround,
): readonly OwnedEdit[] {
  const edits = target.files.find((each) => each.id === id)?.edits
  if (request === undefined || edits === undefined) return []
  return openEdits(edits(inputOf(target, request, journal.keyFiles[0]?.path), file?.current ?? {}, environment))
}

function valueIn(edits: readonly OwnedEdit[], setting: OwnedSetting): Json | undefined {
  const edit = edits.find((each) => nameOf(named(each), '') === nameOf(setting, ''))
  return edit !== undefined && 'value' in edit ? edit.value : undefined
}

/** The value whose digest was noted, among those it may have been; only digests are kept. */
function writtenValue(
  setting: OwnedSetting,
  candidates: readonly (Json | undefined)[],
  salt: string,
): Json | undefined {
  if (setting.digest === undefined) return undefined
  const place = setting.element ? { path: setting.path, element: setting.element } : { path: setting.path }
  return candidates.find(
    (value) => value !== undefined && ownedSettings([{ ...place, value }], salt)[0]?.digest === setting.digest,
  )
}

const isSame = (setting: OwnedSetting, file: ReadFile | undefined, { salt }: Journal): boolean =>
  isAsWritten(setting, file?.current ?? {}, salt)

type Values = {
  readonly found: Json | undefined
  readonly wanted: Json | undefined
  readonly written: Json | undefined
}
type Subject = { readonly setting: OwnedSetting; readonly id: string; readonly path: string }

function entryOf({ setting, id, path }: Subject, values: Values, isUnchanged: boolean): DriftEntry {
  const show = (value: Json | undefined): string | undefined => shown(setting.path, value)
  const isWanted = values.wanted === undefined || show(values.wanted) === show(values.found)
  return {
    path: nameOf(setting, id),
    ...(setting.role ? { role: setting.role } : {}),
    file: path,
    written: show(values.written),
    found: show(values.found),
    wanted: show(values.wanted),
    state: isUnchanged ? (isWanted ? 'same' : 'outdated') : 'changed',
  }
}

/** A value as it may be shown, masked by the names of its path. */
function shown(path: readonly string[], value: Json | undefined): string | undefined {
  if (value === undefined) return undefined
  const nested = path.reduceRight<Json>((inner, name) => ({ [name]: inner }), value)
  const masked: Json = JSON.parse(maskSecrets(JSON.stringify(nested)))
  const left = valueAt(masked, path)
  return typeof left === 'string' ? left : JSON.stringify(left)
}
