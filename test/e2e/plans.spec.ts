import type { Page } from '@playwright/test'
import { z } from 'zod'
import { runCompanion } from '../support/companion'
import {
  type AppHarness,
  expect,
  money,
  openPlan,
  pickFromMenu,
  planRow,
  refreshPlans,
  test,
  toPlans,
} from '../support/desk'
import { installTools } from '../support/tools'
import { restoreFirstDay, type WalkStep, walk } from '../support/walk'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) })

/** Deletes one plan, then several, one of which fails. */
async function deletePlans(harness: AppHarness, page: Page): Promise<void> {
  const key = await harness.readKey('sandbox-pro')
  expect(await runCompanion(harness.machine, ['configure', 'claude-code', '--plan', 'sandbox-pro'])).toMatchObject({
    code: 0,
  })
  const { credits } = (await harness.state()).account
  await toPlans(page)
  await pickFromMenu(page, 'Actions for sandbox-pro', 'Delete…')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('3 keys: default-key, old-laptop, and ci-runner')
  await expect(dialog).toContainText('Tools on this computer: Claude Code')
  const shownRefund = /Estimated refund≈ ₫([\d,]+)/.exec((await dialog.textContent()) ?? '')?.[1] ?? ''
  const confirm = dialog.getByRole('button', { name: 'Delete plan' })
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('Type “sandbox-pro” to confirm').fill('sandbox-pro')
  await confirm.click()
  await expect(page.getByText('sandbox-pro deleted')).toBeVisible()
  await expect(page.getByText(`₫${shownRefund} refunded to your credits.`)).toBeVisible()
  await expect(planRow(page, 'sandbox-pro')).toHaveCount(0)
  expect((await harness.state()).account.credits).toBe(credits + Number(shownRefund.replaceAll(',', '')))
  expect(await harness.ask(key)).toBe(402)
  expect(await runCompanion(harness.machine, ['key', 'print', '--plan', 'sandbox-pro'])).toMatchObject({ code: 1 })

  await page.getByRole('checkbox', { name: 'Select all plans of the account' }).click()
  await page.getByRole('region', { name: '2 plans selected' }).getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByLabel('Type “delete 2 plans” to confirm').fill('delete 2 plans')
  await expect(dialog.getByRole('button', { name: 'Delete 2 plans' })).toBeEnabled()
  await harness.control('/plans/plan-sandbox-expired', { deleted: true })
  await dialog.getByRole('button', { name: 'Delete 2 plans' }).click()
  await expect(dialog).toContainText('Couldn’t delete all plans')
  await expect(dialog).toContainText('1 plan deleted.')
  await expect(dialog.getByRole('list', { name: 'Not deleted' })).toContainText('sandbox-expired')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('No plan yet')).toBeVisible()
  expect(await harness.plansCalled('team-spring')).toEqual([])
}

