import type { Page } from '@playwright/test'
import { companion } from '../support/companion'
import { expect, test, toPlans } from '../support/desk'
import { installTools } from '../support/tools'
import { type Part, walk } from '../support/walk'

const dayMs = 86_400_000

const needs = (page: Page) => page.getByRole('list', { name: 'Needs attention' })

async function toHome(page: Page): Promise<void> {
  await page.keyboard.press('Control+1')
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()
}

/** Refreshes all account data. */
async function lookAgain(page: Page): Promise<void> {
  await toPlans(page)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await toHome(page)
}

/** User steps while the console answers. */
const parts: readonly Part[] = [
  [
    'home says first what needs a person, with the way to it, then plans, tools and requests',
    async (desk, page) => {
      expect(await companion(desk.machine, ['configure', 'claude-code', '--plan', 'sandbox-pro'])).toMatchObject({
        code: 0,
      })
      await toHome(page)
      await expect(needs(page)).toContainText('sandbox-expired has expired')
      await expect(needs(page)).toContainText(/team-spring expires in \d days/)
      await expect(page.getByRole('list', { name: 'My plans' }).getByRole('listitem')).toHaveCount(3)
      await expect(page.getByRole('list', { name: 'My tools' })).toContainText('Claude Code')
      const headings = page.getByRole('main').getByRole('heading', { level: 2 })
      await expect(headings).toHaveText([/^Needs attention/, /^Plans/, /^Tools/, /^Recent sandbox requests/])

      await desk.control('/account', { credits: 0 })
      await desk.control('/models', { planId: 'plan-sandbox-team', modelCode: 'aurora-large', tokensUsed: 90_000_000 })
      await lookAgain(page)
      await expect(needs(page)).toContainText('team-spring: Aurora Large has no tokens left')
      await desk.control('/clock', { advanceMs: 15.5 * dayMs })
      await lookAgain(page)
      await expect(needs(page).getByRole('listitem').first()).toContainText('expired')
      await expect(needs(page)).toContainText('Couldn’t renew sandbox-pro')
      await needs(page).getByRole('link', { name: 'Couldn’t renew sandbox-pro' }).click()
      await expect(page.getByText(/^Couldn’t renew this plan/)).toBeVisible()
    },
  ],
]

/** User steps while the console is offline. */
const partsOffline: readonly Part[] = [
  [
    'a console that does not answer is said on home, and what is known here stays',
    async (desk, page) => {
      await desk.control('/faults', { faults: [{ operations: 'console.*', status: 503 }] })
      await lookAgain(page)
      await expect(needs(page).getByRole('button', { name: 'Try again' })).toBeVisible()
      await expect(page.getByRole('list', { name: 'My plans' })).toContainText('sandbox-pro')
      await desk.control('/faults', { faults: [] })
      await needs(page).getByRole('button', { name: 'Try again' }).click()
      await expect(needs(page).getByRole('button', { name: 'Try again' })).toHaveCount(0)
      await expect(page.getByRole('list', { name: 'My plans' })).toContainText('team-spring')
    },
  ],
]

test('home shows what needs attention', async ({ desk }) => {
  test.setTimeout(180_000)
  installTools(desk.machine)
  const page = await desk.start()
  await walk(desk, page, parts)
})

test('home shows that the console is unavailable, and local data', { tag: '@deep' }, async ({ desk }) => {
  test.setTimeout(180_000)
  const page = await desk.start()
  await walk(desk, page, partsOffline)
})
