import { expect, test } from 'vitest'
import { rounds } from '../support/depth'
import { killSandboxes } from '../support/sandbox-kills'

test('everything a sandbox answered with 201 is there after it was killed again and again', async () => {
  const { answered, lost, left } = await killSandboxes(rounds(2, 50))
  expect(answered.length).toBeGreaterThan(50)
  expect([lost, left]).toEqual([[], ['state.json']])
})
