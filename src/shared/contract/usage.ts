import { z } from 'zod'
import { dayMs, hourMs } from '../durations'
import { isUsageMoment, usageErrorKinds } from '../usage-words'
import { Amount, ApiStandard, EmptyResult, ModelCode, method, SelectedFile } from './common'

/** Source of usage data: the platform's console, the relay, a tool's log, or the app's own requests. */
export const UsageSource = z.enum(['console', 'relay', 'toolLog', 'app'])
export type UsageSource = z.infer<typeof UsageSource>

/** `machine` combines relay, tool logs and app, each request once. Console and machine are never added. */
export const UsageScope = z.enum(['console', 'machine', 'relay', 'toolLog', 'app'])
export type UsageScope = z.infer<typeof UsageScope>

/** `quota`: used up. `aborted`: the client left. `cut`: incomplete response. `budget`: rejected by the relay. */
export const UsageErrorKind = z.enum(usageErrorKinds)
export type UsageErrorKind = z.infer<typeof UsageErrorKind>

/** Tokens consumed = input + output + cache (spec, "What the service does"). Cached prompt tokens are cache, not input. */
export const UsageCounts = z.strictObject({
  requests: Amount,
  errors: Amount,
  inputTokens: Amount,
  outputTokens: Amount,
  /** Cache reads and writes together, as in the console. */
  cacheTokens: Amount,
})
export type UsageCounts = z.infer<typeof UsageCounts>

/** Times outside 2000 to 2100 are typing errors. Allows one extra day on both sides for time zones. */
const UsageTime = z.iso.datetime().refine((iso) => isUsageMoment(Date.parse(iso)), 'Use a date from 2000 to 2099.')

/** Filter over the period `[from, to)`. Single-valued, like the console's key filter (spec, "Limits"). */
export const UsageFilter = z.strictObject({
  scope: UsageScope,
  from: UsageTime,
  to: UsageTime,
  /** Local plan id or, with scope `console`, the account's plan id at `connectionId`. */
  planId: z.string().optional(),
  connectionId: z.string().optional(),
  modelCode: ModelCode.optional(),
  toolId: z.string().optional(),
  keyId: z.string().optional(),
  /** Folder in which a tool worked. Only known on this computer. */
  projectId: z.string().optional(),
})
export type UsageFilter = z.infer<typeof UsageFilter>

/** Time axis steps in the local time zone. Weeks start on Monday. */
export const UsageStep = z.enum(['hour', 'day', 'week', 'month'])
export type UsageStep = z.infer<typeof UsageStep>

/** Maximum number of buckets in one response. */
const maxBuckets = 10_000

const minStepMs = { hour: hourMs, day: 23 * hourMs, week: 6.9 * dayMs, month: 28 * dayMs } as const

/** Reason why a period cannot be divided into steps of this length. Undefined if it can. */
export function findPeriodProblem({ from, to }: Pick<UsageFilter, 'from' | 'to'>, step: UsageStep): string | undefined {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  if (!isUsageMoment(fromMs) || !isUsageMoment(toMs)) return 'Use dates from 2000 to 2099.'
  if ((toMs - fromMs) / minStepMs[step] <= maxBuckets) return undefined
  return `The period is too long for intervals of one ${step}. Choose a shorter period or a longer interval.`
}

const isBucketCountAllowed = ({ filter, step }: { readonly filter: UsageFilter; readonly step: UsageStep }): boolean =>
  findPeriodProblem(filter, step) === undefined

/** `model` works for every source, `holder` only for the console, and all others only for this computer. */
export const UsageSplit = z.enum(['model', 'tool', 'key', 'plan', 'project', 'source', 'error', 'holder'])
export type UsageSplit = z.infer<typeof UsageSplit>

const Bucket = z.strictObject({ start: z.iso.datetime(), ...UsageCounts.shape })

/** Usage of one group, such as a model or key. `name` is omitted if unknown or deleted. */
export const UsageShare = z.strictObject({ id: z.string(), name: z.string().optional(), ...UsageCounts.shape })
export type UsageShare = z.infer<typeof UsageShare>

