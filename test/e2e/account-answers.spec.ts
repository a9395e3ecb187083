import type { Page } from '@playwright/test'
import { z } from 'zod'
import { addConnection, connectBuiltIn, getRenewalSwitch, switchConnection } from '../support/account'
import { type AppHarness, expect, refreshPlans, test, toPlans } from '../support/desk'
import { startHoldingProxy } from '../support/holding-proxy'

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) })

async function countChanges(harness: AppHarness): Promise<number> {
  const { requests } = Requests.parse(await harness.control('/requests?area=platform'))
  return requests.filter(({ method, path }) => method === 'PATCH' && path.startsWith('/console/token-plans/')).length
}

/** Calls main and waits for a frame. Then the window has rendered all earlier events. */
const waitForAnswer = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { companion: bridge } = window as unknown as { companion: { call(name: string, input: object): unknown } }
    await bridge.call('plans.list', {})
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })

test('a list from before a change does not revert it, and the last of two clicks counts', { tag: '@deep' }, async ({
  harness,
}) => {
  const list = 'GET /console/token-plans'
  const change = 'PATCH /console/token-plans/plan-sandbox-pro'
  const page = await harness.start()
  const { platformUrl, clientSecret } = connectBuiltIn(harness)
  const proxy = await startHoldingProxy(platformUrl)
  await addConnection(harness.machine, { platformUrl: proxy.url, clientSecret })
  await switchConnection(page, 'sandbox', 'Lab')
  await toPlans(page)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()

  // Case 1: the list from before the change arrives while the change is running.
  proxy.hold(list)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await expect.poll(() => proxy.held()).toBe(1)
  proxy.hold(change)
  await getRenewalSwitch(page, 'sandbox-pro').click()
  await expect.poll(() => proxy.held()).toBe(2)
  await proxy.release(list)
  await waitForAnswer(page)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).not.toBeChecked()
  await proxy.release(change)
  await expect(page.getByText(/^sandbox-pro expires/)).toBeVisible()
  await expect(getRenewalSwitch(page, 'sandbox-pro')).not.toBeChecked()

  // Case 2: a list is requested after the change was confirmed.
  proxy.hold(list)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await expect.poll(() => proxy.held()).toBe(1)
  await getRenewalSwitch(page, 'sandbox-pro').click()
  await expect(page.getByText(/^sandbox-pro renews before/)).toBeVisible()
  await proxy.release(list)
  await waitForAnswer(page)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()

  const changesBefore = await countChanges(harness)
  await harness.control('/faults', { faults: [{ operations: 'console.tokenPlans.update', delayMs: 1_000, times: 1 }] })
  await getRenewalSwitch(page, 'sandbox-pro').click()
  await getRenewalSwitch(page, 'sandbox-pro').click()
  await expect.poll(() => countChanges(harness)).toBe(changesBefore + 2)
  expect(await harness.plansCalled('sandbox-pro')).toMatchObject([{ autoRenew: true }])
  await refreshPlans(page)
  await expect(getRenewalSwitch(page, 'sandbox-pro')).toBeChecked()
  await proxy.close()
})
