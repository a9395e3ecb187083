import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Delivery, Route, Site } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import type { EngineContext } from '../core/environment'
import { Content, computeHash, readSnapshot, type Snapshot } from '../core/files/files'
import type { SettingsStore } from '../core/settings/settings'
import { listUpstreams } from '../relay/routing/routes'
import { canonicalText, type Json } from './editors/editor'
import { toSetupId } from './target'

/** Identifies a key of this app. With `relay`, it is the relay token of that tool. */
const KeyRef = z.strictObject({
  planId: z.string(),
  keyId: z.string().optional(),
  relay: z.string().optional(),
})
type KeyRef = z.infer<typeof KeyRef>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const FileFormat = z.enum(['json', 'jsonc', 'yaml', 'toml', 'dotenv', 'text'])

/** Stored content of a file, with its hash, mode and file name. If `key` is set, a placeholder replaces that key. */
const BackupRecord = z.strictObject({
  file: z.string().regex(/^[\w.@-]+$/),
  hash: Hash,
  mode: z.number().int(),
  key: KeyRef.optional(),
})
type BackupRecord = z.infer<typeof BackupRecord>

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

/** Folder in the data folder with the journals of MCP servers and status lines. */
export const mcpFolder = 'mcp'

/** A setting that this app wrote: a keyed digest of its value (none if removed), a list member, or a list element. */
const OwnedSetting = z.strictObject({
  path: z.array(z.string()),
  role: z.enum(['address', 'credential']).optional(),
  digest: Hash.optional(),
  member: z.string().optional(),
  present: z.boolean().optional(),
  element: z.record(z.string(), z.string()).optional(),
  /** Names of properties that this app wrote in a list element. The tool may add other properties. */
  names: z.array(z.string()).optional(),
  isVolatile: z.boolean().optional(),
})
export type OwnedSetting = z.infer<typeof OwnedSetting>

/** A key file with a keyed digest of its content. Without a digest, the file is to be deleted. */
const KeyFileRecord = z.strictObject({ path: z.string(), digest: Hash.optional() })

const FileRecord = z.strictObject({
  id: z.string(),
  format: FileFormat,
  path: z.string(),
  realPath: z.string(),
  /** Original file: whether it existed, its mode, the mode that we set, the backup, and folders that we created. */
  existed: z.boolean(),
  mode: z.number().int().optional(),
  writtenMode: z.number().int(),
  backup: BackupRecord.pick({ file: true, hash: true }).optional(),
  createdFolders: z.array(z.string()),
  /** Hashes of all contents with our settings that the file may have. */
  found: z.array(Hash),
  owned: z.array(OwnedSetting),
  /** Copy of the commented original of a file that became strict. */
  commentsCopy: z.strictObject({ path: z.string(), hash: Hash }).optional(),
})
export type FileRecord = z.infer<typeof FileRecord>

/** Record of all changes by this app to a tool in one scope, with the data for an undo. Never contains a key. */
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
  /** Files in the order in which they are written. */
  files: z.array(FileRecord),
  /** Salt of the digests. It prevents guessing the values from them. */
  salt: Hash,
  keyFiles: z.array(KeyFileRecord),
  /** Digest of the key, if one of the files contains it in plain text. */
  keyDigest: Hash.optional(),
  /** Settings that we could set but the user keeps. */
  ceded: z.array(z.string()),
})
export type Journal = z.infer<typeof Journal>

export const journalPath = (toolId: string, { dataDir, site }: Pick<EngineContext, 'dataDir' | 'site'>): string =>
  join(dataDir, 'tools', `${toSetupId(toolId, site)}.json`)

/** Reads a tool's journal and its hash, null if not configured. Throws `file.unreadable` if the journal is damaged. */
export async function readJournal(
  toolId: string,
  context: EngineContext,
): Promise<{ journal?: Journal; hash: string | null }> {
  const path = journalPath(toolId, context)
  const { bytes, hash } = await readSnapshot(path, context.disk)
  if (bytes === undefined || hash === undefined) return { hash: null }
  const journal = parseJournal(Buffer.from(bytes).toString())
  if (journal !== undefined) return { journal, hash }
  const message = `The record of changes to ${toolId} is damaged: ${path}. The backups are in ${backupFolder(context)}. Restore them yourself, then delete the record.`
  throw new AppError('file.unreadable', message)
}

/** All valid journals of a data folder. `listDamagedJournals` returns the unreadable ones. */
export function readAllJournals(dataDir: string): readonly Journal[] {
  return listJournalFiles(dataDir).flatMap(({ text }) => (text === undefined ? [] : (parseJournal(text) ?? [])))
}

/** Records of one file by all tools, including the journals of MCP servers and status lines. */
export function listFileRecords(realPath: string, { dataDir }: Pick<EngineContext, 'dataDir'>): FileRecord[] {
  const root = basename(dataDir) === mcpFolder ? dirname(dataDir) : dataDir
  const quotedPath = JSON.stringify(realPath)
  const texts = [root, join(root, mcpFolder)].flatMap(listJournalFiles).flatMap(({ text }) => text ?? [])
  const journals = texts.filter((text) => text.includes(quotedPath)).flatMap((text) => parseJournal(text) ?? [])
  return journals.flatMap(({ files }) => files.filter((record) => record.realPath === realPath))
}

