import type { RelayWay } from '@shared/contract'
import { Failure } from '@shared/failure'
import { z } from 'zod'
import { Secret } from '../../core/secret'
import type { RelayWayRecord } from '../../core/settings/records'
import type { RelayMetrics, RelayTable } from '../ports'

/** A key or token as a message carries it; held as a `Secret` from the moment it is read. */
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

/** Message to the relay process. */
export const RelayCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    port: z.number().int(),
    table: Table,
    caFiles: z.array(z.string()),
    dataDir: z.string(),
  }),
  z.object({ kind: z.literal('table'), table: Table }),
  z.object({ kind: z.literal('stop') }),
])
export type RelayCommand = z.output<typeof RelayCommand>

/** Message from the relay process. */
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

/** A table as a message between two processes of this app: with its keys laid open, in memory only. */
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
    ...(otlp ? { otlp: { endpoint: otlp.endpoint, sendsSpans: otlp.sendsSpans, ...(header ? { header } : {}) } } : {}),
    planNames: [...planNames],
    models: [...models],
  }
}

/** Request counts of a tool since the relay process started. */
export interface ToolTraffic {
  readonly toolId: string
  /** Running requests. */
  readonly open: number
  /** Finished requests. */
  readonly requests: number
  /** When the last of those began, as an ISO 8601 time. */
  readonly lastAt?: string | undefined
  /** Failure of the last request, if it failed. */
  readonly failure?: Failure | undefined
}

/** Status of the relay process. */
export interface RelayStatus {
  readonly tools: readonly ToolTraffic[]
}

interface RelayStart {
  /** 0: a free one. */
  readonly port: number
  readonly table: RelayTable
  readonly caFiles: readonly string[]
}

/** Runs the relay in a separate process. */
export interface RelayHost {
  /** Resolves with the port once it listens. Fails with `relay.portInUse` or `relay.failed`. */
  start(options: RelayStart): Promise<{ readonly port: number }>
  setTable(table: RelayTable): void
  stop(): Promise<void>
  /** Called whenever the status has changed, at most a few times a second. */
  onStatus(listener: (status: RelayStatus) => void): void
  /** Called when the process ends by itself. */
  onExit(listener: () => void): void
}

/** Upstream of a tool. */
export type ToolWay = RelayWay & { readonly toolId: string }

/** Relay access for setups. */
export interface RelayPort {
  /** Relay address in a tool's settings, in place of the gateway: `http://127.0.0.1:PORT/t/<tool>`. */
  getRelayRoot(toolId: string): string
  /** Undefined: the relay has nothing for the tool. */
  getUpstream(toolId: string): RelayWayRecord | undefined
  /** Token that the tool uses as its key, created if missing. Fails with `vault.*`. */
  readToken(toolId: string): Promise<Secret>
  /** True when it answers, paused or not, whichever process runs it. */
  isOn(): Promise<boolean>
  /** Sets ways and has the relay run where this process can; resolves with what takes the ways back. Fails with `relay.*`. */
  point(ways: readonly ToolWay[]): Promise<() => void>
  /** Forgets the ways of tools. */
  unpoint(toolIds: readonly string[]): void
}
