import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import { json } from '../harness'
import { startFileHarness } from './bench'

const run = promisify(execFile)

const { harness, platform, connectionId } = await startFileHarness("the boss's")

const specialCharacterText = `it's "$HOME" \`id\` \\ é !`

it('writes a curl command that a shell parses as intended', async () => {
  harness.clipboard.text = 'pasted-secret-1'
  const { pendingId } = await harness.ask('resources.takeSecret', {})
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'curl',
    operation: 'identity.apiKeyProviders.update',
    path: { name: "a'b/c" },
    query: { note: specialCharacterText },
    body: { apiKey: { $pending: pendingId }, more: { $held: 'h' }, text: specialCharacterText },
  })
  expect(code).not.toContain('pasted-secret-1')
  platform.answer(json(200, { fine: true }))
  const env = { ...process.env, PLATFORM_TOKEN: 'tok-1', SECRET_1: 'one', SECRET_2: 'two' }
  const { stdout } = await run('sh', ['-c', code], { env })
  expect(JSON.parse(stdout)).toEqual({ fine: true })
  const [received] = platform.server.received
  expect(received?.method).toBe('PUT')
  expect(received?.headers).toMatchObject({ authorization: 'Bearer tok-1', 'content-type': 'application/json' })
  const url = new URL(received?.path ?? '', 'http://x')
  expect(url.pathname).toBe('/identity/api/v1/outbound-auth/api-key-providers/a%27b%2Fc')
  expect(url.searchParams.get('note')).toBe(specialCharacterText)
  expect(JSON.parse(received?.body ?? '')).toEqual({ apiKey: 'one', more: 'two', text: specialCharacterText })
})

/** Arguments and standard input of a shell command that starts with `companion`. */
async function parseShellCommand(code: string): Promise<{ args: string[]; input: string }> {
  const script = `companion() { printf '%s\\0' "$@"; printf '\\1'; case "$*" in *@-*) cat;; esac; }\n${code}`
  const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, SECRET_1: 'one' } })
  const [args = '', input = ''] = stdout.split('\u0001')
  return { args: args.split('\0').slice(0, -1), input }
}

it("writes a command for this app's command line", async () => {
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'companion',
    operation: 'memory.records.search',
    path: { id: 'm-1' },
    query: { namespace: '/a b' },
    body: { query: specialCharacterText, limit: 5 },
  })
  const { args } = await parseShellCommand(code)
  expect(args).toEqual([
    'api',
    'call',
    'memory.records.search',
    '--connection',
    "the boss's",
    '--path',
    'id=m-1',
    '--query',
    'namespace=/a b',
    '--body',
    JSON.stringify({ query: specialCharacterText, limit: 5 }),
  ])
})

it('passes a secret of the body to the command line on standard input', async () => {
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'companion',
    operation: 'identity.apiKeyProviders.create',
    body: { name: 'p', apiKey: { $pending: 'p-1' }, text: specialCharacterText },
  })
  const { args, input } = await parseShellCommand(code)
  expect(args.slice(-2)).toEqual(['--body', '@-'])
  expect(JSON.parse(input)).toEqual({ name: 'p', apiKey: 'one', text: specialCharacterText })
})

const createRecord = (index: number) => ({
  id: `record-${index}`,
  namespace: `/strategies/s-1/actors/a-${index % 50}`,
  content: `The customer said thing number ${index}, and would like it to be remembered for the next time.`,
  longTermMemoryStrategyId: 's-1',
  createdAt: '2026-11-22T01:02:03.000Z',
})

const records = { operation: 'memory.records.list', path: { id: 'm-1' } }
const openSet = (body: unknown) => {
  platform.answer(json(200, body))
  return harness.ask('resources.rows', { connectionId, ...records, query: { namespace: '/a b/é', limit: 9 } })
}

it('lists records with their namespace and limit', async () => {
  const allRecords = Array.from({ length: 5000 }, (_, index) => createRecord(index))
  expect((await openSet(allRecords)).rows).toEqual(allRecords)
  expect(platform.server.received.at(-1)?.path).toBe(
    '/memory/memories/m-1/memory-records?namespace=%2Fa%20b%2F%C3%A9&limit=9',
  )
})

it('finds the rows under any common name, or in the only list', async () => {
  for (const body of [[1, 2], { records: [1, 2], tags: ['x'] }, { unheard: [1, 2] }, { data: [1, 2], page: 1 }]) {
    expect((await openSet(body)).rows).toEqual([1, 2])
  }
  expect((await openSet({ items: [] })).rows).toEqual([])
})

it('explains an answer without a list', async () => {
  platform.answer(json(200, { id: 'm-1' }))
  const failure = await harness.catchFailure('resources.rows', { connectionId, ...records, query: { namespace: '/' } })
  expect(failure.code).toBe('api.unreadable')
})

it('masks secrets in records permanently', async () => {
  const { rows } = await openSet([{ apiKey: 'canary-in-a-record' }])
  expect(JSON.stringify(rows)).not.toContain('canary')
})

const specialCharacterRows = [
  { id: '=SUM(A1)', score: -0.5, note: 'a "b", c\nd', nested: { a: [1] }, mail: '+84 1', tiếng: 'Việt' },
  { id: '@x', extra: true, none: null },
  'alone',
]

it('exports rows as CSV that no spreadsheet executes, with a column for each field', async () => {
  const { path = '' } = await harness.ask('resources.export', {
    name: 'my/rows: 1',
    format: 'csv',
    rows: specialCharacterRows,
  })
  expect(path).toBe(`${harness.folder}/my-rows- 1.csv`)
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

it('exports rows as JSON and CSV that can be read back', async () => {
  const rows = Array.from({ length: 1203 }, (_, index) => createRecord(index))
  const json = await harness.ask('resources.export', { name: 'all', format: 'json', rows })
  expect(JSON.parse(readFileSync(json.path ?? '', 'utf8'))).toEqual(rows)
  const csv = await harness.ask('resources.export', { name: 'all', format: 'csv', rows })
  expect(Papa.parse(readFileSync(csv.path ?? '', 'utf8'), { skipEmptyLines: true }).data).toHaveLength(1204)
  const exportOfNoRows = await harness.ask('resources.export', { name: 'none', format: 'json', rows: [] })
  expect(JSON.parse(readFileSync(exportOfNoRows.path ?? '', 'utf8'))).toEqual([])
})

it('saves a text unchanged', async () => {
  const { path } = await harness.ask('resources.saveText', { name: 'run.log', text: 'line\n=1+1\n' })
  expect(path).toBe(`${harness.folder}/run.log`)
  expect(readFileSync(path ?? '', 'utf8')).toBe('line\n=1+1\n')
})
