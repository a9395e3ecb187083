import { ChosenShortcuts, Language, type SettingsView, Theme, UpdateChannel } from '@shared/contract/app'
import { CheckView, McpPermission, SavedSecret } from '@shared/contract/common'
import { AddressKey, OperationView, TokenSource } from '@shared/contract/connections'
import { ModelFacts } from '@shared/contract/plans'
import { WebhookFormat } from '@shared/contract/quota'
import { SandboxSituation } from '@shared/contract/sandbox'
import { ProfileEntry } from '@shared/contract/tools'
import { Failure } from '@shared/failure'
import { defaultZoom } from '@shared/shortcuts'
import { z } from 'zod'

export type { HandoutRecord, RegisterRecord } from './records'

import {
  AlertEpisode,
  AlertMessage,
  AlertsRecord,
  AllowancesRecord,
  BudgetRecord,
  findUnknownValues,
  HandoutRecord,
  ImportedKeyRecord,
  isObject,
  MetricsRecord,
  mergeStored,
  RegisterRecord,
  RelayChoice,
  RotationRecord,
  RotationScheduleRecord,
  records,
  SentKeyReminder,
  TeamRecord,
  UsageChoice,
} from './records'
/** Metadata of a subscription key. The key is in the vault under `id`. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.string(),
  kept: z.enum(['keychain', 'session']),
  origin: z.object({ keyId: z.string() }).optional(),
  /** Status of the key, as last reported by the account. */
  status: z.enum(['ACTIVE', 'DISABLED']).optional().catch(undefined),
  /** Problem with the key, as last reported by the gateway, the keychain or the account. */
  problem: z.enum(['rejected', 'missing', 'deleted']).optional().catch(undefined),
})
export type KeyRecord = z.infer<typeof KeyRecord>

export const AccountPlanId = z.object({ connectionId: z.string(), planId: z.string() })
export type AccountPlanId = z.infer<typeof AccountPlanId>

/** A plan that this computer can use, stored locally (decisions: handed-over plan). */
export const PlanRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** Name before it was replaced by the account's name. Commands still accept it. */
  formerName: z.string().optional(),
  source: z.enum(['handed-over', 'console', 'sandbox']),
  origin: AccountPlanId.optional(),
  gatewayUrl: z.string(),
  caFile: z.string().optional(),
  models: z.array(z.string()),
  contextTokens: z.number(),
  modelFacts: z.array(ModelFacts).optional().catch(undefined),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  keys: records(KeyRecord, 'id'),
  lastCheck: CheckView.optional().catch(undefined),
})
export type PlanRecord = z.infer<typeof PlanRecord>

/** Base addresses and token source (decisions 1 and 2). The secret is in the vault under `connection:<id>`. */
export const ConnectionRecord = z.object({
  id: z.string(),
  name: z.string(),
  addresses: z.partialRecord(AddressKey, z.string()),
  tokenSource: TokenSource.optional(),
  caFile: z.string().optional(),
  /** Where the secret is stored. Undefined without a secret. */
  kept: z.enum(['keychain', 'session']).optional(),
  secretAt: z.string().optional(),
  isBuiltIn: z.boolean().optional(),
  createdAt: z.string(),
})
export type ConnectionRecord = z.infer<typeof ConnectionRecord>

/** A platform API key for a connection's inference. The key is in the vault under `inference:<connectionId>`. */
export const InferenceKeyRecord = z.object({
  connectionId: z.string(),
  /** Origin (scheme, host and port) of the inference address. The key is sent nowhere else. */
  origin: z.string(),
  masked: z.string(),
  kept: z.enum(['keychain', 'session']),
})
export type InferenceKeyRecord = z.infer<typeof InferenceKeyRecord>

/** A saved platform secret. The secret is in the vault under `platform:<id>`. */
export const PlatformSecretRecord = z.object({
  ...SavedSecret.shape,
  kept: z.enum(['keychain', 'session']),
})
export type PlatformSecretRecord = z.infer<typeof PlatformSecretRecord>

/** A platform operation, with the name of its connection in case that is removed. */
export const OperationRecord = z.object(OperationView.shape)
export type OperationRecord = z.infer<typeof OperationRecord>

/** A reminder that was shown for a plan. `what`: the number of days before the expiry, or the name of the event. */
export const SentReminder = z.object({ planId: z.string(), expiresAt: z.string(), what: z.string() })
export type SentReminder = z.infer<typeof SentReminder>

/** Alerts that were sent or printed, apart from the notifications of this computer. */
export const AlertMemory = z.object({
  episodes: records(AlertEpisode, 'kind', 'of'),
  reminders: records(SentReminder, 'planId', 'expiresAt', 'what'),
  keys: records(SentKeyReminder, 'keyId', 'addedAt', 'days'),
  /** Ids of failed rotations with their failed steps. */
  rotations: z.array(z.string()),
})
export type AlertMemory = z.infer<typeof AlertMemory>

export const emptyAlertMemory: AlertMemory = { episodes: [], reminders: [], keys: [], rotations: [] }

