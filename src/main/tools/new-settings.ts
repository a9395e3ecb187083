import { join } from 'node:path'
import type { NewSettings, Work } from './application'
import { Content, hashOf } from './content'
import { editJson, parseJson, removeJson, toStrictJson } from './editors/json'
import { type Json, valueAt } from './editors/json-value'
import { namingFile, noKey, refusalOf } from './file-errors'
import { textOf } from './files'
import { openEdits } from './reveal'
import type { StartingPoint } from './starting-point'
import type { Edit } from './target'

/** Works out a tool's settings file. A strict file with comments is `file.notStrict` without consent to move them. */
export function newSettings(work: Work, mayMoveComments: boolean): NewSettings {
  const { target, input, start } = work
  const { path } = start.snapshot
  try {
    const strictness = { strict: target.format === 'json' }
    const text = withoutLeftovers(textOf({ path, bytes: start.original }), work)
    const parsed = parseJson(text ?? '', strictness)
    const movesComments = !parsed.ok && parsed.error.code === 'file.notStrict'
    if (!parsed.ok && !(movesComments && (mayMoveComments || didMoveThem(start)))) throw refusalOf(parsed.error, path)

    const editable = movesComments ? toStrictJson(text ?? '') : (text ?? '')
    const current = settingsIn(editable, path)
    const edits = openEdits(requireCredential(target.edits(input, current)))
    return {
      original: text === undefined ? undefined : Buffer.from(text),
      current,
      edits,
      after: new Content(editJson(editable, edits, strictness)),
      movesComments,
    }
  } catch (error) {
    throw namingFile(path, error)
  }
}

/** Consent that was given to an earlier apply, for these very comments. */
function didMoveThem({ journal, original }: StartingPoint): boolean {
  return journal?.commentsCopy !== undefined && original !== undefined && journal.backup?.hash === hashOf(original)
}

/** A file that we wrote before this app forgot it: what is ours in it is no original, and would point at nothing. */
function withoutLeftovers(text: string | undefined, { target, input, start, place }: Work): string | undefined {
  if (text === undefined || start.journal !== undefined || !parseJson(text, { strict: false }).ok) return text
  const current = settingsIn(text, start.snapshot.path)
  const edits = target.edits(input, current)
  const credential = openEdits(edits).find(({ role }) => role === 'credential')
  const found = credential && valueAt(current, credential.path)
  if (typeof found !== 'string' || found === '') return text
  const wanted = credential !== undefined && 'value' in credential ? credential.value : undefined
  const keyFolder = join(place.dataDir, 'key-files').replaceAll('\\', '/')
  const isOurs = found === wanted || found.includes(keyFolder)
  return isOurs ? removeJson(text, edits, undefined) : text
}

/** An address alone would make a tool send the user's own sign-in to the gateway. */
function requireCredential(edits: readonly Edit[]): readonly Edit[] {
  const isSet = (role: Edit['role']): boolean =>
    edits.some((edit) => edit.role === role && 'value' in edit && edit.value !== undefined && edit.value !== '')
  if (isSet('address') && !isSet('credential')) throw noKey()
  return edits
}

function settingsIn(text: string, path: string): Json {
  const parsed = parseJson(text, { strict: false })
  if (parsed.ok) return parsed.value
  throw refusalOf(parsed.error, path)
}
