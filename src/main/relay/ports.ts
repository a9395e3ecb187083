import type { IncomingMessage, ServerResponse } from 'node:http'
import { minuteMs } from '@shared/durations'
import type { Failure } from '@shared/failure'
import type { Route as NetworkRoute } from '../net/proxy'
import type { Secret } from '../secret'
import type { LedgerEntry } from '../usage/ports'
import type { BudgetMeter, RelayBudget } from './budget-meter'

/** Where requests of a tool go: one plan's gateway with one of its keys. */
export interface RelayUpstream {
  readonly planId: string
  readonly keyId: string
  /** The gateway's root. */
  readonly gatewayUrl: string
  readonly key: Secret
  /** Codes of the plan's models; empty when they are not known. */
  readonly models: readonly string[]
  /** How its address is reached. */
  readonly network: NetworkRoute
  /** Certificate files to trust in addition to those of the relay. */
  readonly caFiles?: readonly string[] | undefined
}

/** One tool of the relay. */
export interface RelayClient {
  readonly toolId: string
  /** What the tool shows as its key; worth nothing outside of this machine. */
  readonly token: Secret
  /** In the order in which they are tried; empty: the relay answers why. */
  readonly upstreams: readonly RelayUpstream[]
  /** Without upstreams: why there is none. */
  readonly reason?: Failure | undefined
}

/** What is told of the relay's figures, and to whom. */
export interface RelayMetrics {
  /** What Prometheus shows for the page `/metrics`; absent: there is no such page. */
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
  /** Those that refuse; none unless given. */
  readonly budgets?: readonly RelayBudget[] | undefined
  /** Nothing is told unless given. */
  readonly metrics?: RelayMetrics | undefined
  /** The tools that may reach the MCP server here, and what each shows for that. */
  readonly mcp?: readonly Pick<RelayClient, 'toolId' | 'token'>[] | undefined
}

/** Tokens of each text, in their order. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>

/** Tells what the ledger counted for a budget in a span, everything that was recorded before the call included. */
export type BudgetReader = NonNullable<NonNullable<ConstructorParameters<typeof BudgetMeter>[0]>['read']>

export interface RelayOptions {
  /** 0: a free one. */
  readonly port: number
  readonly table: RelayTable
  /** One finished request; must not take time. */
  readonly record: (entry: LedgerEntry) => void
  /** Counts tokens of texts, to estimate usage that a gateway does not report; about 4 bytes per token without it. */
  readonly countTokens?: CountTokens | undefined
  /** What was counted against a budget before; nothing unless given. */
  readonly readBudget?: BudgetReader | undefined
  /** The page for Prometheus, asked for where the table has its token. */
  readonly scrape?: (() => Promise<string>) | undefined
  /** Answers a request to the MCP server; asked where the table lets a tool in. */
  readonly serveMcp?: ((toolId: string, request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Files with certificates to trust besides the default roots. */
  readonly caFiles: readonly string[]
}

const MB = 1024 * 1024

/** What one relay takes at most, in bytes and ms. */
export interface RelayLimits {
  /** A longer request, packed or not, is answered with 413. */
  readonly bodyBytes: number
  /** All bodies in memory, packed and not. One tool may take half. What does not fit is answered with 503. */
  readonly heldBytes: number
  /** How much of a refusal is read to judge it. */
  readonly refusalBytes: number
  /** How long a refusal may take to arrive, before it is passed on as far as it came. */
  readonly refusalTimeoutMs: number
  /** Until a request's head is complete. */
  readonly headersMs: number
  /** Without a byte in either direction; a model may think for minutes. */
  readonly idleMs: number
  /** How long a client may take none of what is written to it. */
  readonly unreadMs: number
  readonly connections: number
  /** Requests of one tool at the same time. */
  readonly openPerTool: number
  /** How many requests may wait behind another on one connection. */
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
  /** How many requests of each tool are under way, by its id. */
  open(): ReadonlyMap<string, number>
  /** Stops listening, ends what is under way after `graceMs`, and closes the connections. */
  close(graceMs: number): Promise<void>
}
