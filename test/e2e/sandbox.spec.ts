import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from '@playwright/test'
import { mainClientSecret } from '../../src/sandbox/platform/iam'
import { World } from '../../src/sandbox/state/world'
import { expect, type Machine, type RunningApp, root, test } from '../support/app'
import { listFilesContaining, pageText, watchBridge } from '../support/canary'
import { runCompanion } from '../support/companion'
import { labels } from '../support/labels'

interface Ports {
  readonly gatewayPort: number
  readonly platformPort: number
}

const readPorts = ({ dataDir }: Machine): Ports =>
  JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')).sandbox

const findKey = async (machine: Machine): Promise<string> =>
  (await runCompanion(machine, ['key', 'print', '--plan', 'sandbox-pro'])).out.trim()

async function openSandbox({ page }: RunningApp): Promise<void> {
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  await page.keyboard.press('Control+8')
  await expect(page.getByRole('radio', { name: /No problems/ })).toBeChecked()
}

/** Sends a request like a tool and returns its status and retry delay. */
async function sendCall(machine: Machine, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${readPorts(machine).gatewayPort}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora-large', messages: [{ role: 'user', content: 'Say hello' }] }),
  }).catch(() => undefined)
  if (!response) return 'no answer'
  await response.text().catch(() => undefined)
  const retryAfterSeconds = response.headers.get('retry-after')
  return retryAfterSeconds ? `${response.status} after ${retryAfterSeconds}` : `${response.status}`
}

const credits = (page: Page) => page.getByRole('textbox', { name: 'Credits in VND' })

async function reset(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Reset…' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('so configured tools keep working')
  await page.getByRole('button', { name: 'Reset sandbox' }).click()
  await expect(page.getByText('Sandbox reset')).toBeVisible()
}

test('a scenario changes what a tool gets, survives a restart, and ends when everything works; time passes, and a reset restores the first day', async ({
  start,
  machine,
}) => {
  test.setTimeout(90_000)
  const firstApp = await start()
  await openSandbox(firstApp)
  const key = await findKey(machine)
  for (const [name, outcome] of [
    [/Rate limited/, '429 after 20'],
    [/Connection dropped/, 'no answer'],
    [/Key disabled/, '401'],
    [/Gateway error/, '503'],
  ] as const) {
    await firstApp.page.getByRole('radio', { name }).click()
    await expect(firstApp.page.getByText('Active', { exact: true })).toBeVisible()
    await expect.poll(() => sendCall(machine, key)).toBe(outcome)
  }
  await firstApp.close()

  const { page } = await start()
  await page.keyboard.press('Control+8')
  await expect(page.getByRole('radio', { name: /Gateway error/ })).toBeChecked()
  expect(await sendCall(machine, key)).toBe('503')
  await page.getByRole('radio', { name: /Gateway error/ }).focus()
  // Radix selects a radio button only if the arrow key is still down when the focus has moved, so hold it.
  const checkedRadio = page.getByRole('radiogroup').first().getByRole('radio', { checked: true })
  for (let presses = 0; presses < 5; presses += 1) {
    const valueBefore = (await checkedRadio.getAttribute('value')) ?? ''
    await page.keyboard.down('ArrowUp')
    await expect(checkedRadio).not.toHaveAttribute('value', valueBefore)
    await page.keyboard.up('ArrowUp')
  }
  await expect(page.getByRole('radio', { name: /No problems/ })).toBeChecked()
  // The selected radio button shows immediately, but the change is applied only after earlier ones.
  await expect(page.getByRole('radiogroup').first()).toHaveAttribute('aria-busy', 'false')
  await expect.poll(() => sendCall(machine, key)).toBe('200')
  await test.step('time passes, plans are renewed or expire, and a reset restores the first day and the same key', () =>
    moveSandboxClock(page, () => sendCall(machine, key)))
})

