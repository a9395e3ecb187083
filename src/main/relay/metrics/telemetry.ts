import { type Attributes, type BatchObservableResult, SpanKind, SpanStatusCode, ValueType } from '@opentelemetry/api'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { type ISerializer, ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  type GaugeMetricData,
  type IMetricReader,
  MeterProvider,
  type MetricProducer,
  MetricReader,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { minuteMs } from '@shared/durations'
import { version } from '../../../../package.json'
import { createSender } from '../../core/net/send'
import { shareRunning } from '../../core/work-queue'
import type { Ledger } from '../../usage/ledger-client'
import type { LedgerEntry } from '../../usage/ports'
import { maxSeries, type RemainingSample, remainingMetrics } from '../../usage/quota/remaining'
import type { RelayMetrics } from '../ports'

export type Telemetry = ReturnType<typeof createTelemetry>

export interface TelemetryOptions {
  readonly metrics: RelayMetrics
  readonly ledger: Pick<Ledger, 'flush' | 'relayTotals'>
  /** Certificate files to trust in addition to the default roots. */
  readonly caFiles: readonly string[]
  /** OTLP export interval in ms (default 1 min). */
  readonly intervalMs?: number
}

const name = 'platform-companion'
/** The semantic conventions have no provider name for the platform. */
const genAiProvider = 'token_plan'

interface Labels {
  readonly planName: (planId: string) => string
  readonly model: (code: string) => string
}

const timeoutMs = 10_000

/** Bucket bounds of the histograms, as recommended by OpenTelemetry's semantic conventions. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)
const secondBuckets = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)

/** Metric reader that collects the metrics when Prometheus requests them. */
class ScrapeReader extends MetricReader {
  protected onShutdown = async (): Promise<void> => undefined
  protected onForceFlush = async (): Promise<void> => undefined
}

/** Gauges of remaining quotas and budgets. Observable gauges would repeat values that are no longer observed. */
class RemainingMetricProducer implements MetricProducer {
  #samples: readonly RemainingSample[] = []
  #at = Date.now()

  constructor(private readonly resource: Resource) {}

  set(samples: readonly RemainingSample[]): void {
    this.#samples = samples
    this.#at = Date.now()
  }

  async collect(): Promise<Awaited<ReturnType<MetricProducer['collect']>>> {
    const time = [Math.floor(this.#at / 1000), (this.#at % 1000) * 1e6] as [number, number]
    const metrics = Object.entries(remainingMetrics).flatMap(([metric, [description, unit]]): GaugeMetricData[] => {
      const dataPoints = this.#samples.flatMap(({ name, labels: attributes, value }) =>
        name === metric ? [{ startTime: time, endTime: time, attributes, value }] : [],
      )
      if (dataPoints.length === 0) return []
      const descriptor = { name: metric, description, unit, valueType: ValueType.DOUBLE }
      const aggregationTemporality = AggregationTemporality.CUMULATIVE
      return [{ descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints }]
    })
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name, version }, metrics }]
    return { resourceMetrics: { resource: this.resource, scopeMetrics }, errors: [] }
  }
}