/** Buys a plan in one app, finds it in the next, and switches off its renewal. */
async function buyAndRestart(harness: AppHarness, firstApp: Page): Promise<void> {
  await harness.control('/account', { role: 'ADMIN' })
  await harness.control('/timing', { provisioningMs: hourMs })
  const { credits } = (await harness.state()).account
  await toPlans(firstApp)
  await firstApp.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await firstApp.getByRole('button', { name: 'Buy Starter' }).click()
  const sheet = firstApp.getByRole('dialog', { name: 'Buy Starter' })
  const payButton = sheet.getByRole('button', { name: 'Pay ₫99,000' })
  await sheet.getByLabel('Plan name').fill('my plan!')
  await expect(sheet).toContainText('Not allowed: a space and “!”.')
  await expect(payButton).toBeDisabled()
  await sheet.getByLabel('Plan name').fill('team-ci')
  await expect(sheet.getByRole('switch', { name: 'Auto-renew' })).toBeChecked()
  await expect(sheet).toContainText(`Current balance${money(credits)}`)
  await expect(sheet).toContainText(`Balance after purchase${money(credits - 99_000)}`)
  await payButton.dblclick()
  await expect(firstApp.getByRole('heading', { name: 'team-ci', level: 1 })).toBeVisible()
  await expect(firstApp.getByText('Provisioning in progress', { exact: true })).toBeVisible()
  await expect(firstApp.getByText('Available after provisioning').first()).toBeVisible()
  await firstApp.getByRole('tab', { name: 'Keys' }).click()
  await expect(firstApp.getByText('Keys are available after provisioning.')).toBeVisible()
  await expect(firstApp.getByRole('button', { name: 'Add key' })).toHaveCount(0)
  const { requests } = Requests.parse(await harness.control('/requests?area=platform'))
  const isPurchase = ({ method, path }: (typeof requests)[number]) =>
    method === 'POST' && path === '/console/token-plans'
  expect(requests.filter(isPurchase)).toHaveLength(1)
  expect(await harness.plansCalled('team-ci')).toMatchObject([{ autoRenew: true, status: 'ACTIVE' }])
  expect((await harness.state()).account.credits).toBe(credits - 99_000)

  await harness.quit()
  const page = await harness.start()
  await toPlans(page)
  await expect(planRow(page, 'team-ci')).toContainText('Provisioning')
  await harness.control('/clock', { advanceMs: hourMs })
  await expect(planRow(page, 'team-ci')).toContainText('Active')
  await openPlan(page, 'team-ci')
  await page.getByRole('switch', { name: 'Auto-renew' }).click()
  await expect(page.getByText(/^Expires at /)).toBeVisible()
  await expect.poll(() => harness.plansCalled('team-ci')).toMatchObject([{ autoRenew: false, status: 'ACTIVE' }])
  await page.getByRole('tab', { name: 'Keys' }).click()
  await expect(page.getByRole('row', { name: /default-key .*Active .*In keychain/ })).toBeVisible()
  expect(await harness.ask(await harness.readKey('team-ci'))).toBe(200)
}

