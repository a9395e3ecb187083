import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ElectronApplication, _electron as electron, type Page } from '@playwright/test'
import { quitAnswers } from '../../src/main/app/quit-words'
import { electronPath, type Machine, root, stubMessageBoxes } from '../support/app'
import { expect, test } from '../support/cli-desk'
import { routeThroughRelay } from '../support/through-relay'

const bounds = { x: 60, y: 50, width: 1100, height: 700 }

/** Stores the tray menu in a global variable whenever it changes. */
const watchTray = (app: ElectronApplication) =>
  app.evaluate(({ Tray }) => {
    const { setContextMenu } = Tray.prototype
    Tray.prototype.setContextMenu = function (menu) {
      Reflect.set(globalThis, 'trayMenu', menu)
      setContextMenu.call(this, menu)
    }
  })

/**
 * Clicks an item of the tray menu. Returns false if there is none. The call may end early when the item quits the app.
 */
const pickInTray = (app: ElectronApplication, label: string) =>
  app
    .evaluate((_, itemLabel) => {
      const menu: Electron.Menu | undefined = Reflect.get(globalThis, 'trayMenu')
      const item = menu?.items.find((menuItem) => menuItem.label === itemLabel)
      item?.click()
      return item !== undefined
    }, label)
    .catch(() => true)

const windows = (app: ElectronApplication) => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
const readWindowBounds = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getContentBounds())

async function toRelay(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /^Relay/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: 'Relay', level: 1 })).toBeVisible()
}

test('closed while a tool depends on it, the app stays in the tray, reopens at its position, and asks before it quits', async ({
  harness: appHarness,
  start,
}) => {
  const { app, page } = await start()
  await watchTray(app)
  const sendRelayRequest = await routeThroughRelay(appHarness)
  await expect.poll(sendRelayRequest).toBe(200)
  await toRelay(page)
  await page.getByRole('switch', { name: 'Keep running when the window is closed' }).click()
  await expect(page.getByRole('switch', { name: 'Keep running when the window is closed' })).toBeChecked()
  await app.evaluate(
    ({ BrowserWindow }, windowBounds) => BrowserWindow.getAllWindows()[0]?.setContentBounds(windowBounds),
    bounds,
  )
  await expect.poll(() => readWindowBounds(app)).toEqual(bounds)
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  await expect.poll(() => windows(app)).toBe(0)
  expect(await sendRelayRequest()).toBe(200)

  const windowOpened = app.waitForEvent('window')
  await expect.poll(() => pickInTray(app, 'Open Platform Companion')).toBe(true)
  await expect((await windowOpened).getByRole('heading', { level: 1 })).toBeVisible()
  expect([await windows(app), await readWindowBounds(app)]).toEqual([1, bounds])

  const quitDialogs = await stubMessageBoxes(app, quitAnswers.indexOf('background'))
  await pickInTray(app, 'Quit')
  await expect.poll(() => windows(app)).toBe(0)
  expect([await quitDialogs(), await sendRelayRequest()]).toEqual([1, 200])
  await stubMessageBoxes(app, quitAnswers.indexOf('quit'))
  const closePromise = app.waitForEvent('close')
  await pickInTray(app, 'Quit')
  await closePromise
  expect(await sendRelayRequest()).toBe(0)
})

/** Lays out an installed app with its own program name, Electron's files, and the app in resources. */
function installApp({ home }: Machine): string {
  const folder = join(home, '..', 'installed')
  const resources = join(folder, 'resources')
  mkdirSync(resources, { recursive: true })
  const electronProgram = electronPath()
  const ownFiles = [basename(electronProgram), 'resources']
  for (const name of readdirSync(dirname(electronProgram)))
    if (!ownFiles.includes(name)) symlinkSync(join(dirname(electronProgram), name), join(folder, name))
  symlinkSync(root, join(resources, 'app'))
  const program = join(folder, 'platform-companion')
  try {
    linkSync(electronProgram, program)
  } catch {
    // A hard link fails if the temporary folder is on another file system.
    copyFileSync(electronProgram, program)
  }
  return program
}

const launch = (machine: Machine, [executablePath = '', ...args]: readonly string[]) =>
  electron.launch({ executablePath, args, env: machine.env, chromiumSandbox: process.getuid?.() !== 0 })

// Linux only.
if (process.platform === 'linux')
  test('an installed app starts with the session through its autostart entry, without a window, until that is switched off', {
    tag: '@deep',
  }, async ({ harness: { machine, ...desk } }) => {
    const sendRelayRequest = await routeThroughRelay({ machine, ...desk })
    const program = installApp(machine)
    const entry = join(machine.home, '.config', 'autostart', 'platform-companion.desktop')
    const login = (page: Page) => page.getByRole('switch', { name: 'Open at login' })
    const firstApp = await launch(machine, [program, '--data-dir', machine.dataDir])
    const page = await firstApp.firstWindow()
    await toRelay(page)
    await expect(login(page)).not.toBeChecked()
    await login(page).click()
    await expect.poll(() => existsSync(entry)).toBe(true)
    await stubMessageBoxes(firstApp, quitAnswers.indexOf('quit'))
    await firstApp.close()
    expect(await sendRelayRequest()).toBe(0)

    const command = /^Exec=(.*)$/m.exec(readFileSync(entry, 'utf8'))?.[1] ?? ''
    const parts = [...command.matchAll(/"([^"]*)"/g)].map(([, word]) => word ?? '')
    expect(parts).toEqual([program, '--hidden', '--data-dir', machine.dataDir])
    const loginApp = await launch(machine, parts)
    await expect.poll(sendRelayRequest).toBe(200)
    expect(await windows(loginApp)).toBe(0)

    const windowOpened = loginApp.waitForEvent('window')
    const noSandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    await once(
      spawn(program, [...noSandbox, '--data-dir', machine.dataDir], { env: machine.env, stdio: 'ignore' }),
      'exit',
    )
    const reopenedWindow = await windowOpened
    await toRelay(reopenedWindow)
    await login(reopenedWindow).click()
    await expect.poll(() => existsSync(entry)).toBe(false)
    await stubMessageBoxes(loginApp, quitAnswers.indexOf('quit'))
    await loginApp.close()
  })
