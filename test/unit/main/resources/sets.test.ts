import { readFileSync, statSync } from 'node:fs'
import Papa from 'papaparse'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRecordSets } from '../../../../src/main/resources/result-export'
import { json, type Platform, startPlatform } from '../platform/harness'
import { type Bench, makeBench } from './bench'

let bench: Bench
let platform: Platform
let connectionId: string
beforeAll(async () => {
  bench = makeBench()
  platform = await startPlatform()
  connectionId = await bench.connect(platform.server.url)
})
afterAll(async () => {
  await platform.server.close()
  await bench.close()
})

const recordAt = (at: number) => ({
  id: `record-${at}`,
  namespace: `/strategies/s-1/actors/a-${at % 50}`,
  content: `The customer said thing number ${at}, and would like it to be remembered for the next time.`,
  longTermMemoryStrategyId: 's-1',
  createdAt: '2026-11-22T01:02:03.000Z',
})

const records = { operation: 'memory.records.list', path: { id: 'm-1' } }
const open = (body: unknown, first = 100) => {
  platform.answer(json(200, body))
  return bench.ask('resources.openSet', { connectionId, ...records, query: { namespace: '/a b/é', limit: 9 }, first })
}

/** The processor's time, which others on the machine do not lengthen. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

it('holds 100,000 records and hands out slices of them', async () => {
  const all = Array.from({ length: 100_000 }, (_, at) => recordAt(at))
  const startedAt = usedMs()
  const set = await open(all)
  const openedMs = usedMs() - startedAt
  expect(platform.server.received.at(-1)?.path).toBe(
    '/memory/memories/m-1/memory-records?namespace=%2Fa%20b%2F%C3%A9&limit=9',
  )
  expect(set.total).toBe(100_000)
  expect(set.rows).toEqual(all.slice(0, 100))
  const slicedAt = usedMs()
  const { rows } = await bench.ask('resources.slice', { setId: set.setId, from: 99_900, count: 500 })
  const slicedMs = usedMs() - slicedAt
  expect(rows).toEqual(all.slice(99_900))
  // With much room for a slow machine: they take 0.4 s with this test's own server, and 5 ms.
  expect(openedMs).toBeLessThan(6000)
  expect(slicedMs).toBeLessThan(300)
  await bench.ask('resources.closeSet', { setId: set.setId })
  const failure = await bench.failureOf('resources.slice', { setId: set.setId, from: 0, count: 1 })
  expect(failure).toMatchObject({ code: 'input.invalid', field: 'setId' })
})

it('finds the rows under any of the usual names, or in the only list there is', async () => {
  for (const body of [[1, 2], { records: [1, 2], tags: ['x'] }, { unheard: [1, 2] }, { data: [1, 2], page: 1 }]) {
    expect((await open(body)).rows).toEqual([1, 2])
  }
  expect(await open({ items: [] })).toMatchObject({ total: 0, rows: [] })
})

it('explains an answer without a list', async () => {
  platform.answer(json(200, { id: 'm-1' }))
  const failure = await bench.failureOf('resources.openSet', {
    connectionId,
    ...records,
    query: { namespace: '/' },
    first: 1,
  })
  expect(failure.code).toBe('api.unreadable')
})

it('masks secrets in a held list for good', async () => {
  const { rows } = await open([{ apiKey: 'canary-in-a-record' }])
  expect(JSON.stringify(rows)).not.toContain('canary')
})

it('holds four lists at most, and lets go of what nobody looked at for ten minutes', () => {
  let nowMs = 0
  const timers: (() => void)[] = []
  const sets = createRecordSets(
    () => new Date(nowMs),
    (run) => {
      timers.push(run)
      return () => undefined
    },
  )
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((row) => sets.open([row]))
  expect(sets.slice(a ?? '', 0, 1)).toEqual(['a'])
  const e = sets.open(['e'])
  expect(() => sets.slice(b ?? '', 0, 1)).toThrow('This list has expired')
  nowMs = 6 * 60_000
  for (const id of [a, c, e]) sets.slice(id ?? '', 0, 1)
  nowMs = 11 * 60_000
  timers.shift()?.()
  expect(() => sets.slice(d ?? '', 0, 1)).toThrow('This list has expired')
  expect([a, c, e].map((id) => sets.slice(id ?? '', 0, 1))).toEqual([['a'], ['c'], ['e']])
  expect(timers).toHaveLength(1)
})

const awkward = [
  { id: '=SUM(A1)', score: -0.5, note: 'a "b", c\nd', nested: { a: [1] }, mail: '+84 1', tiếng: 'Việt' },
  { id: '@x', extra: true, none: null },
  'alone',
]

it('exports rows as CSV that no spreadsheet runs, every field a column', async () => {
  const { path = '' } = await bench.ask('resources.export', { name: 'my/rows: 1', format: 'csv', rows: awkward })
  expect(path).toBe(`${bench.folder}/my-rows- 1.csv`)
  const text = readFileSync(path, 'utf8')
  expect(text.startsWith('\uFEFFid,score,note,nested,mail,tiếng,extra,none,value\r\n')).toBe(true)
  const { data, errors } = Papa.parse<Record<string, string>>(text.slice(1), { header: true, skipEmptyLines: true })
  expect(errors).toEqual([])
  expect(data[0]).toMatchObject({
    id: "'=SUM(A1)",
    score: '-0.5',
    note: 'a "b", c\nd',
    nested: '{"a":[1]}',
    mail: "'+84 1",
  })
  expect(data[1]).toMatchObject({ id: "'@x", extra: 'true', none: '', score: '' })
  expect(data[2]).toMatchObject({ value: 'alone', id: '' })
  expect(statSync(path).mode & 0o600).toBe(0o600)
})

it('exports all of a held list, or the chosen places of it, as JSON that reads back', async () => {
  const all = Array.from({ length: 1203 }, (_, at) => recordAt(at))
  const { setId } = await open(all, 1)
  const whole = await bench.ask('resources.export', { name: 'all', format: 'json', setId })
  expect(JSON.parse(readFileSync(whole.path ?? '', 'utf8'))).toEqual(all)
  const some = await bench.ask('resources.export', { name: 'some', format: 'json', setId, places: [1202, 0, 5000] })
  expect(JSON.parse(readFileSync(some.path ?? '', 'utf8'))).toEqual([all[1202], all[0]])
  const csv = await bench.ask('resources.export', { name: 'all', format: 'csv', setId })
  expect(Papa.parse(readFileSync(csv.path ?? '', 'utf8'), { skipEmptyLines: true }).data).toHaveLength(1204)
  expect((await bench.failureOf('resources.export', { name: 'x', format: 'csv' })).field).toBe('rows')
  const empty = await bench.ask('resources.export', { name: 'none', format: 'json', rows: [] })
  expect(JSON.parse(readFileSync(empty.path ?? '', 'utf8'))).toEqual([])
})

it('saves a text as it is', async () => {
  const { path } = await bench.ask('resources.saveText', { name: 'run.log', text: 'line\n=1+1\n' })
  expect(path).toBe(`${bench.folder}/run.log`)
  expect(readFileSync(path ?? '', 'utf8')).toBe('line\n=1+1\n')
})