/** Usage per time step. Steps without requests are zero. Steps that no source covers are omitted. */
export const UsageSeries = z.strictObject({
  step: UsageStep,
  buckets: z.array(Bucket),
  totals: UsageCounts,
  /** Usage in the preceding period. Present if `compare` is set and that period's usage is known. */
  previous: z
    .strictObject({ from: z.iso.datetime(), to: z.iso.datetime(), buckets: z.array(Bucket), totals: UsageCounts })
    .optional(),
  /** Time of the source's first request. Earlier usage is unknown, not zero. */
  knownFrom: z.iso.datetime().optional(),
  at: z.iso.datetime(),
})
export type UsageSeries = z.infer<typeof UsageSeries>

/** Usage per step of the largest groups and all others together (`isRest`). `counts` has one value per group. */
export const UsageStacks = z.strictObject({
  step: UsageStep,
  parts: z.array(z.strictObject({ id: z.string(), name: z.string().optional(), isRest: z.boolean().optional() })),
  buckets: z.array(z.strictObject({ start: z.iso.datetime(), counts: z.array(UsageCounts) })),
})
export type UsageStacks = z.infer<typeof UsageStacks>

const FlowNodeRef = z.strictObject({ id: z.string(), name: z.string().optional() })

/** Request duration in ms per step: median and 95th percentile. */
export const UsageLatency = z.strictObject({
  step: UsageStep,
  buckets: z.array(
    z.strictObject({
      start: z.iso.datetime(),
      requests: Amount,
      p50Ms: z.number(),
      p95Ms: z.number(),
      /** Median time to the first byte. */
      firstByteMs: z.number().optional(),
    }),
  ),
})
export type UsageLatency = z.infer<typeof UsageLatency>

/** A single request. Durations are in ms. Absent values are unknown, not zero. */
export const UsageRequest = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  source: UsageSource,
  planName: z.string().optional(),
  keyName: z.string().optional(),
  toolId: z.string().optional(),
  toolName: z.string().optional(),
  /** Project folder. Absent if unknown. */
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  modelCode: z.string(),
  standard: ApiStandard.optional(),
  /** Input tokens, without tokens that were read from or written to a cache. */
  inputTokens: Amount.optional(),
  outputTokens: Amount.optional(),
  cacheReadTokens: Amount.optional(),
  cacheWriteTokens: Amount.optional(),
  /** Whether the token counts are estimates, because the response reported none. */
  isEstimated: z.boolean().optional(),
  /** HTTP status. Absent without a response, and in tool logs. */
  status: Amount.optional(),
  error: UsageErrorKind.optional(),
  firstByteMs: Amount.optional(),
  durationMs: Amount.optional(),
})
export type UsageRequest = z.infer<typeof UsageRequest>

/** A cycle of a plan. `isEstimated` means that the start was derived from the expiry. */
export const UsageCycle = z.strictObject({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  isCurrent: z.boolean(),
  isEstimated: z.boolean(),
})
export type UsageCycle = z.infer<typeof UsageCycle>

/** Log of a tool and its import state. */
export const ToolLogView = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  enabled: z.boolean(),
  /** Folder of the tool's logs. The app reads only usage numbers from them, never content. */
  folder: z.string(),
  exists: z.boolean(),
  requests: Amount,
  readAt: z.iso.datetime().optional(),
  /** Number of log lines or files that could not be parsed and are missing in the usage. */
  notUnderstood: Amount,
})
export type ToolLogView = z.infer<typeof ToolLogView>

export const UsageSources = z.strictObject({
  relay: z.strictObject({ requests: Amount, lastAt: z.iso.datetime().optional() }),
  app: z.strictObject({ requests: Amount, lastAt: z.iso.datetime().optional() }),
  toolLogs: z.array(ToolLogView),
  consoles: z.array(z.strictObject({ connectionId: z.string(), name: z.string() })),
})
export type UsageSources = z.infer<typeof UsageSources>