/** Counts by the GenAI semantic conventions and exports to the configured collector. */
export function createTelemetry({ metrics, ledger, caFiles, intervalMs = minuteMs }: TelemetryOptions) {
  const resource = resourceFromAttributes({ 'service.name': name, 'service.version': version })
  const remainingProducer = new RemainingMetricProducer(resource)
  const metricProducers = [remainingProducer]
  const scrapeReader = new ScrapeReader({ metricProducers })
  const otlp = metrics.otlp && createOtlp(metrics.otlp, caFiles)
  const readers: IMetricReader[] = [scrapeReader]
  if (otlp)
    readers.push(
      new PeriodicExportingMetricReader({
        metricProducers,
        exporter: otlp.createExporter('/v1/metrics', ProtobufMetricsSerializer),
        exportIntervalMillis: intervalMs,
        exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
      }),
    )
  // Limit the number of series per metric. OpenTelemetry adds further series to one overflow series.
  const views = [{ instrumentName: '*', aggregationCardinalityLimit: maxSeries }]
  const provider = new MeterProvider({ resource, readers, views })
  const planNames = new Map<string, string>()
  let models = new Set<string>()
  const labels: Labels = {
    planName: (planId) => planNames.get(planId) ?? planId,
    model: (code) => (code === '' || models.has(code) ? code : 'other'),
  }
  const histograms = createHistograms(provider, labels)
  observeTotals(provider, { ledger, labels })
  const spans = otlp && metrics.otlp?.sendsSpans ? createSpanExporter(resource, otlp, labels) : undefined
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true)
  const scrape = shareRunning(async (): Promise<string> => {
    const { resourceMetrics, errors } = await scrapeReader.collect({ timeoutMillis: timeoutMs })
    if (errors[0] !== undefined) throw errors[0]
    return `${serializer.serialize(resourceMetrics).trim()}\n`
  })
  return {
    record(entry: LedgerEntry): void {
      histograms(entry)
      spans?.record(entry)
    },
    setNames(names: Pick<RelayMetrics, 'planNames' | 'models'>): void {
      planNames.clear()
      for (const { id, name } of names.planNames) planNames.set(id, name)
      models = new Set(names.models)
    },
    setRemaining: (samples: readonly RemainingSample[]): void => remainingProducer.set(samples),
    /** Returns the metrics in Prometheus' text format. Fails with `usage.unavailable`. */
    scrape,
    async close(): Promise<void> {
      await Promise.allSettled([provider.shutdown({ timeoutMillis: timeoutMs }), spans?.close()])
      await otlp?.close()
    },
  }
}

/** Attributes of a request by the semantic conventions. Never a key, header or text. */
function toAttributes(
  entry: Pick<LedgerEntry, 'operation' | 'modelCode' | 'toolId' | 'planId'>,
  labels: Labels,
): Attributes {
  return {
    'gen_ai.operation.name': entry.operation ?? 'chat',
    'gen_ai.provider.name': genAiProvider,
    ...(entry.modelCode === '' ? {} : { 'gen_ai.request.model': labels.model(entry.modelCode) }),
    ...(entry.toolId === undefined ? {} : { 'companion.tool': entry.toolId }),
    ...(entry.planId === undefined ? {} : { 'companion.plan': labels.planName(entry.planId) }),
  }
}

const listTokenCounts = (entry: LedgerEntry): readonly (readonly [string, number | undefined])[] => [
  ['input', entry.inputTokens],
  ['output', entry.outputTokens],
  [
    'cache',
    entry.cacheReadTokens === undefined
      ? entry.cacheWriteTokens
      : entry.cacheReadTokens + (entry.cacheWriteTokens ?? 0),
  ],
]

/** Creates the histograms and returns a function that adds one request, unless the relay rejected it. */
function createHistograms(meters: MeterProvider, labels: Labels): (entry: LedgerEntry) => void {
  const meter = meters.getMeter(name, version)
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Tokens of a request, since the relay started',
    unit: '{token}',
    advice: { explicitBucketBoundaries: tokenBuckets },
  })
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    description: 'How long a request took, since the relay started',
    unit: 's',
    advice: { explicitBucketBoundaries: secondBuckets },
  })
  return (entry) => {
    if (entry.planId === undefined) return
    const attributes = toAttributes(entry, labels)
    for (const [type, count] of listTokenCounts(entry))
      if (count !== undefined) tokens.record(count, { ...attributes, 'gen_ai.token.type': type })
    const errorAttributes = entry.error === undefined ? {} : { 'error.type': entry.error }
    if (entry.durationMs !== undefined) duration.record(entry.durationMs / 1000, { ...attributes, ...errorAttributes })
  }
}

