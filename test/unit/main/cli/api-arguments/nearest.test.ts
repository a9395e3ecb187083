import { expect, it } from 'vitest'
import { nearest } from '../../../../../src/main/cli/api-arguments'
import { operations } from '../../../../../src/main/platform/services'

const ids = operations.map(({ id }) => id)

it.each([
  ['memory.memories.lst', 'memory.memories.list'],
  ['memories.list', 'memory.memories.list'],
  ['Identity.AgentIdentities.List', 'identity.agentIdentities.list'],
  ['gateway.chatcompletion', 'gateway.chatCompletions'],
  ['aip.apikeys.create', 'aip.apiKeys.create'],
  ['flavors', 'runtime.flavors.list'],
  ['console usage', 'console.usage.get'],
])('finds for %s first %s', (typed, wanted) => {
  expect(nearest(typed, ids)[0]).toBe(wanted)
})

it.each([['zzzzzzzz'], [''], ['?!'], ['x'.repeat(100_000)]])('finds nothing for what is like none of them', (typed) => {
  expect(nearest(typed, ids)).toEqual([])
})

it('finds three at most', () => {
  expect(nearest('list', ids)).toHaveLength(3)
})
