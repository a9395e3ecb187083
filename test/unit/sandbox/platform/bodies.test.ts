import { describe, expect, test } from 'vitest'
import { type Harness, rawRequest, startHarness } from '../support'
import { buildRuntimeInput, runtimesPath } from './runtime/support'

const runtimeInput = buildRuntimeInput()

const send = async (harness: Harness, body: string, headers: Record<string, string> = {}) => {
  const authorization = `Bearer ${await harness.token()}`
  const url = `${harness.platformUrl}${runtimesPath}`
  const response = await rawRequest(url, { method: 'POST', headers: { authorization, ...headers }, body })
  return { status: response.status, body: JSON.parse(response.text) }
}

const nestArrays = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

describe('a body', () => {
  test.each(['{', 'null,', "{'name': 'a'}", '{"name": "a",}', 'name=a', '\u0000', '[1', 'undefined'])(
    'that is %j is not valid JSON',
    async (text) => {
      const harness = await startHarness()
      expect(await send(harness, text)).toEqual({
        status: 400,
        body: { code: 'INVALID_JSON', message: 'The body is not valid JSON.' },
      })
    },
  )

  test.each(['[]', 'null', '"text"', '7', 'true', '[{"name":"a"}]'])('that is %s is not an object', async (text) => {
    const harness = await startHarness()
    expect(await send(harness, text)).toEqual({
      status: 400,
      body: { code: 'INVALID_INPUT', message: 'The body: must be an object' },
    })
  })

  test.each(['', '  \n'])('that is empty (%j) counts as an object without fields', async (text) => {
    const harness = await startHarness()
    expect((await send(harness, text)).body).toEqual({ code: 'INVALID_INPUT', message: 'name: is required' })
  })

  test('is accepted with any content type', async () => {
    const harness = await startHarness()
    expect((await send(harness, JSON.stringify(runtimeInput), { 'content-type': 'text/plain' })).status).toBe(201)
    expect((await send(harness, JSON.stringify(runtimeInput))).status).toBe(201)
  })

  test('of 4 MiB is accepted, a larger one is refused with 413, with or without a declared length', async () => {
    const harness = await startHarness()
    const limit = 4 * 1024 * 1024
    const buildBodyOfSize = (bytes: number) => {
      const minimalJson = JSON.stringify({ ...runtimeInput, note: '' })
      return minimalJson.replace('"note":""', `"note":"${'x'.repeat(bytes - minimalJson.length)}"`)
    }
    expect((await send(harness, buildBodyOfSize(limit))).status).toBe(201)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { status, body } = await send(harness, buildBodyOfSize(limit + 1), headers)
      expect([status, body]).toEqual([413, { code: 'REQUEST_TOO_LARGE', message: expect.stringContaining('4194304') }])
    }
    expect((await harness.api('GET', runtimesPath)).body.totalItem).toBe(1)
  })

  test('may be nested 64 levels deep and not deeper, without a crash', async () => {
    const harness = await startHarness()
    const nestedBody = { ...runtimeInput, tree: nestArrays(63) }
    const { status, body } = await send(harness, JSON.stringify(nestedBody))
    expect([status, body.tree]).toEqual([201, nestedBody.tree])
    const text = JSON.stringify(runtimeInput).replace('{', `{"tree":${'['.repeat(100_000)}${']'.repeat(100_000)},`)
    for (const deeplyNestedBody of [JSON.stringify({ ...runtimeInput, tree: nestArrays(64) }), text]) {
      expect(await send(harness, deeplyNestedBody)).toEqual({
        status: 400,
        body: { code: 'INVALID_INPUT', message: expect.stringContaining('64 levels') },
      })
    }
    expect((await harness.api('GET', runtimesPath)).body.totalItem).toBe(1)
  })

  test('keeps every unknown field, whatever its characters', async () => {
    const harness = await startHarness()
    const extraFields = { tên: 'Lan 👩‍👩‍👧', '': 'empty', 'a.b': [1, null, { c: false }], toString: 'x', n: 1e300 }
    const { body } = await send(harness, JSON.stringify({ ...runtimeInput, ...extraFields }))
    expect(body).toMatchObject(extraFields)
  })

  test('cannot change object prototypes', async () => {
    const harness = await startHarness()
    const text = JSON.stringify(runtimeInput).replace('{', '{"__proto__":{"status":"GOLD","polluted":true},')
    const { status, body } = await send(harness, text)
    expect([status, body.status, body.polluted]).toEqual([201, 'CREATING', undefined])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('a page', () => {
  test('beyond the last is empty, and no page has more than 100 rows', async () => {
    const harness = await startHarness()
    const responseBeyondEnd = await harness.api('GET', `${runtimesPath}?page=7&size=5000`)
    expect(responseBeyondEnd.body).toEqual({ listData: [], totalItem: 0, totalPage: 0, page: 7, size: 100 })
  })
})
