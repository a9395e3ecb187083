import { expect, test } from '../support/app'
import { attackFromPage, emptyAttackResult } from '../support/page-attack'

test("a script in the page can't send secrets, run programs or touch files without the user", async ({
  machine,
  start,
}) => {
  test.setTimeout(120_000)
  const { achieved, questions } = await attackFromPage(machine, start, { rounds: 1, seed: 1 })
  expect(achieved).toEqual(emptyAttackResult)
  expect(questions).toBeGreaterThan(5)
})

test('the same script succeeds when the user confirms every question', { tag: '@deep' }, async ({ machine, start }) => {
  const { achieved } = await attackFromPage(machine, start, { rounds: 0, seed: 1, isAgreeing: true })
  // A client secret must be entered again for another server. A redirected connection receives only tokens.
  expect(achieved).toMatchObject({ programRan: true, secrets: ['plan key'] })
  expect(achieved.credentials.join('\n')).toMatch(/: iam-sandbox-/)
  expect(achieved.opened).not.toEqual([])
  expect(achieved.files).not.toEqual([])
  expect(achieved.inUse).toEqual(['database', 'collector', 'webhook', 'ask_model', 'memory_remember', 'copied server'])
})
