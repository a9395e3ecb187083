import { z } from 'zod'
import { dayMs } from '../durations'
import { Failure } from '../failure'
import { limits } from '../limits'
import { Amount, CleanName, EmptyResult, ItemId, KeyStatus, LocalKeyRef, method } from './common'
import { Holder } from './register'
import { Site } from './tools'

/** Steps of a rotation, in execution order. */
export const RotationStepId = z.enum([
  /** Creates the new key at the account. */
  'add',
  /** Saves the new key in the keychain. */
  'keep',
  /** Sends one small real request with the new key. */
  'check',
  /** Switches all local tools and profiles from the old key to the new one. */
  'repoint',
  /** Sends one small real request per tool. */
  'verify',
  /** Disables the old key at the account. */
  'disable',
  /** Verifies that the gateway rejects the old key. */
  'confirm',
  /** User-defined grace period. The old key can be enabled again until it ends. */
  'grace',
  /** Deletes the old key at the account and locally. */
  'delete',
])
export type RotationStepId = z.infer<typeof RotationStepId>

/** Steps of an undo, in execution order. */
export const RotationUndoStepId = z.enum([
  /** Enables the old key again. */
  'enable',
  /** Switches tools back to the old key. */
  'giveBack',
  /** Sends one small real request per tool. */
  'verifyBack',
  /** Deletes the new key at the account and locally. */
  'remove',
])
export type RotationUndoStepId = z.infer<typeof RotationUndoStepId>

/** State of a step. `skipped` means that there was nothing to do. */
export const RotationStepState = z.enum(['pending', 'running', 'done', 'failed', 'skipped'])
export type RotationStepState = z.infer<typeof RotationStepState>

const step = { state: RotationStepState, at: z.iso.datetime().optional(), failure: Failure.optional() }

/**
 * State of a rotation. `waiting`: for the grace period, or until all holders and computers use the new key. `undone`:
 * the old key is restored and the new one deleted. If a tool fails, both keys stay active and the rotation is `stopped`
 * after `verify`.
 */
export const RotationState = z.enum(['running', 'stopped', 'failed', 'waiting', 'done', 'undone'])
export type RotationState = z.infer<typeof RotationState>

/**
 * A tool whose key is rotated. On failure `rotation.keyByHand`, the user must enter the key and call
 * `rotation.confirmTool`. On `rotation.toolUnknown`, the app's record of the tool is damaged, so the tool may use
 * either key.
 */
export const RotatedTool = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  site: Site,
  state: z.enum(['pending', 'repointed', 'verified', 'failed']),
  failure: Failure.optional(),
  /** Whether the tool needs a restart. A running instance keeps the old key and gets 401 once that key is disabled. */
  needsRestart: z.boolean().optional(),
  /** Path of the damaged record, for the failure `rotation.toolUnknown`. */
  recordPath: z.string().optional(),
})
export type RotatedTool = z.infer<typeof RotatedTool>

/** Handover of the new key to a holder of the old one. */
export const Handover = z.strictObject({ holder: Holder, state: z.enum(['open', 'handedOut', 'confirmed']) })
export type Handover = z.infer<typeof Handover>

/** Another computer of the shared lead space whose tools or relay routes still use the old key. */
export const ComputerKeyUsage = z.strictObject({
  machineUid: z.string(),
  computer: z.string(),
  person: z.string(),
  osUser: z.string(),
  toolNames: z.array(z.string()),
  /** Last time that the other computer reported which keys it uses. */
  publishedAt: z.iso.datetime(),
  /** Time at which that computer last failed to switch its tools to the new key. */
  failedAt: z.iso.datetime().optional(),
})
export type ComputerKeyUsage = z.infer<typeof ComputerKeyUsage>

/** A rotation with ids and names, never with a key. */
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
  /** Steps of the undo. Absent until an undo was started. */
  undoSteps: z.array(z.strictObject({ id: RotationUndoStepId, ...step })).optional(),
  tools: z.array(RotatedTool),
  /** Names of the profiles that used the old key. */
  profiles: z.array(z.string()),
  startedAt: z.iso.datetime(),
  graceMs: Amount,
  /** For `waiting`: planned deletion of the old key. Absent while holders still need it. */
  deleteAt: z.iso.datetime().optional(),
  /** Handover of the new key per holder. Absent when unknown. */
  handover: z.array(Handover).optional(),
  /** Other computers that still use the old key. Omitted without a shared lead space. */
  computers: z.array(ComputerKeyUsage).optional(),
  /** For `waiting`: planned disabling of the old key. Absent until all holders have confirmed. */
  disableAt: z.iso.datetime().optional(),
  /** Latest time to disable the old key. */
  disableBy: z.iso.datetime().optional(),
  /** Delay between the switch and disabling the old key. */
  disableAfterMs: Amount.optional(),
  canResume: z.boolean(),
  /** Whether the rotation can be undone. False after the old key was deleted. */
  canUndo: z.boolean(),
})
export type RotationView = z.infer<typeof RotationView>

