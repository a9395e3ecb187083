import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { type Desk, expect, openPlan, test, toPlans } from '../support/desk'
import { claudeFile, installTools, openTool } from '../support/tools'

const run = promisify(execFile)
const plan = 'team-web'
const holder = 'Lan Pham'

const h1 = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

/** Buys a plan; by then nobody has a key of it but this computer. */
async function buy(page: Page): Promise<void> {
  await toPlans(page)
  await page.getByRole('link', { name: 'Buy a plan' }).press('Enter')
  await page.getByRole('button', { name: 'Buy Starter' }).click()
  const sheet = page.getByRole('dialog', { name: 'Buy Starter' })
  await sheet.getByLabel('Plan name').fill(plan)
  await sheet.getByRole('button', { name: /^Pay / }).click()
  await expect(h1(page, plan)).toBeVisible()
}

/** Gives somebody a key of their own, in a file; gives the name of that key. */
async function handOut(desk: Desk, page: Page): Promise<string> {
  const path = join(desk.machine.home, 'for-lan.age')
  await desk.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
  await page.keyboard.press('Control+1')
  await page.getByRole('main').getByRole('link', { name: 'Issue a key' }).click()
  await expect(h1(page, 'Issue a key')).toBeVisible()
  await page.getByRole('combobox', { name: 'Plan', exact: true }).click()
  await page.getByRole('option', { name: plan }).click()
  await page.getByLabel('Name', { exact: true }).fill(holder)
  await page.getByRole('button', { name: 'Create key file' }).click()
  await expect(page.getByText(`Key file for ${holder} created`)).toBeVisible()
  const [bought] = await desk.plansCalled(plan)
  return bought?.keys.find(({ name }) => name !== 'default-key')?.name ?? ''
}

/** The first request that a tool makes by its own settings: the key is what its helper command prints. */
async function askByOwnSettings({ machine }: Desk): Promise<number> {
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

test('a lead buys a plan, a developer gets the first answer of a tool, and a leaver loses every key', async ({
  desk,
}) => {
  test.setTimeout(120_000)
  installTools(desk.machine)
  const page = await desk.start()
  await desk.control('/account', { role: 'ADMIN' })
  await desk.control('/timing', { provisioningMs: 0 })

  await test.step('the plan is bought and its key works', async () => {
    await buy(page)
    await openPlan(page, plan, 'Keys')
    await expect(page.getByRole('row', { name: /default-key .*Active .*In keychain/ })).toBeVisible()
    expect(await desk.ask(await desk.keyOf(plan))).toBe(200)
  })

  const key = await test.step('somebody is given a key of their own', async () => {
    const name = await handOut(desk, page)
    const secret = await desk.keyOf(plan, name)
    expect(await desk.ask(secret)).toBe(200)
    return secret
  })

  await test.step('a tool is set up with the plan, says how it is started, and gets its first answer', async () => {
    await openTool(page, 'Claude Code')
    await page.getByRole('button', { name: 'Change settings' }).click()
    await page.getByRole('combobox', { name: 'Plan', exact: true }).click()
    await page.getByRole('option', { name: plan }).click()
    await expect(page.getByRole('combobox', { name: 'Plan', exact: true })).toContainText(plan)
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await expect(page.getByText(`Claude Code is configured with ${plan}`).first()).toBeVisible()
    await expect(page.getByText('Start it with')).toContainText('claude')
    expect(await askByOwnSettings(desk)).toBe(200)
  })

  await test.step('who leaves loses every key in one step, and nobody else does', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('tab', { name: 'Holders' }).click()
    await page.getByRole('button', { name: `Disable all keys of ${holder}…` }).click()
    const question = page.getByRole('alertdialog', { name: `Disable all keys of ${holder}?` })
    await question.getByRole('button', { name: 'Disable now' }).click()
    await expect(question).toHaveCount(0)
    await expect.poll(() => desk.ask(key)).toBe(401)
    expect(await askByOwnSettings(desk)).toBe(200)
  })
})
