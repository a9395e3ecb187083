import type { Page } from '@playwright/test'
import { violations } from '../../support/axe'
import { type AppHarness, expect, openPlan, pickFromMenu, planRow, test, toPlans } from '../../support/desk'
import { labels } from '../../support/labels'
import { installTools } from '../../support/tools'

async function goHome(page: Page): Promise<void> {
  await page.keyboard.press('Control+1')
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
}

/** Every screen of the account, each with data. */
const screens: readonly (readonly [name: string, show: (page: Page, harness: AppHarness) => Promise<void>])[] = [
  ['home', goHome],
  ['plans', toPlans],
  [
    'plans ticked',
    async (page) => {
      await planRow(page, 'team-spring').getByRole('checkbox').click()
      await expect(page.getByRole('region', { name: '1 plan selected' })).toBeVisible()
    },
  ],
  [
    'deleting',
    async (page) => {
      await pickFromMenu(page, 'Actions for team-spring', 'Delete…')
      await expect(page.getByRole('dialog')).toContainText('Estimated refund')
    },
  ],
  [
    'plan',
    async (page) => {
      await page.keyboard.press('Escape')
      await openPlan(page, 'sandbox-pro')
    },
  ],
  [
    'models',
    async (page) => {
      await page.getByRole('tab', { name: 'Models' }).click()
      await expect(page.getByRole('heading', { name: 'Aurora Large' })).toBeVisible()
    },
  ],
  [
    'keys',
    async (page) => {
      await page.getByRole('tab', { name: 'Keys' }).click()
      await expect(page.getByRole('row', { name: /ci-runner/ })).toBeVisible()
    },
  ],
  [
    'adding a key',
    async (page) => {
      await page.getByRole('button', { name: 'Add key' }).click()
      await expect(page.getByRole('dialog')).toContainText('Key 4 of 5.')
    },
  ],
  [
    'deleting a key',
    async (page) => {
      await page.keyboard.press('Escape')
      await pickFromMenu(page, 'Actions for ci-runner', 'Delete…')
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  ],
  [
    'expired plan',
    async (page) => {
      await page.keyboard.press('Escape')
      await openPlan(page, 'sandbox-expired')
    },
  ],
  [
    'packages',
    async (page) => {
      await toPlans(page)
      await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
      await page.getByRole('checkbox', { name: 'Compare Starter' }).click()
      await page.getByRole('checkbox', { name: 'Compare Team' }).click()
    },
  ],
  [
    'buying',
    async (page) => {
      await page.getByRole('button', { name: 'Buy Scale' }).click()
      await expect(page.getByRole('dialog')).toContainText('Current balance')
    },
  ],
  [
    'comparing',
    async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Compare', exact: true }).click()
      await expect(page.getByRole('table', { name: 'Package comparison' })).toBeVisible()
    },
  ],
  [
    'package, as a Viewer',
    async (page, harness) => {
      await harness.control('/account', { role: 'VIEWER' })
      await toPlans(page)
      await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
      await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
      await page.getByRole('link', { name: 'Scale' }).click()
      await expect(page.getByText('Your role, Viewer, can’t buy plans')).toBeVisible()
    },
  ],
]

for (const theme of ['light', 'dark'] as const) {
  test(`the screens of the account are accessible, ${theme}`, async ({ harness }) => {
    test.setTimeout(120_000)
    installTools(harness.machine)
    const page = await harness.start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const [name, show] of screens) {
      await show(page, harness)
      expect.soft(await violations(page), name).toEqual([])
    }
  })
}
