import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../../../src/sandbox/platform/operation'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'
import { startHarness } from '../support'

interface OperationFixture {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
}

const operationsFile = resolve(import.meta.dirname, '../../../fixtures/operations.json')

const readFacts = (name: string): OperationFixture[] =>
  JSON.parse(readFileSync(operationsFile, 'utf8')).filter((fact: OperationFixture) => fact.service === name)

/** Replaces all parameters of a path pattern by a fixed value. */
const fillPathParameters = (path: string): string => path.replace(/\{\w+\}/g, 'nobody')

/** Tests that a service has exactly the operations of the spec, and that each one requires a token. */
export function describeTable(name: string, service: Service): void {
  const formatOperation = ({ id, method, path }: OperationFixture | Service['operations'][number]) =>
    `${id} ${method} ${path}`

  test(`has exactly the operations of the spec`, () => {
    const operationFacts = readFacts(name).map(formatOperation)
    expect(operationFacts.length).toBeGreaterThan(6)
    expect(service.operations.map(formatOperation).sort()).toEqual(operationFacts.sort())
  })

  describe.each(service.operations)('$id', ({ method, path }) => {
    test('returns 401 without a valid token, before other errors', async () => {
      const harness = await startHarness()
      const requestPath = service.base + fillPathParameters(path)
      const subscriptionKey = harness.readKey('sandbox-pro', 'default-key')
      for (const token of [null, 'nonsense', subscriptionKey, `${await harness.token()}x`]) {
        const response = await harness.api(method, requestPath, { token, ...(method === 'POST' ? { body: [] } : {}) })
        expect([token, response.status]).toEqual([token, 401])
        expect(response.body).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) })
      }
      expect((await harness.api(method, requestPath)).status).not.toBe(401)
    })
  })
}

/** Returns a function that creates the initial sandbox state with one section replaced. */
export const createWorldWith =
  (section: Partial<World>) =>
  (seed: string, nowMs: number): World => ({ ...plainWorld(seed, nowMs), ...section })

/** Creation and update times of resources that tests create. */
export const rowTimestamps = { createdAt: '2025-01-01T00:00:00.000Z', updatedAt: '2025-01-01T00:00:00.000Z' }
