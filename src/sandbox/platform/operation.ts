import type { z } from 'zod'
import type { Exchange } from '../http/listener'
import type { Outlet } from '../http/outlet'
import type { Trace } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'

/** What an operation answers: a status and, unless it is 204, a JSON body. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
}

/** Who calls, as the credential tells. */
export interface Caller {
  /** The IAM client a token was issued to, or the name of a platform API key. */
  readonly id: string
}

/** One call of an operation, after its credential was accepted. */
export interface Call {
  readonly store: Store
  readonly timing: () => Timing
  readonly caller: Caller
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The JSON body, `{}` when there is none. Throws 400 (`INVALID_INPUT`, naming the field, or `INVALID_JSON`) or 413. */
  readonly body: <Schema extends z.ZodType>(schema: Schema) => Promise<z.infer<Schema>>
  /** Address of the gateway, and of this listener; no trailing slash. */
  readonly gatewayUrl: string
  readonly platformUrl: string
  /** The raw exchange, for operations that stream. */
  readonly exchange: Exchange
  readonly outlet: Outlet
  /** Puts more about the call on record; never a secret or a text. */
  readonly note: Trace['note']
}

/** One operation of a service. */
export interface Operation {
  /** As in the spec's list, for example `memory.records.search`. */
  readonly id: string
  readonly method: string
  /** Below the service's base; `{name}` stands for one encoded part of the path. */
  readonly path: string
  /** `undefined` when it has sent its answer through the outlet. */
  readonly run: (call: Call) => Reply | undefined | Promise<Reply | undefined>
}

/** A service of the platform: a table of operations below one base path. */
export interface Service {
  /** For example `/memory`. */
  readonly base: string
  /** What opens it: an IAM token, that or a platform API key, or nothing. */
  readonly access: 'iam' | 'iam-or-api-key' | 'open'
  readonly operations: readonly Operation[]
  /** Larger bodies are refused with 413; 4 MiB when left out (ours). */
  readonly bodyLimitBytes?: number
  /** How the service words a refusal, whose code comes in capitals; `{code, message}` when left out. */
  readonly errorBody?: (error: { status: number; code: string; message: string }) => unknown
}

/** 200 with a body. */
export const ok = (body: unknown): Reply => ({ status: 200, body })
/** 201 with the new resource. */
export const created = (body: unknown): Reply => ({ status: 201, body })
/** 202: begun, and finished later. */
export const accepted = (body: unknown): Reply => ({ status: 202, body })
/** 204. */
export const nothing: Reply = { status: 204 }