/** Counters from ledger sums, which continue after a restart of the relay. */
function observeTotals(
  meters: MeterProvider,
  { ledger, labels }: { readonly ledger: TelemetryOptions['ledger']; readonly labels: Labels },
): void {
  const meter = meters.getMeter(name, version)
  const tokens = meter.createObservableCounter('companion.relay.tokens', {
    description: 'Tokens of all requests through the relay that are in the ledger',
    unit: '{token}',
  })
  const requests = meter.createObservableCounter('companion.relay.requests', {
    description: 'Requests through the relay that are in the ledger, failed ones with their error',
    unit: '{request}',
  })
  const observe = async (result: BatchObservableResult): Promise<void> => {
    await ledger.flush()
    // An observed counter keeps the last value per attribute set, so sum models with the same label here.
    const sums = new Map<string, { metric: typeof tokens; count: number; attributes: Attributes }>()
    const add = (metric: typeof tokens, count: number, attributes: Attributes) => {
      const key = JSON.stringify([metric === tokens, attributes])
      const sum = sums.get(key) ?? { metric, count: 0, attributes }
      sums.set(key, { ...sum, count: sum.count + count })
    }
    for (const total of await ledger.relayTotals()) {
      const { planId, toolId, modelCode, error } = total
      const subject = { modelCode, planId: planId || undefined, toolId: toolId || undefined }
      const { 'gen_ai.operation.name': _, ...attributes } = toAttributes(subject, labels)
      if (error !== undefined) {
        add(requests, total.requests, { ...attributes, 'error.type': error })
        continue
      }
      const counts = { input: total.inputTokens, output: total.outputTokens, cache: total.cacheTokens }
      for (const [type, count] of Object.entries(counts))
        add(tokens, count, { ...attributes, 'gen_ai.token.type': type })
      add(requests, total.requests - total.errors, attributes)
    }
    for (const { metric, count, attributes } of sums.values()) result.observe(metric, count, attributes)
  }
  meter.addBatchObservableCallback(observe, [tokens, requests])
}

/** Creates exporters that use the app's network, because the library's exporters ignore proxies. */
function createOtlp({ endpoint, header, network }: NonNullable<RelayMetrics['otlp']>, caFiles: readonly string[]) {
  const credential = header && { [header.name]: [header.scheme ?? [], header.value.expose()].flat().join(' ') }
  const headers = { 'content-type': 'application/x-protobuf', ...credential }
  const sender = createSender({ proxyFor: async () => network, caFiles })
  return {
    createExporter<T>(path: string, serializer: ISerializer<T, unknown>) {
      const send = async (items: T): Promise<void> => {
        const bytes = serializer.serializeRequest(items)
        if (bytes === undefined) return
        const body = Uint8Array.from(bytes)
        const signal = AbortSignal.timeout(timeoutMs)
        const url = endpoint.replace(/\/+$/, '') + path
        const response = await sender.send({ method: 'POST', url, headers, body, signal })
        await response.body?.cancel()
        if (response.status >= 300) throw new Error(`The collector answered with ${response.status}.`)
      }
      return {
        export(items: T, resultCallback: Parameters<PushMetricExporter['export']>[1]): void {
          send(items).then(
            () => resultCallback({ code: 0 }),
            (error: Error) => resultCallback({ code: 1, error }),
          )
        },
        forceFlush: async (): Promise<void> => undefined,
        shutdown: async (): Promise<void> => undefined,
      }
    },
    close: () => sender.close(),
  }
}

function createSpanExporter(resource: Resource, otlp: ReturnType<typeof createOtlp>, labels: Labels) {
  const exporter = otlp.createExporter('/v1/traces', ProtobufTraceSerializer)
  const tracers = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const tracer = tracers.getTracer(name, version)
  return {
    record(entry: LedgerEntry): void {
      if (entry.planId === undefined) return
      const { at, status, error, durationMs = 0 } = entry
      const attributes = toAttributes(entry, labels)
      const tokenAttributes = listTokenCounts(entry).map(([type, count]) => [`gen_ai.usage.${type}_tokens`, count])
      const span = tracer.startSpan(`${attributes['gen_ai.operation.name']} ${labels.model(entry.modelCode)}`.trim(), {
        kind: SpanKind.CLIENT,
        startTime: at,
        attributes: {
          ...attributes,
          ...Object.fromEntries(tokenAttributes),
          'http.response.status_code': status,
          'error.type': error,
        },
      })
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(at + durationMs)
    },
    close: () => tracers.shutdown(),
  }
}
