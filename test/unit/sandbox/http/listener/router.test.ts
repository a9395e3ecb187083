import { expect, test } from 'vitest'
import { createRouter } from '../../../../../src/sandbox/http/listener'

const findRoute = createRouter([
  { method: 'GET', pattern: '/plans/{planId}', handler: 'get' },
  { method: 'POST', pattern: '/plans/{planId}:buy-again', handler: 'buy again' },
  { method: 'POST', pattern: '/plans/{planId}', handler: 'change' },
  { method: 'GET', pattern: '/plans/{planId}/keys/{keyId}', handler: 'key' },
  { method: 'GET', pattern: '/a.b', handler: 'dot' },
])

test.each([
  ['GET', '/plans/p1', 'get', { planId: 'p1' }],
  ['POST', '/plans/p1:buy-again', 'buy again', { planId: 'p1' }],
  ['POST', '/plans/p1:other', 'change', { planId: 'p1:other' }],
  ['GET', '/plans/p%2F1/keys/k%201', 'key', { planId: 'p/1', keyId: 'k 1' }],
  ['GET', '/a.b', 'dot', {}],
])('%s %s is routed to %s', (method, path, handler, params) => {
  expect(findRoute(method, path)).toEqual({ handler, params })
})

test.each([
  ['DELETE', '/plans/p1'],
  ['GET', '/plans/'],
  ['GET', '/plans/p1/'],
  ['GET', '/plans/%E0%A4%A'],
  ['GET', '/aXb'],
  ['GET', '/PLANS/p1'],
])('%s %s has no route', (method, path) => {
  expect(findRoute(method, path)).toBeUndefined()
})

test('a static path yields to an earlier route with a parameter', () => {
  const findFirst = createRouter([
    { method: 'GET', pattern: '/v1/{kind}', handler: 'kind' },
    { method: 'GET', pattern: '/v1/models', handler: 'models' },
    { method: 'POST', pattern: '/v1/models', handler: 'add' },
  ])
  expect(findFirst('GET', '/v1/models')?.handler).toBe('kind')
  expect(findFirst('POST', '/v1/models')?.handler).toBe('add')
})
