import type { IncomingMessage, ServerResponse } from 'node:http'
import { minuteMs } from '@shared/durations'
import type { Failure } from '@shared/failure'
import type { Route as NetworkRoute } from '../core/net/proxy'
import type { Secret } from '../core/secret'
import type { LedgerEntry } from '../usage/ports'
import type { BudgetMeter, RelayBudget } from './budget-meter'

export interface RelayUpstream {
  readonly planId: string
  readonly keyId: string
  readonly gatewayUrl: string
  readonly key: Secret
  /** Model codes of the plan. Empty if unknown. */
  readonly models: readonly string[]
  readonly network: NetworkRoute
  /** Certificate files to trust for this upstream, in addition to the default roots. */
  readonly caFiles?: readonly string[] | undefined
}

export interface RelayClient {
  readonly toolId: string
  /** Token of the tool, valid only on this computer. */
  readonly token: Secret
  /** Upstreams in order of preference. Empty if the relay rejects the tool's requests. */
  readonly upstreams: readonly RelayUpstream[]
  /** Reason that the tool has no upstream. */
  readonly reason?: Failure | undefined
}

export interface RelayMetrics {
  /** Token of the page `/metrics`. Without a token, the page does not exist. */
  readonly token?: Secret | undefined
  readonly otlp?:
    | {
        /** Base address of `/v1/metrics` and `/v1/traces`. */
        readonly endpoint: string
        readonly header?:
          | { readonly name: string; readonly scheme?: string | undefined; readonly value: Secret }
          | undefined
        readonly sendsSpans: boolean
        readonly network: NetworkRoute
      }
    | undefined
  readonly planNames: readonly { readonly id: string; readonly name: string }[]
  /** Models of the plans. Others are counted as `other`, because a tool can send any name. */
  readonly models: readonly string[]
}

/** Complete configuration of the relay. May change between two requests. */
export interface RelayTable {
  readonly clients: readonly RelayClient[]
  readonly isPaused: boolean
  /** Whether budgets allow requests whose cost the relay cannot measure. Default false. */
  readonly allowsUncounted?: boolean | undefined
  readonly budgets?: readonly RelayBudget[] | undefined
  /** Undefined: off. */
  readonly metrics?: RelayMetrics | undefined
  /** Tools with access to the MCP server, with their MCP tokens. */
  readonly mcp?: readonly Pick<RelayClient, 'toolId' | 'token'>[] | undefined
}

export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

/** Reads recorded usage of a budget in a span, including everything recorded before the call. */
type BudgetReader = NonNullable<NonNullable<ConstructorParameters<typeof BudgetMeter>[0]>['read']>

export interface RelayOptions {
  /** Port of the relay. 0 selects a free port. */
  readonly port: number
  readonly table: RelayTable
  /** Records one finished request. Must be fast. */
  readonly record: (entry: LedgerEntry) => void
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
export interface RelayLimits {
  /** Maximum request size, compressed or not. Larger ones get a 413. */
  readonly bodyBytes: number
  /** Maximum bytes of all bodies in memory, compressed and not. One tool may use half. Excess requests get a 503. */
  readonly heldBytes: number
  /** Maximum bytes of an error response that are read. */
  readonly refusalBytes: number
  /** Time in ms for reading an error body. Afterwards the partial body is forwarded. */
  readonly refusalTimeoutMs: number
  /** Time in ms for a tool to send complete headers. */
  readonly headersMs: number
  /** Idle timeout in ms in both directions. A model may think for minutes. */
  readonly idleMs: number
  /** Time in ms after which a client that does not read is disconnected. */
  readonly unreadMs: number
  readonly connections: number
  /** Maximum concurrent requests of one tool. */
  readonly openPerTool: number
  /** Maximum pipelined requests per connection. */
  readonly pipelined: number
}

export const relayLimits: RelayLimits = {
  bodyBytes: 64 * MB,
  heldBytes: 256 * MB,
  refusalBytes: MB / 16,
  refusalTimeoutMs: 1500,
  headersMs: 15_000,
  idleMs: 600_000,
  unreadMs: minuteMs,
  connections: 1024,
  openPerTool: 512,
  pipelined: 32,
}

/** A relay that listens on 127.0.0.1 (and accepts the host `localhost`). */
export interface RunningRelay {
  readonly port: number
  /** Replaces the routing table from the next request on. */
  setTable(table: RelayTable): void
  /** Requests in progress per tool id. */
  open(): ReadonlyMap<string, number>
  /** Stops listening, ends exchanges after `graceMs` and closes the connections. */
  close(graceMs: number): Promise<void>
}
