import type { FileChange, ToolWarning } from '@shared/contract/tools'
import type { Application } from './application'
import { RawJson } from './editors/json-changes'
import { type Json, sameJson, valueAt } from './editors/json-value'
import type { Snapshot } from './files'
import { dotted } from './owned'
import type { Place } from './plan'
import { keyFileChange, settingsChange } from './views'

/** Every file of the tool and of the key that applying will write, as it may be shown. */
export async function filesOf(application: Application, place: Place): Promise<FileChange[]> {
  const { start, after, input, keyFile, copy } = application
  const elsewhere = start.restorations.filter(({ snapshot, touched }) => touched && !isHere(application, snapshot))
  const oldKeys = (start.journal?.keyFiles ?? []).filter(({ path }) => path !== keyFile?.path)
  const removedKeys = await Promise.all(oldKeys.map(({ path }) => keyFileChange(path, undefined, place)))
  return [
    settingsChange({ snapshot: start.snapshot, after: after.bytes(), holdsKey: input.delivery === 'plain' }),
    ...elsewhere.map(({ snapshot, bytes }) => settingsChange({ snapshot, after: bytes, holdsKey: false })),
    ...(keyFile ? [await keyFileChange(keyFile.path, keyFile.content.bytes(), place)] : []),
    ...removedKeys.filter(({ action }) => action !== 'none'),
    ...(copy?.isNew ? [newCopy(copy.path, copy.content.bytes())] : []),
  ]
}

/** What to know before applying. */
export function warningsOf(application: Application): ToolWarning[] {
  const { target, start, current, input, keyFile, copy, place } = application
  const { path } = start.snapshot
  const changed = start.restorations.filter(({ touched, exact }) => touched && !exact)
  return [
    ...(input.delivery === 'plain' ? [{ code: 'plainText' as const, subject: path }] : []),
    ...(keyFile ? [{ code: 'keyFile' as const, subject: keyFile.path }] : []),
    ...(copy ? [{ code: 'commentsMoved' as const, subject: copy.path }] : []),
    ...changed.map(({ snapshot }) => ({ code: 'fileChangedSince' as const, subject: snapshot.path })),
    ...overridden(application),
    ...target.warnings(current, place.environment),
    ...(target.needsRestart ? [{ code: 'restartNeeded' as const }] : []),
  ]
}

/** Settings of the user that ours take the place of, until they are undone. */
function overridden({ edits, current }: Application): ToolWarning[] {
  return edits.flatMap((edit) => {
    const found = valueAt(current, edit.path)
    const isKept = 'member' in edit || found === undefined || found === '' || sameJson(found, plain(edit.value))
    return isKept ? [] : [{ code: 'overridesExisting', subject: dotted({ path: [...edit.path] }) }]
  })
}

const plain = (value: Json | RawJson | undefined): Json | undefined => (value instanceof RawJson ? value.value : value)

const isHere = ({ start }: Application, { realPath }: Snapshot): boolean => realPath === start.snapshot.realPath

const newCopy = (path: string, bytes: Uint8Array): FileChange =>
  settingsChange({ snapshot: { path, realPath: path }, after: bytes, holdsKey: false })
