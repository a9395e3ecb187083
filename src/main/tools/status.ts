import type { DriftEntry, ToolStatus } from '@shared/contract/tools'
import { AppError, type Failure, toAppError } from '@shared/failure'
import type { EngineContext, ToolEnvironment } from '../core/environment'
import { decodeText, readSnapshot, type Snapshot, toFileError } from '../core/files/files'
import { buildTargetInput, type ToolRequest } from './apply'
import { editors } from './editors'
import { getValueAt, type Json } from './editors/editor'
import { toLenientFormat } from './file-baseline'
import { computeDigest, type FileRecord, type Journal, type OwnedSetting, readJournal } from './journal'
import {
  editName,
  exposeEdits,
  getExistingValue,
  hasOurSettings,
  isUnchangedSinceWrite,
  keyContent,
  type OwnedEdit,
  ownedSettings,
  settingName,
  toNamedPath,
} from './owned-settings'
import { maskSecrets } from './secret-masking'
import type { FoundSettings, SettingsByFile, WrittenTarget } from './target'

type ReadFile = {
  readonly id: string
  readonly snapshot: Snapshot
  /** Settings in the file. Empty for a missing or unreadable file (see `problem`). */
  readonly current: Json
  readonly problem?: Failure
}

/** State of a tool's files. `absent` with a `journal`: the user removed our settings manually. */
export type ToolState = {
  readonly status: ToolStatus
  readonly drift: readonly string[]
  readonly problem?: Failure
  readonly journal?: Journal
  readonly found?: Pick<FoundSettings, 'base' | 'modelCode'>
  /** Parsed settings by file. Undefined if they cannot be read. */
  readonly settings?: SettingsByFile
  readonly files: readonly { readonly path: string; readonly exists: boolean }[]
}

/** Compares a tool's files with what this app wrote, and with `expected`, which the current plan requires. */
export async function readToolStatus(
  target: WrittenTarget,
  expected: ToolRequest | undefined,
  context: EngineContext,
): Promise<ToolState> {
  const paths = listPaths(target, context)
  const files = paths.map((path) => ({ path, exists: context.environment.exists(path) }))
  try {
    const { journal } = await readJournal(target.id, context)
    const fileStates = await readFiles(target, context)
    if (journal === undefined) return { ...withoutJournal(target, fileStates, context), drift: [], files }
    const problem = fileStates.find((file) => file.problem && journal.files.some(({ id }) => id === file.id))?.problem
    if (problem) return { status: 'unreadable', drift: [], problem, journal, files }
    const { environment } = context
    const drift = await detectDrift({ target, journal, read: fileStates, expected, environment }, context)
    if (drift === 'absent') return { status: 'absent', drift: [], journal, files }
    const settings = toSettingsByFile(fileStates)
    return { status: drift.length === 0 ? 'configured' : 'drifted', drift, journal, settings, files }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { status: 'unreadable', drift: [], problem: error.failure, files }
  }
}

/** Paths of a tool's files. The file with the gateway address comes first. */
export function listPaths(target: WrittenTarget, { environment }: Pick<EngineContext, 'environment'>): string[] {
  return [...target.files].reverse().flatMap((file) => file.path(environment) ?? [])
}

/** Reads address, model and credential from a tool's current files. Throws if a file is unreadable or invalid. */
export async function readTool(target: WrittenTarget, context: EngineContext): Promise<FoundSettings> {
  const fileStates = await readFiles(target, context)
  const problem = fileStates.find((file) => file.problem)?.problem
  if (problem !== undefined) throw toAppError(problem)
  return target.readBack(toSettingsByFile(fileStates), context.environment)
}

export async function readFiles(target: WrittenTarget, context: EngineContext): Promise<ReadFile[]> {
  const pendingReads = target.files.map(async ({ id, format, path }): Promise<ReadFile[]> => {
    const filePath = path(context.environment)
    if (filePath === undefined) return []
    const snapshot = await readSnapshot(filePath, context.disk)
    const parsedDocument = editors[format].parse(decodeText(snapshot) ?? '')
    if (parsedDocument.ok) return [{ id, snapshot, current: parsedDocument.value }]
    return [{ id, snapshot, current: {}, problem: toFileError(parsedDocument.error, filePath).failure }]
  })
  return (await Promise.all(pendingReads)).flat()
}

const toSettingsByFile = (fileStates: readonly ReadFile[]): SettingsByFile =>
  Object.fromEntries(fileStates.map(({ id, current }) => [id, current]))

function withoutJournal(
  target: WrittenTarget,
  fileStates: readonly ReadFile[],
  { environment }: EngineContext,
): Pick<ToolState, 'status' | 'problem' | 'found'> {
  const problem = fileStates.find((file) => file.problem)?.problem
  if (problem !== undefined) return { status: problem.code === 'file.notStrict' ? 'absent' : 'unreadable', problem }
  const { base, modelCode, credential } = target.readBack(toSettingsByFile(fileStates), environment)
  if (base === undefined && credential === undefined) return { status: 'absent' }
  return { status: 'otherwise', found: { base, modelCode } }
}

