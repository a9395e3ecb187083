import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { z } from 'zod'
import { mainClientSecret } from '../../src/sandbox/platform/iam'
import { World } from '../../src/sandbox/state/world'
import { type Machine, makeMachine, startApp } from '../support/app'
import { companion } from '../support/companion'
import { type Desk, expect, planRow, refreshPlans, test, toPlans } from '../support/desk'
import { startHoldingProxy } from '../support/holding-proxy'
import { startSandbox, type TestSandbox } from '../support/sandbox'

const slow = (operations: string) => ({ faults: [{ operations, delayMs: 1_500 }] })

interface Platform {
  readonly platformUrl: string
  readonly clientSecret: string
}

const platformOf = ({ ready }: TestSandbox): Platform => ({
  platformUrl: ready.platformUrl,
  clientSecret: ready.iam.clientSecret.expose(),
})

function builtInOf({ machine, address }: Desk): Platform {
  const world = World.parse(JSON.parse(readFileSync(join(machine.dataDir, 'sandbox.json'), 'utf8')))
  return { platformUrl: address.platformUrl, clientSecret: mainClientSecret(world) }
}

/** Adds a connection to the console of a sandbox. */
async function addConnection(machine: Machine, { platformUrl, clientSecret }: Platform): Promise<void> {
  const tokenSource = {
    kind: 'client-credentials',
    tokenUrl: `${platformUrl}/iam/oauth2/token`,
    clientId: 'sandbox-client',
  }
  const file = join(machine.home, 'lab.json')
  writeFileSync(file, JSON.stringify({ name: 'Lab', consoleUrl: `${platformUrl}/console`, tokenSource }))
  const args = ['connection', 'add', '--file', file, '--secret-stdin']
  expect(await companion(machine, args, { input: clientSecret })).toMatchObject({ code: 0 })
}

async function switchTo(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name: from }).click()
  await page.getByRole('menuitemcheckbox', { name: to }).click()
  await expect(page.getByRole('complementary').getByRole('button', { name: to })).toBeVisible()
}

const renewal = (page: Page, plan: string) => planRow(page, plan).getByRole('switch')

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) })

/** How many changes of a plan the platform has answered. */
async function changesOf(desk: Desk): Promise<number> {
  const { requests } = Requests.parse(await desk.control('/requests?area=platform'))
  return requests.filter(({ method, path }) => method === 'PATCH' && path.startsWith('/console/token-plans/')).length
}

/** Asks main for something and lets the window draw: what was sent to it before is there then. */
const answerIsThere = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { companion: bridge } = window as unknown as { companion: { call(name: string, input: object): unknown } }
    await bridge.call('plans.list', {})
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })

/** Waits until the window has been told what a change led to. */
const told = (desk: Desk, answer: string) => expect.poll(() => desk.bridgeText()).toContain(answer)

test('an answer that comes after the connection was switched changes nothing of the other account', async ({
  desk,
}) => {
  const lab = await startSandbox()
  await lab.control('/plans/plan-sandbox-expired', { deleted: true })
  const page = await desk.start()
  await addConnection(desk.machine, platformOf(lab))
  await toPlans(page)
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()

  await desk.control('/faults', slow('console.*'))
  await renewal(page, 'sandbox-pro').click()
  await expect(renewal(page, 'sandbox-pro')).not.toBeChecked()
  await switchTo(page, 'sandbox', 'Lab')
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()
  await told(
    desk,
    '"name":"sandbox-pro","packageId":"package-pro","planType":"Pro","status":"ACTIVE","provisioned":true,"autoRenew":false',
  )
  await expect(planRow(page, 'team-spring')).toBeVisible()
  await expect(planRow(page, 'sandbox-expired')).toHaveCount(0)
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()
  await desk.control('/faults', { faults: [] })
  await switchTo(page, 'Lab', 'sandbox')
  await expect(renewal(page, 'sandbox-pro')).not.toBeChecked()
  await expect(planRow(page, 'sandbox-expired')).toBeVisible()
  await lab.stop()
})

