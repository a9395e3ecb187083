import { createHmac, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Delivery } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { hashOf } from './content'
import { canonicalText, type Json } from './editors/json-value'
import { readSnapshot } from './files'
import type { Place } from './plan'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** One owned setting as we wrote it: a keyed digest of its value (absent: we removed it), or a list's member. */
const OwnedSetting = z.strictObject({
  path: z.array(z.string()),
  role: z.enum(['address', 'credential']).optional(),
  digest: Hash.optional(),
  member: z.string().optional(),
  present: z.boolean().optional(),
})
export type OwnedSetting = z.infer<typeof OwnedSetting>

/** A file that holds a key, and a keyed digest of its content; without one it only waits to be removed. */
const KeyFileRecord = z.strictObject({ path: z.string(), digest: Hash.optional() })
export type KeyFileRecord = z.infer<typeof KeyFileRecord>

/** What this app did to one tool's files, with all that undoing it needs. Never holds a key. */
const Journal = z.strictObject({
  version: z.literal(1),
  toolId: z.string(),
  at: z.iso.datetime(),
  choice: z.strictObject({
    planId: z.string(),
    modelCode: z.string(),
    smallModelCode: z.string(),
    delivery: Delivery,
    base: z.string(),
    requestAddress: z.string(),
  }),
  path: z.string(),
  realPath: z.string(),
  /** The file without us: whether there was one, its mode (and the one we gave it), and its bytes in the backups folder. */
  existed: z.boolean(),
  mode: z.number().int().optional(),
  writtenMode: z.number().int(),
  backup: z.strictObject({ file: z.string().regex(/^[\w.-]+$/), hash: Hash }).optional(),
  createdFolders: z.array(z.string()),
  /** Hashes of every content with our settings in it that this file may have. */
  found: z.array(Hash),
  owned: z.array(OwnedSetting),
  /** Keys the digests, so that a value cannot be guessed from them. */
  salt: Hash,
  keyFiles: z.array(KeyFileRecord),
  /** The commented original beside a file that had to become strict. */
  commentsCopy: z.strictObject({ path: z.string(), hash: Hash }).optional(),
})
export type Journal = z.infer<typeof Journal>

/** Where a tool's journal is. */
export function journalPath(toolId: string, { dataDir }: Pick<Place, 'dataDir'>): string {
  return join(dataDir, 'tools', `${toolId}.json`)
}

/** The folder of the original files. */
export function backupFolder({ dataDir }: Pick<Place, 'dataDir'>): string {
  return join(dataDir, 'tools', 'backups')
}

/** A tool's journal and its hash; nothing when the tool is not configured. Damaged: `file.unreadable`. */
export async function readJournal(toolId: string, place: Place): Promise<{ journal?: Journal; hash: string | null }> {
  const { bytes, hash } = await readSnapshot(journalPath(toolId, place), place.disk)
  if (bytes === undefined || hash === undefined) return { hash: null }
  const journal = parseJournal(Buffer.from(bytes).toString())
  if (journal === undefined) throw await damaged(toolId, place)
  return { journal, hash }
}

/** The original bytes that a journal keeps; undefined when there was no file. Lost or damaged: `file.unreadable`. */
export async function readBackup({ toolId, backup }: Journal, place: Place): Promise<Uint8Array | undefined> {
  if (backup === undefined) return undefined
  const path = join(backupFolder(place), backup.file)
  const { bytes, hash } = await readSnapshot(path, place.disk)
  if (bytes !== undefined && hash === backup.hash) return bytes
  throw new AppError(
    'file.unreadable',
    `The kept original of ${toolId} is missing or damaged: ${path}. Nothing was written.`,
  )
}

/** The originals kept for a tool, as paths. */
export async function findBackups(toolId: string, place: Place): Promise<string[]> {
  const names = await place.disk.readdir(backupFolder(place)).catch(() => [])
  return names.filter((name) => name.startsWith(`${toolId}.`)).map((name) => join(backupFolder(place), name))
}

/** Ids of the tools that a plan was applied to. Damaged journals do not count. */
export function toolsUsingPlan(dataDir: string, planId: string): readonly string[] {
  const folder = join(dataDir, 'tools')
  const names = orNothing(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => orNothing(() => parseJournal(readFileSync(join(folder, name), 'utf8'))))
    .flatMap((journal) => (journal?.choice.planId === planId ? [journal.toolId] : []))
}

/** A new key for digests. */
export function newSalt(): string {
  return randomBytes(32).toString('hex')
}

/** A digest that tells whether a value is still the same, and nothing else. */
export function digestOf(value: Json, salt: string): string {
  return createHmac('sha256', salt).update(canonicalText(value)).digest('hex')
}

/** The name of a backup: the same for the same bytes. */
export function backupName(toolId: string, bytes: Uint8Array): string {
  return `${toolId}.${hashOf(bytes).slice(0, 16)}`
}

function parseJournal(text: string): Journal | undefined {
  return orNothing(() => Journal.safeParse(JSON.parse(text)).data)
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

async function damaged(toolId: string, place: Place): Promise<AppError> {
  const backups = await findBackups(toolId, place)
  const kept = backups.length === 0 ? 'No original is kept' : `The original is kept as ${backups.join(', ')}`
  return new AppError(
    'file.unreadable',
    `The record of what was done to ${toolId} is damaged: ${journalPath(toolId, place)}. ${kept}. Put it back by hand, then delete the record.`,
  )
}