/** Journals that are damaged or of a newer version. `setupId`: the tool and scope in the file's name. */
export function listDamagedJournals(dataDir: string): { toolId: string; path: string; setupId: string }[] {
  return listJournalFiles(dataDir).flatMap(({ name, path, text }) => {
    if (text !== undefined && parseJournal(text) !== undefined) return []
    const setupId = name.slice(0, -'.json'.length)
    return [{ toolId: setupId.split('@')[0] ?? setupId, path, setupId }]
  })
}

/** Content of each journal file. `text` is undefined for unreadable ones. */
function listJournalFiles(dataDir: string) {
  const folder = join(dataDir, 'tools')
  const names = undefinedOnError(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => ({ name, path: join(folder, name) }))
    .map((file) => ({ ...file, text: undefinedOnError(() => readFileSync(file.path, 'utf8')) }))
    .filter(({ path, text }) => text !== undefined || existsSync(path))
}

export const newSalt = (): string => randomBytes(32).toString('hex')

/** Keyed digest to detect changes of a value without storing it. */
export const computeDigest = (value: Json, salt: string): string =>
  createHmac('sha256', salt).update(canonicalText(value)).digest('hex')

/** Parses a journal and upgrades older versions. Undefined if damaged. */
const parseJournal = (text: string): Journal | undefined => JournalRecord.safeParse(parseJson(text)).data

/** Schema of a journal of any version, for records that contain a journal. */
const JournalRecord = z.preprocess(upgradeRecord, Journal)

function undefinedOnError<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** File formats of the only two tools in version 1. */
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

const NamedFiles = z.array(z.looseObject({ id: z.string(), format: z.string() }))

/** Upgrades version 1 (one file per tool, user's home only), and files of older Codex setups, to version 2. */
function upgradeRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(entries)
  if (fields.version !== 1) {
    // The main file of older Codex setups was the launcher program.
    const files = fields.toolId === 'codex' ? NamedFiles.safeParse(fields.files).data : undefined
    if (files === undefined) return value
    const isLauncher = (file: (typeof files)[number]): boolean => file.id === 'settings' && file.format === 'text'
    return { ...value, files: files.map((file) => (isLauncher(file) ? { ...file, id: 'launcher' } : file)) }
  }
  const file = Object.fromEntries(entries.filter(([name]) => fileParts.includes(name)))
  const otherFields = Object.fromEntries(entries.filter(([name]) => !fileParts.includes(name)))
  const { smallModelCode, ...choice } = Object.fromEntries(Object.entries(fields.choice ?? {}))
  return {
    ...otherFields,
    version: 2,
    site: { kind: 'user' },
    choice: { ...choice, slots: { small: smallModelCode } },
    files: [{ id: 'settings', format: formats[String(fields.toolId)], ...file }],
    ceded: [],
  }
}

const PastFileRecord = z.strictObject({
  path: z.string(),
  realPath: z.string(),
  format: FileFormat,
  before: BackupRecord.optional(),
  after: z.string().nullable(),
})

/** One tool in a write of the history: its journal and files before the write and after it. */
export const PastTool = z.strictObject({
  toolId: z.string(),
  site: Site,
  kind: z.enum(['apply', 'restore', 'rewind', 'letGo']),
  journal: JournalRecord.optional(),
  next: JournalRecord.optional(),
  files: z.array(PastFileRecord),
  /** Folders and key files that the write creates. */
  newFolders: z.array(z.string()),
  newKeyFiles: z.array(z.string()),
  /** Key files that are no longer needed. They are deleted after the last step of the write. */
  remove: z.array(z.string()),
})
export type PastTool = z.infer<typeof PastTool>

export const toKeyRef = ({ toolId, choice: { planId, keyId, route } }: Journal): KeyRef =>
  route === 'relay' ? { planId, keyId, relay: toolId } : { planId, keyId }

/** A tool that uses a key of a plan. Without a key id, it uses the plan's default key. */
interface KeyUse {
  readonly toolId: string
  readonly planId: string
  readonly keyId?: string | undefined
}

interface KeyUseSources {
  readonly dataDir: string
  readonly settings: Pick<SettingsStore, 'read'>
}

/** All keys that tools use, directly with the gateway or as an upstream of the relay, including fallbacks. */
export function readKeyUses({ dataDir, settings }: KeyUseSources): KeyUse[] {
  const { ways } = settings.read().relay
  const isRouted = (toolId: string): boolean => ways.some((relayRoute) => relayRoute.toolId === toolId)
  const writtenKeyUses = readAllJournals(dataDir)
    .filter(({ toolId, choice }) => choice.route === 'gateway' || !isRouted(toolId))
    .map(({ toolId, choice: { planId, keyId } }) => ({ toolId, planId, keyId }))
  return [
    ...writtenKeyUses,
    ...ways.flatMap((relayRoute) => listUpstreams(relayRoute).map((use) => ({ toolId: relayRoute.toolId, ...use }))),
  ]
}

export function findKeyUses(sources: KeyUseSources): (planId: string) => readonly KeyUse[] {
  const allKeyUses = readKeyUses(sources)
  return (planId) => allKeyUses.filter((use) => use.planId === planId)
}

export const journalStep = (journal: Journal, path: string) =>
  ({ kind: 'write', path, content: journalContent(journal), mode: 0o600 }) as const

/** Content of a journal with another time. */
export const stampedJournal = (content: Content, at: string): Content =>
  journalContent({ ...JSON.parse(Buffer.from(content.bytes()).toString()), at })

const journalContent = (journal: Journal): Content => new Content(`${JSON.stringify(journal, null, 2)}\n`)
