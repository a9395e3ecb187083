import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { models } from '../../../../src/sandbox/catalogue'
import { aip } from '../../../../src/sandbox/platform/aip'
import { plainWorld } from '../plain-world'
import { type Bench, startBench } from '../support'
import { manyRows, rowTimes, tellsPages, tellsTable, worldWith } from './table-suite'

const keys = '/aip/v1/api-keys'
const one = `${keys}/key-one`
const asyncMs = 60_000

const crowded = worldWith({
  aip: {
    apiKeys: manyRows(105, (n) => ({ name: `key-${n}`, keyId: `id-${n}`, readyAt: rowTimes.createdAt, ...rowTimes })),
  },
})

/** A sandbox whose creation and deletion take a minute of its clock. */
const startSlow = (options: Parameters<typeof startBench>[0] = {}) =>
  startBench({ timing: { paceMs: 0, asyncMs }, ...options })

/** Advances the clock past the asynchronous operation. */
const wait = (bench: Bench) => bench.control('clock', { advanceMs: asyncMs })

async function withActiveKey(body: object = {}): Promise<Bench> {
  const bench = await startSlow()
  expect((await bench.api('POST', keys, { body: { name: 'key-one', ...body } })).status).toBe(202)
  await wait(bench)
  return bench
}

/** Whether inference accepts a key. The empty body fails only after the key was checked. */
const opensInference = async (bench: Bench, key: string) =>
  (await bench.api('POST', '/inference/v1/chat/completions', { token: key, body: {} })).status !== 401

tellsTable('aip', aip)

tellsPages({ path: keys, firstPage: 1, total: 105, begin: crowded, key: 'name' })
tellsPages({ path: '/aip/v1/models', firstPage: 1, total: models.length, begin: plainWorld, key: 'uuid' })

