import { usage as contract, type PlanView } from '@shared/contract'
import type { UsageFilter } from '@shared/contract/usage'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import type { ConsoleQuery } from '../../../../src/main/usage/console-usage'
import type { LedgerEntry } from '../../../../src/main/usage/ports'
import { requirePeriod, Usage } from '../../../../src/main/usage/usage'
import { memorySettings } from '../../../support/memory-settings'
import { createTestLedger } from './test-ledger'

type UsageDeps = ConstructorParameters<typeof Usage>[0]

/** Time zone of the tests, where a day starts at 17:00 UTC. */
const readZone = (): string => 'Asia/Ho_Chi_Minh'

/** A Saturday. */
const currentTime = new Date('2026-11-21T09:30:00+07:00')
const parseMoment = (moment: string): number => Date.parse(`2026-${moment}:00+07:00`)
const iso = (moment: string): string => new Date(parseMoment(moment)).toISOString()

const plan: PlanView = {
  id: 'local',
  name: 'team',
  source: 'console',
  gatewayUrl: 'https://gw.example',
  models: [],
  contextTokens: 1000,
  createdAt: iso('10-01T00:00'),
  usedBy: [],
  origin: { connectionId: 'office', planId: 'p1' },
  keys: [{ id: 'k', name: 'default-key', masked: 'sk-...1', addedAt: iso('10-01T00:00'), kept: 'keychain' }],
}

const handedOverPlan: PlanView = { ...plan, id: 'handed', name: 'handed', source: 'handed-over', origin: undefined }

const entry = (id: string, moment: string, overrides: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id,
  at: parseMoment(moment),
  source: 'relay',
  modelCode: 'aurora-large',
  inputTokens: 10,
  outputTokens: 1,
  ...overrides,
})

const filter = (from: string, to: string, overrides: Partial<UsageFilter> = {}): UsageFilter => ({
  scope: 'machine',
  from: iso(from),
  to: iso(to),
  ...overrides,
})

/** The account's plan of the console. */
const planFilter = { scope: 'console', connectionId: 'office', planId: 'p1' } as const
const days = { step: 'day', compare: false } as const
const invalidInput = { failure: { code: 'input.invalid' } }

/** A mock console whose methods need `this`, like those of the real one. */
class FakeConsole {
  readonly #asked: ConsoleQuery[] = []
  plan = async () => ({ expiresAt: iso('12-01T00:00'), cycleDays: 30, purchasedAt: iso('10-02T00:00') })

  asked(): readonly ConsoleQuery[] {
    return this.#asked
  }

  tokens = ({ modelCode }: ConsoleQuery): number => (modelCode === 'small' ? 1 : 5)

  /**
   * Returns one request each in the first and the last hour of the period, with five tokens, or one token for the model
   * `small`.
   */
  async usage(question: ConsoleQuery) {
    this.#asked.push(question)
    const inputTokens = this.tokens(question)
    const item = { requests: 1, errors: 0, inputTokens, outputTokens: 0, cacheTokens: 0 }
    const hours = [question.from, new Date(Date.parse(question.to) - 3_600_000).toISOString()]
    const models = ['large', 'small', 'unused'].map((modelCode, n) => ({ modelCode, tokens: 2 - n, requests: 2 - n }))
    const totals = { ...item, tokens: inputTokens }
    return { totals, series: hours.map((start) => ({ start, ...item })), models }
  }
}

