import { describe, expect, test } from 'vitest'
import { models } from '../../../../src/sandbox/catalogue'
import { type Harness, startHarness } from '../support'

const keys = '/aip/v1/api-keys'
const keyPath = `${keys}/key-one`
const deletionMs = 60_000

/** Starts a sandbox in which creating and deleting platform API keys takes a minute of its clock. */
const startSlowHarness = (options: Parameters<typeof startHarness>[0] = {}) =>
  startHarness({ timing: { paceMs: 0, asyncMs: deletionMs }, ...options })

/** Advances the sandbox clock until the creation or deletion of a key has finished. */
const advanceClock = (harness: Harness) => harness.control('clock', { advanceMs: deletionMs })

async function startWithActiveKey(body: object = {}): Promise<Harness> {
  const harness = await startSlowHarness()
  expect((await harness.api('POST', keys, { body: { name: 'key-one', ...body } })).status).toBe(202)
  await advanceClock(harness)
  return harness
}

/**
 * Whether inference accepts a key. The request has an empty body, which is rejected only after the key was accepted.
 */
const canUseInference = async (harness: Harness, key: string) =>
  (await harness.api('POST', '/inference/v1/chat/completions', { token: key, body: {} })).status !== 401

describe('a platform API key', () => {
  test('is created asynchronously: CREATING without a key, then ACTIVE with it', async () => {
    const harness = await startSlowHarness()
    const createdKey = await harness.api('POST', keys, { body: { name: 'key-one', description: 'Thử', rank: 0 } })
    const { createdAt } = createdKey.body
    const view = { name: 'key-one', description: 'Thử', rank: 0, createdAt, updatedAt: createdAt }
    expect(createdKey).toEqual({ status: 202, body: { ...view, status: 'CREATING' } })
    await harness.control('clock', { advanceMs: deletionMs / 2 })
    expect(await harness.api('GET', keyPath)).toEqual({ status: 200, body: { ...view, status: 'CREATING' } })
    await harness.control('clock', { advanceMs: deletionMs / 2 })
    const { status, body } = await harness.api('GET', keyPath)
    expect(status).toBe(200)
    expect(body.key).toMatch(/^pk-sandbox-[0-9a-f]{40}$/)
    expect(body).toEqual({ ...view, status: 'ACTIVE', key: body.key, keyHint: `****${body.key.slice(-4)}` })
  })

  test('is deleted asynchronously: DELETING without its key, then 404 and no longer listed', async () => {
    const harness = await startWithActiveKey()
    const { key: _, ...active } = (await harness.api('GET', keyPath)).body
    const deletionResponse = await harness.api('DELETE', keyPath)
    expect(deletionResponse).toEqual({ status: 202, body: { ...active, status: 'DELETING' } })
    await harness.control('clock', { advanceMs: deletionMs / 2 })
    expect(await harness.api('GET', keyPath)).toEqual({ status: 200, body: deletionResponse.body })
    expect((await harness.api('GET', keys)).body.listData).toEqual([deletionResponse.body])
    await harness.control('clock', { advanceMs: deletionMs / 2 })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await harness.api(method, keyPath, method === 'PUT' ? { body: {} } : {})
      expect([method, status, body.code]).toEqual([method, 404, 'NOT_FOUND'])
      expect(body.message).toContain('"key-one"')
    }
    expect((await harness.api('GET', keys)).body).toMatchObject({ listData: [], totalItem: 0 })
  })

  test('is never listed in full, nor returned by an update', async () => {
    const harness = await startWithActiveKey()
    const { key, keyHint } = (await harness.api('GET', keyPath)).body
    const keyList = await harness.api('GET', keys)
    const putResponse = await harness.api('PUT', keyPath, { body: { note: 'new' } })
    expect(keyList.body.listData[0]).toMatchObject({ name: 'key-one', status: 'ACTIVE', keyHint })
    expect(JSON.stringify([keyList.body, putResponse.body])).not.toContain(key)
  })

  test('is accepted for inference only while ACTIVE, and never for management', async () => {
    const harness = await startWithActiveKey()
    const { key } = (await harness.api('GET', keyPath)).body
    expect(await canUseInference(harness, key)).toBe(true)
    expect((await harness.api('GET', keys, { token: key })).status).toBe(401)
    await harness.api('DELETE', keyPath)
    expect(await canUseInference(harness, key)).toBe(false)
    await advanceClock(harness)
    await harness.api('POST', keys, { body: { name: 'key-one' } })
    expect(await canUseInference(harness, key)).toBe(false)
    await advanceClock(harness)
    const nextKey = (await harness.api('GET', keyPath)).body.key
    expect([await canUseInference(harness, key), await canUseInference(harness, nextKey)]).toEqual([false, true])
  })

  test('reserves its name until it is gone', async () => {
    const harness = await startSlowHarness()
    const recreateKey = () => harness.api('POST', keys, { body: { name: 'key-one' } })
    const answers = [await recreateKey(), await recreateKey()]
    await advanceClock(harness)
    answers.push(await recreateKey())
    await harness.api('DELETE', keyPath)
    const responseDuringDeletion = await recreateKey()
    await advanceClock(harness)
    answers.push(responseDuringDeletion, await recreateKey())
    expect(answers.map(({ status }) => status)).toEqual([202, 409, 409, 409, 202])
    expect(answers[1]?.body.code).toBe('ALREADY_EXISTS')
    expect(responseDuringDeletion.body.message).toContain('being deleted')
    expect((await harness.api('GET', keys)).body.totalItem).toBe(1)
  })

  test('can be updated while ACTIVE, and keeps its name, key and creation time', async () => {
    const harness = await startWithActiveKey({ note: 'old', color: 'red' })
    const keyBefore = (await harness.api('GET', keyPath)).body
    const forgedFields = {
      name: 'key-two',
      createdAt: 'x',
      status: 'DELETING',
      key: 'mine',
      keyHint: 'mine',
      keyId: 'mine',
      goneAt: 'x',
      readyAt: 'x',
    }
    const putResponse = await harness.api('PUT', keyPath, { body: { note: 'new', ...forgedFields } })
    expect(putResponse.status).toBe(200)
    const keyAfter = (await harness.api('GET', keyPath)).body
    const { color: _, ...kept } = keyBefore
    expect(keyAfter).toEqual({ ...kept, note: 'new', updatedAt: keyAfter.updatedAt })
    expect(Date.parse(keyAfter.updatedAt) - Date.parse(keyBefore.updatedAt)).toBeGreaterThanOrEqual(deletionMs)
    const { key: _key, ...masked } = keyAfter
    expect(putResponse.body).toEqual(masked)
  })

  test('cannot be updated during its creation or deletion', async () => {
    const harness = await startSlowHarness()
    const writeFileAt = () => harness.api('PUT', keyPath, { body: { note: 'new' } })
    await harness.api('POST', keys, { body: { name: 'key-one' } })
    const earlyResponses = [await writeFileAt(), await harness.api('DELETE', keyPath)]
    await advanceClock(harness)
    await harness.api('DELETE', keyPath)
    const statusAfterWrite = await writeFileAt()
    for (const { status, body } of [...earlyResponses, statusAfterWrite])
      expect([status, body.code]).toEqual([409, 'KEY_NOT_ACTIVE'])
    expect(earlyResponses[0]?.body.message).toContain('CREATING')
    expect(statusAfterWrite.body.message).toContain('DELETING')
    expect((await harness.api('GET', keyPath)).body).not.toHaveProperty('note')
  })

  test('takes the configured time, or none', async () => {
    const harness = await startHarness({ timing: { paceMs: 0, asyncMs: 0 } })
    expect((await harness.api('POST', keys, { body: { name: 'key-one' } })).body.status).toBe('ACTIVE')
    expect((await harness.api('DELETE', keyPath)).status).toBe(202)
    expect((await harness.api('GET', keyPath)).status).toBe(404)
  })
})

describe('models', () => {
  test('are listed and read with all catalogue fields', async () => {
    const harness = await startHarness()
    expect((await harness.api('GET', '/aip/v1/models')).body.listData).toEqual(models)
    for (const model of models) {
      expect(await harness.api('GET', `/aip/v1/models/detail/${model.uuid}`)).toEqual({ status: 200, body: model })
    }
  })
})
