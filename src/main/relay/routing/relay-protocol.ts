import type { RelayWay } from '@shared/contract'
import { Failure } from '@shared/failure'
import { z } from 'zod'
import { Secret } from '../../core/secret'
import type { RelayWayRecord } from '../../core/settings/records'
import { maxSeries, type RemainingSample, remainingMetrics } from '../../usage/quota/remaining'
import type { RelayMetrics, RelayTable } from '../ports'

/** A key or token in a message, wrapped in a `Secret` when parsed. */
const SecretText = z.string().transform((text) => new Secret(text))

const Network = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('direct') }),
  z.object({ kind: z.literal('proxy'), url: z.string() }),
])

const Budget = z.object({
  id: z.string(),
  name: z.string(),
  of: z.object({
    planId: z.string().optional(),
    toolId: z.string().optional(),
    modelCode: z.string().optional(),
    keyIds: z.array(z.string()).optional(),
  }),
  unit: z.enum(['tokens', 'requests']),
  limit: z.number(),
  period: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['day', 'week']) }),
    z.object({ kind: z.literal('cycle'), endsAt: z.number(), days: z.number() }),
  ]),
})

const Metrics = z.object({
  token: SecretText.optional(),
  otlp: z
    .object({
      endpoint: z.string(),
      header: z.object({ name: z.string(), scheme: z.string().optional(), value: SecretText }).optional(),
      sendsSpans: z.boolean(),
      network: Network,
    })
    .optional(),
  planNames: z.array(z.object({ id: z.string(), name: z.string() })),
  models: z.array(z.string()),
})

const Table = z.object({
  isPaused: z.boolean(),
  allowsUncounted: z.boolean().optional(),
  budgets: z.array(Budget),
  metrics: Metrics.optional(),
  mcp: z.array(z.object({ toolId: z.string(), token: SecretText })).optional(),
  clients: z.array(
    z.object({
      toolId: z.string(),
      token: SecretText,
      reason: Failure.optional(),
      upstreams: z.array(
        z.object({
          planId: z.string(),
          keyId: z.string(),
          gatewayUrl: z.string(),
          key: SecretText,
          models: z.array(z.string()),
          network: Network,
          caFiles: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
})

const remainingNames = Object.keys(remainingMetrics)

const Remaining = z
  .array(
    z.object({
      name: z.custom<RemainingSample['name']>((name) => remainingNames.some((knownName) => knownName === name)),
      labels: z.record(z.string(), z.string()),
      value: z.number(),
    }),
  )
  .max(maxSeries * remainingNames.length)

export const RelayCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    port: z.number().int(),
    table: Table,
    caFiles: z.array(z.string()),
    dataDir: z.string(),
  }),
  z.object({ kind: z.literal('table'), table: Table }),
  z.object({ kind: z.literal('remaining'), samples: Remaining }),
  z.object({ kind: z.literal('stop') }),
])
export type RelayCommand = z.output<typeof RelayCommand>

export const RelayEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), port: z.number().int() }),
  z.object({ kind: z.literal('failed'), failure: Failure }),
  z.object({
    kind: z.literal('status'),
    tools: z.array(
      z.object({
        toolId: z.string(),
        open: z.number().int(),
        requests: z.number().int(),
        lastAt: z.string().optional(),
        failure: Failure.optional(),
      }),
    ),
  }),
])
export type RelayEvent = z.infer<typeof RelayEvent>

/** A routing table as a message to the relay process, with plain-text keys, only in memory. */
export function tableMessage({
  clients,
  isPaused,
  allowsUncounted,
  budgets = [],
  metrics,
  mcp = [],
}: RelayTable): z.input<typeof Table> {
  return {
    isPaused,
    allowsUncounted,
    budgets: budgets.map(({ of: { keyIds, ...of }, ...budget }) => ({
      ...budget,
      of: { ...of, ...(keyIds === undefined ? {} : { keyIds: [...keyIds] }) },
    })),
    ...(metrics ? { metrics: metricsMessage(metrics) } : {}),
    mcp: mcp.map(({ toolId, token }) => ({ toolId, token: token.expose() })),
    clients: clients.map(({ toolId, token, upstreams, reason }) => ({
      toolId,
      token: token.expose(),
      ...(reason ? { reason } : {}),
      upstreams: upstreams.map(({ key, models, caFiles = [], ...upstream }) => ({
        ...upstream,
        models: [...models],
        caFiles: [...caFiles],
        key: key.expose(),
      })),
    })),
  }
}

function metricsMessage({ token, otlp, planNames, models }: RelayMetrics): z.input<typeof Metrics> {
  const header = otlp?.header && { ...otlp.header, value: otlp.header.value.expose() }
  return {
    ...(token ? { token: token.expose() } : {}),
    ...(otlp ? { otlp: { ...otlp, header } } : {}),
    planNames: [...planNames],
    models: [...models],
  }
}

/** Request counts of a tool since the relay process started. */
export interface ToolTraffic {
  readonly toolId: string
  /** Number of running requests. */
  readonly open: number
  readonly requests: number
  /** Start of the last request (ISO 8601). */
  readonly lastAt?: string | undefined
  /** Failure of the last request. Undefined if the request succeeded. */
  readonly failure?: Failure | undefined
}

export interface RelayStatus {
  readonly tools: readonly ToolTraffic[]
}

interface RelayStart {
  /** Port of the relay. 0 selects a free port. */
  readonly port: number
  readonly table: RelayTable
  readonly caFiles: readonly string[]
}

/** Runs the relay in a separate process. */
export interface RelayHost {
  /** Resolves with the port once the relay is listening. Fails with `relay.portInUse` or `relay.failed`. */
  start(options: RelayStart): Promise<{ readonly port: number }>
  setTable(table: RelayTable): void
  /** Replaces the metrics of remaining quotas and budgets. */
  setRemaining(samples: readonly RemainingSample[]): void
  stop(): Promise<void>
  /** Called when the status has changed, at most a few times per second. */
  onStatus(listener: (status: RelayStatus) => void): void
  /** Called when the relay process exits unexpectedly. */
  onExit(listener: () => void): void
}

export type ToolWay = RelayWay & { readonly toolId: string }

export interface RelayPort {
  /** Relay address in a tool's settings, in place of the gateway: `http://127.0.0.1:PORT/t/<tool>`. */
  getRelayRoot(toolId: string): string
  /** The tool's upstream. Undefined if the tool does not use the relay. */
  getUpstream(toolId: string): RelayWayRecord | undefined
  /**
   * Token with which the tool authenticates to the relay, in place of a key. Creates a missing token. Fails with
   * `vault.*`.
   */
  readToken(toolId: string): Promise<Secret>
  /** Whether any process on this computer runs the relay, paused or not. */
  isOn(): Promise<boolean>
  /**
   * Adds relay routes, and starts the relay if this process is able to. Resolves with a function that restores the
   * previous routes. Fails with `relay.*`.
   */
  point(ways: readonly ToolWay[]): Promise<() => void>
  /** Removes the routes of tools. */
  unpoint(toolIds: readonly string[]): void
}