/** The webhook for alerts. Its complete address and token are in the vault. */
export const WebhookRecord = z.object({
  origin: z.string(),
  format: WebhookFormat,
  hasToken: z.boolean(),
  kept: z.enum(['keychain', 'session']),
  memory: AlertMemory,
  /** Undelivered messages, oldest first. */
  pending: records(AlertMessage, 'id'),
  lastSentAt: z.string().optional(),
  lastFailure: z.object({ at: z.string(), failure: Failure }).optional(),
})
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** A named set of tool setups. Includes names of plans and keys, in case these are deleted. */
export const ProfileRecord = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  entries: records(
    z.object({ ...ProfileEntry.shape, planName: z.string(), keyName: z.string().optional() }),
    ...(['toolId', 'site'] as const),
  ),
})
export type ProfileRecord = z.infer<typeof ProfileRecord>

const SandboxChoice = z.object({
  gatewayPort: z.number(),
  platformPort: z.number(),
  /** Whether to start the sandbox with the app, because tools may use it. */
  wanted: z.boolean(),
  planId: z.string().optional(),
  /** The sandbox's ids of the plan and key in use. */
  offered: z.object({ planId: z.string(), keyId: z.string() }).optional(),
  situation: SandboxSituation.optional(),
})

const UpdateChoice = z.object({
  isAutomatic: z.boolean(),
  channel: UpdateChannel,
  checkedAt: z.string().optional(),
  /** Release date of the newest description seen per channel. Older ones are rejected. */
  newestSeen: z.partialRecord(UpdateChannel, z.string()),
})

/** Parts of the settings with their defaults. A list of records is empty by default. */
const parts = {
  theme: Theme.default('system'),
  language: Language.default('system'),
  railCollapsed: z.boolean().default(false),
  zoomPercent: z.number().int().min(50).max(200).default(defaultZoom),
  welcomed: z.boolean().default(false),
  shortcuts: ChosenShortcuts.optional(),
  newsSeen: z.string().max(60).optional(),
  connections: records(ConnectionRecord, 'id'),
  /** Id of the active connection. An unknown id means none. */
  activeConnectionId: z.string().optional(),
  /** Digests of the commands that connections may run to get tokens (`consent/consent.ts`). */
  allowedCommands: z.array(z.string()).default([]),
  inferenceKeys: records(InferenceKeyRecord, 'connectionId'),
  operations: records(OperationRecord, 'id'),
  plans: records(PlanRecord, 'id'),
  /** Newest first. */
  importedKeys: records(ImportedKeyRecord, 'keyId'),
  /** Account id from the console's last response. */
  accounts: records(z.object({ connectionId: z.string(), accountId: z.string() }), 'connectionId'),
  /** Newest first. */
  platformSecrets: records(PlatformSecretRecord, 'id'),
  /** Keychain items without a record yet, with the process that writes them. */
  newItems: records(z.object({ account: z.string(), pid: z.number(), at: z.string() }), 'account', 'pid', 'at'),
  /** Plans that were bought but are not provisioned or saved here yet. */
  pendingPurchases: records(AccountPlanId, 'connectionId', 'planId'),
  /** Days before a plan's expiry for reminders. */
  reminders: z
    .object({ enabled: z.boolean(), days: z.array(z.number().int().min(1).max(365)) })
    .prefault({ enabled: true, days: [7, 3, 1] }),
  shownReminders: records(SentReminder, 'planId', 'expiresAt', 'what'),
  profiles: records(ProfileRecord, 'id'),
  /** Newest first. */
  rotations: records(RotationRecord, 'id'),
  rotationSchedules: records(RotationScheduleRecord, 'planId', 'keyId'),
  /** Key ages in days for reminders. An empty list disables these reminders. */
  keyReminders: z.object({ days: z.array(z.number().int().min(1).max(365)) }).prefault({ days: [90] }),
  shownKeyReminders: records(SentKeyReminder, 'keyId', 'addedAt', 'days'),
  /** Notes about keys: holders and purposes. */
  register: records(RegisterRecord, 'connectionId', 'planId', 'keyId'),
  /** Oldest first. */
  handouts: records(HandoutRecord, 'id'),
  sandbox: SandboxChoice.prefault({ gatewayPort: 4860, platformPort: 4861, wanted: false }),
  relay: RelayChoice.prefault({ port: 4870, wanted: false, keepInBackground: false, isPaused: false, ways: [] }),
  usage: UsageChoice.prefault({ toolLogs: [], retentionDays: 400 }),
  team: TeamRecord.optional(),
  /** Quotas of plans that no console reports. */
  allowances: records(AllowancesRecord, 'planId'),
  alerts: AlertsRecord.prefault({
    settings: {
      enabled: true,
      thresholds: [80, 95, 100],
      forecast: true,
      errorBursts: true,
      snoozed: [],
      mutedPlans: [],
    },
    episodes: [],
    shown: [],
  }),
  webhook: WebhookRecord.optional(),
  budgets: records(BudgetRecord, 'id'),
  metrics: MetricsRecord.prefault({ isScraped: false }),
  updates: UpdateChoice.prefault({ isAutomatic: true, channel: 'stable', newestSeen: {} }),
  /** MCP settings. `allowed` has the permissions of each tool to call MCP tools that cost or write. */
  mcp: z
    .object({
      allowed: records(z.object({ toolId: z.string(), permissions: z.array(McpPermission) }), 'toolId'),
      /** Ids of tools with access to the MCP server through the relay. */
      overHttp: z.array(z.string()).default([]),
      /** Whether the arguments of MCP calls are stored. */
      recordsArguments: z.boolean().default(false),
    })
    .prefault({ allowed: [] }),
}

