import { expect, test } from 'vitest'
import { computeCoverage } from '../../support/coverage-table'

const operations = [
  { id: 'gateway.chatCompletions', service: 'gateway', method: 'POST', path: '/v1/chat/completions' },
  { id: 'memory.memories.list', service: 'memory', method: 'GET', path: '/memories' },
  { id: 'aip.models.list', service: 'aip', method: 'GET', path: '/v1/models' },
]
const models = {
  operation: 'aip.models.list',
  screen: '/models/list',
  test: 'models.spec.ts: models are listed',
  times: 1,
}
const otherScreen = { ...models, screen: '/models/list/:id' }
const repeatedTest = { ...models, test: 'models.spec.ts: pages are turned', times: 4 }
const memories = {
  operation: 'memory.memories.list',
  screen: '/memory',
  test: 'memory.spec.ts: memories \\| more',
  times: 1,
}

const toRows = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('| `'))

test('every operation except the gateway’s has a row, sorted, and those without a call are listed', () => {
  const { text, missing } = computeCoverage(operations, [memories, models, repeatedTest], '')
  expect(missing).toEqual([])
  expect(toRows(text)).toEqual([
    '| `aip.models.list` | `GET /v1/models` | `/models/list` | models.spec.ts: pages are turned |',
    '| `memory.memories.list` | `GET /memories` | `/memory` | memory.spec.ts: memories \\| more |',
  ])
  expect(computeCoverage(operations, [memories], '').missing).toEqual(['aip.models.list'])
})

test('a row stays while it is true, whatever the order of the tests', () => {
  const textBefore = computeCoverage(operations, [otherScreen, memories], '').text
  expect(computeCoverage(operations, [repeatedTest, memories, models, otherScreen], textBefore).text).toBe(textBefore)
  expect(computeCoverage(operations, [repeatedTest, memories, models], textBefore).text).toBe(
    computeCoverage(operations, [models, memories, repeatedTest], '').text,
  )
})