type Comparison = {
  readonly target: WrittenTarget
  readonly journal: Journal
  readonly read: readonly ReadFile[]
  readonly expected: ToolRequest | undefined
  readonly environment: ToolEnvironment
}

type ComparedFile = Comparison & { readonly record: FileRecord; readonly file: ReadFile | undefined }

async function detectDrift(comparison: Comparison, context: EngineContext): Promise<string[] | 'absent'> {
  const { journal, read } = comparison
  const files = journal.files.map((record) => ({ record, file: read.find(({ id }) => id === record.id) }))
  const drifts = await Promise.all(
    files.map(async (file): Promise<string[] | 'absent'> => {
      const comparedFile = { ...comparison, ...file }
      return isRestored(comparedFile) ? detectDriftElsewhere(comparedFile, context) : findFileDrift(comparedFile)
    }),
  )
  if (drifts.every((drift) => drift === 'absent')) return 'absent'
  const absentSettings = files.flatMap(({ record }, index) =>
    drifts[index] === 'absent' ? record.owned.map((setting) => settingName(setting, record.id)) : (drifts[index] ?? []),
  )
  return [
    ...new Set([
      ...absentSettings,
      ...listAbandonedFiles(journal),
      ...listMissingFiles(comparison),
      ...(await listKeyFileDrift(comparison, context)),
    ]),
  ]
}

/** Whether the file equals its original or has none of our settings. A text file consists only of our settings. */
function isRestored({ journal, record, file }: ComparedFile): boolean {
  const hash = file?.snapshot.hash
  if (file === undefined || hash === undefined) return true
  // A file that needed no change equals its backup but still contains our settings.
  if (record.found.includes(hash)) return false
  if (hash === record.backup?.hash) return true
  const comparedSettings = record.owned.filter(({ isVolatile }) => !isVolatile)
  if (record.format === 'text' || comparedSettings.length === 0) return false
  return !comparedSettings.some(
    (setting) => setting.digest !== undefined && isUnchangedSinceWrite(setting, file.current, journal.salt),
  )
}

/** Settings that are as we wrote them in the file, but for which the tool now requires other values. */
async function detectDriftElsewhere(
  { journal, record, file }: ComparedFile,
  context: EngineContext,
): Promise<string[] | 'absent'> {
  if (file?.snapshot.realPath === record.realPath) return 'absent'
  const { bytes } = await readSnapshot(record.realPath, context.disk)
  const parsedDocument = editors[toLenientFormat(record.format)].parse(Buffer.from(bytes ?? '').toString())
  const hasOurs = parsedDocument.ok && hasOurSettings(record.owned, parsedDocument.value, journal.salt)
  return hasOurs ? [record.path] : 'absent'
}

function findFileDrift(comparedFile: ComparedFile): string[] {
  const { journal, record, file } = comparedFile
  const currentValues = file?.current ?? {}
  const driftedSettings = record.owned.filter((setting) => !isUnchangedSinceWrite(setting, currentValues, journal.salt))
  return [...driftedSettings, ...listOutdatedSettings(comparedFile, currentValues)].map((setting) =>
    settingName(setting, record.id),
  )
}

/** Settings whose values the current plan requires to differ or no longer requires. Ignores keys of unknown value. */
function listOutdatedSettings(comparedFile: ComparedFile, current: Json): OwnedSetting[] {
  const wantedSettings = listWantedSettings(comparedFile, current)
  if (wantedSettings === undefined) return []
  const { journal, record } = comparedFile
  // Other content of the file can make some of our settings unnecessary. So also compute our settings for an empty
  // file.
  const knownNames = new Set(
    [...wantedSettings, ...(listWantedSettings(comparedFile, {}) ?? [])].map((setting) =>
      settingName(setting, record.id),
    ),
  )
  const releasedNames = new Set(journal.ceded)
  return [
    ...wantedSettings
      // Exclude keys that cannot be compared. A key inside a list element has no separate digest.
      .filter(({ role, digest, element }) => role !== 'credential' || (digest !== undefined && element === undefined))
      .filter((setting) => !releasedNames.has(settingName(setting, record.id)))
      .filter((setting) => !isUnchangedSinceWrite(setting, current, journal.salt)),
    ...record.owned.filter((setting) => !knownNames.has(settingName(setting, record.id)) && !isRemoved(setting)),
  ]
}

const isRemoved = ({ digest, member, role }: OwnedSetting): boolean =>
  digest === undefined && member === undefined && role === undefined

function listWantedSettings(
  { target, journal, record, expected, environment }: ComparedFile,
  settings: Json,
): OwnedSetting[] | undefined {
  const file = target.files.find(({ id }) => id === record.id)
  if (expected === undefined || file === undefined) return undefined
  const input = buildTargetInput(target, expected, journal.keyFiles[0]?.path)
  const ownedNames = record.owned.map((setting) => settingName(setting, record.id))
  const edits = file
    .edits(input, settings, environment)
    .filter(
      (edit) =>
        !edit.isAddedLater ||
        ownedNames.includes(editName(edit, record.id)) ||
        getExistingValue(settings, toNamedPath(edit)) !== undefined,
    )
  return ownedSettings(exposeEdits(edits), journal.salt)
}

