import { z } from 'zod'
import { dayMs, hourMs } from '../durations'
import { Failure } from '../failure'
import { limits } from '../limits'
import { CleanName, method, Nothing } from './common'
import { Holder } from './register'
import { Site } from './tools'

/** The steps of a rotation, in this order. */
export const RotationStepId = z.enum([
  /** The new key is made at the account. */
  'add',
  /** It is kept in the keychain. */
  'keep',
  /** One real small request with it. */
  'check',
  /** Every tool and profile of this machine that used the old key is pointed at the new one. */
  'repoint',
  /** One real small request of each of these tools. */
  'verify',
  /** The old key is disabled at the account. */
  'disable',
  /** The gateway refuses the old key. */
  'confirm',
  /** The grace period that the person chose; the old key can be enabled again until it ends. */
  'grace',
  /** The old key is deleted, at the account and here. */
  'delete',
])
export type RotationStepId = z.infer<typeof RotationStepId>

/** The steps that undo a rotation, in this order. */
export const RotationUndoStepId = z.enum([
  /** The old key works again. */
  'enable',
  /** What was pointed at the new key is pointed at the old one. */
  'giveBack',
  /** One real small request of each of these tools. */
  'verifyBack',
  /** The new key is deleted, at the account and here. */
  'remove',
])
export type RotationUndoStepId = z.infer<typeof RotationUndoStepId>

/** `skipped`: there was nothing to do. */
export const RotationStepState = z.enum(['pending', 'running', 'done', 'failed', 'skipped'])
export type RotationStepState = z.infer<typeof RotationStepState>

const step = { state: RotationStepState, at: z.iso.datetime().optional(), failure: Failure.optional() }

/**
 * `waiting`: for a time, or until all holders and other computers use the new key. `undone`: the old key works, the new one is deleted.
 * A tool that could not be switched keeps both keys active: the rotation is then `stopped` after `verify`.
 */
export const RotationState = z.enum(['running', 'stopped', 'failed', 'waiting', 'done', 'undone'])
export type RotationState = z.infer<typeof RotationState>

/**
 * A tool that used the old key, and whether it uses the new one. `failed` with `rotation.keyByHand`: the key is where this
 * app cannot write; the person puts it there and says so with `rotation.confirmTool`. With `rotation.toolUnknown`: the record
 * of what it was given is damaged, so that it may use either key.
 */
export const RotatedTool = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  site: Site,
  state: z.enum(['pending', 'repointed', 'verified', 'failed']),
  failure: Failure.optional(),
  /** A running instance has the key it was started with, and is refused (401) once that is disabled, until it is started again. */
  needsRestart: z.boolean().optional(),
  /** With `rotation.toolUnknown`: the damaged record. */
  recordPath: z.string().optional(),
})
export type RotatedTool = z.infer<typeof RotatedTool>

/** Somebody who held the old key, and how far the new one is handed over: not at all, in a kit, or confirmed by its code. */
export const Handover = z.strictObject({ holder: Holder, state: z.enum(['open', 'handedOut', 'confirmed']) })
export type Handover = z.infer<typeof Handover>

/** Another computer of the lead space whose tools or routes use the old key. */
export const ComputerUse = z.strictObject({
  machineUid: z.string(),
  /** The computer's name. */
  computer: z.string(),
  /** The person's name in the lead space. */
  person: z.string(),
  osUser: z.string(),
  toolNames: z.array(z.string()),
  /** When that computer last published its uses. */
  publishedAt: z.iso.datetime(),
})
export type ComputerUse = z.infer<typeof ComputerUse>

/** One rotation: ids and names, never a key. */
export const RotationView = z.strictObject({
  id: z.string(),
  planId: z.string(),
  planName: z.string(),
  oldKeyId: z.string(),
  oldKeyName: z.string(),
  newKeyId: z.string().optional(),
  newKeyName: z.string(),
  state: RotationState,
  steps: z.array(z.strictObject({ id: RotationStepId, ...step })),
  /** Present once it is being undone. */
  undoSteps: z.array(z.strictObject({ id: RotationUndoStepId, ...step })).optional(),
  tools: z.array(RotatedTool),
  /** Names of the profiles that used the old key. */
  profiles: z.array(z.string()),
  startedAt: z.iso.datetime(),
  graceMs: z.number().int().nonnegative(),
  /** With `waiting`: when the old key will be deleted; absent while the old key works on for those who hold it. */
  deleteAt: z.iso.datetime().optional(),
  /** Who holds the new key in the old one's place; absent where nobody is known to. */
  handover: z.array(Handover).optional(),
  /** Other computers that still use the old key; absent without a lead space, where they are unknown. */
  computers: z.array(ComputerUse).optional(),
  /** With `waiting` for the old key: when it is disabled; absent: once everyone has confirmed the new one. */
  disableAt: z.iso.datetime().optional(),
  /** As chosen: the latest time to disable the old key. */
  disableBy: z.iso.datetime().optional(),
  /** As chosen: how long after the switch of the tools the old key is disabled. */
  disableAfterMs: z.number().int().nonnegative().optional(),
  canResume: z.boolean(),
  /** Until the old key is deleted. */
  canUndo: z.boolean(),
})
export type RotationView = z.infer<typeof RotationView>

