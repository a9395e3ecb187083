import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import which from 'which'
import { Secret } from '../../src/main/core/secret'
import { RelayTelemetry } from '../../src/main/relay/metrics/relay-telemetry'
import type { RelayTable } from '../../src/main/relay/ports'
import { startRelay } from '../../src/main/relay/start-relay'
import { openLedger } from '../../src/main/usage/ledger/open-ledger'
import type { LedgerEntry } from '../../src/main/usage/ports'
import { remainingMetrics } from '../../src/main/usage/quota/remaining'
import { freePort } from '../support/free-port'
import {
  buildTable,
  chatPath,
  key,
  respondWithJson,
  sendRequest,
  startGateway,
  token,
  upstream,
} from '../unit/main/relay/support'

const program = which.sync('prometheus', { nothrow: true })
const missingText = 'Prometheus is not installed here. On Debian: apt-get install prometheus'
const requests = 1000
const canary = 'canary-of-a-prompt-0123456789'
const metricsToken = 'relay-token-of-metrics-0123456789'

const folder = mkdtempSync(join(tmpdir(), 'companion-prometheus-'))
let runningChild: ChildProcess | undefined
afterAll(async () => {
  if (runningChild?.exitCode === null) {
    const exitPromise = once(runningChild, 'exit')
    runningChild.kill('SIGKILL')
    await exitPromise
  }
  rmSync(folder, { recursive: true, force: true })
})

interface QueryResponse {
  readonly status: string
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

/** Starts Prometheus for one page and returns a query function. */
async function startPrometheus(path: string, target: string): Promise<(query: string) => Promise<QueryResponse>> {
  const config = join(folder, 'prometheus.yml')
  const job = {
    job_name: 'relay',
    authorization: { credentials: metricsToken },
    static_configs: [{ targets: [target] }],
  }
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [job] }))
  const port = await freePort()
  const data = join(folder, 'data')
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${data}`, `--web.listen-address=127.0.0.1:${port}`]
  runningChild = spawn(path, options, { stdio: 'ignore' })
  return async (query) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query }),
    })
    return response.json()
  }
}

const sumResults = ({ data }: QueryResponse): number =>
  data.result.reduce((sum, { value }) => sum + Number(value[1]), 0)

test('a real Prometheus reads the page, matches the ledger’s token counts, and gets no secret', async (context) => {
  if (program === null) {
    console.warn(missingText)
    context.skip(missingText)
    return
  }
  let number = 0
  const gateway = await startGateway((request, response) => {
    request.resume()
    number += 1
    const usage = {
      prompt_tokens: number * 7,
      completion_tokens: number,
      prompt_tokens_details: { cached_tokens: number },
    }
    if (number % 10 === 0) respondWithJson(response, { error: { message: canary } }, 500)
    else respondWithJson(response, { id: `c${number}`, model: 'aurora', choices: [], usage })
  })
  const openedLedger = openLedger({ file: join(folder, 'usage.sqlite') })
  const waitingEntries: LedgerEntry[] = []
  const saveWaitingEntries = async () => openedLedger.add(waitingEntries.splice(0))
  const ledger = { flush: saveWaitingEntries, relayTotals: async () => openedLedger.relayTotals() }
  const telemetry = new RelayTelemetry({ ledger, caFiles: [] })
  const metrics = {
    token: new Secret(metricsToken),
    planNames: [{ id: 'plan-1', name: 'team plan' }],
    models: ['aurora'],
  }
  const table: RelayTable = { ...buildTable([upstream(gateway.url)]), metrics }
  telemetry.configure(metrics)
  telemetry.setRemaining(
    Object.keys(remainingMetrics).map((name) => ({
      name: name as keyof typeof remainingMetrics,
      labels: { 'companion.plan': 'team plan', 'gen_ai.request.model': 'aurora', 'companion.budget': 'all' },
      value: 7,
    })),
  )
  const record = (entry: LedgerEntry) => {
    waitingEntries.push(entry)
    telemetry.record(entry)
  }
  const relay = await startRelay({ port: 0, table, record, caFiles: [], scrape: () => telemetry.scrape() })
  try {
    const query = await startPrometheus(program, `127.0.0.1:${relay.port}`)
    const body = JSON.stringify({ model: 'aurora', messages: [{ role: 'user', content: canary }] })
    const send = () =>
      sendRequest(`http://127.0.0.1:${relay.port}${chatPath}`, body, { authorization: `Bearer ${token}` })
    for (let sentCount = 0; sentCount < requests; sentCount += 100) await Promise.all(Array.from({ length: 100 }, send))
    await vi.waitFor(() => expect(relay.open().get('x')).toBe(0))
    const queryValue = async (text: string): Promise<number> => sumResults(await query(text))
    await vi.waitFor(async () => expect(await queryValue('sum(companion_relay_requests_total)')).toBe(requests), {
      timeout: 30_000,
    })
    await saveWaitingEntries()
    const [total] = openedLedger.relayTotals()
    expect(total).toMatchObject({ requests, errors: requests / 10 })
    const countTokens = (type: string) => queryValue(`sum(companion_relay_tokens_total{gen_ai_token_type="${type}"})`)
    expect([await countTokens('input'), await countTokens('output'), await countTokens('cache')]).toEqual([
      total?.inputTokens,
      total?.outputTokens,
      total?.cacheTokens,
    ])
    expect(await queryValue('sum(gen_ai_client_token_usage_sum{companion_plan="team plan"})')).toBe(
      (total?.inputTokens ?? 0) + (total?.outputTokens ?? 0) + (total?.cacheTokens ?? 0),
    )
    expect(await queryValue('sum(gen_ai_client_operation_duration_count{error_type="server"})')).toBe(requests / 10)
    expect(await queryValue('companion_quota_remaining_tokens{companion_plan="team plan"}')).toBe(7)
    for (const text of dashboardQueries()) expect(await query(text), text).toMatchObject({ status: 'success' })
    const page = await telemetry.scrape()
    const promtool = which.sync('promtool', { nothrow: true })
    if (promtool !== null)
      execFileSync(promtool, ['check', 'metrics'], { input: page, stdio: ['pipe', 'ignore', 'inherit'] })
    for (const secret of [canary, key, token, metricsToken]) {
      expect(page).not.toContain(secret)
      expect(listFilesContaining(join(folder, 'data'), secret)).toEqual([])
    }
  } finally {
    await relay.close(0)
    await telemetry.close()
  }
})

/** Every query of the dashboard, with its variables set. */
function dashboardQueries(): readonly string[] {
  const path = resolve(import.meta.dirname, '../../resources/grafana/relay.json')
  const { panels }: { panels: { targets: { expr: string }[] }[] } = JSON.parse(readFileSync(path, 'utf8'))
  const fillVariables = (expr: string): string =>
    expr
      .replaceAll(/\$(?:plan|tool|model)/g, '.*')
      .replaceAll('$__range', '1h')
      .replaceAll('$__rate_interval', '5m')
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => fillVariables(expr)))
}

const listFilesContaining = (path: string, text: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((dirent) => dirent.isFile())
    .map((dirent) => join(dirent.parentPath, dirent.name))
    .filter((file) => readFileSync(file).includes(text))
