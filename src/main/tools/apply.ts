import { join } from 'node:path'
import type { Delivery, Route } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { Application, KeyFile, Work } from './application'
import { stepsOf, tidyingOf } from './apply-steps'
import { filesOf, warningsOf } from './apply-views'
import { hashOf } from './content'
import { noKey } from './file-errors'
import { digestOf, journalPath, newSalt } from './journal'
import { newFile, requireCredential } from './new-file'
import { journalOf } from './new-journal'
import { pastOf } from './past'
import type { Place, ToolPlan } from './plan'
import { preconditionOf } from './restore'
import { keyContent } from './reveal'
import { setupIdOf } from './sites'
import { type Start, startingPointOf } from './starting-point'
import type { TargetInput, WrittenTarget } from './target'
import { replacementWarnings } from './views'

/** What the person chose, with the key and the helper command that the delivery needs. */
export type ToolRequest = Omit<TargetInput, 'keyFile' | 'delivery' | 'slots' | 'variable'> & {
  readonly planId: string
  readonly keyId?: string | undefined
  /** Slots left out take the model's own code. */
  readonly slots?: Readonly<Record<string, string>> | undefined
  /** The tool's best one when left out. */
  readonly delivery?: Delivery | undefined
  /** The gateway when left out. With the relay `gatewayUrl` and `key` are the relay's. */
  readonly route?: Route | undefined
  /** Consent to write a strict file without its comments; the commented original then stays beside it. */
  readonly moveCommentsToCopy?: boolean | undefined
  /** Names of settings to leave as they are, beside those that were kept before; none are when it is left out. */
  readonly keep?: readonly string[] | undefined
  /** Names of settings in the way to take out. */
  readonly takeOut?: readonly string[] | undefined
}

/**
 * Reads and decides what configuring a tool will write; nothing is written. Throws `file.notStrict` where consent to
 * move comments is needed, `file.unparsable` (with the line) and `file.unreadable` where the file has to stay alone.
 */
export async function planApply(target: WrittenTarget, request: ToolRequest, place: Place): Promise<ToolPlan> {
  const application = await applicationOf(target, request, place)
  const { start, files } = application
  const journal = journalOf(application)
  const record = journalPath(target.id, place)
  const steps = await stepsOf(application, journal)
  const snapshots = start.files.flatMap(({ snapshot, restorations }) => [
    snapshot,
    ...restorations.map((restoration) => restoration.snapshot),
  ])
  const copies = files.flatMap(({ copy }) => (copy?.isNew ? [copy] : []))
  return {
    kind: 'apply',
    toolId: target.id,
    place,
    files: await filesOf(application),
    warnings: [...(await replacementWarnings(steps, place)), ...warningsOf(application)],
    base: journal.choice.base,
    requestAddress: journal.choice.requestAddress,
    preconditions: [
      ...snapshots.map(preconditionOf),
      { path: record, realPath: record, hash: start.journalHash },
      ...copies.map(({ path }) => ({ path, realPath: path, hash: null })),
    ],
    steps,
    tidying: tidyingOf(application, journal),
    past: pastOf(application, journal),
  }
}

/** What a target is given: the delivery decided, every slot filled, and a place for the key where it needs one. */
export function inputOf(target: WrittenTarget, request: ToolRequest, keyFile?: string): TargetInput {
  const { planId: _plan, keyId: _key, delivery = target.deliveries[0], keep: _keep, takeOut: _out, ...asked } = request
  if (!target.deliveries.includes(delivery))
    throw new AppError('input.invalid', `${target.name} cannot get its key this way.`, { field: 'delivery' })
  const slots = Object.fromEntries(target.slots.map(({ id }) => [id, request.slots?.[id] ?? request.modelCode]))
  const { moveCommentsToCopy: _move, route: _route, ...input } = asked
  return { ...input, slots, delivery, variable: target.variable, ...(delivery === 'file' ? { keyFile } : {}) }
}

async function applicationOf(target: WrittenTarget, request: ToolRequest, place: Place): Promise<Application> {
  const start = await startingPointOf(target, place)
  const salt = newSalt()
  const keyFile = keyFileOf(target, { request, start, salt }, place)
  const input = inputOf(target, request, keyFile?.path)
  const { moveCommentsToCopy: mayMoveComments = false, takeOut = [] } = request
  const keep = request.keep === undefined ? [] : [...new Set([...(start.journal?.ceded ?? []), ...request.keep])]
  const work: Work = { target, input, start, place, mayMoveComments, keep, takeOut }
  const all = await Promise.all(start.files.map((file) => newFile(file, work)))
  const files = all.filter(({ edits, start: { record } }) => edits.length > 0 || record !== undefined)
  requireCredential(files, input.delivery)
  const isInFile = files.some(({ holdsKey }) => holdsKey)
  return {
    ...work,
    planId: request.planId,
    keyId: request.keyId,
    route: request.route ?? 'gateway',
    files,
    keyFile,
    keyDigest: isInFile && input.key ? digestOf(keyContent(input.key).hash, salt) : undefined,
    salt,
  }
}

type KeyGround = { readonly request: ToolRequest; readonly start: Start; readonly salt: string }

/** Named by plan, gateway and key, so that the file of another key is never overwritten; a token of the relay serves any of them. */
function keyFileOf(target: WrittenTarget, { request, start, salt }: KeyGround, place: Place): KeyFile | undefined {
  const { delivery = target.deliveries[0], key, planId, gatewayUrl, keyId, route } = request
  if (delivery !== 'file') return undefined
  if (key === undefined) throw noKey()
  const content = keyContent(key)
  const names = route === 'relay' ? [gatewayUrl] : [planId, gatewayUrl, ...(keyId === undefined ? [] : [keyId])]
  const path = join(
    place.dataDir,
    'key-files',
    `${setupIdOf(target.id, place.site)}-${hashOf(names.join('\n')).slice(0, 12)}`,
  )
  const isNew = !start.journal?.keyFiles.some((known) => known.path === path)
  return { path, content, digest: digestOf(content.hash, salt), isNew }
}