/** All settings. Never contains a secret. */
export type Settings = z.infer<z.ZodObject<typeof parts>>

/** Settings that one choice replaces completely. All others must be changed by a function of their current value. */
type Preferences = Pick<
  Settings,
  (keyof SettingsView & keyof Settings) | 'activeConnectionId' | 'reminders' | 'keyReminders'
>

/** Parses a settings file with defaults. `broken` names the parts that were not fully readable. */
export function parseSettings(value: unknown): { settings: Settings; broken: readonly string[] } {
  const storedSettings = isObject(value) ? value : {}
  const brokenFields = isObject(value) ? [] : ['file']
  const readEntries = Object.entries(parts).map(([name, schema]) => {
    const readResult = readPart(schema, storedSettings[name])
    if (!readResult.isWhole || findUnknownValues(readResult.value).length > 0) brokenFields.push(name)
    return [name, readResult.value]
  })
  return { settings: Object.fromEntries(readEntries), broken: brokenFields }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const child of Object.values(value)) deepFreeze(child)
  }
  return value
}

/** Parses one field of the settings. Uses the default for an unreadable field. */
function readPart(schema: z.ZodType, stored: unknown): { value: unknown; isWhole: boolean } {
  const parseResult = schema.safeParse(stored)
  if (parseResult.success) return { value: parseResult.data, isWhole: true }
  const fallback = schema.parse(undefined)
  const invalidFields = new Set(parseResult.error.issues.map(({ path: [field] }) => field))
  const validEntries = isObject(stored) ? Object.entries(stored).filter(([field]) => !invalidFields.has(field)) : []
  const repairedResult = schema.safeParse(
    isObject(fallback) ? { ...fallback, ...Object.fromEntries(validEntries) } : fallback,
  )
  return { value: repairedResult.success ? repairedResult.data : fallback, isWhole: false }
}

/** Storage of one JSON object that other processes may change too. */
export interface RawStore {
  read(): unknown
  /** Read-modify-write under the process lock. Fails with `storage.*` and then changes nothing. */
  change<T>(work: (current: unknown) => { readonly stored: unknown; readonly result: T }): T
  onChange(listener: () => void): () => void
}

export const createSettings = (store: RawStore): SettingsStore => new SettingsStore(store)

/** Validates each stored object once. Settings are read-only. */
export class SettingsStore {
  /** Uncommitted object of the running transaction. */
  #pending: { stored: unknown } | undefined
  #last: { readonly stored: unknown; readonly settings: Settings } | undefined

  constructor(private readonly store: RawStore) {}

  read(): Settings {
    const storedSettings = this.#pending ? this.#pending.stored : this.store.read()
    if (this.#last === undefined || this.#last.stored !== storedSettings)
      this.#last = { stored: storedSettings, settings: deepFreeze(parseSettings(storedSettings).settings) }
    return this.#last.settings
  }

  /** Changes settings atomically across processes. Fails with `storage.*` and then changes nothing. */
  update(change: Partial<Preferences> | ((current: Settings) => Partial<Settings>)): void {
    this.#inTransaction((pending) => {
      const patch = typeof change === 'function' ? change(this.read()) : change
      const currentSettings = this.read()
      const storedSettings = isObject(pending.stored) ? pending.stored : {}
      const mergedEntries = Object.entries(patch).map(([name, value]) => [
        name,
        value === undefined ? undefined : mergeStored(storedSettings[name], Reflect.get(currentSettings, name), value),
      ])
      pending.stored = { ...storedSettings, ...Object.fromEntries(mergedEntries) }
    })
  }

  /** Runs several reads and updates atomically, and rolls back on failure. Must be synchronous. */
  transaction<T>(work: () => T): T {
    return this.#inTransaction(() => work())
  }

  onChange(listener: () => void): () => void {
    return this.store.onChange(listener)
  }

  #inTransaction<T>(work: (pending: { stored: unknown }) => T): T {
    if (this.#pending) return work(this.#pending)
    return this.store.change((current) => {
      const pendingChange = { stored: current }
      this.#pending = pendingChange
      try {
        const result = work(pendingChange)
        return { stored: pendingChange.stored, result }
      } finally {
        this.#pending = undefined
      }
    })
  }
}
