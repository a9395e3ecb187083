import { baseAddress, requestAddress } from '../gateway/address'
import type { Application } from './application'
import { hashOf } from './content'
import { backupName, type Journal } from './journal'
import { ownedSettings } from './owned'

/** The record of an apply: written before anything else, it must be right whether or not the rest follows. */
export function journalOf(application: Application): Journal {
  const { target, start, original, copy, salt } = application
  const earlier = start.isElsewhere ? undefined : start.journal
  return {
    version: 1,
    toolId: target.id,
    at: application.place.clock().toISOString(),
    choice: choiceOf(application),
    path: start.snapshot.path,
    realPath: start.snapshot.realPath,
    existed: original !== undefined,
    ...(original !== undefined && start.originalMode !== undefined ? { mode: start.originalMode } : {}),
    writtenMode: application.mode,
    ...(original === undefined ? {} : { backup: { file: backupName(target.id, original), hash: hashOf(original) } }),
    createdFolders: [...new Set([...(earlier?.createdFolders ?? []), ...application.newFolders])],
    found: foundHashes(application),
    owned: ownedSettings(application.edits, salt),
    salt,
    keyFiles: keyFilesOf(application),
    ...(copy ? { commentsCopy: { path: copy.path, hash: copy.content.hash } } : {}),
  }
}

/** The record once everything is done: what was there before no longer matters. */
export function tidyJournal(journal: Journal, { after, keyFile }: Application): Journal {
  return {
    ...journal,
    found: [after.hash],
    keyFiles: journal.keyFiles.filter(({ path }) => path === keyFile?.path),
  }
}

function choiceOf({ target, input, planId }: Application): Journal['choice'] {
  const { gatewayUrl, modelCode, smallModelCode, delivery } = input
  const base = baseAddress(gatewayUrl, target.standard)
  return {
    planId,
    modelCode,
    smallModelCode,
    delivery,
    base,
    requestAddress: requestAddress(base, target.requestSuffix),
  }
}

/** What the file may be after a crash: the new content, or what an earlier apply left, which has the same original. */
function foundHashes({ after, start }: Application): string[] {
  const { snapshot, holdsOurs, isElsewhere } = start
  const before = holdsOurs && !isElsewhere && snapshot.hash !== undefined ? [snapshot.hash] : []
  return [...new Set([after.hash, ...before])]
}

function keyFilesOf({ keyFile, start }: Application): Journal['keyFiles'] {
  const earlier = start.isElsewhere ? [] : (start.journal?.keyFiles ?? [])
  const own = keyFile === undefined ? [] : [{ path: keyFile.path, digest: keyFile.digest }]
  return [...own, ...earlier.flatMap(({ path }) => (path === keyFile?.path ? [] : [{ path }]))]
}
