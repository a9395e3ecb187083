import type { FileChange, ToolWarning } from '@shared/contract/tools'
import type { Application, NewFile } from './application'
import { changes, editName, foundAt, named } from './owned'
import type { SettingsByFile } from './target'
import { keyFileChange, settingsChange } from './views'

/** Every file of the tool and of the key that applying will write, as it may be shown; the one with the address first. */
export async function filesOf(application: Application): Promise<FileChange[]> {
  const { start, files, keyFile, place } = application
  const oldKeys = (start.journal?.keyFiles ?? []).filter(({ path }) => path !== keyFile?.path)
  const removedKeys = await Promise.all(oldKeys.map(({ path }) => keyFileChange(path, undefined, place)))
  return [
    ...[...files].reverse().flatMap(changesOf),
    ...(keyFile ? [await keyFileChange(keyFile.path, keyFile.content.bytes(), place)] : []),
    ...removedKeys.filter(({ action }) => action !== 'none'),
  ]
}

function changesOf({ start, after, holdsKey, copy }: NewFile): FileChange[] {
  const { format } = start.file
  const elsewhere = start.restorations.filter(
    ({ snapshot, touched }) => touched && snapshot.realPath !== start.snapshot.realPath,
  )
  const newCopy = copy?.isNew
    ? [{ snapshot: { path: copy.path, realPath: copy.path }, bytes: copy.content.bytes() }]
    : []
  return [
    settingsChange({ snapshot: start.snapshot, after: after?.bytes(), holdsKey, format }),
    ...[...elsewhere, ...newCopy].map(({ snapshot, bytes }) =>
      settingsChange({ snapshot, after: bytes, holdsKey: false, format: format === 'json' ? 'jsonc' : format }),
    ),
  ]
}

/** What to know before applying. */
export function warningsOf(application: Application): ToolWarning[] {
  const { target, input, keyFile, files } = application
  const settings: SettingsByFile = Object.fromEntries(files.map(({ start, current }) => [start.file.id, current]))
  const copies = files.flatMap(({ copy }) => copy ?? [])
  const changed = files.flatMap(({ start }) => start.restorations.filter(({ touched, exact }) => touched && !exact))
  return [
    ...deliveryWarnings(application),
    ...(keyFile ? [{ code: 'keyFile' as const, subject: keyFile.path }] : []),
    ...copies.map(({ path }) => ({ code: 'commentsMoved' as const, subject: path })),
    ...changed.map(({ snapshot }) => ({ code: 'fileChangedSince' as const, subject: snapshot.path })),
    ...files.flatMap(overridden),
    ...(target.warnings?.(settings, input) ?? []),
    ...(target.needsRestart ? [{ code: 'restartNeeded' as const }] : []),
  ]
}

function deliveryWarnings({ input, files }: Application): ToolWarning[] {
  const { delivery } = input
  const code = delivery === 'plain' ? 'plainText' : delivery === 'envFile' ? 'envFileHoldsKey' : undefined
  const holders = code === undefined ? [] : files.filter(({ holdsKey }) => holdsKey)
  return [
    ...holders.flatMap(({ start }) => (code ? [{ code, subject: start.snapshot.path } as const] : [])),
    ...(delivery === 'inTool' ? [{ code: 'keyInTool' as const }] : []),
  ]
}

/** Settings of the user that ours take the place of, until they are undone. */
function overridden({ edits, current, start }: NewFile): ToolWarning[] {
  return edits.flatMap((edit) => {
    const found = foundAt(current, named(edit))
    const isKept = found === undefined || found === '' || !changes(edit, current)
    return isKept ? [] : [{ code: 'overridesExisting', subject: editName(edit, start.file.id) }]
  })
}