describe('a platform API key', () => {
  test('is created asynchronously: CREATING without a key, then ACTIVE with it', async () => {
    const bench = await startSlow()
    const made = await bench.api('POST', keys, { body: { name: 'key-one', description: 'Thử', rank: 0 } })
    const { createdAt } = made.body
    const view = { name: 'key-one', description: 'Thử', rank: 0, createdAt, updatedAt: createdAt }
    expect(made).toEqual({ status: 202, body: { ...view, status: 'CREATING' } })
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    expect(await bench.api('GET', one)).toEqual({ status: 200, body: { ...view, status: 'CREATING' } })
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    const { status, body } = await bench.api('GET', one)
    expect(status).toBe(200)
    expect(body.key).toMatch(/^pk-sandbox-[0-9a-f]{40}$/)
    expect(body).toEqual({ ...view, status: 'ACTIVE', key: body.key, keyHint: `****${body.key.slice(-4)}` })
  })

  test('is deleted asynchronously: DELETING without its key, then 404 and no longer listed', async () => {
    const bench = await withActiveKey()
    const { key: _, ...active } = (await bench.api('GET', one)).body
    const deleted = await bench.api('DELETE', one)
    expect(deleted).toEqual({ status: 202, body: { ...active, status: 'DELETING' } })
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    expect(await bench.api('GET', one)).toEqual({ status: 200, body: deleted.body })
    expect((await bench.api('GET', keys)).body.listData).toEqual([deleted.body])
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await bench.api(method, one, method === 'PUT' ? { body: {} } : {})
      expect([method, status, body.code]).toEqual([method, 404, 'NOT_FOUND'])
      expect(body.message).toContain('"key-one"')
    }
    expect((await bench.api('GET', keys)).body).toMatchObject({ listData: [], totalItem: 0 })
  })

  test('is never listed in full, nor returned by an update', async () => {
    const bench = await withActiveKey()
    const { key, keyHint } = (await bench.api('GET', one)).body
    const listed = await bench.api('GET', keys)
    const writeFileAt = await bench.api('PUT', one, { body: { note: 'new' } })
    expect(listed.body.listData[0]).toMatchObject({ name: 'key-one', status: 'ACTIVE', keyHint })
    expect(JSON.stringify([listed.body, writeFileAt.body])).not.toContain(key)
  })

  test('is accepted for inference only while ACTIVE, and never for management', async () => {
    const bench = await withActiveKey()
    const { key } = (await bench.api('GET', one)).body
    expect(await opensInference(bench, key)).toBe(true)
    expect((await bench.api('GET', keys, { token: key })).status).toBe(401)
    await bench.api('DELETE', one)
    expect(await opensInference(bench, key)).toBe(false)
    await wait(bench)
    await bench.api('POST', keys, { body: { name: 'key-one' } })
    expect(await opensInference(bench, key)).toBe(false)
    await wait(bench)
    const next = (await bench.api('GET', one)).body.key
    expect([await opensInference(bench, key), await opensInference(bench, next)]).toEqual([false, true])
  })

  test.each([['a'.repeat(5)], ['a'.repeat(50)], ['-----'], ['key-1']])('accepts the name %j', async (name) => {
    const bench = await startSlow()
    expect((await bench.api('POST', keys, { body: { name } })).status).toBe(202)
    expect((await bench.api('GET', `${keys}/${name}`)).body.name).toBe(name)
  })

  test.each([
    [''],
    ['abcd'],
    ['a'.repeat(51)],
    ['key\\one'],
    ['\\\\\\\\\\'],
    ['Key-one'],
    ['key_one'],
    ['key one'],
    ['key-one\n'],
    ['khóa-1'],
  ])('refuses the name %j', async (name) => {
    const bench = await startSlow()
    const { status, body } = await bench.api('POST', keys, { body: { name } })
    expect([status, body]).toEqual([
      400,
      { code: 'INVALID_NAME', message: 'name: Use 5 to 50 small letters (a-z), digits and -.' },
    ])
    expect((await bench.api('GET', keys)).body.totalItem).toBe(0)
  })

  test.each([[{}], [{ name: 12345 }], [[]], ['key-one']])('refuses the body %j', async (body) => {
    const bench = await startSlow()
    expect((await bench.api('POST', keys, { body })).body.code).toBe('INVALID_INPUT')
  })

  test('reserves its name until it is gone', async () => {
    const bench = await startSlow()
    const again = () => bench.api('POST', keys, { body: { name: 'key-one' } })
    const answers = [await again(), await again()]
    await wait(bench)
    answers.push(await again())
    await bench.api('DELETE', one)
    const whileDeleting = await again()
    await wait(bench)
    answers.push(whileDeleting, await again())
    expect(answers.map(({ status }) => status)).toEqual([202, 409, 409, 409, 202])
    expect(answers[1]?.body.code).toBe('ALREADY_EXISTS')
    expect(whileDeleting.body.message).toContain('being deleted')
    expect((await bench.api('GET', keys)).body.totalItem).toBe(1)
  })

  test('can be updated while ACTIVE, and keeps its name, key and creation time', async () => {
    const bench = await withActiveKey({ note: 'old', color: 'red' })
    const before = (await bench.api('GET', one)).body
    const forged = {
      name: 'key-two',
      createdAt: 'x',
      status: 'DELETING',
      key: 'mine',
      keyHint: 'mine',
      keyId: 'mine',
      goneAt: 'x',
      readyAt: 'x',
    }
    const writeFileAt = await bench.api('PUT', one, { body: { note: 'new', ...forged } })
    expect(writeFileAt.status).toBe(200)
    const after = (await bench.api('GET', one)).body
    const { color: _, ...kept } = before
    expect(after).toEqual({ ...kept, note: 'new', updatedAt: after.updatedAt })
    expect(Date.parse(after.updatedAt) - Date.parse(before.updatedAt)).toBeGreaterThanOrEqual(asyncMs)
    const { key: _key, ...masked } = after
    expect(writeFileAt.body).toEqual(masked)
  })

  test('cannot be updated during its creation or deletion', async () => {
    const bench = await startSlow()
    const writeFileAt = () => bench.api('PUT', one, { body: { note: 'new' } })
    await bench.api('POST', keys, { body: { name: 'key-one' } })
    const early = [await writeFileAt(), await bench.api('DELETE', one)]
    await wait(bench)
    await bench.api('DELETE', one)
    const late = await writeFileAt()
    for (const { status, body } of [...early, late]) expect([status, body.code]).toEqual([409, 'KEY_NOT_ACTIVE'])
    expect(early[0]?.body.message).toContain('CREATING')
    expect(late.body.message).toContain('DELETING')
    expect((await bench.api('GET', one)).body).not.toHaveProperty('note')
  })

  test('continues its deletion when deleted again', async () => {
    const bench = await withActiveKey()
    await bench.api('DELETE', one)
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    expect((await bench.api('DELETE', one)).status).toBe(202)
    await bench.control('clock', { advanceMs: asyncMs / 2 })
    expect((await bench.api('GET', one)).status).toBe(404)
  })

  test('ignores server-owned fields', async () => {
    const bench = await startSlow()
    const forged = { status: 'ACTIVE', key: 'mine', keyHint: 'mine', keyId: 'mine', createdAt: 'mine' }
    const times = { readyAt: '1999-01-01T00:00:00.000Z', goneAt: '1999-01-01T00:00:00.000Z' }
    const { body } = await bench.api('POST', keys, { body: { name: 'key-one', ...forged, ...times } })
    expect(body.status).toBe('CREATING')
    expect(JSON.stringify(body)).not.toMatch(/mine|1999/)
    expect((await bench.api('GET', one)).body).toEqual(body)
  })

  test('takes the configured time, or none', async () => {
    const bench = await startBench({ timing: { paceMs: 0, asyncMs: 0 } })
    expect((await bench.api('POST', keys, { body: { name: 'key-one' } })).body.status).toBe('ACTIVE')
    expect((await bench.api('DELETE', one)).status).toBe(202)
    expect((await bench.api('GET', one)).status).toBe(404)
  })

  test.each(['nobody', 'a%2Fb', '%5C', '__proto__', 'key-pro-default', 'default-key'])(
    'is missing under the name %s',
    async (name) => {
      const bench = await startSlow()
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await bench.api(method, `${keys}/${name}`, method === 'PUT' ? { body: {} } : {})
        expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
      }
    },
  )
})

