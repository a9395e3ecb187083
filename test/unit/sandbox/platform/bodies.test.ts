import { describe, expect } from 'vitest'
import { type Harness, rawRequest, test } from '../support'
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
  const rows = [
    ['INVALID_JSON', 'The body is not valid JSON.', ['{', 'null,', "{'name': 'a'}", '{"name": "a",}', 'name=a', '[1']],
    ['INVALID_JSON', 'The body is not valid JSON.', ['\u0000', 'undefined']],
    ['INVALID_INPUT', 'The body: must be an object', ['[]', 'null', '"text"', '7', 'true', '[{"name":"a"}]']],
    // An empty body counts as an object without fields.
    ['INVALID_INPUT', 'name: is required', ['', '  \n']],
  ] as const
  test.for(rows)('is refused with %s and “%s”: %j', async ([code, message, texts], { harness }) => {
    for (const text of texts) {
      expect([text, await send(harness, text)]).toEqual([text, { status: 400, body: { code, message } }])
    }
  })

  test('is accepted with any content type', async ({ harness }) => {
    expect((await send(harness, JSON.stringify(runtimeInput), { 'content-type': 'text/plain' })).status).toBe(201)
    expect((await send(harness, JSON.stringify(runtimeInput))).status).toBe(201)
  })

  test('of 4 MiB is accepted, a larger one is refused with 413, with or without a declared length', async ({
    harness,
  }) => {
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

  test('may be nested 64 levels deep and not deeper, without a crash', async ({ harness }) => {
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

  test('keeps every unknown field, whatever its characters', async ({ harness }) => {
    const extraFields = { tên: 'Lan 👩‍👩‍👧', '': 'empty', 'a.b': [1, null, { c: false }], toString: 'x', n: 1e300 }
    const { body } = await send(harness, JSON.stringify({ ...runtimeInput, ...extraFields }))
    expect(body).toMatchObject(extraFields)
  })

  test('cannot change object prototypes', async ({ harness }) => {
    const text = JSON.stringify(runtimeInput).replace('{', '{"__proto__":{"status":"GOLD","polluted":true},')
    const { status, body } = await send(harness, text)
    expect([status, body.status, body.polluted]).toEqual([201, 'CREATING', undefined])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
