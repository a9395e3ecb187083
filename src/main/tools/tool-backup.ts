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

export const backupFolder = ({ dataDir }: Pick<EngineContext, 'dataDir'>): string => join(dataDir, 'tools', 'backups')

/** A backup without the key that this app wrote. Undefined if the file does not exist. */
export function createBackup({ bytes, hash, mode }: Snapshot, secret: OwnSecret | undefined): Backup | undefined {
  if (bytes === undefined || hash === undefined) return undefined
  const record = { file: hash.slice(0, 32), hash, mode: mode ?? 0o600 }
  const parts = secret ? Buffer.from(bytes).toString('latin1').split(secret.text) : []
  if (secret === undefined || parts.length < 2) return { record, content: new Content(bytes) }
  const content = new Content(Buffer.from(parts.join(KEY_MARK), 'latin1'))
  return { record: { ...record, file: content.hash.slice(0, 32), key: secret.ref }, content }
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
  if (bytes !== undefined && record.key !== undefined) {
    const parts = Buffer.from(bytes).toString('latin1').split(KEY_MARK)
    const content = new Content(Buffer.from(parts.join(await reveal(record.key)), 'latin1'))
    if (content.hash === record.hash) return content
    throw new AppError('vault.keyMissing', 'The key that this file contained is no longer saved. Nothing was written.')
  }
  if (bytes !== undefined && computeHash(bytes) === record.hash) return new Content(bytes)
  throw new AppError('file.unreadable', `The backup ${path} is missing or damaged. Nothing was written.`)
}

export const backupName = (bytes: Uint8Array): string => computeHash(bytes).slice(0, 32)
