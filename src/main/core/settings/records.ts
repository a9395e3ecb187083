import { isDeepStrictEqual } from 'node:util'
import { ChosenShortcuts, Language, Theme, UpdateChannel } from '@shared/contract/app'
import { CheckView, McpPermission, SavedSecret } from '@shared/contract/common'
import { AddressKey, OperationView, TokenSource } from '@shared/contract/connections'
import { ModelFacts } from '@shared/contract/plans'
import { AlertSettings, AlertView, BudgetInput, EnteredAllowances, WebhookFormat } from '@shared/contract/quota'
import { Holder, KeyFileContent, KeyNote } from '@shared/contract/register'
import { OtlpAuth, OverloadFailover, RelayRoute } from '@shared/contract/relay'
import {
  ComputerKeyUsage,
  RotatedTool,
  RotationScheduleInput,
  RotationState,
  RotationStepId,
  RotationStepState,
  RotationUndoStepId,
} from '@shared/contract/rotation'
import { SandboxSituation } from '@shared/contract/sandbox'
import { ProfileEntry, Site } from '@shared/contract/tools'
import { Failure } from '@shared/failure'
import { defaultZoom } from '@shared/shortcuts'
import { z } from 'zod'

interface ParsedList {
  readonly toIdentity: (record: object) => string
  /** List elements that were skipped, because they are invalid or written by a newer app version. */
  readonly notUnderstood: readonly unknown[]
}

const parsedLists = new WeakMap<object, ParsedList>()
const storedValues = new WeakMap<object, unknown>()

/** A list parsed record by record. `mergeStored` keeps unreadable records. `identity`: names of identifying fields. */
export function records<T extends object>(schema: z.ZodType<T>, ...identity: readonly (keyof T & string)[]) {
  return z.unknown().transform((stored): T[] => {
    const elements = Array.isArray(stored) ? stored : stored === undefined ? [] : [stored]
    const parsedElements: T[] = []
    const unreadableItems: unknown[] = []
    for (const element of elements) {
      const { data } = schema.safeParse(element)
      if (data === undefined) unreadableItems.push(element)
      else {
        storedValues.set(data, element)
        parsedElements.push(data)
      }
    }
    const toIdentity = (record: object): string => JSON.stringify(identity.map((name) => Reflect.get(record, name)))
    parsedLists.set(parsedElements, { toIdentity, notUnderstood: unreadableItems })
    return parsedElements
  })
}

/** Lists all skipped elements of a parsed value. */
export function findUnknownValues(parsedValue: unknown): readonly unknown[] {
  if (typeof parsedValue !== 'object' || parsedValue === null) return []
  const unreadableItems = parsedLists.get(parsedValue)?.notUnderstood ?? []
  return [...unreadableItems, ...Object.values(parsedValue).flatMap(findUnknownValues)]
}

/** Merges changes into the stored form. Keeps unknown fields, unreadable records and unchanged values. */
export function mergeStored(stored: unknown, parsedValue: unknown, newValue: unknown): unknown {
  if (isDeepStrictEqual(parsedValue, newValue)) return stored ?? newValue
  if (Array.isArray(newValue)) return Array.isArray(parsedValue) ? mergeList(parsedValue, newValue) : newValue
  if (!isObject(stored) || !isObject(parsedValue) || !isObject(newValue)) return newValue
  const unknownFields = Object.entries(stored).filter(([name]) => parsedValue[name] === undefined)
  const knownFields = Object.entries(newValue).filter(([, value]) => value !== undefined)
  const mergedFields = knownFields.map(([name, value]) => [name, mergeStored(stored[name], parsedValue[name], value)])
  return { ...Object.fromEntries(unknownFields), ...Object.fromEntries(mergedFields) }
}

function mergeList(parsedList: readonly unknown[], newList: readonly unknown[]): unknown {
  const list = parsedLists.get(parsedList)
  if (list === undefined) return newList
  const recordsBefore = new Map(parsedList.filter(isObject).map((record) => [list.toIdentity(record), record]))
  const mergedRecords = newList.map((record) => {
    const oldRecord = isObject(record) ? recordsBefore.get(list.toIdentity(record)) : undefined
    return oldRecord === undefined ? record : mergeStored(storedValues.get(oldRecord), oldRecord, record)
  })
  return [...mergedRecords, ...list.notUnderstood]
}

type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A budget. `alsoKeyIds`: keys that replaced the budget's key in rotations and count too. */
export const BudgetRecord = z.object({
  ...BudgetInput.shape,
  id: z.string(),
  alsoKeyIds: z.array(z.string()),
  createdAt: z.string(),
})
export type BudgetRecord = z.infer<typeof BudgetRecord>

/** Quotas of a handed-over plan, entered by the user. */
export const AllowancesRecord = z.object({
  planId: z.string(),
  cycleDays: z.number(),
  allowances: EnteredAllowances,
})
export type AllowancesRecord = z.infer<typeof AllowancesRecord>

/**
 * An alert or reminder that was shown and still applies. `of` identifies its subject, for example by plan and model. The
 * episode ends at `endsAt` (ISO 8601), or without it when the state no longer applies. `rank`: highest level that was
 * reported, for example a threshold in percent.
 */
