import { ChosenShortcuts, Language, Theme, UpdateChannel } from '@shared/contract/app'
import { CheckView, KeptSecret, McpPermission } from '@shared/contract/common'
import { AddressKey, OperationKind, TokenSource } from '@shared/contract/connections'
import { ProfileEntry } from '@shared/contract/profiles'
import { SandboxSituation } from '@shared/contract/sandbox'
import { Failure } from '@shared/failure'
import { defaultZoom } from '@shared/shortcuts'
import { z } from 'zod'

export type { HandoutRecord, RegisterRecord } from './records'

import {
  AlertsRecord,
  AllowancesRecord,
  BudgetRecord,
  findNotUnderstood,
  HandoutRecord,
  ImportedKeyRecord,
  isObject,
  MetricsRecord,
  mergeStored,
  RegisterRecord,
  RelayChoice,
  RotationRecord,
  records,
  relayDefaults,
  ShownKeyReminder,
  TeamRecord,
  UsageChoice,
} from './records'
/** A subscription key as settings know it: everything but the key, which is in the vault under `id`. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.string(),
  kept: z.enum(['keychain', 'session']),
  /** The key of an account that it is. */
  origin: z.object({ keyId: z.string() }).optional(),
  /** Last status from the account. */
  status: z.enum(['ACTIVE', 'DISABLED']).optional().catch(undefined),
  /** Last report of the gateway, the keychain or the account. */
  problem: z.enum(['rejected', 'missing', 'deleted']).optional().catch(undefined),
})
export type KeyRecord = z.infer<typeof KeyRecord>

export const AccountPlanId = z.object({ connectionId: z.string(), planId: z.string() })
export type AccountPlanId = z.infer<typeof AccountPlanId>

/** A plan this machine can use (decisions: handed-over plan), kept locally. */
export const PlanRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** Name before it followed the account's; commands still accept it. */
  formerName: z.string().optional(),
  source: z.enum(['handed-over', 'console', 'sandbox']),
  /** The plan of an account whose keys it holds. */
  origin: AccountPlanId.optional(),
  gatewayUrl: z.string(),
  /** The file of an authority to trust for this gateway. */
  caFile: z.string().optional(),
  models: z.array(z.string()),
  contextTokens: z.number(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  keys: records(KeyRecord, 'id'),
  lastCheck: CheckView.optional().catch(undefined),
})
export type PlanRecord = z.infer<typeof PlanRecord>

/** A named set of base addresses and a token source (decisions 1 and 2); the source's secret is in the vault under `connection:<id>`. */
export const ConnectionRecord = z.object({
  id: z.string(),
  name: z.string(),
  addresses: z.partialRecord(AddressKey, z.string()),
  tokenSource: TokenSource.optional(),
  caFile: z.string().optional(),
  /** Location of the secret; absent when there is none. */
  kept: z.enum(['keychain', 'session']).optional(),
  /** When the secret was last changed. */
  secretAt: z.string().optional(),
  isBuiltIn: z.boolean().optional(),
  createdAt: z.string(),
})
export type ConnectionRecord = z.infer<typeof ConnectionRecord>

/** A platform API key kept for a connection's inference; the key is in the vault under `inference:<connectionId>`. */
export const InferenceKeyRecord = z.object({
  connectionId: z.string(),
  /** Of the inference address that it was entered for: it is sent nowhere else. */
  origin: z.string(),
  masked: z.string(),
  kept: z.enum(['keychain', 'session']),
})
export type InferenceKeyRecord = z.infer<typeof InferenceKeyRecord>

/** A secret of the platform that a person kept; the secret is in the vault under `platform:<id>`. */
export const PlatformSecretRecord = z.object({
  ...KeptSecret.shape,
  kept: z.enum(['keychain', 'session']),
})
export type PlatformSecretRecord = z.infer<typeof PlatformSecretRecord>

/** Something asynchronous that was begun at the platform. */
export const OperationRecord = z.object({
  id: z.string(),
  kind: OperationKind,
  connectionId: z.string(),
  /** Former name, for a removed connection. */
  connectionName: z.string(),
  subject: z.string(),
  state: z.enum(['running', 'succeeded', 'failed']),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  failure: Failure.optional(),
})
export type OperationRecord = z.infer<typeof OperationRecord>

/** A reminder that was shown; `what` is how many days before the expiry, or what happened. */
export const ShownReminder = z.object({ planId: z.string(), expiresAt: z.string(), what: z.string() })
export type ShownReminder = z.infer<typeof ShownReminder>

/** A named set of tool setups. Plans and keys are remembered by name as well, for when they are gone. */
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
  /** Start it with the app: tools may point at it. */
  wanted: z.boolean(),
  planId: z.string().optional(),
  /** The sandbox's own ids of that plan and its key. */
  offered: z.object({ planId: z.string(), keyId: z.string() }).optional(),
  situation: SandboxSituation.optional(),
})

