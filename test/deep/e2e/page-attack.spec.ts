import { expect, test } from '../../support/app'
import { seed } from '../../support/depth'
import { attackFromPage, emptyAttackResult } from '../../support/page-attack'

for (const [index, rounds] of [25, 25, 25].entries())
  test(`a script in the page that calls every method ${rounds} times achieves nothing, series ${index + 1}`, async ({
    machine,
    start,
  }) => {
    test.setTimeout(20 * 60_000)
    const { achieved, questions } = await attackFromPage(machine, start, { rounds, seed: seed * 100 + index })
    expect(achieved).toEqual(emptyAttackResult)
    expect(questions).toBeGreaterThan(5)
  })
