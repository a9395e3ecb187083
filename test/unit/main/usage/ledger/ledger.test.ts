import { join } from 'node:path'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { type OpenLedger, openLedger } from '../../../../../src/main/usage/ledger/open-ledger'
import type { LedgerEntry, LedgerFilter } from '../../../../../src/main/usage/ports'
import { makeFolder } from '../../../support/folders'

let ledger: OpenLedger
beforeEach(() => {
  ledger = openLedger({ file: join(makeFolder(), 'usage.sqlite'), zone: 'Asia/Ho_Chi_Minh' })
  return () => ledger.close()
})

const parseNovemberMs = (text: string) => Date.parse(`2025-11-${text}Z`)
const noon = parseNovemberMs('10T05:00')

const relayEntry: LedgerEntry = {
  id: 'relay-1',
  at: noon,
  source: 'relay',
  planId: 'plan-a',
  keyId: 'key-a',
  toolId: 'claude-code',
  modelCode: 'model-a',
  standard: 'messages',
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 300,
  cacheWriteTokens: 4,
  status: 200,
  firstByteMs: 350,
  durationMs: 2100,
}
const { status: _, firstByteMs: __, durationMs: ___, ...unmeasuredEntry } = relayEntry
const logEntry: LedgerEntry = { ...unmeasuredEntry, id: 'log-1', at: noon + 2500, source: 'toolLog' }

const noTokens = {
  inputTokens: undefined,
  outputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
}

const monthFilter: LedgerFilter = {
  scope: 'machine',
  from: parseNovemberMs('01T00:00'),
  to: parseNovemberMs('30T00:00'),
}
const countTotals = (filter: Partial<LedgerFilter> = {}): readonly [requests: number, inputTokens: number] => {
  const rows = ledger.stacks({ filter: { ...monthFilter, ...filter }, step: 'month' })
  const sum = (name: 'requests' | 'inputTokens') => rows.reduce((added, { all }) => added + all[name], 0)
  return [sum('requests'), sum('inputTokens')]
}

it.each([{}, { isEstimated: true }])('returns a request as stored, %j', (marks) => {
  const entry = { ...relayEntry, ...marks }
  ledger.add([entry])
  expect(ledger.requests({ filter: monthFilter, onlyErrors: false, limit: 10 })).toEqual({ entries: [entry] })
})

it('lists the last use of each key by source, also after single requests were pruned', () => {
  const otherEntry = { ...relayEntry, id: 'relay-2', keyId: 'key-b', at: parseNovemberMs('12T05:03') }
  const playground = { id: 'app-1', source: 'app', toolId: 'playground' } as const
  const playgroundEntry = { ...relayEntry, ...playground, at: parseNovemberMs('11T05:00') }
  const earlierEntry = { ...relayEntry, id: 'relay-0', at: noon - 60_000 }
  ledger.add([relayEntry, earlierEntry, otherEntry, playgroundEntry, { ...logEntry, keyId: undefined }])
  const toolUses = [
    { planId: 'plan-a', keyId: 'key-a', source: 'relay', at: noon },
    { planId: 'plan-a', keyId: 'key-a', source: 'app', at: parseNovemberMs('11T05:00') },
    { planId: 'plan-a', keyId: 'key-b', source: 'relay', at: parseNovemberMs('12T05:03') },
  ]
  expect(ledger.listLastUses()).toEqual(toolUses)
  ledger.pruneSome(parseNovemberMs('13T00:00'))
  const toQuarterHour = (ms: number): number => ms - (ms % 900_000)
  expect(ledger.listLastUses()).toEqual(toolUses.map((use) => ({ ...use, at: toQuarterHour(use.at) })))
})

