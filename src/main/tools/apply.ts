import { join, sep } from 'node:path'
import type { Delivery } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { Application, CommentsCopy, KeyFile, NewSettings } from './application'
import { stepsOf, tidyingOf } from './apply-steps'
import { filesOf, warningsOf } from './apply-views'
import { Content, hashOf } from './content'
import { noKey } from './file-errors'
import { missingFolders, readSnapshot } from './files'
import { digestOf, journalPath, newSalt } from './journal'
import { journalOf } from './new-journal'
import { newSettings } from './new-settings'
import type { Place, ToolPlan } from './plan'
import { preconditionOf } from './restore'
import { keyContent } from './reveal'
import { type StartingPoint, startingPointOf } from './starting-point'
import type { Target, TargetInput } from './target'

/** What the person chose, with the key and the helper command that the delivery needs. */
export type ToolRequest = Omit<TargetInput, 'keyFile' | 'delivery'> & {
  readonly planId: string
  /** The tool's best one when left out. */
  readonly delivery?: Delivery | undefined
  /** Consent to write a strict file without its comments; the commented original then stays beside it. */
  readonly moveCommentsToCopy?: boolean | undefined
}

const KEY_MODE = 0o600

/**
 * Reads and decides what configuring a tool will write; nothing is written. Throws `file.notStrict` where consent to
 * move comments is needed, `file.unparsable` (with the line) and `file.unreadable` where the file has to stay alone.
 */
export async function planApply(target: Target, request: ToolRequest, place: Place): Promise<ToolPlan> {
  const application = await applicationOf(target, request, place)
  const { start, copy } = application
  const journal = journalOf(application)
  const record = journalPath(target.id, place)
  return {
    kind: 'apply',
    toolId: target.id,
    files: await filesOf(application, place),
    warnings: warningsOf(application),
    base: journal.choice.base,
    requestAddress: journal.choice.requestAddress,
    preconditions: [
      ...[start.snapshot, ...start.restorations.map(({ snapshot }) => snapshot)].map(preconditionOf),
      { path: record, realPath: record, hash: start.journalHash },
      ...(copy?.isNew ? [{ path: copy.path, realPath: copy.path, hash: null }] : []),
    ],
    steps: await stepsOf(application, journal),
    tidying: tidyingOf(application, journal),
  }
}

/** What a target is given: the delivery decided, and a place for the key where it needs one. */
export function inputOf(target: Target, request: ToolRequest, { dataDir }: Pick<Place, 'dataDir'>): TargetInput {
  const { planId, delivery = target.deliveries[0], moveCommentsToCopy: _, ...rest } = request
  if (!target.deliveries.includes(delivery))
    throw new AppError('input.invalid', `${target.name} cannot get its key this way.`, { field: 'delivery' })
  if (delivery !== 'file') return { ...rest, delivery }
  const name = `${target.id}-${hashOf(`${planId}\n${request.gatewayUrl}`).slice(0, 12)}`
  return { ...rest, delivery, keyFile: join(dataDir, 'key-files', name) }
}

async function applicationOf(target: Target, request: ToolRequest, place: Place): Promise<Application> {
  const input = inputOf(target, request, place)
  const start = await startingPointOf(target, place)
  const work = { target, input, start, place }
  const settings = newSettings(work, request.moveCommentsToCopy ?? false)
  const salt = newSalt()
  return {
    ...work,
    ...settings,
    planId: request.planId,
    mode: input.delivery === 'plain' ? KEY_MODE : (start.originalMode ?? KEY_MODE),
    keyFile: keyFileOf(input, salt),
    copy: settings.movesComments ? await copyOf(start, settings, place) : undefined,
    newFolders: await newFoldersFor(start, place),
    salt,
  }
}

function keyFileOf({ delivery, keyFile, key }: TargetInput, salt: string): KeyFile | undefined {
  if (delivery !== 'file' || keyFile === undefined) return undefined
  if (key === undefined) throw noKey()
  const content = keyContent(key)
  return { path: keyFile, content, digest: digestOf(content.hash, salt) }
}

/** The missing folders, and those that undoing an earlier apply removes on the way; outermost first. */
async function newFoldersFor({ snapshot, journal }: StartingPoint, { disk }: Place): Promise<string[]> {
  const ours = journal?.createdFolders.filter((folder) => snapshot.realPath.startsWith(folder + sep)) ?? []
  const missing = await missingFolders(snapshot.realPath, disk)
  return [...new Set([...ours, ...missing])].sort((a, b) => a.length - b.length)
}

/** The copy that an earlier apply made of the same original, else a new one that overwrites nothing. */
async function copyOf(start: StartingPoint, { original }: NewSettings, { disk }: Place): Promise<CommentsCopy> {
  const content = new Content(original ?? '')
  const earlier = start.isElsewhere ? undefined : start.journal?.commentsCopy
  if (earlier !== undefined && (await readSnapshot(earlier.path, disk)).hash === content.hash)
    return { path: earlier.path, content, isNew: false }
  for (let number = 1; ; number += 1) {
    const path = `${start.snapshot.path}.with-comments${number === 1 ? '' : `.${number}`}.jsonc`
    const { bytes } = await readSnapshot(path, disk)
    if (bytes === undefined) return { path, content, isNew: true }
  }
}
