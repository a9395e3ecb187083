import { type ElectronApplication, _electron as electron } from '@playwright/test'
import { quitAnswers } from '../../src/main/app/quit-words'
import { electronPath, root, stubMessageBoxes } from '../support/app'
import { expect, test } from '../support/cli-desk'
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
