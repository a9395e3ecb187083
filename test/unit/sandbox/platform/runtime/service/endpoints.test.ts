import { describe, expect, test } from 'vitest'
import { startBench } from '../../../support'
import { all, makeEndpoint, makeRuntime } from '../support'

async function withVersions(count: number) {
  const bench = await startBench()
  const { id } = await makeRuntime(bench)
  for (let n = 1; n < count; n += 1) await bench.api('PATCH', `${all}/${id}`, { body: { step: n } })
  return { bench, id, path: `${all}/${id}/endpoints` }
}

describe('an endpoint', () => {
  test('points at the newest version by default, and stays there when versions are added', async () => {
    const { bench, id, path } = await withVersions(3)
    const newest = await bench.api('POST', path, { body: { name: 'production', id: 'mine', colour: 'blue' } })
    expect([newest.status, newest.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'production',
        version: 3,
        colour: 'blue',
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: newest.body.createdAt,
      },
    ])
    expect(newest.body.id).not.toBe('mine')
    expect((await makeEndpoint(bench, id, { name: 'old', version: 1 })).version).toBe(1)
    await bench.api('PATCH', `${all}/${id}`, { body: {} })
    const { body } = await bench.api('GET', path)
    expect(body).toMatchObject({ totalItem: 2, totalPage: 1, page: 1 })
    expect(body.listData.map(({ name, version }: { name: string; version: number }) => [name, version])).toEqual([
      ['production', 3],
      ['old', 1],
    ])
  })

  test.each([
    [{}, 'INVALID_INPUT', 'name'],
    [{ name: 7 }, 'INVALID_INPUT', 'name'],
    [{ name: '' }, 'INVALID_NAME', 'name'],
    [{ name: 'a b' }, 'INVALID_NAME', 'name'],
    [{ name: 'a'.repeat(51) }, 'INVALID_NAME', 'name'],
    [{ name: 'a', version: 0 }, 'INVALID_INPUT', 'from 1 to 2'],
    [{ name: 'a', version: 3 }, 'INVALID_INPUT', 'from 1 to 2'],
    [{ name: 'a', version: 1.5 }, 'INVALID_INPUT', 'version'],
    [{ name: 'a', version: '1' }, 'INVALID_INPUT', 'version'],
    [{ name: 'a', version: null }, 'INVALID_INPUT', 'version'],
  ])('is not created from %j', async (body, code, says) => {
    const { bench, path } = await withVersions(2)
    const refused = await bench.api('POST', path, { body })
    expect([refused.status, refused.body]).toEqual([400, { code, message: expect.stringContaining(says) }])
    expect((await bench.api('GET', path)).body.listData).toEqual([])
  })

  test.each(['1', '2', '3'])('is pointed at version %s by the query', async (version) => {
    const { bench, id, path } = await withVersions(3)
    const endpoint = await makeEndpoint(bench, id)
    const moved = await bench.api('PATCH', `${path}/${endpoint.id}?version=${version}`)
    expect([moved.status, moved.body]).toEqual([
      200,
      { ...endpoint, version: Number(version), updatedAt: expect.stringMatching(/Z$/) },
    ])
    expect((await bench.api('GET', path)).body.listData).toEqual([moved.body])
  })

  test.each(['', '?version=', '?version=0', '?version=4', '?version=-1', '?version=1.5', '?version=one', '?other=1'])(
    'is not changed by %j',
    async (query) => {
      const { bench, id, path } = await withVersions(3)
      const endpoint = await makeEndpoint(bench, id, { name: 'production', version: 2 })
      const refused = await bench.api('PATCH', `${path}/${endpoint.id}${query}`, { body: { version: 1 } })
      expect([refused.status, refused.body]).toEqual([
        400,
        { code: 'INVALID_INPUT', message: expect.stringContaining('"version"') },
      ])
      expect((await bench.api('GET', path)).body.listData).toEqual([endpoint])
    },
  )

  test('is removed alone', async () => {
    const { bench, id, path } = await withVersions(1)
    const [a, b] = [await makeEndpoint(bench, id, { name: 'a' }), await makeEndpoint(bench, id, { name: 'b' })]
    expect((await bench.api('DELETE', `${path}/${a.id}`)).status).toBe(204)
    expect((await bench.api('DELETE', `${path}/${a.id}`)).status).toBe(404)
    expect((await bench.api('PATCH', `${path}/${a.id}?version=1`)).status).toBe(404)
    expect((await bench.api('POST', `${path}/${a.id}/logs`, { body: {} })).status).toBe(404)
    expect((await bench.api('GET', `${path}/${a.id}/metrics`)).status).toBe(404)
    expect((await bench.api('GET', path)).body.listData).toEqual([b])
  })

  test('of another runtime is 404', async () => {
    const { bench, id, path } = await withVersions(1)
    const stranger = await makeEndpoint(bench, (await makeRuntime(bench)).id)
    expect((await bench.api('DELETE', `${path}/${stranger.id}`)).status).toBe(404)
    expect(id).not.toBe(stranger.id)
  })
})
