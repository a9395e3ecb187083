import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ElectronApplication, _electron as electron } from '@playwright/test'
import { quitAnswers } from '../../src/main/app/quit-words'
import { electronPath, root, stubMessageBoxes } from '../support/app'
import { addPlan, expect, teamPlan, test } from '../support/cli-desk'
import { routeThroughRelay } from '../support/through-relay'

const clickDialogButton = (app: ElectronApplication, answer: (typeof quitAnswers)[number]) =>
  stubMessageBoxes(app, quitAnswers.indexOf(answer))
/** Quits the app. Ignores the error when the app ends before the call returns. */
const quitApp = (app: ElectronApplication) =>
  app.evaluate(({ app: electronApp }) => electronApp.quit()).catch(() => undefined)
const windows = (app: ElectronApplication) => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

test('the app runs the relay for a tool that the command line connected, and restarts it after a kill', async ({
  harness,
  start,
}) => {
  const { app } = await start()
  const sendRelayRequest = await routeThroughRelay(harness)
  await expect.poll(sendRelayRequest).toBe(200)
  expect(await harness.succeed('verify', 'claude-code')).toContain('aurora-large responded')
  const pid = await app.evaluate(
    ({ app: electronApp }) => electronApp.getAppMetrics().find(({ name }) => name === 'relay')?.pid,
  )
  process.kill(pid ?? 0, 'SIGKILL')
  await expect.poll(sendRelayRequest).toBe(0)
  await expect.poll(sendRelayRequest).toBe(200)
  await harness.succeed('restore', 'claude-code')
  await expect.poll(sendRelayRequest).toBe(401)
})

test('quitting asks while a tool uses the relay, and then continues or quits', { tag: '@deep' }, async ({
  harness,
  start,
}) => {
  const { app } = await start()
  const sendRelayRequest = await routeThroughRelay(harness)
  await expect.poll(sendRelayRequest).toBe(200)
  const cancelDialogs = await clickDialogButton(app, 'cancel')
  await quitApp(app)
  await expect.poll(cancelDialogs).toBe(1)
  expect([await sendRelayRequest(), await windows(app)]).toEqual([200, 1])
  await clickDialogButton(app, 'quit')
  const closePromise = app.waitForEvent('close')
  await quitApp(app)
  await closePromise
  expect(await sendRelayRequest()).toBe(0)
})

test('started without a window, the app serves tools, and quits with the session without asking', async ({
  harness,
}) => {
  const sendRelayRequest = await routeThroughRelay(harness)
  expect(await sendRelayRequest()).toBe(0)
  const app = await electron.launch({
    executablePath: electronPath(),
    args: [root, '--data-dir', harness.machine.dataDir, '--hidden'],
    env: harness.machine.env,
    chromiumSandbox: process.getuid?.() !== 0,
  })
  await expect.poll(sendRelayRequest).toBe(200)
  expect(await windows(app)).toBe(0)
  const closePromise = app.waitForEvent('close')
  app.process().kill('SIGTERM')
  await closePromise
  expect(await sendRelayRequest()).toBe(0)
})

test('a tool whose plan is overloaded uses its failover plan after the user selects it, and reports it', async ({
  harness,
  start,
}) => {
  const busyGateway = createServer((_, response) => {
    response.writeHead(529, { 'content-type': 'application/json' }).end('{"error":{"message":"Overloaded"}}')
  })
  await new Promise<void>((resolve) => busyGateway.listen(0, '127.0.0.1', resolve))
  const { port } = busyGateway.address() as AddressInfo
  const models = ['aurora-large', 'aurora-small']
  await addPlan(harness.machine, {
    name: 'busy',
    gateway: `http://127.0.0.1:${port}`,
    key: 'busy-key-0123456789',
    models,
  })
  const { page } = await start()
  const sendRelayRequest = await routeThroughRelay(harness, 'busy')
  await expect.poll(sendRelayRequest).toBe(529)
  await page
    .getByRole('link', { name: /^Relay/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Change plan and key of Claude Code' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('When overloaded')).toHaveCount(0)
  await dialog.getByLabel('Add a failover plan or key').click()
  await page.getByRole('option', { name: teamPlan }).click()
  await dialog.getByLabel('When overloaded').click()
  await page.getByRole('option', { name: 'Try the next one', exact: true }).click()
  await dialog.getByRole('button', { name: 'Use from next request' }).click()
  await expect(dialog).toHaveCount(0)
  await expect.poll(sendRelayRequest).toBe(200)
  await expect(page.getByText(/^busy, .* is overloaded\. Requests go to team-plan, .* until /)).toBeVisible()
  // The relay writes its requests to the ledger after a short delay.
  await expect.poll(() => harness.succeed('usage', '--source', 'relay', '--by', 'plan', '--json')).toContain('"busy"')
  busyGateway.close()
})