export const AlertEpisode = z
  .object({
    kind: z.enum([
      'threshold',
      'forecast',
      'budget',
      'errorBurst',
      'expiry',
      'renewal',
      'oldKey',
      'unconfirmedKey',
      'rotation',
    ]),
    of: z.string(),
    endsAt: z.string().optional(),
    rank: z.number().optional(),
    /** Rank of a threshold or budget in earlier versions. */
    percent: z.number().optional(),
  })
  .transform(({ percent = 1, rank = percent, ...episode }) => ({ ...episode, rank }))
export type AlertEpisode = z.infer<typeof AlertEpisode>

/** Alert settings, open episodes and the last hundred alerts, newest first. */
export const AlertsRecord = z.object({
  settings: z.object(AlertSettings.shape),
  episodes: records(AlertEpisode, 'kind', 'of'),
  shown: records(z.object(AlertView.shape), 'id'),
})
export type AlertsRecord = z.infer<typeof AlertsRecord>

/** An alert for the webhook. Contains names and numbers, never a key. */
export const AlertMessage = z.object({
  /** The same for a repeated delivery. */
  id: z.string(),
  kind: z.enum(['quota', 'forecast', 'errors', 'budget', 'expiry', 'rotation', 'key', 'test']),
  title: z.string(),
  text: z.string(),
  at: z.string(),
  plan: z.string().optional(),
  model: z.string().optional(),
  budget: z.string().optional(),
  key: z.string().optional(),
  /** Exceeded threshold in percent. */
  percent: z.number().optional(),
})
export type AlertMessage = z.infer<typeof AlertMessage>

/**
 * Note about a key. For a key of an account, `connectionId`, `planId` and `keyId` are those of the account. For a key
 * from someone else, `connectionId` is empty and the other ids are local. Plan and key names are stored, because the
 * key may be deleted or the account offline.
 */
export const RegisterRecord = z.object({
  connectionId: z.string(),
  planId: z.string(),
  keyId: z.string(),
  planName: z.string(),
  keyName: z.string(),
  masked: z.string().optional(),
  createdAt: z.string().optional(),
  ...KeyNote.shape,
  lastUsedAt: z.string().optional(),
  /** Time at which the key is deleted at the account, because its holder has left. */
  deleteAt: z.string().optional(),
})
export type RegisterRecord = z.infer<typeof RegisterRecord>

/**
 * Journal of a hand-out, with ids and names but no key or passphrase. The name of a new key is stored before its
 * creation (`making`), so that a lost response can be recovered.
 */
export const HandoutRecord = z.object({
  id: z.string(),
  /** Local plan id. */
  planId: z.string(),
  holder: Holder,
  isOwnKey: z.boolean(),
  keyName: z.string(),
  /** Id of the key at the account. */
  accountKeyId: z.string().optional(),
  /** Local key id. */
  keyId: z.string().optional(),
  state: z.enum(['making', 'keyMade', 'written']),
  path: z.string().optional(),
  /**
   * Decryption method of the key file. `passphrase` changes to `toldPassphrase` once the passphrase was shown.
   * Only the process that created the file can show it again.
   */
  needs: z.enum(['passphrase', 'toldPassphrase', 'recipient']).optional(),
  /** SHA-256 of the confirmation code. */
  codeHash: z.string().optional(),
  /** Time when the confirmation code was entered. */
  acknowledgedAt: z.string().optional(),
  at: z.string(),
})
export type HandoutRecord = z.infer<typeof HandoutRecord>

/** A key that came in a key file. `planId` and `keyId` are local ids, and `ids` are those of the account. */
export const ImportedKeyRecord = z.object({
  planId: z.string(),
  keyId: z.string(),
  ids: KeyFileContent.shape.ids,
  holder: Holder,
  from: z.string(),
  createdAt: z.string(),
  /** Confirmation code of an imported key, until it was sent. */
  code: z.string().optional(),
  isSwitchSkipped: z.boolean().optional(),
  /** Tools that were switched and failed their test. */
  failed: z.array(z.object({ toolId: z.string(), site: Site })).optional(),
})
export type ImportedKeyRecord = z.infer<typeof ImportedKeyRecord>

/** Upstream of a tool and its fallbacks, in order. */
export const RelayRouteRecord = z.object({
  toolId: z.string(),
  ...RelayRoute.shape,
  failover: z.array(RelayRoute),
  overload: OverloadFailover.optional(),
})
export type RelayRouteRecord = z.infer<typeof RelayRouteRecord>

/** Relay settings. Its tools' tokens are in the vault. */
export const RelayChoice = z.object({
  port: z.number().int().min(1024).max(65_535),
  /** Whether to start the relay with the app. */
  wanted: z.boolean(),
  keepInBackground: z.boolean(),
  allowsUncounted: z.boolean().optional(),
  isPaused: z.boolean(),
  ways: records(RelayRouteRecord, 'toolId'),
})
export type RelayChoice = z.infer<typeof RelayChoice>