/** Names of settings in files that an earlier app version wrote and that the tool no longer reads. */
function listAbandonedFiles({ files, ceded }: Journal): string[] {
  const lacksSettingsFile = ceded.length === 0 && !files.some(({ id }) => id === 'settings')
  return lacksSettingsFile ? files.flatMap(({ id, owned }) => owned.map((setting) => settingName(setting, id))) : []
}

/** Names of settings in files that the setup now requires but that this app has not written. */
function listMissingFiles({ target, journal, expected, environment }: Comparison): string[] {
  if (expected === undefined) return []
  const input = buildTargetInput(target, expected, journal.keyFiles[0]?.path)
  const knownIds = journal.files.map(({ id }) => id)
  return target.files
    .filter(({ id }) => !knownIds.includes(id))
    .flatMap((file) =>
      exposeEdits(file.edits(input, {}, environment)).map(({ path }) => settingName({ path }, file.id)),
    )
    .filter((name) => !journal.ceded.includes(name))
}

async function listKeyFileDrift({ journal, expected }: Comparison, { disk }: EngineContext): Promise<string[]> {
  const { keyFiles, salt, files } = journal
  const key = expected?.key && computeDigest(keyContent(expected.key).hash, salt)
  const areKeyFilesIntact = await Promise.all(
    keyFiles.map(async ({ path, digest }) => {
      const { hash } = await readSnapshot(path, disk)
      const currentDigest = hash === undefined ? undefined : computeDigest(hash, salt)
      return [digest, key].every((expectedDigest) => expectedDigest === undefined || expectedDigest === currentDigest)
    }),
  )
  if (!areKeyFilesIntact.includes(false)) return []
  return files.flatMap(({ id, owned }) =>
    owned.filter(({ role }) => role === 'credential').map((setting) => settingName(setting, id)),
  )
}

/** Each of our settings as written, as in the file, and as the current plan requires. Secrets are masked. */
export async function listDriftEntries(
  target: WrittenTarget,
  expected: ToolRequest | undefined,
  context: EngineContext,
): Promise<DriftEntry[]> {
  const { journal } = await readJournal(target.id, context)
  if (journal === undefined) return []
  const fileStates = await readFiles(target, context)
  const input = expected && buildTargetInput(target, expected, journal.keyFiles[0]?.path)
  return journal.files.flatMap(({ id, path, owned }) => {
    const current = fileStates.find((file) => file.id === id)?.current ?? {}
    const file = target.files.find((candidate) => candidate.id === id)
    const expectedEdits = input && file ? exposeEdits(file.edits(input, current, context.environment)) : []
    return owned.flatMap((setting): DriftEntry[] => {
      if (setting.member !== undefined || setting.isVolatile) return []
      const show = (value: Json | undefined): string | undefined => maskValue(setting.path, value)
      const foundValue = getExistingValue(current, setting)
      const wantedValue = findEditValue(expectedEdits, setting)
      const hasWantedValue = wantedValue === undefined || show(wantedValue) === show(foundValue)
      const isUnchanged = isUnchangedSinceWrite(setting, current, journal.salt)
      return [
        {
          path: settingName(setting, id),
          ...(setting.role ? { role: setting.role } : {}),
          file: path,
          written: show(writtenValue(setting, [foundValue, wantedValue], journal.salt)),
          found: show(foundValue),
          wanted: show(wantedValue),
          state: isUnchanged ? (hasWantedValue ? 'same' : 'outdated') : 'changed',
        },
      ]
    })
  })
}

function findEditValue(edits: readonly OwnedEdit[], setting: OwnedSetting): Json | undefined {
  const edit = edits.find((candidate) => editName(candidate, '') === settingName(setting, ''))
  return edit !== undefined && 'value' in edit ? edit.value : undefined
}

/** Finds the value that we wrote, by its stored digest, in a list of possible values. */
function writtenValue(
  setting: OwnedSetting,
  candidates: readonly (Json | undefined)[],
  salt: string,
): Json | undefined {
  if (setting.digest === undefined) return undefined
  const settingPath = setting.element ? { path: setting.path, element: setting.element } : { path: setting.path }
  return candidates.find(
    (value) => value !== undefined && ownedSettings([{ ...settingPath, value }], salt)[0]?.digest === setting.digest,
  )
}

/** Masks a value if a name in its path indicates a secret. */
function maskValue(path: readonly string[], value: Json | undefined): string | undefined {
  if (value === undefined) return undefined
  const nestedValue = path.reduceRight<Json>((inner, name) => ({ [name]: inner }), value)
  const maskedJson: Json = JSON.parse(maskSecrets(JSON.stringify(nestedValue)))
  const maskedValue = getValueAt(maskedJson, path)
  return typeof maskedValue === 'string' ? maskedValue : JSON.stringify(maskedValue)
}
