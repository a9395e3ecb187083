import { readFile } from 'node:fs/promises'
import type { DriftEntry, ToolStatus } from '@shared/contract/tools'
import { AppError, type Failure, toAppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { decodeText, readSnapshot, type Snapshot, toFileError } from '../core/files/files'
import { isSameOrigin } from '../core/net/address'
import { cleanPastedKey, type Secret } from '../core/secret'
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
import type { FoundCredential, FoundSettings, SettingsByFile, TargetFile, TargetInput, WrittenTarget } from './target'

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
    const input = expected && buildTargetInput(target, expected, journal.keyFiles[0]?.path)
    const drift = await detectDrift({ target, journal, read: fileStates, input, context })
    if (drift === 'absent') return { status: 'absent', drift: [], journal, files }
    const settings = toSettingsByFile(fileStates)
    return { status: drift.length === 0 ? 'configured' : 'drifted', drift, journal, settings, files }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { status: 'unreadable', drift: [], problem: error.failure, files }
  }
}

/** Paths of a tool's files. The file with the gateway address comes first. */
export const listPaths = ({ files }: WrittenTarget, { environment }: Pick<EngineContext, 'environment'>): string[] =>
  files.toReversed().flatMap((file) => file.path(environment) ?? [])

export async function readFiles(target: WrittenTarget, context: EngineContext): Promise<ReadFile[]> {
  const fileStates = await Promise.all(target.files.map((file) => readTargetFile(file, context)))
  return fileStates.flatMap((file) => file ?? [])
}

/** Reads one file of a tool. Undefined if the tool does not read such a file here. Throws `file.unreadable`. */
export async function readTargetFile(
  { id, format, path }: TargetFile,
  { environment, disk }: Pick<EngineContext, 'environment' | 'disk'>,
): Promise<ReadFile | undefined> {
  const filePath = path(environment)
  if (filePath === undefined) return undefined
  const snapshot = await readSnapshot(filePath, disk)
  const parsedDocument = editors[format].parse(decodeText(snapshot) ?? '')
  if (parsedDocument.ok) return { id, snapshot, current: parsedDocument.value }
  return { id, snapshot, current: {}, problem: toFileError(parsedDocument.error, filePath).failure }
}

export const toSettingsByFile = (fileStates: readonly ReadFile[]): SettingsByFile =>
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
  /** The settings that the current plan requires, if it is known. */
  readonly input: TargetInput | undefined
  readonly context: EngineContext
}

type ComparedFile = Comparison & { readonly record: FileRecord; readonly file: ReadFile | undefined }

async function detectDrift(comparison: Comparison): Promise<string[] | 'absent'> {
  const { journal, read } = comparison
  const { files, ceded } = journal
  const drifts = await Promise.all(
    files.map(async (record): Promise<string[] | 'absent'> => {
      const comparedFile = { ...comparison, record, file: read.find(({ id }) => id === record.id) }
      return isRestored(comparedFile) ? detectDriftElsewhere(comparedFile) : findFileDrift(comparedFile)
    }),
  )
  if (drifts.every((drift) => drift === 'absent')) return 'absent'
  // The tool no longer reads the files of an earlier app version.
  const isAbandoned = ceded.length === 0 && !files.some(({ id }) => id === 'settings')
  return [
    ...new Set([
      ...files.flatMap((record, index) =>
        drifts[index] === 'absent' ? listSettingNames(record) : (drifts[index] ?? []),
      ),
      ...(isAbandoned ? files.flatMap(listSettingNames) : []),
      ...listMissingFiles(comparison),
      ...(await listKeyFileDrift(comparison)),
    ]),
  ]
}

const listSettingNames = ({ owned, id }: Pick<FileRecord, 'owned' | 'id'>): string[] =>
  owned.map((setting) => settingName(setting, id))

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
async function detectDriftElsewhere({ journal, record, file, context }: ComparedFile): Promise<string[] | 'absent'> {
  if (file?.snapshot.realPath === record.realPath) return 'absent'
  const { bytes } = await readSnapshot(record.realPath, context.disk)
  const parsedDocument = editors[toLenientFormat(record.format)].parse(Buffer.from(bytes ?? '').toString())
  const hasOurs = parsedDocument.ok && hasOurSettings(record.owned, parsedDocument.value, journal.salt)
  return hasOurs ? [record.path] : 'absent'
}

function findFileDrift(comparedFile: ComparedFile): string[] {
  const { journal, record, file } = comparedFile
  const current = file?.current ?? {}
  const driftedSettings = record.owned.filter((setting) => !isUnchangedSinceWrite(setting, current, journal.salt))
  const owned = [...driftedSettings, ...listOutdatedSettings(comparedFile, current)]
  return listSettingNames({ id: record.id, owned })
}

/** Settings whose values the current plan requires to differ or no longer requires. Ignores keys of unknown value. */
function listOutdatedSettings(comparedFile: ComparedFile, current: Json): OwnedSetting[] {
  const wantedSettings = listWantedSettings(comparedFile, current)
  if (wantedSettings === undefined) return []
  const { journal, record } = comparedFile
  // Other content of the file can make some of our settings unnecessary. An empty file needs all of them.
  const owned = [...wantedSettings, ...(listWantedSettings(comparedFile, {}) ?? [])]
  const knownNames = listSettingNames({ id: record.id, owned })
  return [
    ...wantedSettings
      // Exclude keys that cannot be compared. A key inside a list element has no separate digest.
      .filter(({ role, digest, element }) => role !== 'credential' || (digest !== undefined && element === undefined))
      .filter((setting) => !journal.ceded.includes(settingName(setting, record.id)))
      .filter((setting) => !isUnchangedSinceWrite(setting, current, journal.salt)),
    ...record.owned.filter((setting) => {
      const isRemoval = [setting.digest, setting.member, setting.role].every((field) => field === undefined)
      return !isRemoval && !knownNames.includes(settingName(setting, record.id))
    }),
  ]
}