describe('a request in both the relay and the tool’s log', () => {
  const timeMatch = { answerId: undefined }
  const idMatch = { answerId: 'msg_1' }
  const otherLog = { ...logEntry, at: noon + 5_000_000, inputTokens: 7 }
  test.each([
    ['by the id of its answer', { ...relayEntry, ...idMatch }, { ...otherLog, ...idMatch }, 1],
    ['by model, tokens and time where one has no id', { ...relayEntry, ...idMatch }, { ...logEntry, ...timeMatch }, 1],
    ['not with another answer’s id', { ...relayEntry, ...idMatch }, { ...logEntry, answerId: 'msg_2' }, 2],
    ['not with other tokens', relayEntry, { ...logEntry, outputTokens: 21 }, 2],
    ['not with another model', relayEntry, { ...logEntry, modelCode: 'model-b' }, 2],
    ['not of another tool', { ...relayEntry, ...idMatch }, { ...logEntry, ...idMatch, toolId: 'codex' }, 2],
    ['not after eleven minutes', relayEntry, { ...logEntry, at: noon + 660_000 }, 2],
    ['not without any tokens', { ...relayEntry, ...noTokens }, { ...logEntry, ...noTokens }, 2],
  ])('is counted once %s, in either order', (_, relay, log, expected) => {
    const arrivalOrders = [[[relay], [log]], [[log], [relay]], [[relay, log]], [[log, relay]]]
    for (const batches of arrivalOrders) {
      ledger.erase()
      for (const batch of batches) ledger.add(batch)
      const requests = (['machine', 'relay', 'toolLog'] as const).map((scope) => countTotals({ scope })[0])
      expect(requests).toEqual([expected, 1, 1])
    }
  })

  it('has the project of the log, whichever arrives first, until the log is removed', () => {
    const relay = { ...relayEntry, ...idMatch }
    const log = { ...logEntry, ...idMatch, projectId: '1a/web' }
    const listProjects = (filter: Partial<LedgerFilter> = {}) =>
      ledger
        .shares({ filter: { ...monthFilter, ...filter }, by: 'project', limit: 5 })
        .map(({ id, requests, inputTokens }) => [id, requests, inputTokens])
    for (const batches of [[[relay], [log]], [[log], [relay]], [[relay, log]]]) {
      ledger.erase()
      for (const batch of batches) ledger.add(batch)
      ledger.add([{ ...relayEntry, id: 'relay-2', at: noon + 3_600_000, inputTokens: 7 }])
      const expected = [
        ['1a/web', 1, 100],
        ['', 1, 7],
      ]
      expect(listProjects()).toEqual(expected)
      expect(listProjects({ scope: 'relay' })).toEqual(expected)
      expect(listProjects({ scope: 'toolLog' })).toEqual([['1a/web', 1, 100]])
      expect(countTotals({ projectId: '1a/web', modelCode: 'model-a' })).toEqual([1, 100])
      const page = ledger.requests({ filter: { ...monthFilter, projectId: '1a/web' }, onlyErrors: false, limit: 5 })
      expect(page.entries.map(({ id, projectId }) => [id, projectId])).toEqual([['relay-1', '1a/web']])
    }
    ledger.forgetLog('claude-code')
    expect(listProjects()).toEqual([['', 2, 107]])
    expect(ledger.requests({ filter: monthFilter, onlyErrors: false, limit: 5 }).entries).toMatchObject([
      { id: 'relay-2', projectId: undefined },
      { id: 'relay-1', projectId: undefined },
    ])
  })

  it('matches each relay request once, and the nearest', () => {
    const secondEntry = { ...relayEntry, id: 'relay-2', at: noon + 60_000 }
    ledger.add([relayEntry, secondEntry])
    ledger.add([1, 2, 3].map((n) => ({ ...logEntry, id: `log-${n}`, at: noon + 61_000 + n })))
    expect(countTotals()).toEqual([3, 300])
  })

  it('stays fast with a gateway that gives every response the same id', () => {
    const buildDuplicateEntries = (batch: number) =>
      Array.from({ length: 1000 }, (_, index) => ({ ...relayEntry, answerId: 'same', id: `relay-${batch}-${index}` }))
    for (let batch = 0; batch < 12; batch += 1) ledger.add(buildDuplicateEntries(batch))
    expect(countTotals()[0]).toBe(12_000)
  })

  it('counts the log’s again when the relay’s turns out to be another', () => {
    ledger.add([{ ...relayEntry, ...idMatch }])
    ledger.addLog([{ ...logEntry, ...idMatch }], [])
    ledger.add([{ ...relayEntry, answerId: 'msg_9' }])
    expect(countTotals()[0]).toBe(2)
  })
})

