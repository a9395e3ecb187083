import type {
  AccountPlanView,
  CheckView,
  Handover,
  PlanView,
  PreviewView,
  SubscriptionKeyView,
  ToolAt,
} from '@shared/contract'
import type { ToolChoice } from '@shared/contract/tools'
import type { GatewayCheck } from '../gateway/probe'
import type { UsablePlan } from '../plans/default-key'
import type { Sleep } from '../platform/deadline'
import type { Clock, Log } from '../ports'
import type { Secret } from '../secret'
import type { RelayWayRecord, RotationRecord } from '../settings/records'
import type { AccountPlanId, PlanRecord, SettingsStore } from '../settings/settings'
import type { UnknownSetup, WrittenSetup } from '../setups/setup-views'
import type { RotationJournal } from './journal'

/** A key of an account. */
export type AccountKey = AccountPlanId & { readonly keyId: string }

/** What is needed of the account. */
interface AccountPort {
  plan(of: AccountPlanId): Promise<AccountPlanView>
  keys(of: AccountPlanId): Promise<SubscriptionKeyView[]>
  addKey(wish: AccountPlanId & { readonly name: string }): Promise<SubscriptionKeyView>
  keepKey(of: AccountKey): Promise<SubscriptionKeyView>
  setKeyStatus(of: AccountKey & { readonly status: 'ACTIVE' | 'DISABLED' }): Promise<SubscriptionKeyView>
  deleteKey(of: AccountKey): Promise<void>
  secretOf(of: AccountKey): Promise<Secret>
}

/** What is needed of this machine's plans. */
interface PlansPort {
  find(idOrName: string): UsablePlan
  view(idOrName: string): PlanView
  secretOf(plan: PlanRecord, key?: string): Promise<Secret>
  removeKey(planId: string, keyId: string): Promise<PlanView>
}

/** What is needed of the tools. */
interface ToolsPort {
  recover(): Promise<unknown>
  setups(): Promise<readonly WrittenSetup[]>
  unknownSetups(): Promise<readonly UnknownSetup[]>
  preview(choice: ToolChoice): Promise<PreviewView>
  carryOut(previewId: string): Promise<unknown>
  verify(at: ToolAt): Promise<CheckView>
}

/** What is needed of the relay: other keys for its ways, in force once this resolves where this process runs it. */
interface RelayWays {
  change(change: (ways: readonly RelayWayRecord[]) => readonly RelayWayRecord[]): Promise<void>
}

/** Something that happened in a rotation, for the audit trail and the register; ids and names. */
export interface RotationEvent {
  readonly what: 'rotationStarted' | 'rotationStep' | 'rotationStopped' | 'rotationUndone' | 'rotationDone'
  readonly planId: string
  readonly planName: string
  readonly oldKeyId: string
  readonly oldKeyName: string
  readonly newKeyId?: string | undefined
  readonly newKeyName: string
  /** The new key at its account, once it is there. */
  readonly newKeyAt?: AccountKey | undefined
  /** The step, with `rotationStep` and `rotationStopped`. */
  readonly step?: string | undefined
}

/** The keys of a rotation by their ids on this machine; the new one has none before it is kept. */
export interface RotatedKeys {
  readonly planId: string
  readonly oldKeyId: string
  readonly newKeyId: string | undefined
}

/** Sees to it that of all computers of a team, one works on a key. */
export interface RotationLease {
  /** Before anything is done. Fails with `rotation.heldElsewhere`, or `team.*` when nobody can be asked. */
  take(record: RotationRecord): Promise<void>
  /** Before each step: it is still this computer's, and others learn how far it is. Fails as `take` does. */
  keep(record: RotationRecord): Promise<void>
  /** Nothing more is done here for now. Never rejects. */
  leave(record: RotationRecord): Promise<void>
}

/** A rotation that another computer began, as far as it was recorded: a key by its id at the account. */
export type SharedRotation = Omit<RotationRecord, 'planId' | 'planName' | 'oldKey'> & {
  readonly oldKeyId: string
  readonly oldKeyName: string
  readonly wasActive: boolean
}

/** What rotations are made with. */
export interface RotationPorts {
  readonly settings: SettingsStore
  readonly account: AccountPort
  readonly plans: PlansPort
  readonly tools: ToolsPort
  /** What the relay uses keys for. */
  readonly relay: RelayWays
  readonly check: GatewayCheck
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  /** Names of those who hold a key of an account elsewhere, as far as it is known here. */
  readonly holdersOf: (key: AccountKey) => readonly string[]
  /** How far a new key is handed over to those who hold the old one. Both are ids of this machine. */
  readonly handoverOf: (keys: RotatedKeys) => readonly Handover[]
  readonly tell: (event: RotationEvent) => void
  /** Of the team that this computer is in; undefined while it is in none. */
  readonly lease?: () => Promise<RotationLease | undefined>
  /** How long the gateway may take to see that a key was made, disabled or enabled, in ms; 60 000 when absent. */
  readonly patienceMs?: number | undefined
}

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
