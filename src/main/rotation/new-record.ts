import { randomUUID } from 'node:crypto'
import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import type { RotationRecord } from '../settings/records'
import type { WrittenSetup } from '../setups/configured-tools'
import { nextStep } from './journal'
import type { Situation } from './rotation-preview'
import { isOf } from './switch-key'

/** What a person chose of a rotation. */
export interface RotationWish {
  readonly graceMs: number
  readonly newKeyName: string
  readonly now: Date
}

/** The journal of a rotation that has not begun. */
export function newRecord({ plan, key, keys }: Situation, { graceMs, newKeyName, now }: RotationWish): RotationRecord {
  const old = keys.find(({ keyId }) => keyId === key.origin.keyId)
  return {
    id: randomUUID(),
    planId: plan.id,
    planName: plan.name,
    origin: plan.origin,
    oldKey: { id: key.id, keyId: key.origin.keyId, name: key.name, wasActive: old?.status !== 'DISABLED' },
    newKey: { name: newKeyName },
    direction: 'forward',
    state: 'running',
    steps: RotationStepId.options.map((id) => ({ id, state: 'pending' })),
    undoSteps: RotationUndoStepId.options.map((id) => ({ id, state: 'pending' })),
    tools: [],
    profiles: [],
    startedAt: now.toISOString(),
    graceMs,
    isStopWanted: false,
  }
}

const pending = { state: 'pending', at: undefined, failure: undefined } as const

/** Steps that are made again when a rotation goes on: what uses the keys may have changed since. */
const looksAgainFrom = { forward: 'repoint', back: 'giveBack' } as const

/** What changes when a rotation goes on; a step that comes before the tools goes on with all that leads to it. */
export function restarted(record: RotationRecord): Pick<RotationRecord, 'steps' | 'undoSteps'> {
  const next = nextStep(record)?.id
  const ids: readonly string[] = [...RotationStepId.options, ...RotationUndoStepId.options]
  const looksAgain = looksAgainFrom[record.direction]
  const isEarly = next !== undefined && ids.indexOf(next) < ids.indexOf(looksAgain)
  const list = record.direction === 'forward' ? RotationStepId.options : RotationUndoStepId.options
  const from = isEarly ? (list[0] ?? looksAgain) : looksAgain
  const reset = <T extends { readonly id: string }>(steps: readonly T[]) =>
    steps.map((step) => (ids.indexOf(step.id) < ids.indexOf(from) ? step : { ...step, ...pending }))
  return record.direction === 'forward'
    ? { steps: reset(record.steps), undoSteps: record.undoSteps }
    : { steps: record.steps, undoSteps: reset(record.undoSteps) }
}

/** What changes when a rotation is turned back: only tools that use the new key now have something to go back from. */
export function turnedBack(
  { tools }: RotationRecord,
  users: readonly WrittenSetup[],
): Pick<RotationRecord, 'direction' | 'state' | 'tools' | 'deleteAt'> {
  return {
    direction: 'back',
    state: 'stopped',
    deleteAt: undefined,
    tools: tools.filter((tool) => users.some(isOf(tool))),
  }
}
