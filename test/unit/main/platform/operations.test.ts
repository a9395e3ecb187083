import { OperationView } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSettings } from '../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../src/main/core/settings/settings-file'
import { Operations } from '../../../../src/main/platform/operations'
import { memorySettings } from '../../../support/memory-settings'
import { expectFailure } from '../../support/failures'
import { makeFolder } from '../../support/folders'
import { createClient, json, type Platform, startPlatform } from './harness'

type OperationsDeps = ConstructorParameters<typeof Operations>[0]

let platform: Platform
beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())

const create = { kind: 'apiKey.create', subject: 'my-key' } as const
const remove = { kind: 'apiKey.delete', subject: 'my-key' } as const
const status = (text: string) => json(200, { name: 'my-key', status: text })

/** Operations whose waits end immediately in virtual time, with a platform response per test. */
function createOperations(overrides: Partial<OperationsDeps> = {}) {
  const settings = overrides.settings ?? memorySettings()
  const pausesMs: number[] = []
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const { client } = createClient(platform, { clock: () => new Date(nowMs), sleep: waitForAbort })
  const operations = new Operations({
    settings,
    getClient: async () => client,
    connectionNames: () => new Map(['c', 'd', 'other'].map((id) => [id, `name of ${id}`])),
    clock: () => new Date(nowMs),
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      pausesMs.push(ms)
      nowMs += ms
    },
    random: () => 1,
    ...overrides,
  })
  onTestFinished(() => operations.stop())
  return { operations, settings, pauses: pausesMs, client }
}

/** The client's own waits and timeouts never end. */
const waitForAbort = (_: number, signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const neverResolve = () => new Promise<never>(() => undefined)

const rejectWithCode =
  (code: FailureCode, details = {}) =>
  async (): Promise<never> => {
    throw new AppError(code, `It failed with ${code}.`, details)
  }

describe('an operation', () => {
  it('that creates a key is polled by name until the key is ACTIVE', async () => {
    platform.answer(status('CREATING'), status('CREATING'), status('ACTIVE'))
    const { operations, pauses } = createOperations()
    const operation = operations.follow('c', create)
    const runningOperation = { state: 'running', connectionName: 'name of c', subject: 'my-key' }
    expect(OperationView.parse(operation)).toMatchObject(runningOperation)
    const endedOperation = { state: 'succeeded', endedAt: '2026-01-01T00:00:03.000Z' }
    expect(await operations.wait(operation.id)).toMatchObject(endedOperation)
    expect(pauses).toEqual([1000, 2000])
    const request = { method: 'GET', path: '/aip/v1/api-keys/my-key' }
    expect(platform.server.received).toMatchObject(Array(3).fill(request))
  })

  it('that deletes a key is polled until the key is gone', async () => {
    platform.answer(status('ACTIVE'), status('DELETING'), json(404, {}))
    const { operations } = createOperations()
    expect(await operations.wait(operations.follow('c', remove).id)).toMatchObject({ state: 'succeeded' })
    expect(platform.server.received).toHaveLength(3)
  })

  it('is polled with jitter at growing intervals, up to 30 seconds', async () => {
    platform.answer(...Array(9).fill(status('CREATING')), status('ACTIVE'))
    const { operations, pauses } = createOperations()
    await operations.wait(operations.follow('c', create).id)
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000])
    platform.answer(...Array(6).fill(status('CREATING')), status('ACTIVE'))
    const otherClient = createOperations({ random: () => 0 })
    await otherClient.operations.wait(otherClient.operations.follow('c', create).id)
    expect(otherClient.pauses).toEqual([500, 1000, 2000, 4000, 8000, 15_000])
  })

  it('is not polled before the platform’s retry delay', async () => {
    platform.answer(json(429, {}, { 'retry-after': '90' }), status('ACTIVE'))
    const { operations, pauses } = createOperations()
    expect(await operations.wait(operations.follow('c', create).id)).toMatchObject({ state: 'succeeded' })
    expect(pauses).toEqual([90_000])
  })

  it.each<FailureCode>(['api.serverError', 'api.rateLimited', 'net.refused'])(
    'survives %s for a while, and fails with it after 15 minutes without a success',
    async (code) => {
      let failures = 3
      const { operations, client, pauses } = createOperations({
        getClient: async () => {
          failures -= 1
          return failures < 0 && failures > -3 ? client : rejectWithCode(code)()
        },
      })
      platform.answer(status('CREATING'))
      const endedOperation = await operations.wait(operations.follow('c', create).id)
      expect(endedOperation).toMatchObject({ state: 'failed', failure: { code } })
      expect(platform.server.received).toHaveLength(2)
      const pauseSumMs = pauses.slice(5).reduce((sum, ms) => sum + ms, 0)
      expect(pauseSumMs).toBeGreaterThanOrEqual(15 * 60_000)
      expect(pauseSumMs).toBeLessThan(16 * 60_000)
    },
  )

  it.each<FailureCode>(['api.forbidden', 'auth.rejected', 'vault.unavailable', 'connection.notFound', 'net.tls'])(
    'fails immediately with %s',
    async (code) => {
      const { operations, pauses } = createOperations({ getClient: rejectWithCode(code) })
      const endedOperation = await operations.wait(operations.follow('c', create).id)
      expect(OperationView.parse(endedOperation)).toMatchObject({ state: 'failed', failure: { code } })
      expect(pauses).toEqual([])
    },
  )

  it('fails with a bug, without its message', async () => {
    const { operations } = createOperations({ getClient: () => Promise.reject(new TypeError('canary')) })
    const endedOperation = await operations.wait(operations.follow('c', create).id)
    expect(endedOperation).toMatchObject({ state: 'failed', failure: { code: 'internal.unexpected' } })
    expect(JSON.stringify(endedOperation)).not.toContain('canary')
  })

  it('does not start for a removed connection', () => {
    const { operations } = createOperations()
    expect(() => operations.follow('gone', create)).toThrow('was removed')
    expect(operations.list()).toEqual([])
  })
})