function createUsageHarness(entries: readonly LedgerEntry[] = [], deps: Partial<UsageDeps> = {}) {
  const ledger = createTestLedger(readZone())
  ledger.add(entries)
  const settings = memorySettings()
  const officeConsole = new FakeConsole()
  const readConnections: string[] = []
  const changes: string[] = []
  const usage = new Usage({
    ledger,
    settings,
    logs: [
      {
        toolId: 'pi',
        state: async () => ({
          toolId: 'pi',
          folder: '/home/an/.pi',
          exists: true,
          readAt: undefined,
          notUnderstood: 2,
        }),
        read: async () => readConnections.push('pi') > 0,
        forget: () => ledger.forgetLog('pi'),
        stop: async () => undefined,
      },
    ],
    account: officeConsole,
    plans: { list: () => [plan, handedOverPlan] },
    connections: {
      list: () => [{ id: 'office', name: 'Office', addresses: { consoleUrl: 'https://console.example.com' } }],
      getClockOffsetMs: () => 0,
    },
    toolName: (toolId) => (toolId === 'pi' ? 'pi' : undefined),
    getCycleDays: () => undefined,
    zone: readZone,
    clock: () => currentTime,
    log: { info: () => undefined, error: () => undefined },
    onChanged: () => changes.push('changed'),
    ...deps,
  })
  return { usage, ledger, settings, office: officeConsole, read: readConnections, changes }
}

describe('usage on this computer', () => {
  const knownEntries = [
    entry('1', '11-17T23:59'),
    entry('2', '11-18T00:00', { error: 'server' }),
    entry('3', '11-20T12:00', { source: 'app', toolId: 'playground', cacheReadTokens: 4, cacheWriteTokens: 3 }),
    entry('4', '11-21T09:00', { source: 'toolLog', toolId: 'pi', keyId: 'k', planId: 'local' }),
  ]

  it('returns local days with zeros, but none before the first data or in the future', async () => {
    const { usage } = createUsageHarness(knownEntries)
    const query = { filter: filter('11-15T00:00', '11-25T00:00'), ...days }
    const series = contract['usage.series'].output.parse(await usage.series(query))
    expect(series.buckets.map(({ start, requests }) => [start, requests])).toEqual(
      [1, 1, 0, 1, 1].map((requests, day) => [iso(`11-${17 + day}T00:00`), requests]),
    )
    expect(series.totals).toEqual({ requests: 4, errors: 1, inputTokens: 40, outputTokens: 4, cacheTokens: 7 })
    expect(series.knownFrom).toBe(iso('11-17T23:59'))
  })

  it('is unknown without data, which is not zero', async () => {
    const { usage } = createUsageHarness()
    const query = { filter: filter('11-15T00:00', '11-22T00:00'), step: 'day', compare: true } as const
    const series = contract['usage.series'].output.parse(await usage.series(query))
    expect([series.buckets, series.knownFrom, series.previous?.buckets]).toEqual([[], undefined, []])
  })

  it.each([
    ['a month', ['11-01T00:00', '12-01T00:00'], ['10-01T00:00', '11-01T00:00']],
    ['days', ['11-16T00:00', '11-23T00:00'], ['11-09T00:00', '11-16T00:00']],
    ['a cycle', ['11-01T10:15', '12-01T10:15'], ['10-02T10:15', '11-01T10:15']],
  ])('compares %s with the previous period', async (_, [from = '', to = ''], expectedPeriod) => {
    const { usage } = createUsageHarness([entry('0', '10-01T00:00'), ...knownEntries])
    const { previous } = await usage.series({ filter: filter(from, to), step: 'week', compare: true })
    expect([previous?.from, previous?.to]).toEqual(expectedPeriod.map(iso))
    expect(previous?.totals.requests).toBe(from === '11-01T00:00' ? 1 : 0)
  })

  it('names existing parts only', async () => {
    const deletedSubjectFilter = { planId: 'gone', keyId: 'gone', toolId: 'gone', projectId: '1a/web' }
    const { usage } = createUsageHarness([...knownEntries, entry('5', '11-20T13:00', deletedSubjectFilter)])
    const novemberFilter = filter('11-01T00:00', '12-01T00:00')
    const listNamedShares = async (by: 'plan' | 'key' | 'tool' | 'model' | 'project') =>
      Object.fromEntries((await usage.shares({ filter: novemberFilter, by })).map(({ id, name }) => [id, name]))
    expect(await listNamedShares('plan')).toMatchObject({ local: 'team', gone: undefined, '': undefined })
    expect(await listNamedShares('key')).toMatchObject({ k: 'default-key' })
    expect(await listNamedShares('tool')).toMatchObject({ pi: 'pi', playground: 'Playground', gone: undefined })
    expect(await listNamedShares('model')).toEqual({ 'aurora-large': 'aurora-large' })
    expect(await listNamedShares('project')).toMatchObject({ '1a/web': 'web', '': undefined })
    const page = await usage.requests({ filter: novemberFilter, limit: 2 })
    const { requests, next } = contract['usage.requests'].output.parse(page)
    expect(requests).toMatchObject([
      { id: '4', planName: 'team', keyName: 'default-key', toolName: 'pi', source: 'toolLog' },
      { id: '5', toolId: 'gone', projectId: '1a/web', projectName: 'web' },
    ])
    expect(requests[1]).not.toHaveProperty('planName', expect.anything())
    const nextPage = await usage.requests({ filter: novemberFilter, limit: 10, next })
    expect(nextPage.requests.map(({ id }) => id)).toEqual(['3', '2', '1'])
  })
})

