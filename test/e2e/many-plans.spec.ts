import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Machine, test } from '../support/app'
import { filesWith, pageText } from '../support/canary'
import { companion } from '../support/companion'
import { planRow, toPlans } from '../support/desk'
import { keptPlans, keyCount, keyPrefix, planCount, planNameOf, startManyPlans } from '../support/many-plans.mjs'

async function connect(machine: Machine, connection: object): Promise<void> {
  const file = join(machine.home, 'many.json')
  writeFileSync(file, JSON.stringify(connection))
  const adding = companion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], { input: 'any-token' })
  expect(await adding).toMatchObject({ code: 0 })
}

/** Far more than fit on the screen, far fewer than there are. */
const mostDrawn = 60

test('of 500 plans with 50 keys each only those on the screen are drawn, and each can be reached', async ({
  start,
  machine,
}) => {
  const console = await startManyPlans()
  await connect(machine, console.connection)
  const { page } = await start()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()
  await toPlans(page)
  const table = page.getByRole('table', { name: 'Plans' })
  await expect(table).toHaveAttribute('aria-rowcount', `${planCount + 1}`)
  expect(await table.getByRole('row').count()).toBeLessThan(mostDrawn)

  await table.getByRole('button', { name: 'Plan', exact: true }).click()
  const last = planRow(page, planNameOf(planCount))
  await planRow(page, planNameOf(1)).focus()
  await page.keyboard.press('End')
  await expect(last).toBeFocused()
  await expect(last).toBeInViewport()
  expect(await table.getByRole('row').count()).toBeLessThan(mostDrawn)
  await page.keyboard.press('Home')
  await expect(planRow(page, planNameOf(1))).toBeFocused()

  await page.getByRole('searchbox', { name: 'Search plans' }).fill(planNameOf(planCount))
  await expect(page.getByText(`1 of ${planCount}`)).toBeVisible()
  await last.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: planNameOf(planCount), level: 1 })).toBeVisible()
  await page.getByRole('tab', { name: 'Keys' }).click()
  const keys = page.getByRole('table', { name: 'Keys' })
  await expect(keys).toHaveAttribute('aria-rowcount', `${keyCount + 1}`)
  expect(await keys.getByRole('row').count()).toBeLessThan(keyCount)
  await keys.getByRole('row', { name: /person-01/ }).focus()
  await page.keyboard.press('End')
  await expect(keys.getByRole('row', { name: /person-50/ })).toBeFocused()
  await page.getByRole('button', { name: 'Save person-50' }).click()
  await expect(keys.getByRole('row', { name: /person-50 .*In keychain/ })).toBeVisible()
  expect(await pageText(page)).not.toContain(keyPrefix)
  await console.close()
  expect(filesWith(join(machine.home, '..'), keyPrefix)).toEqual([])
})

/** What a page may draw: far more than fits on the screen. */
const mostNodes = 5_000

/** A console that is asked for the hours of 3,000 models takes its time. */
const longestAnswerMs = 30_000

/** Every page that tells of plans or keys, and what it is called. */
const places = {
  '/': 'Home',
  '/plans': 'Plans',
  '/usage': 'Usage',
  '/usage/requests': 'Requests',
  '/usage/alerts': 'Alerts',
  '/usage/sources': 'Data sources and storage',
  '/settings': 'Settings',
  '/tools': 'Tools',
  '/tools/set-up': 'Configure several tools',
  '/tools/claude-code?tab=configure': 'Claude Code',
  '/profiles': 'Profiles',
  '/relay': 'Relay',
  '/playground': 'Playground',
  '/playground/compare': 'Compare',
  '/register': 'Keys',
  '/register/rotations': 'Keys',
  '/rotate': 'Rotate key',
  '/rotate/many': 'Rotate keys',
  '/handout': 'Issue a key',
  '/handout/many': 'Issue several keys',
}

test('with 500 plans that are kept here no page draws more than what is near the screen', async ({
  start,
  machine,
}) => {
  test.setTimeout(180_000)
  const console = await startManyPlans()
  await connect(machine, console.connection)
  const path = join(machine.dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  const plans = keptPlans(settings.connections.at(-1).id)
  writeFileSync(path, JSON.stringify({ ...settings, welcomed: true, plans }))
  const { page } = await start()
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)
  const busy = page.locator('main :is([role="status"] > .sr-only, [aria-busy="true"])')
  const drawn: Record<string, number> = {}
  for (const [place, title] of Object.entries(places)) {
    await page.evaluate((to) => {
      location.hash = to
    }, place)
    await expect(page.locator('main h1')).toContainText(title)
    await expect(busy).toHaveCount(0, { timeout: longestAnswerMs })
    drawn[place] = await nodes()
  }
  await page.evaluate(() => {
    location.hash = '/usage/left'
  })
  const left = page.getByRole('list', { name: 'Quota by plan' })
  const first = left.getByRole('listitem').first()
  await expect(first).toHaveAttribute('aria-setsize', `${planCount}`, { timeout: longestAnswerMs })
  drawn.left = await nodes()
  await page.getByRole('searchbox', { name: 'Search plans' }).fill(planNameOf(planCount))
  await expect(left.getByRole('heading', { name: planNameOf(planCount) })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search plans' }).clear()
  expect(Object.entries(drawn).filter(([, count]) => count > mostNodes)).toEqual([])
  await console.close()
})