describe('the list of operations', () => {
  it('is sorted newest first, and several run concurrently', async () => {
    platform.answer(status('CREATING'), status('CREATING'), status('ACTIVE'))
    const { operations } = createOperations()
    const ids = ['one-key', 'two-key', 'three-key'].map(
      (subject) => operations.follow('c', { kind: 'apiKey.create', subject }).id,
    )
    expect(operations.list().map(({ subject }) => subject)).toEqual(['three-key', 'two-key', 'one-key'])
    const endedOperations = await Promise.all(ids.map((id) => operations.wait(id)))
    expect(endedOperations.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })

  it('contains a running one once, and drops a creation that is deleted in between', async () => {
    const { operations } = createOperations({ getClient: neverResolve })
    const firstOperation = operations.follow('c', create)
    expect(operations.follow('c', create)).toEqual(firstOperation)
    operations.follow('other', create)
    operations.follow('c', remove)
    expect(operations.list().map(({ kind, connectionId }) => [kind, connectionId])).toEqual([
      ['apiKey.delete', 'c'],
      ['apiKey.create', 'other'],
    ])
  })

  it('reports each change once through the settings', async () => {
    platform.answer(json(403, {}))
    const { operations, settings } = createOperations()
    const states: string[] = []
    settings.onChange(() =>
      states.push(
        operations
          .list()
          .map(({ state }) => state)
          .join(),
      ),
    )
    await operations.wait(operations.follow('c', create).id)
    operations.resume()
    expect(states).toEqual(['running', 'failed'])
    expect(platform.server.received).toHaveLength(1)
  })

  it('drops dismissed entries, while running and afterwards', async () => {
    const getClient = vi.fn(neverResolve)
    const { operations } = createOperations({ getClient })
    const { id } = operations.follow('c', create)
    await vi.waitUntil(() => getClient.mock.calls.length > 0)
    operations.dismiss(id)
    expect(operations.list()).toEqual([])
    expect(() => operations.dismiss(id)).not.toThrow()
    await expectFailure(operations.wait(id), 'input.invalid')
  })

  it('follows a failed one again on request', async () => {
    platform.answer(json(403, {}), status('ACTIVE'))
    const { operations } = createOperations()
    const { id } = operations.follow('c', create)
    expect(await operations.wait(id)).toMatchObject({ state: 'failed' })
    operations.retry(id)
    expect(operations.list()).toMatchObject([{ id, state: 'running' }])
    const endedOperation = await operations.wait(id)
    expect([endedOperation.state, endedOperation.failure]).toEqual(['succeeded', undefined])
    expect(() => operations.retry('none')).toThrow('no longer')
  })

  it('shows the current name of a connection, and the last one after its removal', () => {
    let names = new Map([['c', 'before']])
    const { operations } = createOperations({ connectionNames: () => names, getClient: neverResolve })
    operations.follow('c', create)
    names = new Map([['c', 'after']])
    expect(operations.list()).toMatchObject([{ connectionName: 'after' }])
    names = new Map()
    expect(operations.list()).toMatchObject([{ connectionName: 'before' }])
  })

  it('has a bounded size', async () => {
    platform.answer(status('ACTIVE'))
    const { operations } = createOperations()
    for (let index = 0; index < 55; index++) {
      await operations.wait(operations.follow('c', { kind: 'apiKey.create', subject: `key-${index}` }).id)
    }
    expect(operations.list()).toHaveLength(51)
    expect(operations.list().at(0)?.subject).toBe('key-54')
  })

  it('stops waiting on request, and keeps following', async () => {
    const { operations } = createOperations({ getClient: neverResolve })
    const { id } = operations.follow('c', create)
    await expectFailure(operations.wait(id, AbortSignal.abort()), 'net.cancelled')
    expect(operations.list()).toMatchObject([{ state: 'running' }])
  })
})

describe('operations across restarts', () => {
  const openSettings = (cwd: string) => createSettings(openSettingsFile({ dataDir: cwd }))

  it('continue where they were, and finished ones stay finished', async () => {
    const cwd = makeFolder()
    const { operations } = createOperations({ settings: openSettings(cwd) })
    platform.answer(json(403, {}))
    await operations.wait(operations.follow('c', remove).id)
    platform.answer(status('CREATING'))
    operations.follow('d', create)
    operations.stop()
    const { operations: restarted } = createOperations({ settings: openSettings(cwd) })
    expect(restarted.list()).toMatchObject([
      { state: 'running' },
      { state: 'failed', failure: { code: 'api.forbidden' } },
    ])
    platform.answer(status('ACTIVE'))
    restarted.resume()
    expect(await restarted.wait(restarted.list()[0]?.id ?? '')).toMatchObject({ state: 'succeeded' })
    expect(platform.server.received).toHaveLength(1)
    expect(restarted.list()[1]).toMatchObject({ state: 'failed' })
  })

  it('include those added by another process, and respect what it finished or dismissed', async () => {
    const settings = memorySettings()
    const app = createOperations({ settings })
    settings.onChange(() => app.operations.resume())
    platform.answer(status('ACTIVE'))
    const command = createOperations({ settings, getClient: neverResolve })
    const { id } = command.operations.follow('c', create)
    expect(await app.operations.wait(id)).toMatchObject({ state: 'succeeded' })
    command.operations.stop()
    const storedOperations = settings.read().operations
    platform.answer(status('CREATING'), (request, response) => {
      settings.update(() => ({ operations: [] }))
      json(403, {})(request, response)
    })
    const nextOperation = app.operations.follow('c', create)
    await app.operations.wait(nextOperation.id).catch(() => undefined)
    expect(settings.read().operations).toEqual([])
    expect(storedOperations).toHaveLength(1)
  })

  it('are not followed after the app ends', async () => {
    platform.answer(status('CREATING'))
    const { operations, settings } = createOperations({ sleep: waitForAbort })
    const { id } = operations.follow('c', create)
    operations.stop()
    expect(await operations.wait(id)).toMatchObject({ state: 'running' })
    operations.resume()
    settings.update({ welcomed: true })
    expect(operations.list()).toMatchObject([{ state: 'running' }])
  })
})
