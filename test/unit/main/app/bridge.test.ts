import { contract, events, type Handlers, type MethodName } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerCall, createRunningCalls } from '../../../../src/main/app/bridge'

const logLines: string[] = []
const log = {
  info: (event: string, details?: unknown) => void logLines.push(JSON.stringify([event, details])),
  error: (event: string, error: unknown) => void logLines.push(JSON.stringify([event, String(error)])),
}
const answer = (name: string, input: unknown, handler: (input: unknown) => unknown) =>
  answerCall({ loadHandlers: async () => ({ [name]: handler }) as Partial<Handlers>, log }, name, input)

describe('answerCall', () => {
  it('refuses an unknown method', async () => {
    const names = 'plans.nothing team.nothing team . toString __proto__ __proto__.x'.split(' ')
    for (const name of [...names, 7, undefined]) {
      const result = await answerCall({ loadHandlers: async () => ({}), log }, name, {})
      expect(result).toMatchObject({ ok: false, error: { code: 'bridge.unknownMethod' } })
    }
  })

  it.each([
    ['plans.check', { planId: 5 }, { code: 'input.invalid', field: 'planId' }],
    ['app.copyText', { text: 'x', key: 'sk-1' }, { code: 'input.invalid' }],
  ])('refuses for %s the input %j before the handler runs, and names the field', async (name, input, error) => {
    expect(await answer(name, input, () => expect.unreachable())).toMatchObject({ ok: false, error })
  })

  it('rejects an output with unknown fields, and logs none of its values', async () => {
    logLines.length = 0
    const output = { clearsAfterMs: 1, secret: 'sk-canary-0123456789abcdef' }
    const result = await answer('plans.copyKey', { planId: 'p', keyId: 'k' }, () => output)
    expect(result).toMatchObject({ ok: false, error: { code: 'internal.unexpected' } })
    expect(JSON.stringify(result) + logLines.join('')).not.toContain('sk-canary')
    expect(logLines.join('')).toContain('bridge.badOutput')
  })

  it('passes on an expected failure and hides an unexpected error', async () => {
    const failWith = (error: Error) => answer('sandbox.get', {}, () => Promise.reject(error))
    const failedResult = await failWith(new AppError('sandbox.failed', 'It failed.'))
    expect(failedResult).toEqual({ ok: false, error: { code: 'sandbox.failed', message: 'It failed.' } })
    const unknownAnswer = await failWith(new TypeError('secret detail'))
    expect(unknownAnswer).toMatchObject({ ok: false, error: { code: 'internal.unexpected' } })
    expect(JSON.stringify(unknownAnswer)).not.toContain('secret detail')
  })
})

describe('the size of one call', () => {
  const nestList = (depth: number): unknown => (depth === 0 ? 'x' : [nestList(depth - 1)])
  const circularValue: unknown[] = []
  circularValue.push(circularValue, circularValue)
  const oversizedValues: readonly (readonly [string, unknown])[] = [
    ['300 MB of a typed array', new Uint8Array(300_000_000)],
    ['a typed array in a field', { text: new Float64Array(1000) }],
    ['a buffer', { text: new ArrayBuffer(8) }],
    ['a map', new Map([['text', 'x']])],
    ['a date', { text: new Date(0) }],
    ['an array of four thousand million holes', { ids: Object.assign([], { length: 4_000_000_000 }) }],
    ['more text than any form holds', { text: 'x'.repeat(40_000_000) }],
    ['more values than any list has', { ids: Array.from({ length: 3_000_000 }, () => 0) }],
    ['a text as a name', { ['x'.repeat(40_000_000)]: 1 }],
    ['what is nested without an end', { body: nestList(5000) }],
    ['a circle', circularValue],
    ['a big integer', { days: 5n }],
  ]

  it.each(oversizedValues)('refuses %s with a result, before parsing', async (_what, input) => {
    for (const name of ['app.copyText', 'resources.call', 'playground.attachments']) {
      const result = await answer(name, input, () => ({}))
      expect(result).toMatchObject({ ok: false, error: { code: 'input.invalid' } })
      expect(JSON.stringify(result).length).toBeLessThan(500)
    }
  })

  it('accepts the largest forms of the window', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `row-${n}`, tags: ['a', 'b'], inner: { n } }))
    const exportResult = await answer('resources.export', { name: 'rows', format: 'json', rows }, () => ({}))
    expect(exportResult).toEqual({ ok: true, value: {} })
    const text = await answer('resources.saveText', { name: 'log', text: 'x'.repeat(20_000_000) }, () => ({}))
    expect(text).toEqual({ ok: true, value: {} })
  })

  it('returns a failure when the parser throws', async () => {
    const hostileInput = {}
    Object.defineProperty(hostileInput, 'text', {
      enumerable: true,
      get: () => {
        throw new RangeError('secret detail')
      },
    })
    const result = await answer('app.copyText', hostileInput, () => ({}))
    expect(result).toMatchObject({ ok: false, error: { code: 'internal.unexpected' } })
    expect(JSON.stringify(result)).not.toContain('secret detail')
  })
})

describe('contract', () => {
  const shapeCases: [string, z.ZodType][] = [
    ...Object.entries(contract).map(([name, { output }]): [string, z.ZodType] => [name, output]),
    ...Object.entries(events),
  ]

  it.each(shapeCases)('%s returns closed objects without a property named like a secret', (_name, schema) => {
    const text = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }))
    const looseSchemas: string[] = []
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if ('properties' in node && (node as { additionalProperties?: unknown }).additionalProperties !== false) {
        looseSchemas.push(JSON.stringify(node).slice(0, 200))
      }
      for (const [key, value] of Object.entries((node as { properties?: object }).properties ?? {})) {
        // An enum, such as where a secret is stored, cannot be a secret.
        const isEnumProperty = typeof value === 'object' && value !== null && 'enum' in value
        if (!isEnumProperty)
          expect(key).not.toMatch(/^(key|secret|token|password|apiKey|accessToken|authorization|credential)$/i)
        walk(value)
      }
      for (const value of Object.values(node)) walk(value)
    }
    walk(JSON.parse(text))
    expect(looseSchemas).toEqual([])
  })

  it('names every method domain.verb', () => {
    for (const name of Object.keys(contract) as MethodName[]) expect(name).toMatch(/^[a-z]+\.[a-z][A-Za-z]+$/)
  })
})

const waitForStop = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

it('a cancelled call stops alone, and finished calls are forgotten', async () => {
  const calls = createRunningCalls()
  const firstCall = calls.run('1', waitForStop)
  let isOtherStopped = false
  const otherCallPromise = calls.run('2', async (signal) => {
    await firstCall.catch(() => undefined)
    isOtherStopped = signal.aborted
    return 'done'
  })
  calls.cancel('1')
  await expect(firstCall).rejects.toThrow('stopped')
  expect(await otherCallPromise).toBe('done')
  expect(isOtherStopped).toBe(false)
  expect(() => calls.cancel('1')).not.toThrow()
  expect(() => calls.cancel('never was')).not.toThrow()
})