export const RotationPlan = z.strictObject({
  planId: z.string(),
  planName: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  newKeyName: z.string(),
  /** Key slots of the account. If all are used, the user must first delete one of `freeable`. */
  slots: z.strictObject({ used: z.number().int(), max: z.number().int() }),
  /** Keys of the account that nothing on this computer uses, oldest first. */
  freeable: z.array(
    z.strictObject({
      keyId: z.string(),
      name: z.string(),
      status: KeyStatus,
      createdAt: z.iso.datetime(),
    }),
  ),
  tools: z.array(RotatedTool.pick({ toolId: true, toolName: true, site: true, needsRestart: true })),
  /** Tools whose configuration records are damaged. They may use the old key, so it is not disabled. */
  unknownTools: z.array(RotatedTool.pick({ toolId: true, toolName: true, site: true, recordPath: true })),
  profiles: z.array(z.string()),
  /** Known holders of the old key. */
  holders: z.array(z.string()),
  /** Other computers that use the old key. Omitted without a shared lead space. */
  computers: z.array(ComputerKeyUsage).optional(),
})
export type RotationPlan = z.infer<typeof RotationPlan>

const maxWaitMs = 30 * dayMs
const WaitDurationMs = z.int().min(0).max(maxWaitMs)

/**
 * When to disable the old key. `disableAfterMs` counts from the switch, 0 means immediately. `disableBy` is the latest
 * time, earlier if all holders have confirmed. Without both, waits for all holders, and at least 1 h if a tool keeps
 * its key in memory.
 */
const disableWhen = { disableAfterMs: WaitDurationMs.optional(), disableBy: z.iso.datetime().optional() }

/** Rotates a key at a time, and again every `everyDays` days, then with the key that replaced it. */
export const RotationScheduleInput = LocalKeyRef.extend({
  at: z.iso.datetime(),
  everyDays: z.number().int().min(1).max(365).optional(),
  graceMs: WaitDurationMs,
  disableAfterMs: WaitDurationMs.optional(),
})
export type RotationScheduleInput = z.infer<typeof RotationScheduleInput>

export const RotationSchedule = RotationScheduleInput.extend({
  planName: z.string(),
  keyName: z.string(),
  /** Why the rotation that was due could not start. It is tried again every 5 minutes. */
  failure: Failure.optional(),
})
export type RotationSchedule = z.infer<typeof RotationSchedule>

export const rotation = {
  /** Previews a rotation by local ids. Fails with `rotation.notAtAccount` for a key from a key file. */
  'rotation.preview': method(RotationPlan, LocalKeyRef),
  /** Starts a rotation. Fails early with `rotation.*` or `account.keyLimitReached`. `rotation.list`: progress. */
  'rotation.start': method(RotationView, {
    ...LocalKeyRef.shape,
    graceMs: WaitDurationMs,
    newKeyName: CleanName(limits.nameCharacters).optional(),
    ...disableWhen,
  }),
  /** Runs rotations in sequence, resolves at the end. A failure stops no other one. Stopping one cancels the rest. */
  'rotation.startMany': method(z.array(RotationView), {
    keys: z.array(LocalKeyRef).min(1).max(100),
    graceMs: WaitDurationMs,
    ...disableWhen,
  }),
  /** All rotations, newest first. */
  'rotation.list': method(z.array(RotationView)),
  /** Stops a rotation after its running step. */
  'rotation.stop': method(RotationView, ItemId),
  'rotation.resume': method(RotationView, ItemId),
  'rotation.undo': method(RotationView, ItemId),
  /** Confirms that the user entered the key in a tool. `rotation.resume` then continues. */
  'rotation.confirmTool': method(RotationView, { ...ItemId.shape, toolId: z.string(), site: Site }),
  'rotation.endHandover': method(RotationView, ItemId),
  /** Requests with the old key after the switch, from the logs of relay and tools. */
  'rotation.oldKeyUses': method(z.array(z.strictObject({ toolId: z.string(), at: z.iso.datetime() })), ItemId),
  /** Schedules rotations of a key, in place of its earlier schedule. Fails as `rotation.preview` does. */
  'rotation.schedule': method(z.array(RotationSchedule), RotationScheduleInput),
  /** Removes the schedule of a key. */
  'rotation.unschedule': method(z.array(RotationSchedule), LocalKeyRef),
  /** Schedules of keys that are on this computer, the next one first. */
  'rotation.schedules': method(z.array(RotationSchedule)),
  /** Removes a rotation that neither runs nor waits from the list. */
  'rotation.dismiss': method(EmptyResult, ItemId),
}
