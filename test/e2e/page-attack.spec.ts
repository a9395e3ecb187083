import { test } from '../support/app'
import { attackFromPage } from '../support/page-attack'

test('a script in the page gets no secret sent away, no program run and no file touched without the person', async ({
  machine,
  start,
}) => {
  test.setTimeout(120_000)
  await attackFromPage(machine, start, { rounds: 1, seed: 1 })
})
