import type { Handover } from '@shared/contract'
import type { ComputerKeyUsage } from '@shared/contract/rotation'
import type { Sleep } from '../../core/net/deadline'
import type { Clock, Log } from '../../core/ports'
import type { RotationRecord } from '../../core/settings/records'
import type { AccountPlanId, SettingsStore } from '../../core/settings/settings'
import type { GatewayCheck } from '../../gateway/probe'
import type { Account } from '../../plans/account/account'
import type { Plans } from '../../plans/plans'
import type { Routes } from '../../relay/routing/routes'
import type { Tools } from '../../tools/tools'

export type AccountKey = AccountPlanId & { readonly keyId: string }

export interface SwitchPorts {
  readonly settings: SettingsStore
  readonly plans: Pick<Plans, 'find' | 'view' | 'readSecret' | 'removeKey'>
  readonly tools: Pick<Tools, 'recover' | 'setups' | 'unknownSetups' | 'preview' | 'carryOut' | 'verify'>
  readonly relay: Pick<Routes, 'change'>
  readonly log: Log
}

/** An event of a rotation for the audit log and the key list. */
export interface RotationEvent {
  readonly what: 'rotationStarted' | 'rotationStep' | 'rotationStopped' | 'rotationUndone' | 'rotationDone'
  readonly record: RotationRecord
  /** Step of a `rotationStep` or `rotationStopped` event. */
  readonly step?: string | undefined
}

/** The keys of a rotation by their local ids. The new one has none before it is saved. */
export interface RotatedKeys {
  readonly planId: string
  readonly oldKey: { readonly id: string }
  readonly newKey: { readonly id?: string | undefined }
}

/** Ensures that only one computer of a lead space rotates a key. */
export interface RotationLease {
  /** Called before the first change. Fails with `rotation.heldElsewhere` or `team.*`. */
  take(record: RotationRecord): Promise<void>
  /** Called before each step: checks the lease and shares the progress. Fails as `take` does. */
  keep(record: RotationRecord): Promise<void>
  /** Releases the lease. Never rejects. */
  leave(record: RotationRecord): Promise<void>
}

/** A rotation that another computer began, with keys by their ids at the account. */
export interface SharedRotation
  extends Pick<
    RotationRecord,
    'id' | 'origin' | 'newKey' | 'direction' | 'startedAt' | 'graceMs' | 'deleteAt' | 'disableBy' | 'disableAfterMs'
  > {
  readonly oldKeyId: string
  readonly oldKeyName: string
  readonly wasActive: boolean
}

export interface RotationPorts extends SwitchPorts {
  readonly account: Pick<Account, 'plan' | 'keys' | 'addKey' | 'keepKey' | 'setKeyStatus' | 'deleteKey' | 'readSecret'>
  readonly check: GatewayCheck
  readonly clock: Clock
  readonly sleep: Sleep
  readonly listHolders: (key: AccountKey) => readonly string[]
  /** Delivery state of the new key for holders of the old one. Ids are local. */
  readonly listHandovers: (keys: RotatedKeys) => readonly Handover[]
  readonly notify: (event: RotationEvent) => void
  /** Lease of the lead space. Undefined without a lead space. */
  readonly lease?: () => Promise<RotationLease | undefined>
  /** Other computers whose tools or routes use a key. Undefined without a lead space. Fails with `team.*`. */
  readonly findOtherUses?: ((key: AccountKey) => Promise<readonly ComputerKeyUsage[] | undefined>) | undefined
  /** Uses of a local key since a time, the newest per tool. Empty where usage is not recorded. */
  readonly keyUsesSince?:
    | ((
        key: { readonly planId: string; readonly keyId: string },
        since: Date,
      ) => Promise<{ readonly toolId: string; readonly at: string }[]>)
    | undefined
  /** Maximum propagation delay of key changes to the gateway in ms (default 60,000). */
  readonly gatewayTimeoutMs?: number | undefined
}
