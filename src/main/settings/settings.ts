import {
  AddressKey,
  CheckView,
  KeptSecret,
  Language,
  OperationKind,
  ProfileEntry,
  SandboxSituation,
  Theme,
  TokenSource,
} from '@shared/contract'
import { Failure } from '@shared/failure'
import { z } from 'zod'

export type { HandoutRecord, RegisterRecord } from './register-record'

import { AlertsRecord, AllowancesRecord, alertsDefaults } from './quota-record'
import { HandoutRecord, RegisterRecord } from './register-record'
import { RelayChoice, relayDefaults } from './relay-record'
import { RotationRecord, ShownKeyReminder } from './rotation-record'
import { UsageChoice, usageDefaults } from './usage-record'

/** A subscription key as settings know it: everything but the key, which is in the vault under `id`. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.string(),
  kept: z.enum(['keychain', 'session']),
  /** The key of an account that it is. */
  origin: z.object({ keyId: z.string() }).optional(),
})
export type KeyRecord = z.infer<typeof KeyRecord>

/** Where a plan of an account is. */
export const AccountPlanId = z.object({ connectionId: z.string(), planId: z.string() })
export type AccountPlanId = z.infer<typeof AccountPlanId>

/** A plan this machine can use (decisions: handed-over plan), kept locally. */
export const PlanRecord = z.object({
  id: z.string(),
  name: z.string(),
  source: z.enum(['handed-over', 'console', 'sandbox']),
  /** The plan of an account whose keys it holds. */
  origin: AccountPlanId.optional(),
  gatewayUrl: z.string(),
  models: z.array(z.string()),
  contextTokens: z.number(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  keys: z.array(KeyRecord),
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
  /** Where the secret is; absent when there is none. */
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
  /** As it was called then; for when it is gone. */
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
  entries: z.array(z.object({ ...ProfileEntry.shape, planName: z.string(), keyName: z.string().optional() })),
})
export type ProfileRecord = z.infer<typeof ProfileRecord>

const WindowPlace = z.object({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number(),
  height: z.number(),
  maximized: z.boolean(),
})

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

const parts = {
  theme: Theme,
  language: Language,
  railCollapsed: z.boolean(),
  welcomed: z.boolean(),
  window: WindowPlace.optional(),
  connections: z.array(ConnectionRecord),
  /** One that is not there any more counts as none. */
  activeConnectionId: z.string().optional(),
  inferenceKeys: z.array(InferenceKeyRecord),
  operations: z.array(OperationRecord),
  plans: z.array(PlanRecord),
  /** The newest first. */
  platformSecrets: z.array(PlatformSecretRecord),
  /** Keychain items that were begun and that no record names yet, each with the process that writes it. */
  newItems: z.array(z.object({ account: z.string(), pid: z.number(), at: z.string() })),
  /** Bought, but not provisioned yet, or not kept on this machine yet. */
  pendingPurchases: z.array(AccountPlanId),
  /** Days before a plan's expiry at which the person is reminded. */
  reminders: z.object({ enabled: z.boolean(), days: z.array(z.number().int().min(1).max(365)) }),
  shownReminders: z.array(ShownReminder),
  profiles: z.array(ProfileRecord),
  /** The newest first. */
  rotations: z.array(RotationRecord),
  /** Ages in days at which the person is reminded of a key; none: never. */
  keyReminders: z.object({ days: z.array(z.number().int().min(1).max(365)) }),
  shownKeyReminders: z.array(ShownKeyReminder),
  /** What is noted of keys: who holds which, and what for. */
  register: z.array(RegisterRecord),
  /** The oldest first. */
  handouts: z.array(HandoutRecord),
  sandbox: SandboxChoice,
  relay: RelayChoice,
  usage: UsageChoice,
  /** Of plans that no console tells of. */
  allowances: z.array(AllowancesRecord),
  alerts: AlertsRecord,
}

/** Everything the app remembers; never a secret. */
export type Settings = z.infer<z.ZodObject<typeof parts>>

const defaults: Settings = {
  theme: 'system',
  language: 'system',
  railCollapsed: false,
  welcomed: false,
  window: undefined,
  connections: [],
  inferenceKeys: [],
  operations: [],
  plans: [],
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
}

/** Made once: a schema is compiled when it is first used, which takes longer than many reads. */
const Whole = z.object(parts)

/** Reads what a settings file holds. A missing part gets its default; `broken` names the parts that could not be read. */
export function parseSettings(value: unknown): { settings: Settings; broken: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { settings: defaults, broken: ['file'] }
  const found = new Map(Object.entries(value))
  const broken = Object.entries(parts).flatMap(([name, part]) =>
    found.has(name) && !part.safeParse(found.get(name)).success ? [name] : [],
  )
  const readable = Object.fromEntries([...found].filter(([name]) => name in parts && !broken.includes(name)))
  return { settings: Whole.parse({ ...defaults, ...readable }), broken }
}

/** A place that keeps one JSON object (electron-store in the app, conf in the command line: the same file). */
export interface RawStore {
  read(): unknown
  write(patch: Readonly<Record<string, unknown>>): void
  onChange(listener: () => void): () => void
}

export interface SettingsStore {
  read(): Settings
  update(patch: Partial<Settings>): void
  onChange(listener: () => void): () => void
}

/** Settings over a raw store, validated on every read. */
export function createSettings(raw: RawStore): SettingsStore {
  return {
    read: () => parseSettings(raw.read()).settings,
    update: (patch) => raw.write(patch),
    onChange: (listener) => raw.onChange(listener),
  }
}
