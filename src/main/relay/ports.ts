import type { IncomingMessage, ServerResponse } from 'node:http'
import { minuteMs } from '@shared/durations'
import type { Failure } from '@shared/failure'
import type { Route as NetworkRoute } from '../core/net/proxy'
import type { Secret } from '../core/secret'
import type { LedgerEntry } from '../usage/ports'
import type { BudgetMeter, RelayBudget } from './budget-meter'

/** A plan's gateway and one of its keys. */
export interface RelayUpstream {
  readonly planId: string
  readonly keyId: string
  /** The gateway's root. */
  readonly gatewayUrl: string
  readonly key: Secret
  /** Codes of the plan's models; empty when they are not known. */
  readonly models: readonly string[]
  readonly network: NetworkRoute
  /** Certificate files to trust in addition to those of the relay. */
  readonly caFiles?: readonly string[] | undefined
}

/** One tool of the relay. */
export interface RelayClient {
  readonly toolId: string
  /** Token of the tool, only valid on this machine. */
  readonly token: Secret
  /** In order of preference; empty when the relay refuses with a reason. */
  readonly upstreams: readonly RelayUpstream[]
  /** Without upstreams: why there is none. */
  readonly reason?: Failure | undefined
}

/** Metrics exporters. */
export interface RelayMetrics {
  /** Token of `/metrics`; the page does not exist when absent. */
  readonly token?: Secret | undefined
  readonly otlp?:
    | {
        /** Below which `/v1/metrics` and `/v1/traces` are. */
        readonly endpoint: string
        readonly header?:
          | { readonly name: string; readonly scheme?: string | undefined; readonly value: Secret }
          | undefined
        readonly sendsSpans: boolean
      }
    | undefined
  readonly planNames: readonly { readonly id: string; readonly name: string }[]
  /** The models of the plans. A tool can make up any other, so the rest is counted as `other`. */
  readonly models: readonly string[]
}

/** Everything the relay works by; may change between two requests. */
export interface RelayTable {
  readonly clients: readonly RelayClient[]
  readonly isPaused: boolean
  /** Whether budgets let requests through whose cost the relay cannot count; false unless given. */
  readonly allowsUncounted?: boolean | undefined
  readonly budgets?: readonly RelayBudget[] | undefined
  /** No metrics when absent. */
  readonly metrics?: RelayMetrics | undefined
  /** The tools that may reach the MCP server here, and what each shows for that. */
  readonly mcp?: readonly Pick<RelayClient, 'toolId' | 'token'>[] | undefined
}

/** Tokens of each text, in their order. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

/** Reads recorded usage of a budget in a span, including everything recorded before the call. */
export type BudgetReader = NonNullable<NonNullable<ConstructorParameters<typeof BudgetMeter>[0]>['read']>

export interface RelayOptions {
  /** 0: a free one. */
  readonly port: number
  readonly table: RelayTable
  /** One finished request; must not take time. */
  readonly record: (entry: LedgerEntry) => void
  /** Counts tokens of texts, to estimate usage that a gateway does not report; about 4 bytes per token without it. */
  readonly countTokens?: CountTokens | undefined
  /** Reads recorded usage; nothing by default. */
  readonly readBudget?: BudgetReader | undefined
  /** The page for Prometheus, asked for where the table has its token. */
  readonly scrape?: (() => Promise<string>) | undefined
  /** Answers a request to the MCP server; asked where the table lets a tool in. */
  readonly serveMcp?: ((toolId: string, request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Files with certificates to trust besides the default roots. */
  readonly caFiles: readonly string[]
}

const MB = 1024 * 1024

/** Limits in bytes and ms. */
export interface RelayLimits {
  /** A longer request, packed or not, is answered with 413. */
  readonly bodyBytes: number
  /** All bodies in memory, packed and not. One tool may take half. What does not fit is answered with 503. */
  readonly heldBytes: number
  /** Bytes of a refusal that are read. */
  readonly refusalBytes: number
  /** Timeout for the body of a refusal; then it is forwarded as received. */
  readonly refusalTimeoutMs: number
  /** Until a request's head is complete. */
  readonly headersMs: number
  /** Without a byte in either direction; a model may think for minutes. */
  readonly idleMs: number
  /** Timeout for a client that does not read. */
  readonly unreadMs: number
  readonly connections: number
  /** Requests of one tool at the same time. */
  readonly openPerTool: number
  /** Maximum pipelined requests per connection. */
  readonly pipelined: number
}

/** The limits outside of tests. */
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

/** A relay that listens on 127.0.0.1 (and answers for `localhost`). */
export interface RunningRelay {
  readonly port: number
  /** In force from the next request on. */
  setTable(table: RelayTable): void
  /** Requests in progress per tool id. */
  open(): ReadonlyMap<string, number>
  /** Stops listening, ends exchanges after `graceMs` and closes the connections. */
  close(graceMs: number): Promise<void>
}