it('saves a log’s entries and its position atomically', () => {
  const invalidPosition = { toolId: 'codex', path: '/a', state: Symbol('none') as unknown as string }
  expect(() => ledger.addLog([logEntry], [invalidPosition])).toThrow()
  expect([countTotals(), ledger.positions('codex')]).toEqual([[0, 0], []])
  ledger.addLog([logEntry], [])
  expect(countTotals()).toEqual([1, 100])
})

const oneToken = { cacheReadTokens: 1 }
test.each([
  ['tokens that are no number', { inputTokens: Number.NaN, outputTokens: -5, cacheReadTokens: 1.4 }, oneToken],
  ['texts with half a character and a null', { modelCode: 'a\u0000\ud800b' }, { modelCode: 'a\ufffd\ufffdb' }],
  ['a text without an end', { modelCode: 'x'.repeat(5000) }, { modelCode: 'x'.repeat(400) }],
  ['a text that is SQL', { toolId: "'); DROP TABLE requests; --" }, { toolId: "'); DROP TABLE requests; --" }],
])('stores %s as a valid value', (_, odd, expected) => {
  const minimalEntry = { id: 'app-1', at: noon, source: 'app', modelCode: 'model-a' } as const
  ledger.add([
    { ...minimalEntry, ...odd },
    { ...minimalEntry, id: 'app-2', at: Number.NaN },
    { ...minimalEntry, id: 'app-3', at: 12 },
  ])
  const { modelCode, toolId }: Partial<LedgerEntry> = odd
  const filter = { ...monthFilter, modelCode, toolId }
  expect(ledger.requests({ filter, onlyErrors: false, limit: 9 }).entries).toEqual([{ ...minimalEntry, ...expected }])
})

it.each(['', '1', 'x.y', '1.2.3', '-1.5', "1.1' OR 1"])('refuses an unknown page: "%s"', (cursor) => {
  expect(() => ledger.requests({ filter: monthFilter, onlyErrors: false, limit: 9, before: cursor })).toThrow(
    'This page',
  )
})

it('returns the hourly requests of a plan, and requests by error since a time', () => {
  ledger.add([
    relayEntry,
    { ...relayEntry, id: 'relay-2', at: noon + 3_599_000, error: 'quota' },
    { ...relayEntry, id: 'relay-3', at: noon + 3_600_000 },
    { ...relayEntry, id: 'relay-4', planId: 'plan-b', error: 'key' },
  ])
  const hours = ledger.listHours('plan-a', noon + 1)
  expect(hours.map(({ start, requests, inputTokens }) => [start, requests, inputTokens])).toEqual([
    [noon, 2, 200],
    [noon + 3_600_000, 1, 100],
  ])
  const later = { planId: 'plan-a', modelCode: 'model-a', requests: 1 }
  expect(ledger.countSince(noon + 1)).toEqual([later, { ...later, error: 'quota' }])
})

it('computes the latency of the newest measured requests of a filter', () => {
  ledger.add([
    { ...unmeasuredEntry, id: 'a', durationMs: 900, firstByteMs: 30 },
    { ...unmeasuredEntry, id: 'b', at: noon + 1, durationMs: 500 },
    { ...unmeasuredEntry, id: 'c', at: noon + 2 },
    { ...unmeasuredEntry, id: 'd', at: noon + 3, modelCode: 'model-b', durationMs: 100 },
    { ...unmeasuredEntry, id: 'e', at: noon + 10, durationMs: 100 },
  ])
  const filter = { scope: 'machine', from: noon, to: noon + 10, modelCode: 'model-a' } as const
  const bucket = { start: new Date(noon).toISOString(), requests: 2, p50Ms: 500, p95Ms: 900, firstByteMs: 30 }
  expect(ledger.latency({ filter, step: 'hour', limit: 5 })).toEqual([bucket])
  const { firstByteMs: ____, ...newest } = { ...bucket, requests: 1, p95Ms: 500 }
  expect(ledger.latency({ filter, step: 'hour', limit: 1 })).toEqual([newest])
})