describe('usage over time, split', () => {
  const seriesQuery = { step: 'day', filter: filter('11-19T00:00', '11-22T00:00') } as const
  const tools = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const toolEntries = tools.flatMap((toolId, index) => [
    ...Array.from({ length: 9 - index }, (_, n) => entry(`${toolId}${n}`, '11-20T10:00', { toolId })),
    entry(`${toolId} later`, '11-21T08:00', { toolId, error: index === 0 ? 'quota' : undefined }),
  ])

  it('has the five largest parts and a sum of the others', async () => {
    const { usage } = createUsageHarness(toolEntries)
    const { parts, buckets } = contract['usage.stacks'].output.parse(await usage.stacks({ ...seriesQuery, by: 'tool' }))
    expect(parts.map(({ id, isRest }) => (isRest ? 'rest' : id))).toEqual(['a', 'b', 'c', 'd', 'e', 'rest'])
    expect(buckets.map(({ start, counts }) => [start, counts.map(({ requests }) => requests)])).toEqual([
      [iso('11-20T00:00'), [9, 8, 7, 6, 5, 7]],
      [iso('11-21T00:00'), [1, 1, 1, 1, 1, 2]],
    ])
  })

  it('follows tokens from plans to models to tools, with a sum of the smaller ones', async () => {
    const { usage } = createUsageHarness([
      ...toolEntries.map((toolEntry) => ({ ...toolEntry, planId: 'local' })),
      entry('other', '11-20T10:00', { planId: 'handed', modelCode: 'small', toolId: 'pi' }),
    ])
    const flows = contract['usage.flows'].output.parse(await usage.flows(seriesQuery))
    const rows = flows.map((flow) => [flow.plan?.name, flow.model?.id, flow.tool?.id, flow.tokens])
    expect(rows).toEqual([
      ...['a', 'b', 'c', 'd', 'e'].map((id, index) => ['team', 'aurora-large', id, 11 * (10 - index)]),
      ['team', 'aurora-large', undefined, 11 * 9],
      ['handed', 'small', 'pi', 11],
    ])
    const consoleFlows = usage.flows({ filter: { ...seriesQuery.filter, ...planFilter } })
    await expect(consoleFlows).rejects.toMatchObject(invalidInput)
  })

  it('contains causes of failures', async () => {
    const { usage } = createUsageHarness(toolEntries)
    const { parts, buckets } = await usage.stacks({ ...seriesQuery, by: 'error' })
    expect([parts.map(({ id }) => id), buckets.map(({ counts }) => counts[0]?.errors)]).toEqual([['quota'], [0, 1]])
  })

  it('queries a console for each model separately', async () => {
    const { usage } = createUsageHarness()
    const consoleFilter = { ...seriesQuery.filter, ...planFilter }
    const { parts, buckets } = await usage.stacks({ ...seriesQuery, filter: consoleFilter, by: 'model' })
    expect(parts.map(({ id }) => id)).toEqual(['large', 'small'])
    expect(buckets[0]?.counts.map(({ inputTokens }) => inputTokens)).toEqual([5, 1])
  })

  it('contains the median and 95th percentile duration', async () => {
    const slowEntries = Array.from({ length: 20 }, (_, n) =>
      entry(`s${n}`, '11-20T10:00', { durationMs: (n + 1) * 100, ...(n < 3 && { firstByteMs: n * 10 }) }),
    )
    const { usage } = createUsageHarness([...slowEntries, entry('unmeasured', '11-21T08:00')])
    const { buckets } = contract['usage.latency'].output.parse(await usage.latency(seriesQuery))
    const start = iso('11-20T00:00')
    expect(buckets).toEqual([{ start, requests: 20, p50Ms: 1000, p95Ms: 1900, firstByteMs: 10 }])
  })
})

