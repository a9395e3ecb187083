import { expect, test } from 'vitest'
import { getRounds } from '../support/depth'
import { killSandboxes } from '../support/sandbox-kills'

test('everything that a sandbox answered with 201 survives repeated kills', async () => {
  const { answered, lost, left } = await killSandboxes(getRounds(2, 50))
  expect(answered.length).toBeGreaterThan(50)
  expect([lost, left]).toEqual([[], ['state.json']])
})