/** User steps of a plan owner, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'who may not buy, or has too little credit, is told so in place of a dead button',
    async (harness, page) => {
      const payButton = page.getByRole('dialog').getByRole('button', { name: /^Pay / })
      for (const [role, word] of [
        ['DEVELOPER', 'Developer'],
        ['VIEWER', 'Viewer'],
      ] as const) {
        await harness.control('/account', { role })
        await refreshPlans(page)
        await expect(page.getByText(word, { exact: true })).toBeVisible()
        await pickFromMenu(page, 'Actions for sandbox-pro', 'Buy again…')
        await expect(page.getByRole('dialog')).toContainText(`Your role, ${word}, can’t buy plans`)
        await expect(page.getByRole('dialog')).toContainText('Ask a Root or Admin')
        await expect(payButton).toHaveCount(0)
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
        await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
        await expect(page.getByRole('link', { name: 'Starter' })).toBeVisible()
        await expect(page.getByText(`Your role, ${word}, can’t buy plans`)).toBeVisible()
        await expect(page.getByRole('button', { name: /^Buy/ })).toHaveCount(0)
      }

      await harness.control('/account', { role: 'ROOT', credits: 98_000 })
      await refreshPlans(page)
      await expect(page.getByText('₫98,000 in credits')).toBeVisible()
      await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
      await page.getByRole('button', { name: 'Buy Starter' }).click()
      await expect(page.getByRole('dialog')).toContainText('₫1,000 short')
      await expect(payButton).toHaveCount(0)
      await harness.control('/account', { credits: 99_000 })
      await page.getByRole('button', { name: 'Check again' }).click()
      await expect(payButton).toBeEnabled()
      await harness.control('/account', { credits: 98_999 })
      await payButton.click()
      await expect(page.getByRole('dialog')).toContainText('Not enough credits')
      expect((await harness.state()).account.credits).toBe(98_999)
      expect(await harness.plansCalled('starter')).toEqual([])
    },
  ],
  [
    'a plan renews, is retried, and expires as the rules say, and its keys with it',
    async (harness, page) => {
      const proKey = await harness.readKey('sandbox-pro')
      const getRenewSwitch = (plan: string) => planRow(page, plan).getByRole('switch')
      await openPlan(page, 'team-spring', 'Keys')
      await page.getByRole('button', { name: 'Save default-key' }).click()
      await expect(page.getByRole('row', { name: /default-key .*In keychain/ })).toBeVisible()
      const team = await harness.readKey('team-spring')
      expect([await harness.ask(proKey), await harness.ask(team)]).toEqual([200, 200])

      await openPlan(page, 'sandbox-pro')
      const autoRenew = page.getByRole('switch', { name: 'Auto-renew' })
      await autoRenew.click()
      await expect(page.getByText(/^Expires at /)).toBeVisible()
      await expect(page.getByText('Nothing is charged or refunded')).toBeVisible()
      const readRenewal = async () =>
        (await harness.plansCalled('sandbox-pro')).map(({ status, autoRenew: is }) => [status, is])
      await expect.poll(readRenewal).toEqual([['ACTIVE', false]])
      await autoRenew.click()
      await expect(page.getByText('Renews for 30 days before')).toBeVisible()
      await expect.poll(readRenewal).toEqual([['ACTIVE', true]])

      const { credits } = (await harness.state()).account
      await harness.control('/clock', { advanceMs: 3 * dayMs })
      await refreshPlans(page)
      await expect(planRow(page, 'team-spring')).toContainText('Expired')
      await expect(getRenewSwitch('team-spring')).toBeDisabled()
      expect([await harness.ask(proKey), await harness.ask(team)]).toEqual([200, 402])

      await harness.control('/clock', { advanceMs: 16 * dayMs })
      await refreshPlans(page)
      await expect(page.getByText(`${money(credits - 490_000)} in credits`)).toBeVisible()
      await expect(planRow(page, 'sandbox-pro')).toContainText('Active')
      expect(await harness.ask(proKey)).toBe(200)

      await harness.control('/account', { credits: 100_000 })
      await harness.control('/clock', { advanceMs: 26.5 * dayMs })
      await refreshPlans(page)
      await expect(planRow(page, 'sandbox-pro')).toContainText('Renewal failing')
      await page.keyboard.press('Control+1')
      await expect(page.getByRole('list', { name: 'Needs attention' })).toContainText('Couldn’t renew sandbox-pro')
      await page.getByRole('link', { name: 'Couldn’t renew sandbox-pro' }).click()
      await expect(page.getByText('1 attempt failed, probably because credits don’t cover ₫490,000.')).toBeVisible()
      expect(await harness.ask(proKey)).toBe(200)

      await harness.control('/clock', { advanceMs: 3 * dayMs })
      await refreshPlans(page)
      await expect(planRow(page, 'sandbox-pro')).toContainText('Expired')
      await expect(getRenewSwitch('sandbox-pro')).toBeDisabled()
      expect(await harness.ask(proKey)).toBe(402)
      await harness.control('/account', { credits: 500_000 })
      await harness.control('/timing', { provisioningMs: 0 })
      await refreshPlans(page)
      await expect(page.getByText('₫500,000 in credits')).toBeVisible()
      await openPlan(page, 'sandbox-pro')
      await page.getByRole('button', { name: 'Buy again' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Pay ₫490,000' }).click()
      await expect(page.getByRole('heading', { name: 'sandbox-pro-2', level: 1 })).toBeVisible()
      expect(await harness.plansCalled('sandbox-pro')).toMatchObject([{ status: 'EXPIRED' }])
      expect(await harness.plansCalled('sandbox-pro-2')).toMatchObject([{ status: 'ACTIVE' }])
      expect((await harness.state()).account.credits).toBe(10_000)
    },
  ],
]

const purchaseTest =
  'an Admin buys once however often it is pressed, and a restart does not lose what is being provisioned'

test('plans are bought, set not to renew, and deleted', async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine)
  const firstApp = await harness.start()
  await test.step('deleting shows what stops and the refund, and lists plans that could not be deleted', () =>
    deletePlans(harness, firstApp))
  await restoreFirstDay(harness, firstApp)
  await test.step(purchaseTest, () => buyAndRestart(harness, firstApp))
})

test('buying and renewing follow role, credits and rules', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine)
  await walk(harness, await harness.start(), parts, restoreFirstDay)
})
