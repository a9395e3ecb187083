import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { addConnection, connectBuiltIn, getRenewalSwitch, type Platform, switchConnection } from '../../support/account'
import { createMachine, startApp, stubMessageBoxes } from '../../support/app'
import { type AppHarness, expect, planRow, refreshPlans, test, toPlans } from '../../support/desk'
import { labels } from '../../support/labels'
import { startSandbox, type TestSandbox } from '../../support/sandbox'

const buildDelay = (operations: string) => ({ faults: [{ operations, delayMs: 1_500 }] })

const toPlatform = ({ ready }: TestSandbox): Platform => ({
  platformUrl: ready.platformUrl,
  clientSecret: ready.iam.clientSecret.expose(),
})

/** Waits until the window has received the result of a change. */
const expectBridgeText = (harness: AppHarness, answer: RegExp) =>
  expect.poll(() => harness.bridgeText()).toMatch(answer)

test('a response after a connection switch changes nothing of the other account', async ({ harness }) => {
  const sandbox = await startSandbox()
  await sandbox.control('/plans/plan-sandbox-expired', { deleted: true })
  const page = await harness.start()
  await addConnection(harness.machine, toPlatform(sandbox))
  await toPlans(page)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()

  await harness.control('/faults', buildDelay('console.*'))
  await getRenewalSwitch(page, 'sandbox-pro').click()
  await expect(getRenewalSwitch(page, 'sandbox-pro')).not.toBeChecked()
  await switchConnection(page, 'sandbox', 'Lab')
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()
  await expectBridgeText(harness, /"name":"sandbox-pro"[^[\]{}]*"autoRenew":false/)
  await expect(planRow(page, 'team-spring (Lab)')).toBeVisible()
  await expect(planRow(page, 'sandbox-expired')).toHaveCount(0)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()
  await harness.control('/faults', { faults: [] })
  await switchConnection(page, 'Lab', 'sandbox')
  await expect(getRenewalSwitch(page, 'sandbox-pro')).not.toBeChecked()
  await expect(planRow(page, 'sandbox-expired')).toBeVisible()
  await sandbox.stop()
})

test('a user who closed the sheet before the purchase finished stays, and the plan exists once', async ({
  harness,
}) => {
  const page = await harness.start()
  await harness.control('/timing', { provisioningMs: 0 })
  await toPlans(page)
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  await expect(page.getByRole('button', { name: 'Pay ₫99,000' })).toBeEnabled()
  await harness.control('/faults', buildDelay('console.tokenPlans.create'))
  await page.getByRole('button', { name: 'Pay ₫99,000' }).click()
  await expect(page.getByRole('button', { name: 'Paying…' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  await expectBridgeText(harness, /"name":"starter"[^[\]{}]*"packageId":"package-starter"/)
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  await harness.control('/faults', { faults: [] })
  await toPlans(page)
  await expect(planRow(page, 'starter')).toHaveCount(1)
  expect(await harness.plansCalled('starter')).toHaveLength(1)
})

test('two apps of the same account agree after a refresh', async ({ harness }) => {
  const page = await harness.start()
  const machine = await createMachine()
  await addConnection(machine, connectBuiltIn(harness))
  const otherApp = await startApp(machine)
  await otherApp.page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(otherApp.page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await toPlans(otherApp.page)
  await expect(getRenewalSwitch(otherApp.page, 'team-spring')).not.toBeChecked()

  await toPlans(page)
  // The plan expires soon, so turning on auto-renew deducts credits and asks first.
  await stubMessageBoxes(harness.app(), 0)
  await getRenewalSwitch(page, 'team-spring').click()
  await expect(page.getByText(/^team-spring renews before/)).toBeVisible()
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  await page.getByRole('button', { name: 'Pay ₫99,000' }).click()
  await expect(page.getByRole('heading', { name: 'starter', level: 1 })).toBeVisible()
  const { credits } = (await harness.state()).account

  await refreshPlans(otherApp.page)
  await expect(planRow(otherApp.page, 'starter')).toBeVisible()
  await expect(getRenewalSwitch(otherApp.page, 'team-spring')).toBeChecked()
  await toPlans(page)
  for (const appPage of [page, otherApp.page]) {
    await expect(appPage.getByText(`₫${credits.toLocaleString('en')} in credits`)).toBeVisible()
  }
  await planRow(otherApp.page, 'sandbox-expired').getByRole('button', { name: 'Actions for sandbox-expired' }).click()
  await otherApp.page.getByRole('menuitem', { name: 'Delete…' }).click()
  await otherApp.page.getByLabel('Type “sandbox-expired” to confirm').fill('sandbox-expired')
  await otherApp.page.getByRole('button', { name: 'Delete plan' }).click()
  await expect(planRow(otherApp.page, 'sandbox-expired')).toHaveCount(0)
  await refreshPlans(page)
  await expect(planRow(page, 'sandbox-expired')).toHaveCount(0)
  await otherApp.close()
  rmSync(join(machine.home, '..'), { recursive: true, force: true, maxRetries: 5 })
})
