import { isDeepStrictEqual } from 'node:util'
import type { Ledger, LedgerEntry } from '../../usage/ports'
import type { RemainingSample } from '../../usage/quota/remaining'
import type { RelayMetrics } from '../ports'
import type { Telemetry } from './telemetry'

interface TelemetryDeps {
  readonly ledger: Pick<Ledger, 'flush' | 'relayTotals'>
  /** Certificate files to trust in addition to the default roots. */
  readonly caFiles: readonly string[]
  /** OTLP export interval in ms (default 1 min). */
  readonly intervalMs?: number
}

/** Maximum number of queued entries while the library is loading. */
const maxQueued = 10_000
const shutdownTimeoutMs = 3000

/** Metrics of one relay. Loads the library only when they are on. */
export class RelayTelemetry {
  #wanted: RelayMetrics | undefined
  #loading: Promise<Telemetry> | undefined
  #running: Telemetry | undefined
  #waiting: LedgerEntry[] = []
  #remaining: readonly RemainingSample[] = []

  constructor(private readonly deps: TelemetryDeps) {}

  /** Applies new settings from the next request on. A changed exporter restarts its histograms. */
  configure(metrics: RelayMetrics | undefined): void {
    const hasSameTarget = this.#wanted !== undefined && metrics !== undefined && isSameTarget(this.#wanted, metrics)
    this.#wanted = metrics
    if (hasSameTarget) {
      this.#running?.setNames(metrics)
      return
    }
    const previousTelemetry = this.#loading
    this.#loading = undefined
    this.#running = undefined
    this.#waiting = []
    void previousTelemetry?.then((telemetry) => telemetry.close()).catch(() => undefined)
    if (metrics === undefined) return
    const telemetryPromise = import('./telemetry').then(({ createTelemetry }) =>
      createTelemetry({ ...this.deps, metrics }),
    )
    this.#loading = telemetryPromise
    telemetryPromise.then(
      (telemetry) => {
        if (this.#loading !== telemetryPromise) return
        this.#running = telemetry
        telemetry.setNames(this.#wanted ?? { planNames: [], models: [] })
        telemetry.setRemaining(this.#remaining)
        for (const entry of this.#waiting) telemetry.record(entry)
        this.#waiting = []
      },
      () => undefined,
    )
  }

  /** Counts one ledger entry. Costs nothing while metrics are off. */
  record(entry: LedgerEntry): void {
    if (this.#running !== undefined) this.#running.record(entry)
    else if (this.#loading !== undefined && this.#waiting.length < maxQueued) this.#waiting.push(entry)
  }

  /** Replaces quotas and budgets. */
  setRemaining(samples: readonly RemainingSample[]): void {
    this.#remaining = samples
    this.#running?.setRemaining(samples)
  }

  /** Returns the Prometheus page. Fails while metrics are off. */
  async scrape(): Promise<string> {
    if (this.#loading === undefined) throw new Error('metrics are off')
    return (await this.#loading).scrape()
  }

  /** Exports the remaining metrics, with a timeout. */
  async close(): Promise<void> {
    const lastClosePromise = this.#loading?.then((telemetry) => telemetry.close()).catch(() => undefined)
    this.#loading = undefined
    this.#running = undefined
    await Promise.race([lastClosePromise, new Promise((resolve) => setTimeout(resolve, shutdownTimeoutMs).unref())])
  }
}

function isSameTarget(first: RelayMetrics, second: RelayMetrics): boolean {
  const [a, b] = [first.otlp, second.otlp]
  const isSameHeader =
    a?.header === undefined || b?.header === undefined
      ? a?.header === b?.header
      : a.header.name === b.header.name && a.header.scheme === b.header.scheme && a.header.value.isSame(b.header.value)
  const listOptions = ({ otlp }: RelayMetrics) => [otlp?.endpoint, otlp?.sendsSpans, otlp?.network]
  return isSameHeader && isDeepStrictEqual(listOptions(first), listOptions(second))
}
