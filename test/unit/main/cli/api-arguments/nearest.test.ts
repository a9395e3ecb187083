import { expect, it } from 'vitest'
import { findOperation } from '../../../../../src/main/cli/api-arguments'

/** Suggestions in the error for an unknown id. */
function getSuggestions(typed: string): readonly string[] {
  try {
    findOperation(typed)
  } catch (error) {
    return /Did you mean (.*)\? "companion/.exec(String(error))?.[1]?.split(', ') ?? []
  }
  throw new Error(`${typed} is an operation.`)
}

it.each([
  ['memory.memories.lst', 'memory.memories.list'],
  ['memories.list', 'memory.memories.list'],
  ['Identity.AgentIdentities.List', 'identity.agentIdentities.list'],
  ['gateway.chatcompletion', 'gateway.chatCompletions'],
  ['aip.apikeys.create', 'aip.apiKeys.create'],
  ['flavors', 'runtime.flavors.list'],
  ['console usage', 'console.usage.get'],
])('suggests for %s first %s', (typed, expectedId) => {
  expect(getSuggestions(typed)[0]).toBe(expectedId)
})

it.each([['zzzzzzzz'], [''], ['?!'], ['x'.repeat(100_000)]])('suggests nothing for a dissimilar id', (typed) => {
  expect(getSuggestions(typed)).toEqual([])
})

it('suggests three at most', () => {
  expect(getSuggestions('list')).toHaveLength(3)
})