it.each([
  ['0001-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z', 'month'],
  ['2026-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z', 'day'],
  ['0002-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z', 'day'],
  ['2000-01-01T00:00:00.000Z', '2099-12-31T00:00:00.000Z', 'day'],
  ['2024-01-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z', 'hour'],
] as const)('refuses the period from %s to %s by %s, in the contract and in main', (from, to, step) => {
  const query = { filter: { scope: 'machine', from, to } as const, step }
  const extraInputs = { series: { compare: true }, stacks: { by: 'model' }, latency: {} } as const
  for (const name of ['series', 'stacks', 'latency'] as const) {
    expect(contract[`usage.${name}`].input.safeParse({ ...query, ...extraInputs[name] }).success).toBe(false)
  }
  expect(() => requirePeriod(query.filter, step)).toThrow(/dates from 2000|too long/)
})

it('accepts a hundred years by month', () => {
  const filter = { scope: 'machine', from: '2000-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' } as const
  expect(contract['usage.latency'].input.safeParse({ filter, step: 'month' }).success).toBe(true)
})

describe('console usage', () => {
  it('is unknown before the purchase, which is not zero', async () => {
    const { usage } = createUsageHarness()
    const query = { filter: filter('10-01T00:00', '10-05T00:00', planFilter), step: 'day', compare: true } as const
    const series = contract['usage.series'].output.parse(await usage.series(query))
    expect(series.knownFrom).toBe(iso('10-02T00:00'))
    const days = ['10-02', '10-03', '10-04'].map((day) => iso(`${day}T00:00`))
    expect(series.buckets.map(({ start }) => start)).toEqual(days)
    expect(series.previous?.buckets).toEqual([])
  })

  it('includes all days when the account does not report the purchase', async () => {
    const account = new FakeConsole()
    account.plan = () => Promise.reject(new AppError('net.timeout', 'slow'))
    const { usage } = createUsageHarness([], { account })
    const series = await usage.series({ filter: filter('10-01T00:00', '10-05T00:00', planFilter), ...days })
    expect([series.knownFrom, series.buckets.length]).toEqual([undefined, 4])
  })

  it('is queried by hour to get local days, in pieces that a console accepts', async () => {
    const { usage, office } = createUsageHarness()
    office.plan = async () => ({ expiresAt: iso('12-01T00:00'), cycleDays: 30, purchasedAt: iso('08-01T00:00') })
    const query = { filter: filter('09-01T00:00', '11-01T00:00', planFilter), step: 'month', compare: false } as const
    const series = contract['usage.series'].output.parse(await usage.series(query))
    expect(office.asked().map(({ from, to, interval }) => [from, to, interval])).toEqual([
      [iso('09-01T00:00'), iso('10-16T00:00'), 'hour'],
      [iso('10-16T00:00'), iso('11-01T00:00'), 'hour'],
    ])
    expect(series.buckets.map(({ start, requests }) => [start, requests])).toEqual([
      [iso('09-01T00:00'), 1],
      [iso('10-01T00:00'), 3],
    ])
  })

  it('is requested for the time of the plan only, however long the period is', async () => {
    const { usage, office } = createUsageHarness()
    const century = { ...planFilter, from: '2000-01-01T00:00:00.000Z', to: '2099-12-31T00:00:00.000Z' }
    await usage.series({ filter: century, step: 'month', compare: true })
    await usage.stacks({ filter: century, step: 'month', by: 'model' })
    await usage.shares({ filter: century, by: 'holder' })
    const times = office.asked().flatMap(({ from, to }) => [from, to])
    expect([times.toSorted().at(0), times.toSorted().at(-1)]).toEqual([iso('10-01T00:00'), iso('11-22T09:30')])
  })

  it('splits by holder with one call per issued key, and counts the rest without a holder', async () => {
    const { usage, settings, office } = createUsageHarness()
    const record = (keyId: string, name: string, planId = 'p1') => {
      const holder = { kind: 'person' as const, name, id: `person-${name}` }
      return { connectionId: 'office', planId, keyId, planName: 'team', keyName: keyId, alsoServes: [], holder }
    }
    const register = [record('k1', 'An'), record('k2', 'An'), record('k3', 'Binh'), record('k4', 'Chi', 'other')]
    settings.update(() => ({ register: [...register, { ...record('k5', ''), holder: undefined }] }))
    const tokensByKey: Readonly<Record<string, number>> = { k1: 5, k2: 4, k3: 20 }
    office.tokens = ({ keyId }) => {
      if (keyId === 'k3') throw new AppError('api.notFound', 'gone')
      return tokensByKey[keyId ?? ''] ?? 40
    }
    const shares = await usage.shares({ filter: filter('11-01T00:00', '11-20T00:00', planFilter), by: 'holder' })
    expect(contract['usage.shares'].output.parse(shares)).toMatchObject([
      { id: '', inputTokens: 31 },
      { id: 'person-An', name: 'An', inputTokens: 9 },
      { id: 'person-Binh', name: 'Binh', inputTokens: 0 },
    ])
    expect(office.asked().map(({ keyId }) => keyId)).toEqual([undefined, 'k1', 'k2', 'k3'])
  })

  it.each<[string, (usage: Usage, filter: UsageFilter) => Promise<unknown>]>([
    ['single requests', (usage, filter) => usage.requests({ filter, limit: 1 })],
    ['stacks by holder', (usage, filter) => usage.stacks({ filter, step: 'day', by: 'holder' })],
    ['a split by key', (usage, filter) => usage.shares({ filter, by: 'key' })],
    ['one tool', (usage, filter) => usage.series({ filter: { ...filter, toolId: 'pi' }, ...days })],
    ['no plan', (usage, { planId: _, ...filter }) => usage.series({ filter, ...days })],
  ])('is unavailable for %s', async (_, runQuery) => {
    const { usage } = createUsageHarness()
    const queryPromise = runQuery(usage, filter('11-01T00:00', '11-20T00:00', planFilter))
    await expect(queryPromise).rejects.toMatchObject(invalidInput)
  })
})

