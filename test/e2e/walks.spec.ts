import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { type AppHarness, callMain, expect, openPlan, test, toPlans } from '../support/desk'
import { labels } from '../support/labels'
import { claudeFile, installTools, openTool } from '../support/tools'
import { countClicks, createStepTimer } from '../support/walk'

const run = promisify(execFile)
const plan = 'team-web'
const holder = 'Lan Pham'

const getMainHeading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

/** Buys a plan whose keys are only on this computer. */
async function buyPlan(page: Page): Promise<void> {
  await toPlans(page)
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  const sheet = page.getByRole('dialog', { name: 'Buy Starter' })
  await sheet.getByLabel('Plan name').fill(plan)
  await sheet.getByRole('button', { name: /^Pay / }).click()
  await expect(getMainHeading(page, plan)).toBeVisible()
}

/** Hands out a new key in a file and returns its name. */
async function createHandout(harness: AppHarness, page: Page): Promise<string> {
  const path = join(harness.machine.home, 'for-lan.age')
  await harness.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
  await page.keyboard.press('Control+1')
  await page.getByRole('main').getByRole('link', { name: 'Issue a key' }).click()
  await expect(getMainHeading(page, 'Issue a key')).toBeVisible()
  await page.getByRole('combobox', { name: 'Plan', exact: true }).click()
  await page.getByRole('option', { name: plan }).click()
  await page.getByLabel(labels.name, { exact: true }).fill(holder)
  await page.getByRole('button', { name: 'Create key file' }).click()
  await expect(page.getByText(`Key file for ${holder} created`)).toBeVisible()
  const [bought] = await harness.plansCalled(plan)
  return bought?.keys.find(({ name }) => name !== 'default-key')?.name ?? ''
}

/** Status of the tool's first request with its own settings and the key from its helper command. */
async function requestWithToolSettings({ machine }: AppHarness): Promise<number> {
  const { apiKeyHelper, env } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
  const { stdout } = await run('/bin/sh', ['-c', apiKeyHelper], { env: machine.env, cwd: machine.home })
  const response = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: env.ANTHROPIC_MODEL,
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Say hello.' }],
    }),
  })
  await response.text()
  return response.status
}

const openPage = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

test('a lead, a developer, a quota watcher and an engineer reach their goals in a few clicks', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(120_000)
  installTools(harness.machine)
  const page = await harness.start()
  await harness.control('/account', { role: 'ADMIN' })
  await harness.control('/timing', { provisioningMs: 0 })
  // Forecasts depend on the hour of the day. With this usage, the quota runs out at any hour.
  await harness.control('/models', { planId: 'plan-sandbox-pro', modelCode: 'vega-coder', tokensUsed: 27_000_000 })
  await callMain(page, 'quota.refresh')

  const { step, report } = await createStepTimer(page)
  await step('the plan is bought and its key works', async () => {
    await buyPlan(page)
    await openPlan(page, plan, 'Keys')
    await expect(page.getByRole('row', { name: /default-key .*Active .*In keychain/ })).toBeVisible()
    expect(await harness.ask(await harness.readKey(plan))).toBe(200)
  })

  const key = await step('somebody is given a key of their own', async () => {
    const name = await createHandout(harness, page)
    const secret = await harness.readKey(plan, name)
    expect(await harness.ask(secret)).toBe(200)
    return secret
  })

  await step('a tool is set up with the plan, says how it is started, and gets its first answer', async () => {
    await openTool(page, 'Claude Code')
    await page.getByRole('button', { name: 'Change settings' }).click()
    await page.getByRole('combobox', { name: 'Plan', exact: true }).click()
    await page.getByRole('option', { name: plan }).click()
    await expect(page.getByRole('combobox', { name: 'Plan', exact: true })).toContainText(plan)
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await expect(page.getByText(`Claude Code is configured with ${plan}`).first()).toBeVisible()
    await expect(page.getByText('Start it with')).toContainText('claude')
    expect(await requestWithToolSettings(harness)).toBe(200)
  })

  await step('who leaves loses every key in one step, and nobody else does', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('tab', { name: 'Holders' }).click()
    await page.getByRole('button', { name: `${holder} leaves…` }).click()
    const confirmDialog = page.getByRole('alertdialog', { name: `Remove ${holder}?` })
    await confirmDialog.getByRole('button', { name: 'Disable now' }).click()
    await expect(confirmDialog).toHaveCount(0)
    await expect.poll(() => harness.ask(key)).toBe(401)
    expect(await requestWithToolSettings(harness)).toBe(200)
  })

  await step(
    'one click from home shows when the lowest quota runs out, two clicks show when the next one likely does',
    async () => {
      await openPage(page, labels.home)
      const clicks = await countClicks(page)
      const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'sandbox-pro' })
      await row.getByRole('link', { name: /Burn-down of/ }).click()
      await expect(page.getByText(/^Likely runs out \w+ \d+/).first()).toBeVisible()
      expect(await clicks()).toBe(1)
      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Quota' }).click()
      await expect(page.getByText(/^Likely runs out \w+ \d+/).first()).toBeVisible()
      expect(await clicks()).toBe(2)
    },
  )

  await step('three models answer one prompt, the best gets its stars and wins, in six clicks', async () => {
    const clicks = await countClicks(page)
    await openPage(page, 'Playground')
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('button', { name: 'Several models, one prompt' }).click()
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Count to 4')
    await page.getByRole('button', { name: 'Run all 3' }).click()
    await expect(page.getByText('Done', { exact: true })).toHaveCount(3)
    await page.getByRole('group', { name: 'Rate aurora-large' }).getByRole('button', { name: '4 stars' }).click()
    await page.getByRole('button', { name: 'Choose aurora-large as the winner' }).click()
    await expect(page.getByRole('row', { name: /aurora-large.*Winner/ })).toBeVisible()
    expect(await clicks()).toBe(6)
  })
  report()
})
