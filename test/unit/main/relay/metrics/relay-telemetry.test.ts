import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BudgetView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { RelayTelemetry } from '../../../../../src/main/relay/metrics/relay-telemetry'
import type { RelayMetrics, RelayTable } from '../../../../../src/main/relay/ports'
import { startRelay } from '../../../../../src/main/relay/start-relay'
import { openLedger } from '../../../../../src/main/usage/ledger/open-ledger'
import type { LedgerEntry } from '../../../../../src/main/usage/ports'
import { readRemaining } from '../../../../../src/main/usage/quota/remaining'
import { getRounds } from '../../../../support/depth'
import { type OtlpPoint, readOtlpMetrics, readOtlpSpans } from '../../../../support/otlp'
import { readPrometheus, sumOfSamples } from '../../../../support/prometheus-text'
import { makeFolder } from '../../../support/folders'
import { startProxy } from '../../core/net/test-proxy'
import { exhaustionForecast, iso, planQuota, cycleStartMs as startMs } from '../../usage/quota/figures'
import {
  buildTable,
  chatPath,
  chatRequestBody,
  chatResponseBody,
  key,
  messagesPath,
  respondWithJson,
  sendRequest,
  startGateway,
  token,
  upstream,
} from '../support'

const metricsToken = 'relay-token-of-metrics-0123456789'
const canary = 'canary-prompt-that-nobody-else-may-read'
const collectorToken = 'collector-secret-0123456789'
const messagesUsage = { input_tokens: 7, output_tokens: 3, cache_creation_input_tokens: 2 }
const directRoute = { kind: 'direct' } as const
/** A collector that gets metrics and no spans, without a proxy. */
const metricsTo = (endpoint: string) => ({ endpoint, sendsSpans: false, network: directRoute })
const metrics: RelayMetrics = {
  token: new Secret(metricsToken),
  planNames: [{ id: 'plan-1', name: 'te"am\\' }],
  models: ['aurora'],
}

/** A relay with metrics, a ledger file, and a gateway that answers, fails and streams. */
async function startTelemetry(change: Partial<RelayMetrics> = {}, intervalMs = 60_000) {
  const gateway = await startGateway((request, response) => {
    if (request.headers['x-fail'] !== undefined) respondWithJson(response, { error: { message: canary } }, 500)
    else if (request.url?.endsWith('/messages')) respondWithJson(response, { id: 'm', usage: messagesUsage })
    else respondWithJson(response, chatResponseBody)
  })
  const open = openLedger({ file: `${makeFolder()}/usage.sqlite`, zone: 'UTC' })
  const waitingEntries: LedgerEntry[] = []
  const flush = async () => open.add(waitingEntries.splice(0))
  const ledger = { flush, relayTotals: async () => open.relayTotals() }
  const telemetry = new RelayTelemetry({ ledger, caFiles: [], intervalMs })
  const table: RelayTable = { ...buildTable([upstream(gateway.url)]), metrics: { ...metrics, ...change } }
  telemetry.configure(table.metrics)
  const record = (entry: LedgerEntry) => {
    waitingEntries.push(entry)
    telemetry.record(entry)
  }
  const relay = await startRelay({ port: 0, table, record, caFiles: [], scrape: () => telemetry.scrape() })
  onTestFinished(async () => {
    await relay.close(0)
    await telemetry.close()
  })
  const url = `http://127.0.0.1:${relay.port}`
  const send = (path: string, headers: Record<string, string> = {}) =>
    sendRequest(url + path, chatRequestBody.replace('Hi', canary), { authorization: `Bearer ${token}`, ...headers })
  const scrape = (headers: Record<string, string> = { authorization: `Bearer ${metricsToken}` }) =>
    sendRequest(`${url}/metrics`, undefined, headers)
  return { relay, telemetry, open, flush, table, url, send, scrape, record }
}

