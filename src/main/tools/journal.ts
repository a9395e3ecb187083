import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Delivery, Route, Site } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { type Disk, errorCode } from './disk'
import { canonicalText, type Json } from './editors/editor'
import type { EngineContext } from './environment'
import { readSnapshot } from './files'
import { toSetupId } from './target'
import { backupFolder, type KeyRef } from './tool-backup'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** One owned setting as we wrote it: a keyed digest of its value (absent: we removed it), or a list's member or element. */
const OwnedSetting = z.strictObject({
  path: z.array(z.string()),
  role: z.enum(['address', 'credential']).optional(),
  digest: Hash.optional(),
  member: z.string().optional(),
  present: z.boolean().optional(),
  element: z.record(z.string(), z.string()).optional(),
  /** With an element: the names of the properties that are ours; its tool may add others. */
  names: z.array(z.string()).optional(),
  isVolatile: z.boolean().optional(),
})
export type OwnedSetting = z.infer<typeof OwnedSetting>

/** A file that holds a key, and a keyed digest of its content; without one it only waits to be removed. */
const KeyFileRecord = z.strictObject({ path: z.string(), digest: Hash.optional() })

/** What this app did to one settings file. */
const FileRecord = z.strictObject({
  id: z.string(),
  format: z.enum(['json', 'jsonc', 'yaml', 'toml', 'dotenv', 'text']),
  path: z.string(),
  realPath: z.string(),
  /** The file without us: whether there was one, its mode (and the one we gave it), and its bytes in the backups folder. */
  existed: z.boolean(),
  mode: z.number().int().optional(),
  writtenMode: z.number().int(),
  backup: z.strictObject({ file: z.string().regex(/^[\w.@-]+$/), hash: Hash }).optional(),
  createdFolders: z.array(z.string()),
  /** Hashes of every content with our settings in it that this file may have. */
  found: z.array(Hash),
  owned: z.array(OwnedSetting),
  /** The commented original beside a file that had to become strict. */
  commentsCopy: z.strictObject({ path: z.string(), hash: Hash }).optional(),
})
export type FileRecord = z.infer<typeof FileRecord>

/** What this app did to one tool's files at one site, with all that undoing it needs. Never holds a key. */
const Journal = z.strictObject({
  version: z.literal(2),
  toolId: z.string(),
  site: Site,
  at: z.iso.datetime(),
  choice: z.strictObject({
    planId: z.string(),
    keyId: z.string().optional(),
    modelCode: z.string(),
    slots: z.record(z.string(), z.string()),
    delivery: Delivery,
    route: Route.default('gateway'),
    base: z.string(),
    requestAddress: z.string(),
  }),
  /** In the order in which they were written. */
  files: z.array(FileRecord),
  /** Keys the digests, so that a value cannot be guessed from them. */
  salt: Hash,
  keyFiles: z.array(KeyFileRecord),
  /** With a key in plain text in one of the files: its digest. */
  keyDigest: Hash.optional(),
  /** Settings that would be ours and that the person keeps for themselves. */
  ceded: z.array(z.string()),
})
export type Journal = z.infer<typeof Journal>

/** Where the journal of a tool at a site is. */
export function journalPath(toolId: string, { dataDir, site }: Pick<EngineContext, 'dataDir' | 'site'>): string {
  return join(dataDir, 'tools', `${toSetupId(toolId, site)}.json`)
}

/** A tool's journal and its hash; nothing when the tool is not configured. Damaged: `file.unreadable`. */
export async function readJournal(
  toolId: string,
  place: EngineContext,
): Promise<{ journal?: Journal; hash: string | null }> {
  const path = journalPath(toolId, place)
  // Most tools have none, and to find out where the links to it lead, folder by folder, takes six calls of the system.
  if (await isMissing(path, place.disk)) return { hash: null }
  const { bytes, hash } = await readSnapshot(path, place.disk)
  if (bytes === undefined || hash === undefined) return { hash: null }
  const journal = parseJournal(Buffer.from(bytes).toString())
  if (journal === undefined) throw damaged(toolId, place)
  return { journal, hash }
}

const isMissing = (path: string, disk: Disk): Promise<boolean> =>
  disk.lstat(path).then(
    () => false,
    (error: unknown) => errorCode(error) === 'ENOENT',
  )

