import { expect, test } from 'vitest'
import { getRounds, seed } from '../support/depth'
import { corruptDatabases, findFaults } from '../support/sqlite-corruption'

test('no corruption of a database ends the process or fails without a message', async () => {
  const results = await corruptDatabases({ seed, isThorough: true, rounds: getRounds(1, 40) })
  expect(findFaults(results)).toEqual({ ends: [], wrong: [], unusable: [] })
  expect(results.usage.all.length + results.playground.all.length).toBeGreaterThan(getRounds(100, 600))
})
