import { expect, it } from 'vitest'
import { findByIdOrName } from '../../../../src/main/cli/options'
import { catchFailure } from '../platform/harness'

interface NamedItem {
  readonly id: string
  readonly name: string
}

const itemNames = { what: 'plan', listIds: ({ id }: NamedItem) => [id], listNames: ({ name }: NamedItem) => [name] }
const namedItems: readonly NamedItem[] = [
  { id: 'p1', name: 'team' },
  { id: 'p2', name: 'team' },
  { id: 'p3', name: 'p1' },
  { id: 'p4', name: 'alone' },
]

it.each([
  ['an id', 'p2', 'p2'],
  ['an id that is the name of another', 'p1', 'p1'],
  ['a name that one alone has', 'alone', 'p4'],
])('finds by %s', (_, idOrName, id) => {
  expect(findByIdOrName(namedItems, idOrName, itemNames)?.id).toBe(id)
})

it.each(['nothing', 'TEAM', ''])('finds nothing for %j', (idOrName) => {
  expect(findByIdOrName(namedItems, idOrName, itemNames)).toBeUndefined()
})

it('refuses an ambiguous name and lists the ids', async () => {
  const failure = await catchFailure(Promise.resolve().then(() => findByIdOrName(namedItems, 'team', itemNames)))
  expect(failure).toMatchObject({ code: 'input.invalid', field: 'plan', message: expect.stringContaining('p1, p2') })
})