/** Every journal of a data folder; of damaged ones `damagedJournals` tells. */
export function allJournals(dataDir: string): readonly Journal[] {
  return filesOf(dataDir).flatMap(({ text }) => (text === undefined ? [] : (parseJournal(text) ?? [])))
}

/** A journal that cannot be read: what was done to that tool, and with which key, is not known. */
interface DamagedJournal {
  readonly toolId: string
  readonly path: string
  /** What names its tool and site in file names. */
  readonly setupId: string
}

/** The journals of a data folder that are there and cannot be read, damaged or of a later version. */
export function damagedJournals(dataDir: string): readonly DamagedJournal[] {
  return filesOf(dataDir).flatMap(({ name, path, text }) => {
    if (text !== undefined && parseJournal(text) !== undefined) return []
    const setupId = name.slice(0, -'.json'.length)
    return [{ toolId: setupId.split('@')[0] ?? setupId, path, setupId }]
  })
}

/** The files of journals, without a text where there is one that cannot be read. */
function filesOf(dataDir: string) {
  const folder = join(dataDir, 'tools')
  const names = orNothing(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => ({ name, path: join(folder, name) }))
    .map((file) => ({ ...file, text: orNothing(() => readFileSync(file.path, 'utf8')) }))
    .filter(({ path, text }) => text !== undefined || existsSync(path))
}

/** A new key for digests. */
export function newSalt(): string {
  return randomBytes(32).toString('hex')
}

/** A digest that tells whether a value is still the same, and nothing else. */
export function computeDigest(value: Json, salt: string): string {
  return createHmac('sha256', salt).update(canonicalText(value)).digest('hex')
}

/** A journal's text read, the form of an earlier version brought up to date; undefined when it is damaged. */
function parseJournal(text: string): Journal | undefined {
  return orNothing(() => JournalRecord.safeParse(JSON.parse(text)).data)
}

/** The schema of a journal of any version, for records that hold one. */
export const JournalRecord = z.preprocess(upgraded, Journal)

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function damaged(toolId: string, place: EngineContext): AppError {
  return new AppError(
    'file.unreadable',
    `The record of changes to ${toolId} is damaged: ${journalPath(toolId, place)}. The backups are in ${backupFolder(place)}. Restore them yourself, then delete the record.`,
  )
}

/** The formats of the two tools that the first version of a journal knew. */
const formats: Readonly<Record<string, string>> = { 'claude-code': 'json', opencode: 'jsonc' }

const fileParts = [
  'path',
  'realPath',
  'existed',
  'mode',
  'writtenMode',
  'backup',
  'createdFolders',
  'found',
  'owned',
  'commentsCopy',
]

/** A journal of the first version (one file a tool, this user's home) in the form of the second. */
function upgraded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const old = new Map<string, unknown>(Object.entries(value))
  if (old.get('version') !== 1) return withNamedLauncher(value, old)
  const file = Object.fromEntries(fileParts.flatMap((name) => (old.has(name) ? [[name, old.get(name)]] : [])))
  const rest = Object.fromEntries([...old].filter(([name]) => !fileParts.includes(name)))
  return {
    ...rest,
    version: 2,
    site: { kind: 'user' },
    choice: upgradedChoice(old.get('choice')),
    files: [{ id: 'settings', format: formats[String(old.get('toolId'))], ...file }],
    ceded: [],
  }
}

const NamedFiles = z.array(z.looseObject({ id: z.string(), format: z.string() }))

/** Codex was once set up by a program alone, which then was its main file. */
function withNamedLauncher(value: object, old: ReadonlyMap<string, unknown>): unknown {
  const files = old.get('toolId') === 'codex' ? NamedFiles.safeParse(old.get('files')).data : undefined
  if (files === undefined) return value
  const isLauncher = ({ id, format }: { id: string; format: string }): boolean => id === 'settings' && format === 'text'
  return { ...value, files: files.map((file) => (isLauncher(file) ? { ...file, id: 'launcher' } : file)) }
}

function upgradedChoice(choice: unknown): unknown {
  const { smallModelCode, ...rest } = Object.fromEntries(Object.entries(choice ?? {}))
  return { ...rest, slots: { small: smallModelCode } }
}

/** The key that a tool was written with. */
export function toKeyRef({ toolId, choice: { planId, keyId, route } }: Journal): KeyRef {
  return {
    planId,
    ...(keyId === undefined ? {} : { keyId }),
    ...(route === 'relay' ? { relay: toolId } : {}),
  }
}