/** Advances the sandbox clock past the plan's expiry, and resets it at the end. */
async function moveSandboxClock(page: Page, call: () => Promise<string>): Promise<void> {
  await expect(page.getByText('Same as this computer')).toBeVisible()
  await page.getByRole('button', { name: 'After sandbox-pro expires' }).click()
  await expect(page.getByText(/sandbox-pro renewed until .* for ₫490,000/)).toBeVisible()
  await expect(page.getByText(/days ahead of this computer/)).toBeVisible()
  expect(await call()).toBe('200')

  await credits(page).fill('100.000')
  await credits(page).press('Enter')
  await expect(credits(page)).toHaveValue('₫100,000')
  await expect(page.getByText('Not enough to renew sandbox-pro at ₫490,000.')).toBeVisible()
  await page.getByRole('button', { name: 'After sandbox-pro expires' }).click()
  await expect(page.getByText(/sandbox-pro expired: not enough credits to renew/)).toBeVisible()
  await expect(page.getByRole('button', { name: /sandbox-pro expires/ })).toHaveCount(0)
  await expect.poll(call).toBe('402')

  await page.getByRole('radio', { name: 'Developer' }).click()
  await expect(page.getByText(/^Can’t buy plans/)).toBeVisible()
  await reset(page)
  await expect(page.getByText('Same as this computer')).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Root' })).toBeChecked()
  expect(await call()).toBe('200')
}

test('platform requests are listed with their operation, and expired tokens are rejected', {
  tag: '@deep',
}, async ({ start, machine }) => {
  const startedApp = await start()
  const { app, page } = startedApp
  const bridge = await watchBridge(app)
  await openSandbox(startedApp)
  const world = World.parse(JSON.parse(readFileSync(join(machine.dataDir, 'sandbox.json'), 'utf8')))
  const clientSecret = mainClientSecret(world)
  const platformUrl = `http://127.0.0.1:${readPorts(machine).platformPort}`
  const tokenForm = { grant_type: 'client_credentials', client_id: 'sandbox-client', client_secret: clientSecret }
  const tokenResponse = await fetch(`${platformUrl}/iam/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(tokenForm),
  })
  const { access_token: token } = await tokenResponse.json()
  const list = async (): Promise<number> =>
    (await fetch(`${platformUrl}/memory/memories?page=1&size=10`, { headers: { authorization: `Bearer ${token}` } }))
      .status
  expect(await list()).toBe(200)
  await page.getByRole('button', { name: 'Expire tokens now' }).click()
  await expect(page.getByText(/^Expired at/)).toBeVisible()
  expect(await list()).toBe(401)

  await page.getByRole('radio', { name: 'Platform' }).click()
  // The app may also sign in, to read the account.
  await expect(page.getByRole('row', { name: /POST \/iam\/oauth2\/token iam\.token 200/ }).first()).toBeVisible()
  await expect(page.getByRole('row', { name: /GET \/memory\/memories memory\.memories\.list 401/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /\/v1\/messages/ })).toHaveCount(0)

  const bridgeTraffic = await bridge.text()
  expect(bridgeTraffic).toContain('memory.memories.list')
  expect(bridgeTraffic).not.toContain(clientSecret)
  expect(await pageText(page)).not.toContain(clientSecret)
  expect(listFilesContaining(join(machine.home, '..'), clientSecret)).toEqual([])
})

test('the same seed produces the same keys', async ({ machine }) => {
  const listKeys = async (seed: string): Promise<unknown> => {
    const args = [join(root, 'out/main/cli.cjs'), 'sandbox', '--gateway-port', '0', '--platform-port', '0', '--json']
    const child = spawn(process.execPath, [...args, '--seed', seed], {
      env: machine.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
    child.kill('SIGTERM')
    await once(child, 'close')
    const { plans, iam } = JSON.parse(String(line))
    return [iam.clientSecret, plans.map(({ keys }: { keys: { key: string }[] }) => keys.map(({ key }) => key))]
  }
  const firstKeys = await listKeys('a class of 2026')
  expect(await listKeys('a class of 2026')).toEqual(firstKeys)
  expect(await listKeys('another')).not.toEqual(firstKeys)
})
