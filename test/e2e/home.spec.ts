import type { Page } from '@playwright/test'
import type { ToolView } from '@shared/contract'
import { runCompanion } from '../support/companion'
import { expect, test, toPlans } from '../support/desk'
import { labels } from '../support/labels'
import { installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const dayMs = 86_400_000

const getNeedsAttentionList = (page: Page) => page.getByRole('list', { name: 'Needs attention' })

async function goHome(page: Page): Promise<void> {
  await page.keyboard.press('Control+1')
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
}

/** Refreshes all account data. */
async function refreshPage(page: Page): Promise<void> {
  await toPlans(page)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await goHome(page)
}

/** User steps while the console answers. */
const parts: readonly WalkStep[] = [
  [
    'a model without quota is no default, and all tools that use it switch in one click or with one command',
    async (harness, page) => {
      const { machine } = harness
      const configure = (...args: string[]) => runCompanion(machine, ['configure', ...args, '--plan', 'sandbox-pro'])
      expect(await configure('opencode', '--model', 'nova-vision')).toMatchObject({ code: 0 })
      await goHome(page)
      const need = getNeedsAttentionList(page)
        .getByRole('listitem')
        .filter({ hasText: 'Nova Vision has no tokens left' })
      await expect(need).toContainText('sandbox-pro')
      await expect(need).toContainText('Aurora Large, Aurora Small, and Vega Coder still work.')
      await need.getByRole('button', { name: 'Switch 1 tool to aurora-large' }).click()
      await expect(need.getByRole('button')).toHaveCount(0)
      await harness.control('/models', {
        planId: 'plan-sandbox-pro',
        modelCode: 'aurora-large',
        tokensUsed: 90_000_000,
      })
      const switched = await runCompanion(machine, ['configure', '--from-model', 'aurora-large', '--json'])
      expect(switched).toMatchObject({ code: 0 })
      expect(JSON.parse(switched.out)).toMatchObject({ to: 'aurora-small', tools: [{ toolId: 'opencode' }] })
      expect(await configure('kilo')).toMatchObject({ code: 0 })
      const tools = JSON.parse((await runCompanion(machine, ['tools', '--json'])).out)
      const models = tools.flatMap(({ id, applied }: ToolView) => (applied ? [[id, applied.modelCode]] : []))
      expect(models).toEqual([
        ['opencode', 'aurora-small'],
        ['kilo', 'aurora-small'],
      ])
      await runCompanion(machine, ['restore', '--all', '--yes'])
      await harness.control('/models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-large', tokensUsed: 0 })
    },
  ],
  [
    'home first shows what needs attention, with links, then plans, tools and requests',
    async (harness, page) => {
      expect(await runCompanion(harness.machine, ['configure', 'claude-code', '--plan', 'sandbox-pro'])).toMatchObject({
        code: 0,
      })
      await goHome(page)
      await expect(getNeedsAttentionList(page)).toContainText('sandbox-expired has expired')
      await expect(getNeedsAttentionList(page)).toContainText(/team-spring expires in \d days/)
      await expect(page.getByRole('list', { name: 'My plans' }).getByRole('listitem')).toHaveCount(3)
      await expect(page.getByRole('list', { name: 'My tools' })).toContainText('Claude Code')
      const headings = page.getByRole('main').getByRole('heading', { level: 2 })
      await expect(headings).toHaveText([/^Needs attention/, /^Plans/, /^Tools/, /^Recent sandbox requests/])

      await harness.control('/account', { credits: 0 })
      await harness.control('/models', {
        planId: 'plan-sandbox-team',
        modelCode: 'aurora-large',
        tokensUsed: 90_000_000,
      })
      await refreshPage(page)
      await expect(getNeedsAttentionList(page)).toContainText('team-spring: Aurora Large has no tokens left')
      await harness.control('/clock', { advanceMs: 15.5 * dayMs })
      await refreshPage(page)
      await expect(getNeedsAttentionList(page).getByRole('listitem').first()).toContainText('expired')
      await expect(getNeedsAttentionList(page)).toContainText('Couldn’t renew sandbox-pro')
      await getNeedsAttentionList(page).getByRole('link', { name: 'Couldn’t renew sandbox-pro' }).click()
      await expect(page.getByText(/^Couldn’t renew this plan/)).toBeVisible()
    },
  ],
]

/** User steps while the console is offline. */
const offlineWalkParts: readonly WalkStep[] = [
  [
    'a console that does not answer is said on home, and what is known here stays',
    async (harness, page) => {
      await goHome(page)
      await expect(page.getByRole('list', { name: 'My plans' })).toContainText('team-spring')
      await harness.control('/faults', { faults: [{ operations: 'console.*', status: 503 }] })
      await refreshPage(page)
      await expect(getNeedsAttentionList(page).getByRole('button', { name: 'Try again' })).toBeVisible()
      await expect(page.getByRole('list', { name: 'My plans' })).toContainText('sandbox-pro')
      await harness.control('/faults', { faults: [] })
      await getNeedsAttentionList(page).getByRole('button', { name: 'Try again' }).click()
      await expect(getNeedsAttentionList(page).getByRole('button', { name: 'Try again' })).toHaveCount(0)
      await expect(page.getByRole('list', { name: 'My plans' })).toContainText('team-spring')
    },
  ],
]

test('home shows what needs attention', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine)
  const page = await harness.start()
  await walk(harness, page, parts)
})

test('home shows that the console is unavailable, and local data', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await harness.start()
  await walk(harness, page, offlineWalkParts)
})
