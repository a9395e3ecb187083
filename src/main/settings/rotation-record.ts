import { RotatedTool, RotationState, RotationStepId, RotationStepState, RotationUndoStepId } from '@shared/contract'
import { Failure } from '@shared/failure'
import { z } from 'zod'

const noted = { state: RotationStepState, at: z.string().optional(), failure: Failure.optional() }

/** A tool of a rotation. `hand`: which key the person has put where this app cannot write. */
export const RotatedToolRecord = z.object({ ...RotatedTool.shape, hand: z.enum(['old', 'new']).optional() })
export type RotatedToolRecord = z.infer<typeof RotatedToolRecord>

/**
 * The journal of a rotation: what was done, in ids and names; never a key. `id` of a key is this machine's, `keyId` the
 * account's. The new key's name is here before the key is made, so that one whose answer was lost is found again.
 */
export const RotationRecord = z.object({
  id: z.string(),
  planId: z.string(),
  planName: z.string(),
  /** The plan at the account. */
  origin: z.object({ connectionId: z.string(), planId: z.string() }),
  oldKey: z.object({ id: z.string(), keyId: z.string(), name: z.string(), wasActive: z.boolean() }),
  newKey: z.object({ name: z.string(), id: z.string().optional(), keyId: z.string().optional() }),
  /** `back`: it is being undone. */
  direction: z.enum(['forward', 'back']),
  state: RotationState,
  steps: z.array(z.object({ id: RotationStepId, ...noted })),
  undoSteps: z.array(z.object({ id: RotationUndoStepId, ...noted })),
  tools: z.array(RotatedToolRecord),
  profiles: z.array(z.string()),
  startedAt: z.string(),
  graceMs: z.number(),
  deleteAt: z.string().optional(),
  /** The person asked it to stop behind the step that runs. */
  isStopWanted: z.boolean(),
  /** The process that works on it, and when that last said so. */
  runner: z.object({ pid: z.number(), at: z.string() }).optional(),
})
export type RotationRecord = z.infer<typeof RotationRecord>

/** A reminder of a key's age that was shown; a key that was replaced in its place has another `addedAt`. */
export const ShownKeyReminder = z.object({ keyId: z.string(), addedAt: z.string(), days: z.number() })
export type ShownKeyReminder = z.infer<typeof ShownKeyReminder>
