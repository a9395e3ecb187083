import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../../support/app'
import { companion } from '../../support/companion'
import { keptPlans, placesOfPlans, planCount, startManyPlans, toPlanName } from '../../support/many-plans.mjs'

/** Maximum number of nodes, far more than fits on the screen. */
const maxNodes = 5_000

/** A console is slow to return the hours of 3,000 models. */
const maxAnswerMs = 30_000

test('with 500 saved plans no page renders more than what is near the viewport', async ({ start, machine }) => {
  test.setTimeout(180_000)
  const console = await startManyPlans()
  const file = join(machine.home, 'many.json')
  writeFileSync(file, JSON.stringify(console.connection))
  const adding = companion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], { input: 'any-token' })
  expect(await adding).toMatchObject({ code: 0 })
  const path = join(machine.dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  const plans = keptPlans(settings.connections.at(-1).id)
  writeFileSync(path, JSON.stringify({ ...settings, welcomed: true, plans }))
  const { page } = await start()
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)
  const busy = page.locator('main :is([role="status"] > .sr-only, [aria-busy="true"])')
  const drawn: Record<string, number> = {}
  for (const [place, title] of Object.entries(placesOfPlans)) {
    await page.evaluate((to) => {
      location.hash = to
    }, place)
    await expect(page.locator('main h1')).toContainText(title)
    await expect(busy).toHaveCount(0, { timeout: maxAnswerMs })
    drawn[place] = await nodes()
  }
  await page.evaluate(() => {
    location.hash = '/usage/left'
  })
  const left = page.getByRole('list', { name: 'Quota by plan' })
  const first = left.getByRole('listitem').first()
  await expect(first).toHaveAttribute('aria-setsize', `${planCount}`, { timeout: maxAnswerMs })
  drawn.left = await nodes()
  await page.getByRole('searchbox', { name: 'Search plans' }).fill(toPlanName(planCount))
  await expect(left.getByRole('heading', { name: toPlanName(planCount) })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search plans' }).clear()
  expect(Object.entries(drawn).filter(([, count]) => count > maxNodes)).toEqual([])
  await console.close()
})