const UpdateChoice = z.object({
  isAutomatic: z.boolean(),
  channel: UpdateChannel,
  checkedAt: z.string().optional(),
  /** When the newest description that was seen on a channel says it was released; nothing older counts any more. */
  newestSeen: z.partialRecord(UpdateChannel, z.string()),
})

const withoutTeamBudgets = (stored: unknown): unknown =>
  Array.isArray(stored) ? stored.filter((one) => !(isObject(one) && 'team' in one)) : stored

const parts = {
  theme: Theme,
  language: Language,
  railCollapsed: z.boolean(),
  zoomPercent: z.number().int().min(50).max(200),
  welcomed: z.boolean(),
  shortcuts: ChosenShortcuts.optional(),
  newsSeen: z.string().max(60).optional(),
  connections: records(ConnectionRecord, 'id'),
  /** One that is not there any more counts as none. */
  activeConnectionId: z.string().optional(),
  /** Digests of the programs that connections may run, as the person allowed them (`consent/allowed-commands.ts`). */
  allowedCommands: z.array(z.string()),
  inferenceKeys: records(InferenceKeyRecord, 'connectionId'),
  operations: records(OperationRecord, 'id'),
  plans: records(PlanRecord, 'id'),
  /** Newest first. */
  importedKeys: records(ImportedKeyRecord, 'keyId'),
  /** The account behind a connection, as its console answered last. */
  accounts: records(z.object({ connectionId: z.string(), accountId: z.string() }), 'connectionId'),
  /** The newest first. */
  platformSecrets: records(PlatformSecretRecord, 'id'),
  /** Keychain items that were begun and that no record names yet, each with the process that writes it. */
  newItems: records(z.object({ account: z.string(), pid: z.number(), at: z.string() }), 'account', 'pid', 'at'),
  /** Bought, but not provisioned yet, or not kept on this machine yet. */
  pendingPurchases: records(AccountPlanId, 'connectionId', 'planId'),
  /** Days before a plan's expiry at which the person is reminded. */
  reminders: z.object({ enabled: z.boolean(), days: z.array(z.number().int().min(1).max(365)) }),
  shownReminders: records(ShownReminder, 'planId', 'expiresAt', 'what'),
  profiles: records(ProfileRecord, 'id'),
  /** The newest first. */
  rotations: records(RotationRecord, 'id'),
  /** Key ages in days for reminders; empty for none. */
  keyReminders: z.object({ days: z.array(z.number().int().min(1).max(365)) }),
  shownKeyReminders: records(ShownKeyReminder, 'keyId', 'addedAt', 'days'),
  /** Notes about keys: holders and purposes. */
  register: records(RegisterRecord, 'connectionId', 'planId', 'keyId'),
  /** The oldest first. */
  handouts: records(HandoutRecord, 'id'),
  sandbox: SandboxChoice,
  relay: RelayChoice,
  usage: UsageChoice,
  team: TeamRecord.optional(),
  /** Quotas of plans that no console reports. */
  allowances: records(AllowancesRecord, 'planId'),
  alerts: AlertsRecord,
  /** Drops budgets of team spaces, which had a field `team` and included other people's usage. */
  budgets: z.preprocess(withoutTeamBudgets, records(BudgetRecord, 'id')),
  metrics: MetricsRecord,
  updates: UpdateChoice,
  /** Allowed MCP tools that change something. */
  mcp: z.object({
    allowed: records(z.object({ toolId: z.string(), permissions: z.array(McpPermission) }), 'toolId'),
    /** Tools that reach it through the relay. */
    overHttp: z.array(z.string()).default([]),
    /** The arguments of calls are stored with them. */
    recordsArguments: z.boolean().default(false),
  }),
}

/** Everything the app remembers; never a secret. */
export type Settings = z.infer<z.ZodObject<typeof parts>>

const alertsDefaults: AlertsRecord = {
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
}

const usageDefaults: UsageChoice = { toolLogs: [], retentionDays: 400 }

const defaults: Settings = {
  theme: 'system',
  language: 'system',
  railCollapsed: false,
  zoomPercent: defaultZoom,
  welcomed: false,
  connections: [],
  allowedCommands: [],
  inferenceKeys: [],
  operations: [],
  plans: [],
  accounts: [],
  importedKeys: [],
  platformSecrets: [],
  newItems: [],
  pendingPurchases: [],
  reminders: { enabled: true, days: [7, 3, 1] },
  shownReminders: [],
  profiles: [],
  rotations: [],
  keyReminders: { days: [90] },
  shownKeyReminders: [],
  register: [],
  handouts: [],
  sandbox: { gatewayPort: 4860, platformPort: 4861, wanted: false },
  relay: relayDefaults,
  usage: usageDefaults,
  allowances: [],
  alerts: alertsDefaults,
  budgets: [],
  metrics: { isScraped: false },
  updates: { isAutomatic: true, channel: 'stable', newestSeen: {} },
  mcp: { allowed: [], overHttp: [], recordsArguments: false },
}