test('the subscription keys of plans are never among the API keys', async () => {
  const bench = await withActiveKey()
  expect((await bench.api('GET', keys)).body.listData.map(({ name }: { name: string }) => name)).toEqual(['key-one'])
  expect(await opensInference(bench, bench.readKey('sandbox-pro', 'default-key'))).toBe(false)
})

describe('models', () => {
  test('are listed and read with all catalogue fields', async () => {
    const bench = await startBench()
    expect((await bench.api('GET', '/aip/v1/models')).body.listData).toEqual(models)
    for (const model of models) {
      expect(await bench.api('GET', `/aip/v1/models/detail/${model.uuid}`)).toEqual({ status: 200, body: model })
    }
  })

  test.each(['nobody', 'aurora-large', 'a%2Fb', models[0]?.uuid.slice(1) ?? ''])(
    'are missing with the uuid %s',
    async (uuid) => {
      const bench = await startBench()
      const { status, body } = await bench.api('GET', `/aip/v1/models/detail/${uuid}`)
      expect([status, body.message]).toEqual([404, expect.stringContaining('no model')])
    },
  )
})

test('a restart keeps keys in each state, and saves none in plain text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const stateFile = join(folder, 'state.json')
  const names = ['key-active', 'key-deleting', 'key-creating']
  const first = await startSlow({ stateFile })
  for (const name of names.slice(0, 2)) await first.api('POST', keys, { body: { name, note: { deep: [null] } } })
  await wait(first)
  await first.api('DELETE', `${keys}/key-deleting`)
  await first.api('POST', keys, { body: { name: 'key-creating' } })
  const read = ({ api }: Bench) => Promise.all(names.map(async (name) => (await api('GET', `${keys}/${name}`)).body))
  const before = await read(first)
  await first.sandbox.close()
  expect(before.map(({ status }) => status)).toEqual(['ACTIVE', 'DELETING', 'CREATING'])
  expect(await readFile(stateFile, 'utf8')).not.toContain(before[0].key)

  const second = await startSlow({ stateFile })
  expect(await read(second)).toEqual(before)
  await wait(second)
  expect((await read(second)).map(({ status, code }) => status ?? code)).toEqual(['ACTIVE', 'NOT_FOUND', 'ACTIVE'])
})