test('who has left the sheet before the purchase went through is led nowhere, and the plan is there once', async ({
  desk,
}) => {
  const page = await desk.start()
  await desk.control('/timing', { provisioningMs: 0 })
  await toPlans(page)
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  await expect(page.getByRole('button', { name: 'Pay ₫99,000' })).toBeEnabled()
  await desk.control('/faults', slow('console.tokenPlans.create'))
  await page.getByRole('button', { name: 'Pay ₫99,000' }).click()
  await expect(page.getByRole('button', { name: 'Paying…' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
  await told(desk, '"name":"starter","packageId":"package-starter"')
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
  await desk.control('/faults', { faults: [] })
  await toPlans(page)
  await expect(planRow(page, 'starter')).toHaveCount(1)
  expect(await desk.plansCalled('starter')).toHaveLength(1)
})

test('a list from before a change does not undo it, and of two presses the last one counts', async ({ desk }) => {
  const list = 'GET /console/token-plans'
  const change = 'PATCH /console/token-plans/plan-sandbox-pro'
  const page = await desk.start()
  const { platformUrl, clientSecret } = builtInOf(desk)
  const proxy = await startHoldingProxy(platformUrl)
  await addConnection(desk.machine, { platformUrl: proxy.url, clientSecret })
  await switchTo(page, 'sandbox', 'Lab')
  await toPlans(page)
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()

  // The list of before comes while the change is under way.
  proxy.hold(list)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await expect.poll(() => proxy.held()).toBe(1)
  proxy.hold(change)
  await renewal(page, 'sandbox-pro').click()
  await expect.poll(() => proxy.held()).toBe(2)
  await proxy.release(list)
  await answerIsThere(page)
  await expect(renewal(page, 'sandbox-pro')).not.toBeChecked()
  await proxy.release(change)
  await expect(page.getByText(/^sandbox-pro expires/)).toBeVisible()
  await expect(renewal(page, 'sandbox-pro')).not.toBeChecked()

  // It comes after the change was confirmed.
  proxy.hold(list)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
  await expect.poll(() => proxy.held()).toBe(1)
  await renewal(page, 'sandbox-pro').click()
  await expect(page.getByText(/^sandbox-pro renews before/)).toBeVisible()
  await proxy.release(list)
  await answerIsThere(page)
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()

  const before = await changesOf(desk)
  await desk.control('/faults', { faults: [{ operations: 'console.tokenPlans.update', delayMs: 1_000, times: 1 }] })
  await renewal(page, 'sandbox-pro').click()
  await renewal(page, 'sandbox-pro').click()
  await expect.poll(() => changesOf(desk)).toBe(before + 2)
  expect(await desk.plansCalled('sandbox-pro')).toMatchObject([{ autoRenew: true }])
  await refreshPlans(page)
  await expect(renewal(page, 'sandbox-pro')).toBeChecked()
  await proxy.close()
})

test('two apps of the same account agree after a refresh', async ({ desk }) => {
  const page = await desk.start()
  const machine = await makeMachine()
  await addConnection(machine, builtInOf(desk))
  const other = await startApp(machine)
  await other.page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(other.page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()
  await toPlans(other.page)
  await expect(renewal(other.page, 'team-spring')).not.toBeChecked()

  await toPlans(page)
  await renewal(page, 'team-spring').click()
  await expect(page.getByText(/^team-spring renews before/)).toBeVisible()
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  await page.getByRole('button', { name: 'Pay ₫99,000' }).click()
  await expect(page.getByRole('heading', { name: 'starter', level: 1 })).toBeVisible()
  const { credits } = (await desk.state()).account

  await refreshPlans(other.page)
  await expect(planRow(other.page, 'starter')).toBeVisible()
  await expect(renewal(other.page, 'team-spring')).toBeChecked()
  await toPlans(page)
  for (const one of [page, other.page]) {
    await expect(one.getByText(`₫${credits.toLocaleString('en')} in credits`)).toBeVisible()
  }
  await planRow(other.page, 'sandbox-expired').getByRole('button', { name: 'Actions for sandbox-expired' }).click()
  await other.page.getByRole('menuitem', { name: 'Delete…' }).click()
  await other.page.getByLabel('Type “sandbox-expired” to confirm').fill('sandbox-expired')
  await other.page.getByRole('button', { name: 'Delete plan' }).click()
  await expect(planRow(other.page, 'sandbox-expired')).toHaveCount(0)
  await refreshPlans(page)
  await expect(planRow(page, 'sandbox-expired')).toHaveCount(0)
  await other.close()
  rmSync(join(machine.home, '..'), { recursive: true, force: true, maxRetries: 5 })
})