describe('cycles', () => {
  it('of an account’s plan go back to its purchase, and are exact when they add up', async () => {
    const { usage } = createUsageHarness()
    const cycles = contract['usage.cycles'].output.parse(await usage.cycles({ planId: 'local' }))
    expect(cycles.map(({ from, isCurrent, isEstimated }) => [from, isCurrent, isEstimated])).toEqual([
      [iso('11-01T00:00'), true, false],
      [iso('10-02T00:00'), false, false],
    ])
  })

  it('of a handed-over plan are computed backwards from its end, and are empty without one', async () => {
    const expiresAt = iso('11-30T00:00')
    const plans = [
      { ...handedOverPlan, expiresAt },
      { ...handedOverPlan, id: 'endless' },
    ]
    const { usage } = createUsageHarness([], { plans: { list: () => plans }, getCycleDays: () => 7 })
    const cycles = await usage.cycles({ planId: 'handed' })
    expect(cycles).toHaveLength(9)
    expect(cycles[1]).toEqual({ from: iso('11-16T00:00'), to: iso('11-23T00:00'), isCurrent: true, isEstimated: true })
    expect(await usage.cycles({ planId: 'endless' })).toEqual([])
  })

  it('of a connection use its server’s clock, as do its counts', async () => {
    const getClockOffsetMs = (id: string) => (id === 'office' ? 20 * 86_400_000 : 0)
    const { usage, office } = createUsageHarness([], { connections: { list: () => [], getClockOffsetMs } })
    office.plan = async () => ({ expiresAt: iso('12-31T00:00'), cycleDays: 30, purchasedAt: iso('10-02T00:00') })
    const cycles = await usage.cycles({ planId: 'p1', connectionId: 'office' })
    expect(cycles.find(({ isCurrent }) => isCurrent)?.from).toBe(iso('12-01T00:00'))
    const consoleFilter = filter('12-01T00:00', '12-31T00:00', planFilter)
    const { buckets, at: askedAt } = await usage.series({ filter: consoleFilter, ...days })
    expect([buckets[0]?.start, buckets.at(-1)?.start, askedAt]).toEqual([
      iso('12-01T00:00'),
      iso('12-11T00:00'),
      currentTime.toISOString(),
    ])
  })

  it('of a saved plan are available without the account', async () => {
    const expiringPlan = { ...plan, expiresAt: iso('12-01T00:00') }
    const { usage, office } = createUsageHarness([], { plans: { list: () => [expiringPlan] } })
    office.plan = async () => Promise.reject(new AppError('net.timeout', 'No answer.'))
    expect(await usage.cycles({ connectionId: 'office', planId: 'p1' })).toMatchObject([{ isEstimated: true }, {}, {}])
    const otherCycles = usage.cycles({ connectionId: 'office', planId: 'p2' })
    await expect(otherCycles).rejects.toMatchObject({ failure: { code: 'net.timeout' } })
  })
})