/** Storage of the ledger. `damaged` means moved to `setAside` and replaced by a new ledger. */
export const UsageStorage = z.strictObject({
  bytes: Amount,
  requests: Amount,
  oldest: z.iso.datetime().optional(),
  /** Days to keep single requests. 0 means unlimited. Hourly and daily sums stay. */
  retentionDays: Amount,
  state: z.enum(['ready', 'damaged', 'newer', 'unavailable']),
  setAside: z.string().optional(),
})
export type UsageStorage = z.infer<typeof UsageStorage>

/** Usage by plan, tool and model. An absent one means "other", an empty id "unknown". */
export const UsageFlow = z.strictObject({
  plan: FlowNodeRef.optional(),
  model: FlowNodeRef.optional(),
  tool: FlowNodeRef.optional(),
  requests: Amount,
  tokens: Amount,
})
export type UsageFlow = z.infer<typeof UsageFlow>

const PngBase64 = z.string().min(1).max(16_000_000)

const ChartPicture = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('png'), base64: PngBase64 }),
  z.strictObject({ kind: z.literal('svg'), text: z.string().min(1).max(4_000_000) }),
])

export const usage = {
  'usage.series': method(
    UsageSeries,
    z.strictObject({ filter: UsageFilter, step: UsageStep, compare: z.boolean() }).refine(isBucketCountAllowed),
  ),
  /** Usage grouped by `by`, largest first, at most 200 groups. The console can only be grouped by model. */
  'usage.shares': method(z.array(UsageShare), { filter: UsageFilter, by: UsageSplit }),
  /** Usage of the five largest groups per time step. The scope `console` can only be grouped by model. */
  'usage.stacks': method(
    UsageStacks,
    z.strictObject({ filter: UsageFilter, step: UsageStep, by: UsageSplit }).refine(isBucketCountAllowed),
  ),
  /** Usage of the largest plans with their models and tools here. Fails with `input.invalid` for the console. */
  'usage.flows': method(z.array(UsageFlow), { filter: UsageFilter }),
  /** Latency of the newest 100,000 requests. Fails with `input.invalid` for the console. */
  'usage.latency': method(
    UsageLatency,
    z.strictObject({ filter: UsageFilter, step: UsageStep }).refine(isBucketCountAllowed),
  ),
  /** Single requests, newest first, paged by `next`. Fails with `input.invalid` for the console. */
  'usage.requests': method(z.strictObject({ requests: z.array(UsageRequest), next: z.string().optional() }), {
    filter: UsageFilter,
    onlyErrors: z.boolean().optional(),
    limit: z.number().int().min(1).max(500),
    next: z.string().optional(),
  }),
  /** Cycles of a plan, newest first. Empty when the plan's end is unknown. */
  'usage.cycles': method(z.array(UsageCycle), { planId: z.string(), connectionId: z.string().optional() }),
  /** Exports usage to a file that the user selects, and returns its path. Empty if canceled. */
  'usage.export': method(
    SelectedFile,
    z
      .strictObject({
        filter: UsageFilter,
        step: UsageStep,
        what: z.enum(['series', 'requests']),
        /** Whether to export only failed requests. Not supported for `series`. */
        onlyErrors: z.boolean().optional(),
        format: z.enum(['csv', 'json']),
      })
      .refine(isBucketCountAllowed),
  ),
  /** Saves a chart image rendered by the window. */
  'usage.savePicture': method(SelectedFile, { name: z.string().min(1).max(80), picture: ChartPicture }),
  'usage.copyPicture': method(EmptyResult, { pngBase64: PngBase64 }),
  'usage.sources': method(UsageSources),
  /** Enabling imports the existing log. Disabling deletes the imported data. */
  'usage.setToolLog': method(UsageSources, { toolId: z.string(), enabled: z.boolean() }),
  'usage.readToolLogs': method(UsageSources),
  'usage.storage': method(UsageStorage),
  'usage.setRetention': method(UsageStorage, { days: z.number().int().min(0).max(3650) }),
  /** Irreversibly deletes all requests and sums of this computer. */
  'usage.erase': method(UsageStorage),
}
