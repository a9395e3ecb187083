import { Failure } from '@shared/failure'
import { z } from 'zod'
import type { RelayMetrics, RelayTable } from '../relay/ports'
import { Secret } from '../secret'

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
    z.object({ kind: z.enum(['day', 'week']), zone: z.string().optional() }),
    z.object({ kind: z.literal('cycle'), endsAt: z.number(), days: z.number() }),
  ]),
  elsewhere: z.object({ from: z.number(), to: z.number(), used: z.number() }).optional(),
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
})

const Table = z.object({
  isPaused: z.boolean(),
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
        }),
      ),
    }),
  ),
})

/** What the relay's process is told. */
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

/** What it says. */
export const RelayEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), port: z.number().int() }),
  z.object({ kind: z.literal('failed'), failure: Failure }),
  z.object({
    kind: z.literal('status'),
    open: z.number().int(),
    tools: z.array(
      z.object({ toolId: z.string(), requests: z.number().int(), lastAt: z.string(), failure: Failure.optional() }),
    ),
  }),
])
export type RelayEvent = z.infer<typeof RelayEvent>

/** A table as a message between two processes of this app: with its keys laid open, in memory only. */
export function tableMessage({
  clients,
  isPaused,
  budgets = [],
  metrics,
  mcp = [],
}: RelayTable): z.input<typeof Table> {
  return {
    isPaused,
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
      upstreams: upstreams.map(({ key, models, ...upstream }) => ({
        ...upstream,
        models: [...models],
        key: key.expose(),
      })),
    })),
  }
}

function metricsMessage({ token, otlp, planNames }: RelayMetrics): z.input<typeof Metrics> {
  const header = otlp?.header && { ...otlp.header, value: otlp.header.value.expose() }
  return {
    ...(token ? { token: token.expose() } : {}),
    ...(otlp ? { otlp: { endpoint: otlp.endpoint, sendsSpans: otlp.sendsSpans, ...(header ? { header } : {}) } } : {}),
    planNames: [...planNames],
  }
}