describe('sources', () => {
  it('reads a log while it is enabled, and removes its data when disabled', async () => {
    const { usage, ledger, read, settings, changes } = createUsageHarness([
      entry('1', '11-21T08:00', { source: 'toolLog', toolId: 'pi' }),
    ])
    await usage.look()
    expect(read).toEqual([])
    const enabledSources = contract['usage.sources'].output.parse(
      await usage.setToolLog({ toolId: 'pi', enabled: true }),
    )
    expect(enabledSources.toolLogs).toMatchObject([{ toolId: 'pi', enabled: true, requests: 1, notUnderstood: 2 }])
    expect([read, settings.read().usage.toolLogs]).toEqual([['pi'], [{ toolId: 'pi' }]])
    const changeCount = changes.length
    await usage.readToolLogs()
    await usage.look()
    expect([read.length, changes.length - changeCount]).toEqual([3, 2])
    const disabledSources = await usage.setToolLog({ toolId: 'pi', enabled: false })
    expect([disabledSources.toolLogs[0]?.enabled, ledger.all()]).toEqual([false, []])
    const unknownToolCall = usage.setToolLog({ toolId: 'none', enabled: true })
    await expect(unknownToolCall).rejects.toMatchObject({ failure: { code: 'tool.notFound' } })
  })

  it('keeps single requests for the configured days, forever at zero, and prunes daily', async () => {
    let time = currentTime.getTime()
    const { usage, ledger } = createUsageHarness([], { clock: () => new Date(time) })
    await usage.look()
    await usage.look()
    time += 86_400_000
    await usage.look()
    const day = 86_400_000
    expect(ledger.pruned).toEqual([currentTime.getTime() - 400 * day, time - 400 * day])
    expect(await usage.setRetention({ days: 30 })).toMatchObject({ retentionDays: 30 })
    expect(ledger.pruned.at(-1)).toBe(time - 30 * day)
    await usage.setRetention({ days: 0 })
    expect(ledger.pruned).toHaveLength(3)
  })

  it('does not read erased data again', async () => {
    const { usage, ledger, settings } = createUsageHarness([entry('1', '11-21T08:00')])
    await usage.setToolLog({ toolId: 'pi', enabled: true })
    expect(contract['usage.erase'].output.parse(await usage.erase())).toMatchObject({ requests: 0 })
    expect(ledger.all()).toEqual([])
    expect(settings.read().usage.toolLogs).toEqual([{ toolId: 'pi', from: currentTime.toISOString() }])
  })
})