test('the Prometheus page serves the ledger’s figures to its token, and continues after a restart', async () => {
  const { send, scrape, open, flush, telemetry, record } = await startTelemetry()
  const nowMs = Date.now()
  const relayed = { source: 'relay', modelCode: 'aurora' } as const
  const earlyEntry = { ...relayed, id: 'relay:0', at: nowMs - 86_400_000 * 40, planId: 'gone' }
  open.add([
    { ...earlyEntry, inputTokens: 1_000_000_007, outputTokens: 5 },
    { ...earlyEntry, id: 'app:1', source: 'app', inputTokens: 9 },
  ])
  await Promise.all([send(chatPath), send(chatPath), send(messagesPath), send(chatPath, { 'x-fail': '1' })])
  record({ ...relayed, id: 'relay:b', at: nowMs, toolId: 'x', error: 'budget', status: 429 })
  const response = await scrape()
  expect([response.status, response.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const samples = readPrometheus(response.body)
  await flush()
  const totals = open.relayTotals().filter(({ error }) => error === undefined)
  const sum = (field: 'inputTokens' | 'outputTokens' | 'cacheTokens' | 'requests' | 'errors') =>
    totals.reduce((subtotal, counts) => subtotal + counts[field], 0)
  expect([sum('inputTokens'), sum('requests'), sum('errors')]).toEqual([1_000_000_007 + 8 + 8 + 7, 6, 2])
  for (const type of ['input', 'output', 'cache'] as const) {
    const tokens = sumOfSamples(samples, 'companion_relay_tokens_total', { gen_ai_token_type: type })
    expect([type, tokens]).toEqual([type, sum(`${type}Tokens`)])
  }
  expect(sumOfSamples(samples, 'companion_relay_requests_total')).toBe(sum('requests'))
  expect(sumOfSamples(samples, 'companion_relay_requests_total', { error_type: 'budget' })).toBe(1)
  const plan = { companion_plan: 'te"am\\', gen_ai_request_model: 'aurora', companion_tool: 'x' }
  expect(sumOfSamples(samples, 'companion_relay_requests_total', { ...plan, error_type: 'server' })).toBe(1)
  // Unlike counters, histograms only include requests of this relay that reached a gateway.
  const input = { gen_ai_token_type: 'input', gen_ai_operation_name: 'chat', gen_ai_provider_name: 'token_plan' }
  expect(sumOfSamples(samples, 'gen_ai_client_token_usage_sum', input)).toBe(23)
  expect(sumOfSamples(samples, 'gen_ai_client_operation_duration_count')).toBe(4)
  for (const secret of [canary, key, token, metricsToken]) expect(response.body).not.toContain(secret)
  await telemetry.close()
  telemetry.configure(undefined)
  telemetry.configure(metrics)
  const secondScrape = readPrometheus(await telemetry.scrape())
  expect(sumOfSamples(secondScrape, 'companion_relay_tokens_total')).toBe(
    sumOfSamples(samples, 'companion_relay_tokens_total'),
  )
  expect(sumOfSamples(secondScrape, 'gen_ai_client_token_usage_sum')).toBe(0)
})

test('unknown models share one series, and no metric has more than 200', async () => {
  const { scrape, record, open, flush } = await startTelemetry()
  const source = 'relay' as const
  const usedEntry = { at: Date.now(), source, planId: 'plan-1', toolId: 'x', inputTokens: 1, durationMs: 1 }
  const models = getRounds(500, 5000)
  for (let index = 0; index < models; index += 1)
    record({ ...usedEntry, id: `relay:m${index}`, modelCode: `made-up-${index}` })
  for (let index = 0; index < 500; index += 1)
    record({ ...usedEntry, id: `relay:t${index}`, modelCode: 'aurora', toolId: `tool-${index}` })
  const { body } = await scrape()
  const samples = readPrometheus(body)
  await flush()
  expect(open.relayTotals().length).toBeGreaterThan(models)
  const otherModels = { gen_ai_request_model: 'other' }
  expect(sumOfSamples(samples, 'companion_relay_requests_total', otherModels)).toBe(models)
  expect(sumOfSamples(samples, 'gen_ai_client_operation_duration_count', otherModels)).toBe(models)
  expect(body).not.toContain('made-up')
  for (const name of [
    'companion_relay_requests_total',
    'companion_relay_tokens_total',
    'gen_ai_client_token_usage_sum',
  ])
    expect(body.split('\n').filter((line) => line.startsWith(`${name}{`)).length).toBeLessThanOrEqual(200)
})

test.each([
  ['no token', {}, 401],
  ['the token of a tool', { authorization: `Bearer ${token}` }, 401],
  ['a page of a browser', { authorization: `Bearer ${metricsToken}`, origin: 'https://evil.example' }, 403],
  ['another host name', { authorization: `Bearer ${metricsToken}`, host: 'evil.example' }, 421],
])('the page is refused for %s', async (_, headers, status) => {
  const { scrape } = await startTelemetry()
  const response = await scrape(headers)
  expect(response.status).toBe(status)
  expect(response.body).not.toContain('companion_relay')
})

test('the page’s token grants nothing else, and without metrics there is no page', async () => {
  const { send, scrape, relay, table, telemetry } = await startTelemetry()
  expect((await send(chatPath, { authorization: `Bearer ${metricsToken}` })).status).toBe(401)
  relay.setTable({ ...table, metrics: undefined })
  expect((await scrape()).status).toBe(404)
  relay.setTable(table)
  telemetry.configure(undefined)
  expect((await scrape()).status).toBe(503)
})

/** A collector that records its requests. */
async function startCollector() {
  const got: { url: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const { url } = await startGateway(async (request, response) => {
    got.push({ url: request.url, headers: request.headers, body: await buffer(request) })
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': 0 }).end()
  })
  return { url, got, last: (path: string) => got.findLast((request) => request.url === path) }
}

const sumPoints = (points: readonly OtlpPoint[] = [], requiredAttributes: Record<string, string> = {}): number =>
  points
    .filter(({ attributes }) => Object.entries(requiredAttributes).every(([name, value]) => attributes[name] === value))
    .reduce((sum, { value }) => sum + value, 0)

test('OTLP sends the same figures, and spans only if enabled', async () => {
  const collector = await startCollector()
  const otlp = {
    endpoint: `${collector.url}/`,
    sendsSpans: true,
    network: directRoute,
    header: { name: 'authorization', scheme: 'Bearer', value: new Secret(collectorToken) },
  }
  // Models that no plan lists share one label value, to limit the number of time series.
  const { send, open, flush, telemetry, relay } = await startTelemetry({ otlp, models: [] })
  await Promise.all([send(chatPath), send(chatPath), send(messagesPath), send(chatPath, { 'x-fail': '1' })])
  await vi.waitFor(() => expect(relay.open().get('x')).toBe(0))
  await telemetry.close()
  await flush()
  const metricsRequest = collector.last('/v1/metrics')
  expect(metricsRequest?.headers).toMatchObject({
    authorization: `Bearer ${collectorToken}`,
    'content-type': 'application/x-protobuf',
  })
  const metricsByName = new Map(
    readOtlpMetrics(metricsRequest?.body ?? Buffer.alloc(0)).map((metric) => [metric.name, metric]),
  )
  const [total] = open.relayTotals()
  for (const [type, count] of [
    ['input', total?.inputTokens],
    ['output', total?.outputTokens],
    ['cache', total?.cacheTokens],
  ]) {
    const typeAttributes = { 'gen_ai.token.type': String(type) }
    expect(sumPoints(metricsByName.get('gen_ai.client.token.usage')?.points, typeAttributes)).toBe(count)
    expect(sumPoints(metricsByName.get('companion.relay.tokens')?.points, typeAttributes)).toBe(count)
  }
  expect(metricsByName.get('gen_ai.client.operation.duration')).toMatchObject({ unit: 's' })
  const durations = metricsByName.get('gen_ai.client.operation.duration')?.points ?? []
  expect(durations.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(total?.requests)
  expect(durations.map(({ attributes }) => attributes['error.type']).sort()).toEqual(['server', undefined])
  const spans = readOtlpSpans(collector.last('/v1/traces')?.body ?? Buffer.alloc(0))
  expect(spans).toHaveLength(4)
  const spanTokens = spans.map(({ attributes }) => Number(attributes['gen_ai.usage.input_tokens'] ?? 0))
  expect(spanTokens.reduce((sum, tokens) => sum + tokens)).toBe(total?.inputTokens)
  expect(spans.find(({ status }) => status === 2)).toMatchObject({
    name: 'chat other',
    attributes: { 'error.type': 'server', 'http.response.status_code': 500, 'companion.tool': 'x' },
  })
  const receivedText = collector.got.map(({ body }) => body.toString('latin1')).join('\n')
  for (const secret of [canary, key, token, metricsToken, collectorToken]) expect(receivedText).not.toContain(secret)
})

test('a missing collector delays no request, and spans are not sent unless enabled', async () => {
  const collector = await startCollector()
  const { send, telemetry } = await startTelemetry({ otlp: metricsTo(collector.url) }, 50)
  expect((await send(chatPath)).status).toBe(200)
  await vi.waitFor(() => expect(collector.last('/v1/metrics')).toBeDefined())
  telemetry.configure({ ...metrics, otlp: metricsTo('http://127.0.0.1:9') })
  expect((await send(chatPath)).status).toBe(200)
  await telemetry.scrape()
  expect(collector.last('/v1/traces')).toBeUndefined()
})

const budget: BudgetView = {
  id: 'b',
  name: 'Nightly',
  unit: 'requests',
  limit: 50,
  period: 'day',
  action: 'warn',
  used: 60,
  subject: { kind: 'plan', planId: 'plan-1' },
  from: iso(startMs),
  to: iso(startMs + 1000),
}
const seconds = startMs / 1000
const buildOrigin = (connectionId: string, planId: string) => ({ connectionId, planId })

/** Reads the quota and budget metrics of a computer with two connections and one saved plan. */
const readSamples = (quotas: readonly PlanQuota[] | Error, budgets: readonly BudgetView[] = []) =>
  readRemaining({
    quota: {
      list: async () => {
        if (quotas instanceof Error) throw quotas
        return quotas
      },
    },
    budgets: { list: async () => budgets },
    plans: { list: () => [{ id: 'plan-1', name: 'team', origin: buildOrigin('a', 'remote-1') }] },
    connections: {
      list: () => [
        { id: 'a', name: 'Work', addresses: { consoleUrl: 'https://a.example.com' } },
        { id: 'b', name: 'Lab', addresses: { consoleUrl: 'https://b.example.com' } },
      ],
    },
    log: { error: () => undefined },
  })

test('quotas, forecasts, expiry and budgets are on the page and in OTLP, until their plan is gone', async () => {
  const collector = await startCollector()
  const { scrape, telemetry } = await startTelemetry({ otlp: metricsTo(collector.url) })
  const readPage = async () =>
    readPrometheus((await scrape()).body)
      .filter(({ name }) => /^companion_(quota|plan|budget)_/.test(name))
      .map(({ name, labels, value }) => [name, labels, value] as const)
  const origin = buildOrigin('a', 'remote-1')
  const savedQuota = planQuota('plan-1', 130, { origin, name: 'team', forecast: exhaustionForecast })
  const unsaved = { ...planQuota('', 40), planId: undefined, origin: buildOrigin('b', 'remote-2'), name: 'team' }
  const expiredQuota = planQuota('old', 100, { isExpired: true, expiresAt: iso(startMs) })
  telemetry.setRemaining(await readSamples([savedQuota, unsaved, expiredQuota], [budget]))
  const team = { companion_plan: 'team' }
  const lab = { companion_plan: 'team (Lab)' }
  const model = { ...team, gen_ai_request_model: 'm' }
  const labModel = { ...lab, gen_ai_request_model: 'm' }
  const tokens = { companion_allowance: 'tokens' }
  const budgetLabels = { ...team, companion_budget: 'Nightly', companion_budget_period: 'day' }
  const cycleEnd = Date.parse(savedQuota.cycle?.to ?? '') / 1000
  const expectedMetrics = [
    ['companion_quota_limit_tokens', model, 100],
    ['companion_quota_limit_tokens', labModel, 100],
    ['companion_quota_remaining_tokens', model, 0],
    ['companion_quota_remaining_tokens', labModel, 60],
    ['companion_quota_forecast_ratio', { ...model, ...tokens }, 1.2],
    ['companion_quota_forecast_ratio', { ...labModel, ...tokens }, 0.5],
    ['companion_quota_exhaustion_timestamp_seconds', { ...model, ...tokens }, Date.parse(exhaustionForecast.at) / 1000],
    ['companion_plan_expiry_timestamp_seconds', { companion_plan: 'old' }, seconds],
    ['companion_plan_cycle_end_timestamp_seconds', team, cycleEnd],
    ['companion_plan_cycle_end_timestamp_seconds', lab, cycleEnd],
    ['companion_plan_updated_timestamp_seconds', { ...team, companion_source: 'console' }, seconds],
    ['companion_plan_updated_timestamp_seconds', { ...lab, companion_source: 'console' }, seconds],
    ['companion_budget_limit_requests', budgetLabels, 50],
    ['companion_budget_used_requests', budgetLabels, 60],
    ['companion_budget_end_timestamp_seconds', budgetLabels, seconds + 1],
  ]
  expect(await readPage()).toEqual(expectedMetrics)
  telemetry.setRemaining(await readSamples([unsaved]))
  // The label keeps the connection, even when the other plan of the same name is not listed any more.
  expect((await readPage()).map(([, { companion_plan }]) => companion_plan)).toEqual(Array(5).fill('team (Lab)'))
  telemetry.setRemaining(await readSamples(new Error('no console'), [budget]))
  expect((await readPage()).map(([name]) => name)).toEqual(expectedMetrics.slice(-3).map(([name]) => name))
  telemetry.setRemaining(await readSamples([savedQuota]))
  await telemetry.close()
  const receivedMetrics = readOtlpMetrics(collector.last('/v1/metrics')?.body ?? Buffer.alloc(0))
  expect(receivedMetrics.find(({ name }) => name === 'companion.quota.remaining.tokens')).toMatchObject({
    unit: '{token}',
    points: [{ attributes: { 'companion.plan': 'team', 'gen_ai.request.model': 'm' }, value: 0 }],
  })
})

test('no metric of what remains has more than 200 series, and the tightest quotas are kept', async () => {
  const { scrape, telemetry } = await startTelemetry()
  const quotas = Array.from({ length: 300 }, (_, index) => planQuota(`plan-of-${index}`, 100 - index / 10))
  telemetry.setRemaining(await readSamples(quotas))
  const limits = readPrometheus((await scrape()).body).filter(({ name }) => name === 'companion_quota_limit_tokens')
  expect(limits.map(({ labels }) => labels.companion_plan)).toEqual(quotas.slice(0, 200).map(({ name }) => name))
})

test('OTLP goes through the configured proxy, and never past it', async () => {
  const proxy = await startProxy({ targetPort: 1, refuseWith: 502 })
  onTestFinished(() => proxy.close())
  const network = { kind: 'proxy', url: proxy.url } as const
  const { telemetry, record } = await startTelemetry({ otlp: { ...metricsTo('https://collector.test'), network } })
  record({ id: 'relay:a', at: Date.now(), source: 'relay', modelCode: 'aurora', planId: 'plan-1', durationMs: 1 })
  await telemetry.close()
  expect(proxy.asked.map(({ line }) => line)).toEqual(['CONNECT collector.test:443'])
})
