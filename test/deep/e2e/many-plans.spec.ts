import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../../support/app'
import { runCompanion } from '../../support/companion'
import { createSavedPlans, planConnections, planCount, startManyPlans, toPlanName } from '../../support/many-plans.mjs'

/** Maximum number of nodes, far more than fits on the screen. */
const maxNodes = 5_000

/** A console is slow to return the hours of 3,000 models. */
const maxAnswerMs = 30_000

test('with 500 saved plans no page renders more than what is near the viewport', async ({ start, machine }) => {
  test.setTimeout(180_000)
  const console = await startManyPlans()
  const file = join(machine.home, 'many.json')
  writeFileSync(file, JSON.stringify(console.connection))
  const addConnectionPromise = runCompanion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], {
    input: 'any-token',
  })
  expect(await addConnectionPromise).toMatchObject({ code: 0 })
  const path = join(machine.dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  const plans = createSavedPlans(settings.connections.at(-1).id)
  writeFileSync(path, JSON.stringify({ ...settings, welcomed: true, plans }))
  const { page } = await start()
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)
  const busyElements = page.locator('main :is([role="status"] > .sr-only, [aria-busy="true"])')
  const rowCounts: Record<string, number> = {}
  for (const [screenPath, title] of Object.entries(planConnections)) {
    await page.evaluate((hash) => {
      location.hash = hash
    }, screenPath)
    await expect(page.locator('main h1')).toContainText(title)
    await expect(busyElements).toHaveCount(0, { timeout: maxAnswerMs })
    rowCounts[screenPath] = await nodes()
  }
  await page.evaluate(() => {
    location.hash = '/usage/left'
  })
  const quotaTable = page.getByRole('list', { name: 'Quota by plan' })
  const firstItem = quotaTable.getByRole('listitem').first()
  await expect(firstItem).toHaveAttribute('aria-setsize', `${planCount}`, { timeout: maxAnswerMs })
  rowCounts.left = await nodes()
  await page.getByRole('searchbox', { name: 'Search plans' }).fill(toPlanName(planCount))
  await expect(quotaTable.getByRole('heading', { name: toPlanName(planCount) })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search plans' }).clear()
  expect(Object.entries(rowCounts).filter(([, count]) => count > maxNodes)).toEqual([])
  await console.close()
})
