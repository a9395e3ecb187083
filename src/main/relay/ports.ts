import type { IncomingMessage, ServerResponse } from 'node:http'
import { OverloadFailover } from '@shared/contract/relay'
import { minuteMs } from '@shared/durations'
import { Failure } from '@shared/failure'
import { z } from 'zod'
import { Secret } from '../core/secret'
import type { Span } from '../usage/ledger/calendar'
import type { LedgerEntry } from '../usage/ports'

/** A key or token, which is plain text only in messages to the relay process. */
const SecretText = z.codec(z.string(), z.instanceof(Secret), {
  decode: (text) => new Secret(text),
  encode: (secret) => secret.expose(),
})

const Network = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('direct') }),
  z.object({ kind: z.literal('proxy'), url: z.string() }),
])

const RelayUpstream = z.object({
  planId: z.string(),
  keyId: z.string(),
  gatewayUrl: z.string(),
  key: SecretText,
  /** Model codes of the plan. Empty if unknown. */
  models: z.array(z.string()).readonly(),
  network: Network,
  /** Certificate files to trust for this upstream, in addition to the default roots. */
  caFiles: z.array(z.string()).readonly().optional(),
})
export type RelayUpstream = z.output<typeof RelayUpstream>

const RelayClient = z.object({
  toolId: z.string(),
  /** Token of the tool, valid only on this computer. */
  token: SecretText,
  /** Upstreams in order of preference. Empty if the relay rejects the tool's requests. */
  upstreams: z.array(RelayUpstream).readonly(),
  overload: OverloadFailover.optional(),
  /** Reason that the tool has no upstream. */
  reason: Failure.optional(),
})
export type RelayClient = z.output<typeof RelayClient>

export const RelayMetrics = z.object({
  /** Token of the page `/metrics`. Without a token, the page does not exist. */
  token: SecretText.optional(),
  otlp: z
    .object({
      /** Base address of `/v1/metrics` and `/v1/traces`. */
      endpoint: z.string(),
      header: z.object({ name: z.string(), scheme: z.string().optional(), value: SecretText }).optional(),
      sendsSpans: z.boolean(),
      network: Network,
    })
    .optional(),
  planNames: z.array(z.object({ id: z.string(), name: z.string() })).readonly(),
  /** Models of the plans. Others are counted as `other`, because a tool can send any name. */
  models: z.array(z.string()).readonly(),
})
export type RelayMetrics = z.output<typeof RelayMetrics>

const RelayBudget = z.object({
  id: z.string(),
  name: z.string(),
  /** Requests that the budget counts: those that match all given fields. `keyIds` matches any of these keys. */
  of: z.object({
    planId: z.string().optional(),
    toolId: z.string().optional(),
    modelCode: z.string().optional(),
    keyIds: z.array(z.string()).readonly().optional(),
  }),
  unit: z.enum(['tokens', 'requests']),
  limit: z.number(),
  /** Days or weeks of a time zone, or fixed cycles aligned to an end. */
  period: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['day', 'week']) }),
    z.object({ kind: z.literal('cycle'), endsAt: z.number(), days: z.number() }),
  ]),
})
export type RelayBudget = z.output<typeof RelayBudget>

/** Complete configuration of the relay. May change between two requests. */
export const RelayTable = z.object({
  clients: z.array(RelayClient).readonly(),
  isPaused: z.boolean(),
  /** Whether budgets allow requests whose cost the relay cannot measure. Default false. */
  allowsUncounted: z.boolean().optional(),
  budgets: z.array(RelayBudget).readonly().optional(),
  /** Undefined: off. */
  metrics: RelayMetrics.optional(),
  /** Tools with access to the MCP server, with their MCP tokens. */
  mcp: z
    .array(RelayClient.pick({ toolId: true, token: true }))
    .readonly()
    .optional(),
})
export type RelayTable = z.output<typeof RelayTable>

export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

/** Reads recorded usage of a budget in a span, including everything recorded before the call. */
export type BudgetReader = (budget: RelayBudget, span: Span) => Promise<number>

/** A switch to another upstream because of overload. The overloaded one is not tried first until `untilMs`. */
export const UpstreamSwitch = z.object({
  atMs: z.number(),
  untilMs: z.number(),
  from: RelayUpstream.pick({ planId: true, keyId: true }),
  to: RelayUpstream.pick({ planId: true, keyId: true }),
})
export type UpstreamSwitch = z.output<typeof UpstreamSwitch>

export interface RelayOptions {
  /** Port of the relay. 0 selects a free port. */
  readonly port: number
  readonly table: RelayTable
  /** Records one finished request. Must be fast. */
  readonly record: (entry: LedgerEntry) => void
  /** Called when requests of a tool switch to another upstream because of overload. */
  readonly onSwitch?: ((toolId: string, overload: UpstreamSwitch) => void) | undefined
  /** Counts tokens to estimate unreported usage. Default: about 4 bytes per token. */
  readonly countTokens?: CountTokens | undefined
  /** Reads recorded usage for budgets. Default: no recorded usage. */
  readonly readBudget?: BudgetReader | undefined
  /** Returns the Prometheus page. Called if the table has its token. */
  readonly scrape?: (() => Promise<string>) | undefined
  readonly serveMcp?: ((toolId: string, request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Certificate files to trust in addition to the default roots. */
  readonly caFiles: readonly string[]
}

const MB = 1024 * 1024

/** Limits in bytes and ms. */
export const relayLimits = {
  /** Maximum request size, compressed or not. Larger ones get a 413. */
  bodyBytes: 64 * MB,
  /** Maximum bytes of all bodies in memory, compressed and not. One tool may use half. Excess requests get a 503. */
  heldBytes: 256 * MB,
  /** Maximum bytes of an error response that are read. */
  refusalBytes: MB / 16,
  /** Time in ms for reading an error body. Afterwards the partial body is forwarded. */
  refusalTimeoutMs: 1500,
  /** Time in ms for a tool to send complete headers. */
  headersMs: 15_000,
  /** Idle timeout in ms in both directions. A model may think for minutes. */
  idleMs: 600_000,
  /** Time in ms after which a client that does not read is disconnected. */
  unreadMs: minuteMs,
  connections: 1024,
  /** Maximum concurrent requests of one tool. */
  openPerTool: 512,
  /** Maximum pipelined requests per connection. */
  pipelined: 32,
}
export type RelayLimits = Readonly<typeof relayLimits>

/**
 * V8 flags of the relay process. Request bodies are outside of V8's small heap but count towards its growth limit.
 * Without this flag, every few long requests trigger a full garbage collection, and a 260 KB request takes 1.5 to 4.5
 * times the CPU of a bare proxy.
 */
export const engineFlags: readonly string[] = ['--heap-growing-percent=100']
