import { join } from 'node:path'
import { AppError } from '@shared/failure'
import type { CommentsCopy, NewFile, Work } from './application'
import { Content, hashOf } from './content'
import { editors } from './editors'
import { isJsonObject, type Json } from './editors/json-value'
import { namingFile, refusalOf } from './file-errors'
import { missingFolders, readSnapshot, textOf } from './files'
import { foldersToMake } from './folders'
import { settingsNow, withKept } from './kept-settings'
import { editName, foundAt, type OpenEdit } from './owned'
import { lenient } from './restoration'
import { holdsSecret, openEdits } from './reveal'
import type { StartingFile } from './starting-point'
import type { Edit } from './target'

const PRIVATE = 0o600

/** Works out one settings file. A strict file with comments is `file.notStrict` without consent to move them. */
export async function newFile(start: StartingFile, work: Work): Promise<NewFile> {
  const text = newText(start, work)
  const { edits, after } = text
  const holdsKey = edits.some(holdsSecret)
  const mode = holdsKey ? PRIVATE : (start.originalMode ?? start.file.mode ?? PRIVATE)
  const isMade = after !== undefined && edits.length > 0
  return {
    ...text,
    start,
    edits: openEdits(edits),
    after: after === undefined ? undefined : new Content(after),
    holdsKey,
    mode,
    copy: text.movesComments ? await copyOf(start, text.original, work) : undefined,
    newFolders: isMade
      ? await foldersToMake(start, await missingFolders(start.snapshot.realPath, work.place.disk))
      : [],
  }
}

type NewText = Pick<NewFile, 'original' | 'current' | 'movesComments'> & {
  readonly edits: readonly Edit[]
  readonly after: string | Uint8Array | undefined
}

function newText(start: StartingFile, work: Work): NewText {
  const { file, snapshot } = start
  const { path } = snapshot
  try {
    const editor = editors[file.format]
    const text = withKept(withoutLeftovers(textOf({ path, bytes: start.original }), start, work), start, work)
    const parsed = editor.parse(text ?? '')
    const movesComments = !parsed.ok && parsed.error.code === 'file.notStrict'
    if (!parsed.ok && !(movesComments && (work.mayMoveComments || didMoveThem(start))))
      throw refusalOf(parsed.error, path)

    const editable = movesComments ? (editor.toStrict?.(text ?? '') ?? '') : (text ?? '')
    const current = settingsIn(editable, start)
    const edits = editsOf(start, current, work)
    const original = text === undefined ? undefined : Buffer.from(text)
    if (edits.length === 0) return { original, current, edits, after: original, movesComments: false }
    const written = openEdits(edits).map((edit) => withToolsOwn(edit, start))
    return { original, current, edits, after: editor.edit(editable, written), movesComments }
  } catch (error) {
    throw namingFile(path, error)
  }
}

/** Ours, without what the person keeps, and with what they want taken out. */
function editsOf({ file }: StartingFile, current: Json, { input, keep, takeOut, place }: Work): Edit[] {
  const ours = file.edits(input, current, place.environment).filter((edit) => !keep.includes(editName(edit, file.id)))
  const all = [...ours, ...takeOut.flatMap((name) => removalOf(name, file.id, current))]
  return all.map((edit) => (edit.isVolatile ? asFound(edit, current) : edit))
}

function removalOf(name: string, fileId: string, current: Json): Edit[] {
  const path = name.split('.')
  return fileId === 'settings' && foundAt(current, { path }) !== undefined ? [{ path, value: undefined }] : []
}

function asFound(edit: Edit, current: Json): Edit {
  const found = foundAt(current, edit)
  return found === undefined || !('value' in edit) || 'element' in edit ? edit : { ...edit, value: found }
}

/** What the tool itself added to an element of ours meanwhile stays in it. */
function withToolsOwn(edit: OpenEdit, start: StartingFile): OpenEdit {
  const found = 'element' in edit ? foundAt(settingsNow(start), edit) : undefined
  if (!('element' in edit) || !isJsonObject(found) || !isJsonObject(edit.value)) return edit
  return { ...edit, value: { ...edit.value, ...without(found, Object.keys(edit.value)) } }
}

const without = (value: { readonly [name: string]: Json }, names: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Consent that was given to an earlier apply, for these very comments. */
function didMoveThem({ record, original }: StartingFile): boolean {
  return record?.commentsCopy !== undefined && original !== undefined && record.backup?.hash === hashOf(original)
}

/** A file that we wrote before this app forgot it: what is ours in it is no original, and would point at nothing. */
function withoutLeftovers(text: string | undefined, { file, record }: StartingFile, work: Work): string | undefined {
  const editor = editors[lenient(file.format)]
  const parsed = editor.parse(text ?? '')
  if (text === undefined || record !== undefined || !parsed.ok) return text
  const edits = openEdits(file.edits(work.input, parsed.value, work.place.environment))
  const credential = edits.find(({ role }) => role === 'credential')
  const isOurs = credential !== undefined && isLeftover(credential, parsed.value, work)
  return isOurs ? editor.remove(text, edits, undefined) : text
}

function isLeftover(credential: OpenEdit, current: Json, { place }: Work): boolean {
  if ('member' in credential || 'element' in credential) return false
  const found = foundAt(current, credential)
  if (typeof found !== 'string' || found === '') return false
  return found === credential.value || found.includes(join(place.dataDir, 'key-files').replaceAll('\\', '/'))
}

/** The copy that an earlier apply made of the same original, else a new one that overwrites nothing. */
async function copyOf(start: StartingFile, original: Uint8Array | undefined, { place }: Work): Promise<CommentsCopy> {
  const content = new Content(original ?? '')
  const earlier = start.isElsewhere ? undefined : start.record?.commentsCopy
  if (earlier !== undefined && (await readSnapshot(earlier.path, place.disk)).hash === content.hash)
    return { path: earlier.path, content, isNew: false }
  for (let number = 1; ; number += 1) {
    const path = `${start.snapshot.path}.with-comments${number === 1 ? '' : `.${number}`}.jsonc`
    const { bytes } = await readSnapshot(path, place.disk)
    if (bytes === undefined) return { path, content, isNew: true }
  }
}

function settingsIn(text: string, { file, snapshot }: StartingFile): Json {
  const parsed = editors[lenient(file.format)].parse(text)
  if (parsed.ok) return parsed.value
  throw refusalOf(parsed.error, snapshot.path)
}

/** A way to the key that is left to the tool itself needs none in its files. */
export function requireCredential(files: readonly NewFile[], delivery: string): void {
  const isSet = (role: Edit['role']): boolean =>
    files.some(({ edits }) =>
      edits.some((edit) => edit.role === role && 'value' in edit && edit.value !== undefined && edit.value !== ''),
    )
  if (delivery !== 'inTool' && isSet('address') && !isSet('credential'))
    throw new AppError(
      'vault.keyMissing',
      'There is no key to give to the tool, so nothing was written. Add the key again.',
    )
}
