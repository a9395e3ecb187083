import { type ElectronApplication, _electron as electron } from '@playwright/test'
import { quitAnswers } from '../../src/main/app/quit-words'
import { answerDialogs, electronPath, root } from '../support/app'
import { expect, test } from '../support/cli-desk'
import { throughRelay } from '../support/through-relay'

const press = (app: ElectronApplication, answer: (typeof quitAnswers)[number]) =>
  answerDialogs(app, quitAnswers.indexOf(answer))
/** Quitting may end the call early. */
const quit = (app: ElectronApplication) =>
  app.evaluate(({ app: electronApp }) => electronApp.quit()).catch(() => undefined)
const windows = (app: ElectronApplication) => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

test('the app runs the relay for a tool that the command line connected, and restarts it after a kill', async ({
  desk,
  start,
}) => {
  const { app } = await start()
  const ask = await throughRelay(desk)
  await expect.poll(ask).toBe(200)
  expect(await desk.succeed('verify', 'claude-code')).toContain('aurora-large responded')
  const pid = await app.evaluate(
    ({ app: electronApp }) => electronApp.getAppMetrics().find(({ name }) => name === 'relay')?.pid,
  )
  process.kill(pid ?? 0, 'SIGKILL')
  await expect.poll(ask).toBe(0)
  await expect.poll(ask).toBe(200)
  await desk.succeed('restore', 'claude-code')
  await expect.poll(ask).toBe(401)
})

test('quitting asks while a tool uses the relay, and then continues or quits', { tag: '@deep' }, async ({
  desk,
  start,
}) => {
  const { app } = await start()
  const ask = await throughRelay(desk)
  await expect.poll(ask).toBe(200)
  const asked = await press(app, 'cancel')
  await quit(app)
  await expect.poll(asked).toBe(1)
  expect([await ask(), await windows(app)]).toEqual([200, 1])
  await press(app, 'quit')
  const ended = app.waitForEvent('close')
  await quit(app)
  await ended
  expect(await ask()).toBe(0)
})

test('started without a window, the app serves tools, and quits with the session without asking', async ({ desk }) => {
  const ask = await throughRelay(desk)
  expect(await ask()).toBe(0)
  const app = await electron.launch({
    executablePath: electronPath(),
    args: [root, '--data-dir', desk.machine.dataDir, '--hidden'],
    env: desk.machine.env,
    chromiumSandbox: process.getuid?.() !== 0,
  })
  await expect.poll(ask).toBe(200)
  expect(await windows(app)).toBe(0)
  const ended = app.waitForEvent('close')
  app.process().kill('SIGTERM')
  await ended
  expect(await ask()).toBe(0)
})
