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

test('the dialog that disables 500 or 25,000 keys lists what is affected, and disabling can be cancelled', {
  tag: '@deep',
}, async ({ start, machine }) => {
  test.setTimeout(240_000)
  const console = await startManyPlans()
  await connect(machine, console.connection)
  const { page } = await start()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: labels.keys, exact: true }).click()
  const keyCounts = { some: '500', all: '25,000' }
  await expect(page.getByText(`${keyCounts.all} keys`).first()).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('loading keys from accounts…')).toHaveCount(0)
  const dialog = page.getByRole('alertdialog')
  const openDialog = async (count: string): Promise<void> => {
    await page.getByRole('checkbox', { name: 'Select all shown keys' }).check()
    await expect(page.getByText(`${count} keys selected`).first()).toBeVisible()
    const startedAt = performance.now()
    await page.getByRole('button', { name: 'Disable…', exact: true }).click()
    // Checks each frame. An assertion checks only after 100, 250, 500 and 1,000 ms.
    await dialog.getByText('No tool on this computer uses it, and it has no holder.').waitFor({ timeout: 60_000 })
    globalThis.console.log(`dialog for ${count} keys: ${Math.round(performance.now() - startedAt)} ms`)
  }
  const search = page.getByRole('searchbox', { name: 'Search keys' })
  // Ten plans with 50 keys each.
  await search.fill('plan-01')
  await expect(page.getByText(`${keyCounts.some} of ${keyCounts.all}`)).toBeVisible()
  await openDialog(keyCounts.some)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()

  await search.fill('')
  await openDialog(keyCounts.all)
  await dialog.getByRole('button', { name: 'Disable now' }).click()
  await expect(dialog.getByRole('progressbar')).toBeVisible()
  await expect.poll(console.changeCount, { timeout: 60_000 }).toBeGreaterThan(100)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  expect(console.changeCount()).toBeLessThan(2_000)
  await console.close()
})
