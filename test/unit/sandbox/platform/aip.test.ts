import { describe, expect, test } from 'vitest'
import { type Harness, startHarness } from '../support'

const keys = '/aip/v1/api-keys'
const keyPath = `${keys}/key-one`
const deletionMs = 60_000

/** Starts a sandbox in which creating and deleting platform API keys takes a minute of its clock. */
const startSlowHarness = () => startHarness({ timing: { paceMs: 0, asyncMs: deletionMs } })

/** Advances the sandbox clock until the creation or deletion of a key has finished. */
const advanceClock = (harness: Harness) => harness.control('clock', { advanceMs: deletionMs })

async function startWithActiveKey(): Promise<Harness> {
  const harness = await startSlowHarness()
  expect((await harness.api('POST', keys, { body: { name: 'key-one' } })).status).toBe(202)
  await advanceClock(harness)
  return harness
}

/**
 * Whether inference accepts a key. The request has an empty body, which is rejected only after the key was accepted.
 */
const canUseInference = async (harness: Harness, key: string) =>
  (await harness.api('POST', '/inference/v1/chat/completions', { token: key, body: {} })).status !== 401

describe('a platform API key', () => {
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
    const { status, body } = await harness.api('GET', keys, { token: key })
    expect([status, body.message]).toEqual([401, expect.stringContaining('platform API key')])
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
})
