import type { RotationRecord } from '../settings/records'
import type { RotationJournal } from './journal'
import type { RotationPorts } from './ports'

/** What a step works with. */
export interface Run {
  readonly id: string
  readonly ports: RotationPorts
  readonly journal: RotationJournal
  readonly signal: AbortSignal
  /** The record as it is now. */
  record(): RotationRecord
}

/**
 * `done`; `skipped`: there was nothing to do; `blocked`: a tool stands in the way, which the record names, and the next
 * step may still be made (`isLast` false) or not; `back`: an earlier step has to be made again; `wait`: until it is time.
 */
export type StepOutcome =
  | { readonly kind: 'done' | 'skipped' | 'wait' }
  | { readonly kind: 'blocked'; readonly isLast: boolean }
  | { readonly kind: 'back'; readonly to: string }

/** One step: looks what is there and does what is missing. Fails with an `AppError`. */
export interface Step {
  readonly id: string
  readonly run: (run: Run) => Promise<StepOutcome>
}

/** A step that did what it had to. */
export const done: StepOutcome = { kind: 'done' }
/** A step that had nothing to do. */
export const skipped: StepOutcome = { kind: 'skipped' }
