import { AppError } from '@shared/failure'
import type { Work } from './application'
import { editors } from './editors'
import type { OpenEdit } from './editors/editor'
import type { Json } from './editors/json-value'
import { textOf } from './files'
import type { OwnedSetting } from './journal'
import { ownKeyIn } from './own-key'
import { foundAt, isAsWritten, nameOf } from './owned'
import { lenient } from './restoration'
import type { StartingFile } from './starting-point'

/** The settings of a file as they are now, with ours in them. */
export function settingsNow({ file, snapshot }: StartingFile): Json {
  const parsed = editors[lenient(file.format)].parse(textOf(snapshot) ?? '')
  return parsed.ok ? parsed.value : {}
}

/**
 * The text of a file without us, with what somebody made of our settings and the person keeps: from here on it is theirs,
 * so that undoing us leaves it. An address or a key that still is ours is never handed over.
 */
export function withKept(text: string | undefined, start: StartingFile, work: Work): string | undefined {
  const { file, record } = start
  const { journal } = work.start
  if (record === undefined || journal === undefined || work.keep.length === 0) return text
  const now = settingsNow(start)
  const kept = record.owned.filter(
    (setting) =>
      work.keep.includes(nameOf(setting, file.id)) &&
      (setting.role === undefined || !isAsWritten(setting, now, journal.salt)),
  )
  if (kept.some((setting) => ownKeyIn(foundAt(now, setting), journal) !== undefined)) throw holdsKey(work)
  const edits = kept.flatMap((setting) => asFound(setting, now))
  return edits.length === 0 ? text : editors[lenient(file.format)].edit(text ?? '', edits)
}

function asFound(setting: OwnedSetting, now: Json): OpenEdit[] {
  const value = foundAt(now, setting)
  const { path, member, element } = setting
  if (element !== undefined) return [{ path, element, value }]
  if (member === undefined) return [{ path, value }]
  return Array.isArray(value) ? [{ path, member, present: value.includes(member) }] : []
}

const holdsKey = ({ target }: Work): AppError =>
  new AppError(
    'input.invalid',
    `A setting of ${target.name} that you would keep holds this app's key. Put ours back, or leave all of it as it is.`,
    { field: 'keep' },
  )