/** Settings replaced by one choice. Others must be changed by a function of their current value. */
type Preference =
  | 'theme'
  | 'language'
  | 'railCollapsed'
  | 'zoomPercent'
  | 'welcomed'
  | 'shortcuts'
  | 'newsSeen'
  | 'activeConnectionId'
  | 'reminders'
  | 'keyReminders'

/** Parses a settings file with defaults. `broken` names the parts that were not fully readable. */
export function parseSettings(value: unknown): { settings: Settings; broken: readonly string[] } {
  const stored = isObject(value) ? value : {}
  const broken = isObject(value) ? [] : ['file']
  const read = Object.entries(parts).map(([name, schema]) => {
    const fallback: unknown = Reflect.get(defaults, name)
    const part = readPart(schema, name in stored ? stored[name] : fallback, fallback)
    if (!part.isWhole || findNotUnderstood(part.value).length > 0) broken.push(name)
    return [name, part.value]
  })
  return { settings: Object.fromEntries(read), broken }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

/** A part as far as it can be read: a field that cannot has its default. */
function readPart(schema: z.ZodType, stored: unknown, fallback: unknown): { value: unknown; isWhole: boolean } {
  const whole = schema.safeParse(stored)
  if (whole.success) return { value: whole.data, isWhole: true }
  const bad = new Set(whole.error.issues.map(({ path: [field] }) => field))
  const good = isObject(stored) ? Object.entries(stored).filter(([field]) => !bad.has(field)) : []
  const mended = schema.safeParse(isObject(fallback) ? { ...fallback, ...Object.fromEntries(good) } : fallback)
  return { value: mended.success ? mended.data : schema.parse(fallback), isWhole: false }
}

/** A place that keeps one JSON object, which other processes may change as well. */
export interface RawStore {
  read(): unknown
  /** Read-modify-write under the process lock. Fails with `storage.*` without a change. */
  change<T>(work: (current: unknown) => { readonly stored: unknown; readonly result: T }): T
  onChange(listener: () => void): () => void
}

export interface SettingsStore {
  read(): Settings
  /** Changes settings atomically across processes. Fails with `storage.*` without a change. */
  update(change: Partial<Pick<Settings, Preference>> | ((current: Settings) => Partial<Settings>)): void
  /** Runs work of several reads and updates as one: all of it is stored, or nothing when it fails. It must not wait for anything. */
  transaction<T>(work: () => T): T
  onChange(listener: () => void): () => void
}

/** Validates each stored object once. Settings are read-only. */
export function createSettings(store: RawStore): SettingsStore {
  return new StoredSettings(store)
}

class StoredSettings implements SettingsStore {
  readonly #store: RawStore
  /** Uncommitted object of the running transaction. */
  #pending: { stored: unknown } | undefined
  #last: { readonly stored: unknown; readonly settings: Settings } | undefined

  constructor(store: RawStore) {
    this.#store = store
  }

  read(): Settings {
    const stored = this.#pending ? this.#pending.stored : this.#store.read()
    if (this.#last === undefined || this.#last.stored !== stored)
      this.#last = { stored, settings: deepFreeze(parseSettings(stored).settings) }
    return this.#last.settings
  }

  update(change: Parameters<SettingsStore['update']>[0]): void {
    this.#inTransaction((pending) => {
      const patch = typeof change === 'function' ? change(this.read()) : change
      const read = this.read()
      const stored = isObject(pending.stored) ? pending.stored : {}
      const merged = Object.entries(patch).map(([name, value]) => [
        name,
        value === undefined ? undefined : mergeStored(stored[name], Reflect.get(read, name), value),
      ])
      pending.stored = { ...stored, ...Object.fromEntries(merged) }
    })
  }

  transaction<T>(work: () => T): T {
    return this.#inTransaction(() => work())
  }

  onChange(listener: () => void): () => void {
    return this.#store.onChange(listener)
  }

  #inTransaction<T>(work: (pending: { stored: unknown }) => T): T {
    if (this.#pending) return work(this.#pending)
    return this.#store.change((current) => {
      const pending = { stored: current }
      this.#pending = pending
      try {
        const result = work(pending)
        return { stored: pending.stored, result }
      } finally {
        this.#pending = undefined
      }
    })
  }
}