/** Metrics exporters. The secret of the header is in the vault. `kept`: where the vault stores it, if there is one. */
export const MetricsRecord = z.object({
  isScraped: z.boolean(),
  otlp: z
    .object({
      endpoint: z.string(),
      auth: OtlpAuth.optional(),
      kept: z.enum(['keychain', 'session']).optional(),
      secretAt: z.string().optional(),
      sendsSpans: z.boolean(),
    })
    .optional(),
})
export type MetricsRecord = z.infer<typeof MetricsRecord>

const stepFields = { state: RotationStepState, at: z.string().optional(), failure: Failure.optional() }

/** `hand`: which key the user has entered manually, for a tool whose settings this app cannot write. */
export const RotatedToolRecord = z.object({ ...RotatedTool.shape, hand: z.enum(['old', 'new']).optional() })
export type RotatedToolRecord = z.infer<typeof RotatedToolRecord>

/**
 * Journal of a rotation, with ids and names but no keys. `id` of a key is local, `keyId` the account's. The new key's name is written
 * before the key is created, so that a lost response can be recovered.
 */
export const RotationRecord = z.object({
  id: z.string(),
  planId: z.string(),
  planName: z.string(),
  origin: z.object({ connectionId: z.string(), planId: z.string() }),
  oldKey: z.object({ id: z.string(), keyId: z.string(), name: z.string(), wasActive: z.boolean() }),
  newKey: z.object({ name: z.string(), id: z.string().optional(), keyId: z.string().optional() }),
  /** `back`: undo. */
  direction: z.enum(['forward', 'back']),
  state: RotationState,
  steps: z.array(z.object({ id: RotationStepId, ...stepFields })),
  undoSteps: z.array(z.object({ id: RotationUndoStepId, ...stepFields })),
  tools: z.array(RotatedToolRecord),
  profiles: z.array(z.string()),
  startedAt: z.string(),
  graceMs: z.number(),
  deleteAt: z.string().optional(),
  /** Latest time to disable the old key, even if a holder has not confirmed the new one. */
  disableBy: z.string().optional(),
  /** Delay from the switch of the tools to disabling the old key. */
  disableAfterMs: z.number().optional(),
  /** Other computers that used the old key at the last sync of the lead space. Undefined without a lead space. */
  computers: z.array(ComputerKeyUsage).optional(),
  /** Whether the user requested a stop after the current step. */
  isStopWanted: z.boolean(),
  /** Process that runs the rotation, with the time of its last report. */
  runner: z.object({ pid: z.number(), at: z.string() }).optional(),
})
export type RotationRecord = z.infer<typeof RotationRecord>

export const RotationScheduleRecord = z.object({ ...RotationScheduleInput.shape, failure: Failure.optional() })
export type RotationScheduleRecord = z.infer<typeof RotationScheduleRecord>

/** A shown reminder of a key's age, of an earlier version. */
const SentKeyReminder = z.object({ keyId: z.string(), addedAt: z.string(), days: z.number() })

export const UsageChoice = z.object({
  /** Tools whose logs are imported. Requests before `from` were erased and are skipped. */
  toolLogs: records(z.object({ toolId: z.string(), from: z.iso.datetime().optional() }), 'toolId'),
  /** Days to keep single requests; 0 for unlimited. */
  retentionDays: z.number().int().min(0).max(3650),
})
export type UsageChoice = z.infer<typeof UsageChoice>

/** Address of a team database. The password or the private key of `certificate` is in the vault. */
export const TeamAddress = z.object({
  host: z.string(),
  port: z.number().int(),
  database: z.string(),
  user: z.string(),
  /** Certificates in PEM format that are trusted instead of the public authorities. */
  ca: z.string().optional(),
  /** Client certificate in PEM format. */
  certificate: z.string().optional(),
})
export type TeamAddress = z.infer<typeof TeamAddress>

/** The lead space that this computer joined. The secret for its database is in the vault under `team:<spaceId>`. */
export const TeamRecord = z.object({
  spaceId: z.string(),
  spaceName: z.string(),
  address: TeamAddress,
  personName: z.string(),
  /** New records always have `lead`. Older app versions also had the role `member`, and require this field. */
  role: z.enum(['lead', 'member']),
  machineUid: z.string(),
  machineName: z.string(),
  kept: z.enum(['keychain', 'session']),
  joinedAt: z.string(),
})
export type TeamRecord = z.infer<typeof TeamRecord>

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
  /** Storage of the secret. Undefined without one. */
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

/**
 * A reminder that an earlier version has shown for a plan. `what`: the number of days before the expiry, or the name of
 * the event.
 */
const SentReminder = z.object({ planId: z.string(), expiresAt: z.string(), what: z.string() })

/** Alerts that were sent or printed. Earlier versions stored some of them in the other lists. */
const AlertMemory = z.object({
  episodes: records(AlertEpisode, 'kind', 'of'),
  reminders: records(SentReminder, 'planId', 'expiresAt', 'what'),
  keys: records(SentKeyReminder, 'keyId', 'addedAt', 'days'),
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
    'toolId',
    'site',
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
export const parts = {
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
  /** Of earlier versions, like `shownKeyReminders`. Newer ones store `alerts.episodes`. */
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
