import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Machine, test } from '../support/app'
import { listFilesContaining, pageText } from '../support/canary'
import { runCompanion } from '../support/companion'
import { planRow, toPlans } from '../support/desk'
import { labels } from '../support/labels'
import { keyCount, keyPrefix, planCount, startManyPlans, toPlanName } from '../support/many-plans.mjs'

async function connect(machine: Machine, connection: object): Promise<void> {
  const file = join(machine.home, 'many.json')
  writeFileSync(file, JSON.stringify(connection))
  const addConnectionPromise = runCompanion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], {
    input: 'any-token',
  })
  expect(await addConnectionPromise).toMatchObject({ code: 0 })
}

/** Maximum number of rendered rows: more than fit on the screen, far fewer than 500. */
const maxRenderedRows = 60

test('of 500 plans with 50 keys each only those on screen are rendered, and each can be reached', {
  tag: '@deep',
}, async ({ start, machine }) => {
  const console = await startManyPlans()
  await connect(machine, console.connection)
  const { page } = await start()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await toPlans(page)
  const table = page.getByRole('table', { name: 'Plans' })
  await expect(table).toHaveAttribute('aria-rowcount', `${planCount + 1}`)
  expect(await table.getByRole('row').count()).toBeLessThan(maxRenderedRows)

  await table.getByRole('button', { name: 'Plan', exact: true }).click()
  const lastRow = planRow(page, toPlanName(planCount))
  await planRow(page, toPlanName(1)).focus()
  await page.keyboard.press('End')
  await expect(lastRow).toBeFocused()
  await expect(lastRow).toBeInViewport()
  expect(await table.getByRole('row').count()).toBeLessThan(maxRenderedRows)
  await page.keyboard.press('Home')
  await expect(planRow(page, toPlanName(1))).toBeFocused()

  await page.getByRole('searchbox', { name: 'Search plans' }).fill(toPlanName(planCount))
  await expect(page.getByText(`1 of ${planCount}`)).toBeVisible()
  await lastRow.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: toPlanName(planCount), level: 1 })).toBeVisible()
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
  expect(listFilesContaining(join(machine.home, '..'), keyPrefix)).toEqual([])
})
