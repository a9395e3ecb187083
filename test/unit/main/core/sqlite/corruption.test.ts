import { expect, it } from 'vitest'
import { seed } from '../../../../support/depth'
import { corruptDatabases, findFaults } from '../../../../support/sqlite-corruption'

it('works with texts that are not UTF-8 and with damaged files, and reports what cannot be read', async () => {
  const results = await corruptDatabases({ seed, isThorough: false, rounds: 1 })
  expect(findFaults(results)).toEqual({ ends: [], wrong: [], unusable: [] })
  expect(results.usage.all.length).toBeGreaterThan(13)
  expect(results.playground.all.length).toBeGreaterThan(18)
})