/** What rotating a key will do, before anything is done. */
export const RotationPlan = z.strictObject({
  planId: z.string(),
  planName: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  newKeyName: z.string(),
  /** Keys at the account; with none left free, one of `freeable` has to be deleted by the person first. */
  slots: z.strictObject({ used: z.number().int(), most: z.number().int() }),
  /** Keys that nothing on this machine uses, oldest first. */
  freeable: z.array(
    z.strictObject({
      keyId: z.string(),
      name: z.string(),
      status: z.enum(['ACTIVE', 'DISABLED']),
      createdAt: z.iso.datetime(),
    }),
  ),
  tools: z.array(RotatedTool.pick({ toolId: true, toolName: true, site: true, needsRestart: true })),
  /** Tools whose records are damaged: whether they use the key cannot be known, and the old key will not be disabled. */
  unknownTools: z.array(RotatedTool.pick({ toolId: true, toolName: true, site: true, recordPath: true })),
  profiles: z.array(z.string()),
  /** Known holders of the old key. */
  holders: z.array(z.string()),
  /** Other computers that use the old key; absent without a lead space, where they are unknown. */
  computers: z.array(ComputerUse).optional(),
})
export type RotationPlan = z.infer<typeof RotationPlan>

/** The grace period of window and command line, in ms: long enough to notice what was forgotten. */
export const defaultGraceMs = dayMs

/** How long both keys work by default when a tool here keeps its key in memory, in ms. */
export const memoryOverlapMs = hourMs

const KeyHere = { planId: z.string(), keyId: z.string() }

const Wait = z
  .number()
  .int()
  .min(0)
  .max(30 * dayMs)

/**
 * When the old key is disabled. `disableAfterMs`: this long after the tools were switched, 0 at once. `disableBy`: at this time, or
 * earlier when all holders have confirmed. Neither: once all holders have confirmed, and not before tools that keep keys in memory had an hour.
 */
const disableWhen = { disableAfterMs: Wait.optional(), disableBy: z.iso.datetime().optional() }

export const rotation = {
  /** `keyId` is that of the key on this machine. Fails with `rotation.notAtAccount` for a key that was handed over. */
  'rotation.preview': method(z.strictObject(KeyHere), RotationPlan),
  /** Begins; `rotation.list` tells how far it is. Fails with `rotation.*` or `account.keyLimitReached` before anything is done. */
  'rotation.start': method(
    z.strictObject({
      ...KeyHere,
      graceMs: Wait,
      newKeyName: CleanName(limits.nameCharacters).optional(),
      ...disableWhen,
    }),
    RotationView,
  ),
  /**
   * One after the other, and resolves when all are at their end; a key that cannot be rotated does not stop the others.
   * Stopping the one that runs stops those behind it.
   */
  'rotation.startMany': method(
    z.strictObject({
      keys: z.array(z.strictObject(KeyHere)).min(1).max(100),
      graceMs: Wait,
      ...disableWhen,
    }),
    z.array(RotationView),
  ),
  /** Newest first. */
  'rotation.list': method(Nothing, z.array(RotationView)),
  /** After the step that is running. */
  'rotation.stop': method(z.strictObject({ id: z.string() }), RotationView),
  'rotation.resume': method(z.strictObject({ id: z.string() }), RotationView),
  'rotation.undo': method(z.strictObject({ id: z.string() }), RotationView),
  /** The person has put the key into a tool where this app cannot write it; `rotation.resume` goes on then. */
  'rotation.confirmTool': method(z.strictObject({ id: z.string(), toolId: z.string(), site: Site }), RotationView),
  /** Disables the old key now. */
  'rotation.endHandover': method(z.strictObject({ id: z.string() }), RotationView),
  /** The tools that used the old key after the switch, as the relay and tools' logs recorded it. */
  'rotation.oldKeyUses': method(
    z.strictObject({ id: z.string() }),
    z.array(z.strictObject({ toolId: z.string(), at: z.iso.datetime() })),
  ),
  /** Takes one off the list that neither runs nor waits. */
  'rotation.dismiss': method(z.strictObject({ id: z.string() }), Nothing),
  /** Remind of keys older than these days; an empty list: never. */
  'rotation.getReminders': method(Nothing, z.strictObject({ days: z.array(z.number().int().min(1).max(365)) })),
  'rotation.setReminders': method(
    z.strictObject({ days: z.array(z.number().int().min(1).max(365)).max(5) }),
    z.strictObject({ days: z.array(z.number().int()) }),
  ),
}
