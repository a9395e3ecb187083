import { expect, test } from '../support/app'
import { attackFromPage, nothingAchieved } from '../support/page-attack'

test('a script in the page gets no secret sent away, no program run and no file touched without the person', async ({
  machine,
  start,
}) => {
  test.setTimeout(120_000)
  const { achieved, questions } = await attackFromPage(machine, start, { rounds: 1, seed: 1 })
  expect(achieved).toEqual(nothingAchieved)
  expect(questions).toBeGreaterThan(5)
})

test('the same script achieves all of it when the person agrees to every question', { tag: '@deep' }, async ({
  machine,
  start,
}) => {
  const { achieved } = await attackFromPage(machine, start, { rounds: 0, seed: 1, isAgreeing: true })
  // A client secret is entered again where another server would get it: of a connection that is led elsewhere the tokens arrive.
  expect(achieved).toMatchObject({ programRan: true, secrets: ['plan key'] })
  expect(achieved.credentials.join('\n')).toMatch(/: iam-sandbox-/)
  expect(achieved.opened).not.toEqual([])
  expect(achieved.files).not.toEqual([])
  expect(achieved.inUse).toEqual(['database', 'collector', 'ask_model', 'memory_remember', 'copied server'])
})
