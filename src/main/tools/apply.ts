import { execFile } from 'node:child_process'
import { join, sep } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import type { Delivery, Route, ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { type EngineContext, joinPath, listParentFolders, type ToolEnvironment } from '../core/environment'
import { addFileName, Content, computeHash, decodeText, missingFolders, readSnapshot } from '../core/files/files'
import {
  type ApplyDraft,
  type ApplyInput,
  buildFinalJournalStep,
  buildJournal,
  buildSteps,
  type CommentsCopy,
  type KeyFile,
  type NewFile,
  planFiles,
} from './apply-draft'
import { type ChangeSet, createChangeSet, findOwnKey } from './change-set'
import { findOwnConflicts } from './conflicting-settings'
import { editors } from './editors'
import { isJsonObject, type Json, type OpenEdit, requireValue } from './editors/editor'
import { parseLeniently, readBaseline, type StartingFile, toLenientFormat } from './file-baseline'
import { computeDigest, newSalt } from './journal'
import {
  changes,
  editName,
  exposeEdits,
  getExistingValue,
  holdsSecret,
  isUnchangedSinceWrite,
  keyContent,
  type OwnedEdit,
  settingName,
  toNamedPath,
} from './owned-settings'
import { type Edit, type SettingsByFile, type TargetInput, toSetupId, type WrittenTarget } from './target'
import { modelCodes } from './targets/shared'

export type ToolRequest = Omit<TargetInput, 'keyFile' | 'delivery' | 'slots' | 'variable'> & {
  readonly planId: string
  readonly keyId?: string | undefined
  /** Model codes by slot, such as a small model for background work. Default: the model's own code. */
  readonly slots?: Readonly<Record<string, string>> | undefined
  /** Method by which the tool gets the key. Default: the one that the tool prefers. */
  readonly delivery?: Delivery | undefined
  /** Route of requests. Default: gateway. For the relay, `gatewayUrl` and `key` are those of the relay. */
  readonly route?: Route | undefined
  /** Whether the user agreed to remove comments from a strict JSON file, after a copy with the comments is made. */
  readonly moveCommentsToCopy?: boolean | undefined
  /** Names of further settings that this app must not change. Default: none. */
  readonly keep?: readonly string[] | undefined
  /** Names of conflicting settings to remove from the file. */
  readonly settingsToRemove?: readonly string[] | undefined
}

/**
 * Plans the configuration of a tool without writing. Throws `file.notStrict` if the user must first agree to remove
 * comments, `file.unparsable` (with the line) and `file.unreadable`.
 */
export async function prepareApply(
  target: WrittenTarget,
  request: ToolRequest,
  context: EngineContext,
): Promise<ChangeSet> {
  const application = await prepareApplication(target, request, context)
  const { start, files, keyFile } = application
  const journal = buildJournal(application)
  return createChangeSet({
    kind: 'apply',
    target,
    place: context,
    start,
    next: journal,
    files: planFiles(application),
    keyFiles: keyFile ? [keyFile] : [],
    unusedKeyFiles: journal.keyFiles.map(({ path }) => path).filter((path) => path !== keyFile?.path),
    newFolders: files.flatMap(({ newFolders }) => newFolders),
    warnings: [...(await repositoryWarnings(application)), ...listWarnings(application)],
    base: journal.choice.base,
    requestAddress: journal.choice.requestAddress,
    steps: await buildSteps(application, journal),
    tidying: [buildFinalJournalStep(application, journal)],
  })
}

/** Fills in defaults of a request: delivery, slots and key file path. */
export function buildTargetInput(target: WrittenTarget, request: ToolRequest, keyFile?: string): TargetInput {
  const { delivery = target.deliveries[0], modelCode } = request
  if (!target.deliveries.includes(delivery))
    throw new AppError('input.invalid', `${target.name} cannot get its key this way.`, { field: 'delivery' })
  const slots = Object.fromEntries(target.slots.map(({ id }) => [id, request.slots?.[id] ?? modelCode]))
  return { ...request, slots, delivery, variable: target.variable, keyFile: delivery === 'file' ? keyFile : undefined }
}

async function prepareApplication(
  target: WrittenTarget,
  request: ToolRequest,
  context: EngineContext,
): Promise<ApplyDraft> {
  const start = await readBaseline(target, context)
  const salt = newSalt()
  const keyFile = prepareKeyFile(target, request, salt, context)
  const input = buildTargetInput(target, request, keyFile?.path)
  const { moveCommentsToCopy: mayMoveComments = false, settingsToRemove = [] } = request
  const keep = request.keep ? [...new Set([...(start.journal?.ceded ?? []), ...request.keep])] : []
  const applyInput: ApplyInput = { target, input, start, place: context, mayMoveComments, keep, settingsToRemove }
  const newFiles = await Promise.all(start.files.map((file) => newFile(file, applyInput)))
  const files = newFiles.filter(({ edits, start: { record } }) => edits.length > 0 || record !== undefined)
  requireKnownNames(newFiles, applyInput, request)
  requireCredential(files, input.delivery)
  const isKeyInFile = files.some(({ holdsKey }) => holdsKey)
  return {
    ...applyInput,
    planId: request.planId,
    keyId: request.keyId,
    route: request.route ?? 'gateway',
    files,
    keyFile,
    keyDigest: isKeyInFile && input.key ? computeDigest(keyContent(input.key).hash, salt) : undefined,
    salt,
  }
}

/**
 * Plans the key file. Its name is derived from plan, gateway and key, so it never overwrites another key. For a relay
 * token it is derived from the gateway address only, because the token works for any plan.
 */
function prepareKeyFile(
  target: WrittenTarget,
  request: ToolRequest,
  salt: string,
  context: EngineContext,
): KeyFile | undefined {
  const { delivery = target.deliveries[0], key, planId, gatewayUrl, keyId, route } = request
  if (delivery !== 'file') return undefined
  if (key === undefined) throw createNoKeyError()
  const content = keyContent(key)
  const names = route === 'relay' ? [gatewayUrl] : [planId, gatewayUrl, ...(keyId === undefined ? [] : [keyId])]
  const path = join(
    context.dataDir,
    'key-files',
    `${toSetupId(target.id, context.site)}-${computeHash(names.join('\n')).slice(0, 12)}`,
  )
  return { path, content, digest: computeDigest(content.hash, salt) }
}

function listWarnings(application: ApplyDraft): ToolWarning[] {
  const { target, input, keyFile, files, settingsToRemove } = application
  const settings: SettingsByFile = Object.fromEntries(files.map(({ start, current }) => [start.file.id, current]))
  const settingsAfter: SettingsByFile = Object.fromEntries(
    files.map(({ start, after }) => [start.file.id, parseLeniently(start.file.format, after?.bytes())]),
  )
  // A plan without a list of models may have any.
  const chosenModels = input.models.length === 0 ? [] : modelCodes({ ...input, models: [] })
  const commentsCopies = files.flatMap(({ copy }) => copy ?? [])
  const changedRestorations = files.flatMap(({ start }) =>
    start.restorations.filter(({ touched, exact }) => touched && !exact),
  )
  return [
    ...deliveryWarnings(application),
    ...(keyFile ? [{ code: 'keyFile' as const, subject: keyFile.path }] : []),
    ...commentsCopies.map(({ path }) => ({ code: 'commentsMoved' as const, subject: path })),
    ...changedRestorations.map(({ snapshot }) => ({ code: 'fileChangedSince' as const, subject: snapshot.path })),
    ...files.flatMap(listOverrides),
    ...findOwnConflicts(target, settingsAfter, { base: target.base(input.gatewayUrl), models: modelCodes(input) }),
    ...(target.warnings?.(settings, input) ?? []).filter(({ subject = '' }) => !settingsToRemove.includes(subject)),
    ...chosenModels
      .filter((code) => !input.models.includes(code))
      .map((subject) => ({ code: 'modelNotInPlan' as const, subject })),
    ...(target.needsRestart ? [{ code: 'restartNeeded' as const }] : []),
  ]
}

/** Files that will contain the key and that Git may track, for example by a link into a folder of dotfiles. */
async function repositoryWarnings({ files, place: { environment, site } }: ApplyDraft): Promise<ToolWarning[]> {
  if (site.kind === 'wsl') return []
  const paths = files.flatMap(({ holdsKey, start: { snapshot } }) => (holdsKey ? [snapshot.realPath] : []))
  const committableFlags = await Promise.all(paths.map((path) => isCommittable(path, environment)))
  return paths.filter((_, index) => committableFlags[index]).map((subject) => ({ code: 'keyInRepository', subject }))
}

const gitTimeoutMs = 3000

/** Whether Git tracks the file or does not ignore it. Runs no hook of the repository. */
async function isCommittable(path: string, environment: ToolEnvironment): Promise<boolean> {
  const folder = joinPath(environment, path, '..')
  const top = listParentFolders(environment, folder).at(-1) ?? folder
  if (!environment.exists(joinPath(environment, top, '.git'))) return false
  const safeOptions = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  try {
    // `git check-ignore` never reports a tracked file.
    await promisify(execFile)('git', [...safeOptions, '-C', top, 'check-ignore', '-q', '--', path], {
      timeout: gitTimeoutMs,
      windowsHide: true,
    })
    return false
  } catch {
    return true
  }
}

function deliveryWarnings({ input, files }: ApplyDraft): ToolWarning[] {
  const { delivery } = input
  if (delivery === 'inTool') return [{ code: 'keyInTool' }]
  if (delivery !== 'plain' && delivery !== 'envFile') return []
  const code = delivery === 'plain' ? 'plainText' : 'envFileHoldsKey'
  return files.flatMap(({ holdsKey, start }) => (holdsKey ? [{ code, subject: start.snapshot.path }] : []))
}

/** User settings that this app's settings replace until the user undoes the apply. */
function listOverrides({ edits, current, start }: NewFile): ToolWarning[] {
  return edits.flatMap((edit) => {
    const existingValue = getExistingValue(current, toNamedPath(edit))
    const isUnchanged = existingValue === undefined || existingValue === '' || !changes(edit, current)
    return isUnchanged ? [] : [{ code: 'overridesExisting', subject: editName(edit, start.file.id) }]
  })
}

const PRIVATE_FILE_MODE = 0o600

async function newFile(start: StartingFile, work: ApplyInput): Promise<NewFile> {
  const text = newText(start, work)
  const { edits, after } = text
  const holdsKey = edits.some(holdsSecret)
  const { realPath } = start.snapshot
  const isFileWritten = after !== undefined && edits.length > 0
  const missing = isFileWritten ? await missingFolders(realPath, work.place.disk) : []
  // The undo of this apply also removes folders that an earlier apply created.
  const createdFolders = isFileWritten ? (start.record?.createdFolders ?? []) : []
  const newFolders = [...createdFolders.filter((folder) => realPath.startsWith(folder + sep)), ...missing]
  return {
    ...text,
    start,
    edits: exposeEdits(edits),
    after: after === undefined ? undefined : new Content(after),
    holdsKey,
    mode: holdsKey ? PRIVATE_FILE_MODE : (start.originalMode ?? start.file.mode ?? PRIVATE_FILE_MODE),
    copy: text.movesComments ? await buildCommentsCopy(start, text.original, work) : undefined,
    newFolders: [...new Set(newFolders)].sort((a, b) => a.length - b.length),
  }
}

function newText(start: StartingFile, work: ApplyInput) {
  const { file, snapshot, record } = start
  const { path } = snapshot
  try {
    const editor = editors[file.format]
    const userText = withoutLeftovers(decodeText({ path, bytes: start.original }), start, work)
    const text = handOverKeptSettings(userText, start, work)
    const original = text === undefined ? undefined : Buffer.from(text)
    const parsedDocument = editor.parse(text ?? '')
    const movesComments = !parsedDocument.ok && parsedDocument.error.code === 'file.notStrict'
    const hasAgreedBefore =
      record?.commentsCopy !== undefined &&
      start.original !== undefined &&
      record.backup?.hash === computeHash(start.original)
    if (!movesComments || !(work.mayMoveComments || hasAgreedBefore)) requireValue(parsedDocument)

    const editableText = movesComments ? (editor.toStrict?.(text ?? '') ?? '') : (text ?? '')
    const current = requireValue(editors[toLenientFormat(file.format)].parse(editableText))
    const edits = buildEdits(start, current, work)
    if (edits.length === 0) return { original, current, edits, after: original, movesComments: false }
    const mergedEdits = exposeEdits(edits).map((edit) => keepToolProperties(edit, start))
    const newText = editor.edit(editableText, mergedEdits)
    const after = tryInPlaceEdit(newText, mergedEdits, start, work) ?? newText
    return { original, current, edits, after, movesComments }
  } catch (error) {
    throw addFileName(path, error)
  }
}

/** Changes only our values that differ in the current file. Undefined if the result would differ from a new apply. */
function tryInPlaceEdit(
  newText: string,
  written: readonly OwnedEdit[],
  start: StartingFile,
  work: ApplyInput,
): string | undefined {
  const { file, snapshot, holdsOurs, isElsewhere } = start
  const { input, target } = work
  const previousChoice = work.start.journal?.choice
  const isSameContent =
    previousChoice?.modelCode === input.modelCode &&
    previousChoice.delivery === input.delivery &&
    previousChoice.base === target.base(input.gatewayUrl) &&
    isDeepStrictEqual(previousChoice.slots, input.slots)
  if (!isSameContent || !holdsOurs || isElsewhere) return undefined
  const { parse, edit } = editors[file.format]
  const currentText = decodeText(snapshot) ?? ''
  if (!parse(currentText).ok) return undefined
  const repairedText = edit(currentText, written)
  const [newResult, repairedResult] = [parse(newText), parse(repairedText)]
  return newResult.ok && repairedResult.ok && isDeepStrictEqual(newResult.value, repairedResult.value)
    ? repairedText
    : undefined
}

function buildEdits(
  { file }: StartingFile,
  current: Json,
  { input, keep, settingsToRemove, place }: ApplyInput,
): Edit[] {
  const ownEdits = file
    .edits(input, current, place.environment)
    .filter((edit) => !keep.includes(editName(edit, file.id)))
  const allEdits = [...ownEdits, ...settingsToRemove.flatMap((name) => buildRemoval(name, file.id, current))]
  // Keep the current value of a setting that the tool itself changes.
  return allEdits.map((edit) => {
    if (!edit.isVolatile || !('value' in edit) || 'element' in edit) return edit
    const value = getExistingValue(current, edit)
    return value === undefined ? edit : { ...edit, value }
  })
}

function buildRemoval(name: string, fileId: string, current: Json): Edit[] {
  const path = fileId === 'settings' ? findPath(current, name) : undefined
  return path === undefined ? [] : [{ path, value: undefined }]
}

/** Resolves a setting name with dots into its path. A path segment may itself contain dots. */
function findPath(value: Json | undefined, name: string): string[] | undefined {
  if (!isJsonObject(value)) return undefined
  if (Object.hasOwn(value, name)) return [name]
  for (const [key, inner] of Object.entries(value)) {
    const nestedPath = name.startsWith(`${key}.`) ? findPath(inner, name.slice(key.length + 1)) : undefined
    if (nestedPath !== undefined) return [key, ...nestedPath]
  }
  return undefined
}

/** Rejects setting names that do not exist, because they would have no effect. Accepts names from earlier applies. */
function requireKnownNames(
  files: readonly NewFile[],
  { target, input, start, place }: ApplyInput,
  { keep = [], settingsToRemove = [] }: Pick<ToolRequest, 'keep' | 'settingsToRemove'>,
): void {
  const { files: records = [], ceded = [] } = start.journal ?? {}
  const previousNames = records.flatMap(({ id, owned }) => owned.map((setting) => settingName(setting, id)))
  const ownNames = files.flatMap(({ start: { file }, current }) =>
    file.edits(input, current, place.environment).map((edit) => editName(edit, file.id)),
  )
  const isPresent = (name: string): boolean =>
    files.some(({ start: { file }, current }) => buildRemoval(name, file.id, current).length > 0)
  const isNew = (name: string): boolean => !previousNames.includes(name) && !ceded.includes(name)
  const unknownName = settingsToRemove.find((name) => isNew(name) && !isPresent(name))
  if (unknownName !== undefined)
    throw new AppError('input.invalid', `${target.name} has no setting ${unknownName} to remove.`, { field: 'takeOut' })
  const unownedName = keep.find((name) => isNew(name) && !ownNames.includes(name))
  if (unownedName === undefined) return
  const message = `The app does not write ${unownedName} for ${target.name}, so it can't be kept.`
  throw new AppError('input.invalid', message, { field: 'keep' })
}

/** Keeps properties that the tool added to our list element after our last write. */
function keepToolProperties(edit: OwnedEdit, start: StartingFile): OwnedEdit {
  const existingValue = 'element' in edit ? getExistingValue(readCurrentSettings(start), edit) : undefined
  if (!('element' in edit) || !isJsonObject(existingValue) || !isJsonObject(edit.value)) return edit
  const { element } = edit
  const ownEdits =
    start.record?.owned.find((setting) => setting.element && isDeepStrictEqual(setting.element, element))?.names ?? []
  const ownNames = [...Object.keys(edit.value), ...ownEdits]
  const toolProperties = Object.entries(existingValue).filter(([name]) => !ownNames.includes(name))
  return { ...edit, value: { ...edit.value, ...Object.fromEntries(toolProperties) } }
}

/** Removes settings that this app wrote before its records were lost. Their address or key no longer works. */
function withoutLeftovers(
  text: string | undefined,
  { file, record }: StartingFile,
  work: ApplyInput,
): string | undefined {
  const editor = editors[toLenientFormat(file.format)]
  const parsedDocument = editor.parse(text ?? '')
  if (text === undefined || record !== undefined || !parsedDocument.ok) return text
  const edits = exposeEdits(file.edits(work.input, parsedDocument.value, work.place.environment))
  const credential = edits.find(({ role }) => role === 'credential')
  if (credential === undefined || 'member' in credential || 'element' in credential) return text
  const value = getExistingValue(parsedDocument.value, credential)
  const keyFolder = join(work.place.dataDir, 'key-files').replaceAll('\\', '/')
  const isOurs = typeof value === 'string' && value !== '' && (value === credential.value || value.includes(keyFolder))
  return isOurs ? editor.remove(text, edits, undefined) : text
}

/** Reuses the copy with comments of an earlier apply, or plans a new copy whose path does not exist yet. */
async function buildCommentsCopy(
  start: StartingFile,
  original: Uint8Array | undefined,
  { place }: ApplyInput,
): Promise<CommentsCopy> {
  const content = new Content(original ?? '')
  const previousCommentsCopy = start.isElsewhere ? undefined : start.record?.commentsCopy
  const previousHash = previousCommentsCopy && (await readSnapshot(previousCommentsCopy.path, place.disk)).hash
  if (previousCommentsCopy && previousHash === content.hash)
    return { path: previousCommentsCopy.path, content, isNew: false }
  for (let number = 1; ; number += 1) {
    const path = `${start.snapshot.path}.with-comments${number === 1 ? '' : `.${number}`}.jsonc`
    const { bytes } = await readSnapshot(path, place.disk)
    if (bytes === undefined) return { path, content, isNew: true }
  }
}

/** Throws if no file contains a credential, unless the tool itself stores the key. */
function requireCredential(files: readonly NewFile[], delivery: string): void {
  const hasRole = (role: Edit['role']): boolean =>
    files.some(({ edits }) =>
      edits.some((edit) => edit.role === role && 'value' in edit && edit.value !== undefined && edit.value !== ''),
    )
  if (delivery !== 'inTool' && hasRole('address') && !hasRole('credential')) throw createNoKeyError()
}

const readCurrentSettings = ({ file, snapshot }: StartingFile): Json =>
  parseLeniently(file.format, decodeText(snapshot))

/**
 * Original text with changed settings that the user wants to keep. They become the user's settings, so an undo leaves
 * them in the file. Throws if one of them contains our key.
 */
function handOverKeptSettings(text: string | undefined, start: StartingFile, work: ApplyInput): string | undefined {
  const { file, record } = start
  const { journal } = work.start
  if (record === undefined || journal === undefined || work.keep.length === 0) return text
  const currentText = readCurrentSettings(start)
  const settingsToKeep = record.owned.filter(
    (setting) =>
      work.keep.includes(settingName(setting, file.id)) &&
      (setting.role === undefined || !isUnchangedSinceWrite(setting, currentText, journal.salt)),
  )
  if (settingsToKeep.some((setting) => findOwnKey(getExistingValue(currentText, setting), journal) !== undefined))
    throw new AppError(
      'input.invalid',
      `A setting of ${work.target.name} that you would keep has this app's key. Restore ours, or keep all of it.`,
      { field: 'keep' },
    )
  const edits = settingsToKeep.flatMap((setting): OpenEdit[] => {
    const { path, member, element } = setting
    const value = getExistingValue(currentText, setting)
    if (element !== undefined) return [{ path, element, value }]
    if (member === undefined) return [{ path, value }]
    return Array.isArray(value) ? [{ path, member, present: value.includes(member) }] : []
  })
  return edits.length === 0 ? text : editors[toLenientFormat(file.format)].edit(text ?? '', edits)
}

const createNoKeyError = (): AppError =>
  new AppError('vault.keyMissing', 'There is no key for the tool, so nothing was written. Add the key again.')
