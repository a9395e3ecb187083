import { minuteMs } from '@shared/durations'

const MB = 1024 * 1024

/** What one relay takes at most, in bytes and ms. */
export interface RelayLimits {
  /** A longer request is answered with 413. */
  readonly bodyBytes: number
  /** A request up to this is held as a whole, so that it can go out a second time; a longer one is passed on as it comes. */
  readonly keptBytes: number
  /** What is held of all requests together; what does not fit is passed on as it comes. */
  readonly keptTotalBytes: number
  /** How much of a refusal is read to judge it. */
  readonly refusalBytes: number
  /** Until a request's head is complete. */
  readonly headersMs: number
  /** Without a byte in either direction; a model may think for minutes. */
  readonly idleMs: number
  /** How long a client may take none of what is written to it. */
  readonly unreadMs: number
  readonly connections: number
  /** How many requests may wait behind another on one connection. */
  readonly pipelined: number
  /** How long a request that is over may wait to be recorded; 0: not at all. */
  readonly recordMs: number
}

/** The limits outside of tests. */
export const relayLimits: RelayLimits = {
  bodyBytes: 64 * MB,
  keptBytes: MB,
  keptTotalBytes: 64 * MB,
  refusalBytes: MB / 16,
  headersMs: 15_000,
  idleMs: 600_000,
  unreadMs: minuteMs,
  connections: 1024,
  pipelined: 32,
  recordMs: 5,
}
