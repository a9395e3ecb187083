import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { expect, test } from '../support/app'
import { listFilesContaining, pageText, watchBridge } from '../support/canary'
import { runCompanion } from '../support/companion'
import { labels } from '../support/labels'
import { startSandbox } from '../support/sandbox'

const copy = (app: ElectronApplication, text: string): Promise<void> =>
  app.evaluate(({ clipboard }, value) => clipboard.writeText(value), text)

async function fillForm(page: Page, { address, name, models }: { address: string; name: string; models: string }) {
  await page.getByRole('button', { name: /I have a key/ }).click()
  await page.getByLabel('Gateway address').fill(address)
  await page.getByLabel(labels.name, { exact: true }).fill(name)
  await page.getByRole('button', { name: /Paste key/ }).click()
  await page.getByLabel(/Model codes/).fill(models)
}

test('a handed-over key goes from the clipboard to the keychain without entering the window', async ({
  start,
  machine,
}) => {
  const sandbox = await startSandbox()
  const key = sandbox.ready.plans[0]?.keys[0]?.key ?? ''
  const { app, page } = await start()
  const bridge = await watchBridge(app)
  await copy(app, ` "${key}"\n`)
  await fillForm(page, {
    address: `${sandbox.ready.gatewayUrl}/v1/chat/completions/`,
    name: 'team',
    models: 'aurora-large',
  })
  await expect(page.getByText(`${sandbox.ready.gatewayUrl}/v1/messages`).first()).toBeVisible()
  await expect(page.getByText(`...${key.slice(-4)}`).first()).toBeVisible()

  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('Test passed').first()).toBeVisible()
  await page.getByRole('button', { name: /^Save/ }).click()
  await expect(page.getByRole('heading', { name: 'team', level: 1 })).toBeVisible()

  // The test of the key before saving is stored as the plan's last check.
  const [saved] = JSON.parse((await runCompanion(machine, ['plan', 'list', '--json'])).out)
  expect(saved.lastCheck).toMatchObject({ ok: true })
  expect((await runCompanion(machine, ['key', 'print', '--plan', 'team'])).out).toBe(`${key}\n`)
  expect(listFilesContaining(join(machine.home, '..'), key)).toEqual([])
  expect(await pageText(page)).not.toContain(key)
  expect(await bridge.text()).toContain(key.slice(-4))
  expect(await bridge.text()).not.toContain(key)
  await sandbox.stop()
})

test('a live check reports a problem with a key before anything is saved', { tag: '@deep' }, async ({
  start,
  machine,
}) => {
  const sandbox = await startSandbox()
  const { app, page } = await start()
  await copy(app, 'sk-wrong-0123456789abcdef0123')
  await fillForm(page, { address: sandbox.ready.gatewayUrl, name: 'team', models: '' })
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('The gateway rejected the key').first()).toBeVisible()
  expect(JSON.parse((await runCompanion(machine, ['plan', 'list', '--json'])).out)).toEqual([])
  await sandbox.stop()
})
