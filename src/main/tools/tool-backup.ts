import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { EngineContext } from '../core/environment'
import { Content, computeHash, readSnapshot, type Snapshot } from '../core/files/files'

/** Identifies a key of this app. With `relay`, it is the relay token of that tool. */
const KeyRef = z.strictObject({
  planId: z.string(),
  keyId: z.string().optional(),
  relay: z.string().optional(),
})
export type KeyRef = z.infer<typeof KeyRef>

/** Stored content of a file, with its hash, mode and file name. If `key` is set, a placeholder replaces that key. */
export const BackupRecord = z.strictObject({
  file: z.string().regex(/^[\w.@-]+$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  mode: z.number().int(),
  key: KeyRef.optional(),
})
export type BackupRecord = z.infer<typeof BackupRecord>

/** A backup of a file. It never contains a key of this app. */
export type Backup = { readonly record: BackupRecord; readonly content: Content }

/** Returns the key of a reference. Rejects with `vault.*`. */
export type RevealKey = (ref: KeyRef) => Promise<string>

/** Placeholder for the key in a backup. Random, to avoid collisions. */
const KEY_MARK = '\u0001platform-companion:key:7d1b0a5e\u0001'

export function backupFolder({ dataDir }: Pick<EngineContext, 'dataDir'>): string {
  return join(dataDir, 'tools', 'backups')
}

/** A backup without the key that this app wrote. Undefined if the file does not exist. */
export function createBackup({ bytes, hash, mode }: Snapshot, secret: OwnSecret | undefined): Backup | undefined {
  if (bytes === undefined || hash === undefined) return undefined
  const text = secret === undefined ? undefined : Buffer.from(bytes).toString('latin1')
  const maskedText = secret === undefined ? text : text?.split(secret.text).join(KEY_MARK)
  const isKeyMasked = secret !== undefined && maskedText !== text
  const content = new Content(isKeyMasked ? Buffer.from(maskedText ?? '', 'latin1') : bytes)
  const name = isKeyMasked ? content.hash : hash
  const record = { file: name.slice(0, 32), hash, mode: mode ?? 0o600, ...(isKeyMasked ? { key: secret.ref } : {}) }
  return { record, content }
}

/** The key that this app wrote into a file, as plain text while the backup is made. */
export type OwnSecret = { readonly text: string; readonly ref: KeyRef }

/** Content of a backup with its key. Fails with `file.unreadable` if damaged, `vault.keyMissing` if the key changed. */
export async function loadBackup(
  record: BackupRecord,
  context: Pick<EngineContext, 'dataDir' | 'disk'>,
  reveal: RevealKey,
): Promise<Content> {
  const path = join(backupFolder(context), record.file)
  const { bytes } = await readSnapshot(path, context.disk)
  if (bytes === undefined) throw createMissingBackupError(path)
  const content = record.key === undefined ? new Content(bytes) : await restoreKey(bytes, record.key, reveal)
  if (content.hash === record.hash) return content
  if (record.key === undefined) throw createMissingBackupError(path)
  throw new AppError('vault.keyMissing', 'The key that this file contained is no longer saved. Nothing was written.')
}

async function restoreKey(bytes: Uint8Array, ref: KeyRef, reveal: RevealKey): Promise<Content> {
  const key = await reveal(ref)
  const parts = Buffer.from(bytes).toString('latin1').split(KEY_MARK)
  return new Content(Buffer.from(parts.join(key), 'latin1'))
}

export function backupName(bytes: Uint8Array): string {
  return computeHash(bytes).slice(0, 32)
}

const createMissingBackupError = (path: string): AppError =>
  new AppError('file.unreadable', `The backup ${path} is missing or damaged. Nothing was written.`)
