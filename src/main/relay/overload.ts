import type { OverloadFailover } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { readRetryAfter } from '../gateway/server-message'
import type { ResponseText } from './error-responses'
import type { UpstreamSwitch } from './ports'
import type { Client, Upstream } from './routing-table'

/** Minimum `retry-after` of a rate limit in ms. Tools wait for shorter ones themselves. */
const minRateLimitWaitMs = 20_000
/** Pause of an upstream that names no time. */
export const defaultPauseMs = 30_000
/** Maximum pause of an upstream, even if it names a longer one. */
const maxPauseMs = 10 * minuteMs

/** Statuses of a gateway that rejected a request without work. 529 is Anthropic's `overloaded_error`. */
const rejectedStatuses = [503, 529]
/** Statuses of a gateway that may have worked on the request. */
const costlyStatuses = [500, 502, 504]

/** Time in ms for which an overloaded upstream is skipped. Undefined if the tool gets the error. */
export function findOverloadPause(
  { status, retryAfter }: ResponseText,
  overload: OverloadFailover | undefined,
): number | undefined {
  if (overload === undefined) return undefined
  const waitMs = readRetryAfter(retryAfter)
  const isLongRateLimit = status === 429 && (waitMs ?? 0) >= minRateLimitWaitMs
  const isCostly = overload === 'any' && costlyStatuses.includes(status)
  if (!isLongRateLimit && !isCostly && !rejectedStatuses.includes(status)) return undefined
  return Math.min(waitMs ?? defaultPauseMs, maxPauseMs)
}

/** Overloaded upstreams, by key and model. */
export class Overloads {
  readonly #pausedUntil = new Map<string, number>()

  constructor(private readonly onSwitch: ((toolId: string, overload: UpstreamSwitch) => void) | undefined) {}

  /** Moves paused upstreams behind the others if the tool fails over on overload. */
  sort(client: Client, upstreams: readonly Upstream[], model: string | undefined): readonly Upstream[] {
    if (client.overload === undefined || this.#pausedUntil.size === 0) return upstreams
    const nowMs = Date.now()
    const isPaused = (upstream: Upstream): boolean => (this.#pausedUntil.get(toName(upstream, model)) ?? 0) > nowMs
    return [...upstreams.filter((upstream) => !isPaused(upstream)), ...upstreams.filter(isPaused)]
  }

  /** Pauses an upstream. Reports the switch once per pause. */
  pause(
    toolId: string,
    model: string | undefined,
    pauseMs: number,
    { upstream, nextUpstream }: { readonly upstream: Upstream; readonly nextUpstream: Upstream },
  ): void {
    const atMs = Date.now()
    for (const [name, untilMs] of this.#pausedUntil) if (untilMs <= atMs) this.#pausedUntil.delete(name)
    const name = toName(upstream, model)
    const isNew = !this.#pausedUntil.has(name)
    const untilMs = atMs + pauseMs
    this.#pausedUntil.set(name, untilMs)
    if (isNew) this.onSwitch?.(toolId, { atMs, untilMs, from: toIds(upstream), to: toIds(nextUpstream) })
  }
}

const toName = ({ planId, keyId, origin, base }: Upstream, model = ''): string =>
  JSON.stringify([planId, keyId, origin, base, model])

const toIds = ({ planId, keyId }: Upstream) => ({ planId, keyId })