function listWantedSettings(comparedFile: ComparedFile, settings: Json): OwnedSetting[] | undefined {
  const { target, journal, record, input, context } = comparedFile
  const file = target.files.find(({ id }) => id === record.id)
  if (input === undefined || file === undefined) return undefined
  const ownedNames = listSettingNames(record)
  const edits = file
    .edits(input, settings, context.environment)
    .filter(
      (edit) =>
        !edit.isAddedLater ||
        ownedNames.includes(editName(edit, record.id)) ||
        getExistingValue(settings, toNamedPath(edit)) !== undefined,
    )
  return ownedSettings(exposeEdits(edits), journal.salt)
}

/** Names of settings in files that the setup now requires but that this app has not written. */
function listMissingFiles({ target, journal, input, context }: Comparison): string[] {
  if (input === undefined) return []
  const missingFiles = target.files.filter(({ id }) => !journal.files.some((record) => record.id === id))
  return missingFiles
    .flatMap((file) => file.edits(input, {}, context.environment).map(({ path }) => settingName({ path }, file.id)))
    .filter((name) => !journal.ceded.includes(name))
}

async function listKeyFileDrift({ journal, input, context }: Comparison): Promise<string[]> {
  const { keyFiles, salt, files } = journal
  const key = input?.key && computeDigest(keyContent(input.key).hash, salt)
  const areKeyFilesIntact = await Promise.all(
    keyFiles.map(async ({ path, digest }) => {
      const { hash } = await readSnapshot(path, context.disk)
      const currentDigest = hash === undefined ? undefined : computeDigest(hash, salt)
      return [digest, key].every((expectedDigest) => expectedDigest === undefined || expectedDigest === currentDigest)
    }),
  )
  if (!areKeyFilesIntact.includes(false)) return []
  return files.flatMap(({ id, owned }) =>
    listSettingNames({ id, owned: owned.filter(({ role }) => role === 'credential') }),
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
  const maskedJson: Json = JSON.parse(editors.json.mask(JSON.stringify(nestedValue)))
  const maskedValue = getValueAt(maskedJson, path)
  return typeof maskedValue === 'string' ? maskedValue : JSON.stringify(maskedValue)
}

/** Runs a helper command in the same way as a tool, and resolves with its output. Rejects if the command fails. */
export type HelperRun = (command: string) => Promise<string>

/**
 * Reads a tool's settings like the tool, including the helper command. `key` is undefined if the user typed the key
 * into the tool, or set its variable in a shell that this app cannot read. Fails with `tool.notConfigured`,
 * `tool.otherGateway` (then no key was read) or `tool.helperFailed`.
 */
export async function readToolSettings(
  target: WrittenTarget,
  gatewayUrl: string,
  place: EngineContext,
  helper: Omit<KeyContext, 'variables'>,
) {
  const [path = ''] = listPaths(target, place)
  const fileStates = await readFiles(target, place)
  const problem = fileStates.find((file) => file.problem)?.problem
  if (problem !== undefined) throw toAppError(problem)
  const { base, modelCode, credential } = target.readBack(toSettingsByFile(fileStates), place.environment)
  if (!base) throw new AppError('tool.notConfigured', `${target.name} has no address in ${path}. Configure it again.`)
  if (!isSameOrigin(base, gatewayUrl)) {
    const message = `${path} sends ${target.name} to another address than the plan's gateway ${gatewayUrl}. No key was sent. Configure it again.`
    throw new AppError('tool.otherGateway', message)
  }
  const variables = place.environment.vars
  return { base, modelCode, key: credential && (await readCredentialKey(credential, { ...helper, variables })) }
}

type KeyContext = {
  /** Start of this app's helper commands, quoted for the shell. Commands that do not start with it are not executed. */
  readonly ownHelper: string
  readonly runHelper: HelperRun
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Reads a key. Undefined if the variable is not set. Fails with `tool.helperFailed` or `file.unreadable`. */
export async function readCredentialKey(
  credential: FoundCredential,
  { ownHelper, runHelper, variables }: KeyContext,
): Promise<Secret | undefined> {
  if (credential.kind === 'plain') return credential.text
  if (credential.kind === 'variable')
    return variables[credential.name] ? cleanPastedKey(variables[credential.name] ?? '') : undefined
  if (credential.kind === 'file') {
    const { path } = credential
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new AppError('file.unreadable', `The key file ${path} cannot be read. Configure the tool again.`, { cause })
    })
    return cleanPastedKey(text)
  }
  const { command } = credential
  // Only our key helper with plain arguments is run. Other shell syntax makes a command foreign.
  if (!command.startsWith(`${ownHelper} `) || !/^[\w -]+$/.test(command.slice(ownHelper.length))) {
    const message = 'The helper command in the settings is not the one of this app. Configure the tool again.'
    throw new AppError('tool.helperFailed', message)
  }
  const helperOutput = await runHelper(command).catch((cause: unknown) => {
    const message = 'The helper command that gives the tool its key failed. Configure the tool again.'
    throw new AppError('tool.helperFailed', message, { cause })
  })
  return cleanPastedKey(helperOutput)
}
