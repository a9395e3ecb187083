import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { LedgerEntry } from '../../usage/ports'
import type { RemainingSample } from '../../usage/quota/remaining'
import { RelayMetrics } from '../ports'
import type { Telemetry, TelemetryOptions } from './telemetry'

const shutdownTimeoutMs = 3000

/** Metrics of one relay. Loads the library only when they are on. */
export class RelayTelemetry {
  #metrics: RelayMetrics | undefined
  /** Calls before the library is loaded are queued by this promise. */
  #telemetry: Promise<Telemetry> | undefined

  constructor(private readonly options: Omit<TelemetryOptions, 'metrics'>) {}

  /** Applies new settings from the next request on. A changed exporter restarts its histograms. */
  configure(metrics: RelayMetrics | undefined): void {
    const hasSameTarget = this.#metrics !== undefined && metrics !== undefined && isSameTarget(this.#metrics, metrics)
    this.#metrics = metrics
    if (!hasSameTarget) {
      this.#apply((telemetry) => telemetry.close())
      this.#telemetry = metrics && this.#load(metrics)
    }
    if (metrics !== undefined) this.#apply((telemetry) => telemetry.setNames(metrics))
  }

  /** Counts one ledger entry. Costs nothing while metrics are off. */
  record(entry: LedgerEntry): void {
    this.#apply((telemetry) => telemetry.record(entry))
  }

  /** Replaces quotas and budgets. Set them again after `configure`. */
  setRemaining(samples: readonly RemainingSample[]): void {
    this.#apply((telemetry) => telemetry.setRemaining(samples))
  }

  /** Returns the Prometheus page. Fails while metrics are off. */
  async scrape(): Promise<string> {
    if (this.#telemetry === undefined) throw new Error('metrics are off')
    return (await this.#telemetry).scrape()
  }

  /** Exports the remaining metrics, with a timeout. */
  async close(): Promise<void> {
    const closePromise = this.#apply((telemetry) => telemetry.close())
    this.#telemetry = undefined
    await Promise.race([closePromise, new Promise((resolve) => setTimeout(resolve, shutdownTimeoutMs).unref())])
  }

  async #load(metrics: RelayMetrics): Promise<Telemetry> {
    const { createTelemetry } = await import('./telemetry')
    return createTelemetry({ ...this.options, metrics })
  }

  /** Ignores a library that cannot be loaded. `scrape` reports it. */
  #apply(work: (telemetry: Telemetry) => void | Promise<void>): Promise<void> | undefined {
    return this.#telemetry?.then(work).catch(() => undefined)
  }
}

/** Whether two settings export to the same collector. Encodes them, because a `Secret` hides its value from comparisons. */
const isSameTarget = (first: RelayMetrics, second: RelayMetrics): boolean =>
  isDeepStrictEqual(z.encode(RelayMetrics, first).otlp, z.encode(RelayMetrics, second).otlp)
