import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { electronPath, expect, root, test } from '../support/app'
import { addPlan } from '../support/cli-desk'
import { callMain } from '../support/desk'
import { labels } from '../support/labels'

/** The parts of the page's date field from left to right, as Chromium draws them. */
async function dateParts(page: Page): Promise<readonly string[]> {
  const devtools = await page.context().newCDPSession(page)
  const { root: node } = await devtools.send('DOM.getDocument', { depth: -1, pierce: true })
  await devtools.detach()
  return [...JSON.stringify(node).matchAll(/"-webkit-datetime-edit-(day|month|year)-field"/g)].map(
    ([, dateField = '']) => dateField,
  )
}

test('date fields follow the language immediately, and the window restores its size, theme and language without the first screen', async ({
  start,
}) => {
  const firstApp = await start()
  await firstApp.page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(firstApp.page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  const openForm = () => firstApp.page.evaluate(() => location.assign('#/plans/new'))
  await openForm()
  await expect(firstApp.page.getByLabel('Expiry date')).toBeVisible()
  expect(await dateParts(firstApp.page)).toEqual(['month', 'day', 'year'])
  await firstApp.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1100, 700))
  await firstApp.page.keyboard.press('Control+,')
  await firstApp.page.getByRole('radio', { name: 'Dark' }).click()
  await firstApp.page.getByRole('radio', { name: 'Tiếng Việt' }).click()
  await expect(firstApp.page.getByRole('heading', { name: 'Cài đặt', level: 1 })).toBeVisible()
  await openForm()
  await expect(firstApp.page.getByLabel('Ngày hết hạn')).toBeVisible()
  expect(await dateParts(firstApp.page)).toEqual(['day', 'month', 'year'])
  await firstApp.page.keyboard.press('Control+,')
  await expect(firstApp.page.getByRole('heading', { name: 'Cài đặt', level: 1 })).toBeVisible()
  await firstApp.page.reload()
  await expect(firstApp.page.getByRole('heading', { name: 'Cài đặt', level: 1 })).toBeVisible()
  await firstApp.close()

  const { app, page } = await start()
  await expect(page.getByRole('heading', { name: 'Trang chủ', level: 1 })).toBeVisible()
  expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([1100, 700])
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('vi')
  expect(await app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark')
  // Changes the language from the palette while the form is open. The form keeps its content.
  await page.evaluate(() => location.assign('#/plans/new'))
  await page.getByLabel('Ngày hết hạn').fill('2027-03-01')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('English')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Expiry date')).toHaveValue('2027-03-01')
  expect(await dateParts(page)).toEqual(['month', 'day', 'year'])
})

test('a second start shows the existing window and exits', async ({ start, machine }) => {
  const { app } = await start()
  const seconds = app.evaluate(
    ({ app: running }) => new Promise((resolve) => running.once('second-instance', () => resolve(true))),
  )
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), root, '--data-dir', machine.dataDir]
  const secondProcess = spawn(electronPath(), args, { env: machine.env, stdio: 'ignore' })
  const [code] = await once(secondProcess, 'exit')
  expect(code).toBe(0)
  expect(await seconds).toBe(true)
  expect(app.windows()).toHaveLength(1)
})

test('without a keychain the app says so, keeps keys for the session, and writes none', async ({ start, machine }) => {
  const { app, page } = await start({ env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } })
  await expect(page.getByText(/keychain/i).first()).toBeVisible()
  await expect(page.getByText(/gnome-keyring/).first()).toBeVisible()
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  expect(await callMain(page, 'plans.list')).toMatchObject([{ name: 'sandbox-pro', keys: [{ kept: 'session' }] }])
  expect(await app.evaluate(({ app: running }) => running.getPath('userData'))).toContain(machine.dataDir)
})

test('everything can be zoomed to 200 %, the layout folds without clipping, and the zoom is saved', async ({
  start,
}) => {
  const firstApp = await start()
  await firstApp.page.getByRole('button', { name: 'Skip for now' }).click()
  // Shortcuts load after the first screen.
  await expect(firstApp.page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  for (const zoomFactor of [1.1, 1.25, 1.5, 1.75, 2]) {
    await firstApp.page.keyboard.press('Control+=')
    await expect.poll(() => firstApp.page.evaluate(() => devicePixelRatio)).toBeCloseTo(zoomFactor)
  }
  await expect.poll(() => firstApp.page.evaluate(() => innerWidth)).toBe(640)
  const rail = firstApp.page.getByRole('complementary', { name: 'Sidebar' })
  expect((await rail.boundingBox())?.width).toBeLessThan(60)
  for (const screenPath of ['/', '/tools', '/plans', '/usage', '/usage/left', '/register', '/settings']) {
    await firstApp.page.evaluate((hash) => {
      location.hash = hash
    }, screenPath)
    await expect(firstApp.page.locator('main h1')).toBeVisible()
    await expect(firstApp.page.getByText('Loading…')).toHaveCount(0)
    const listWideElements = () =>
      firstApp.page.evaluate(() =>
        [...document.querySelectorAll('main, main > *, main [class*="overflow-"][class*="auto"]')].some(
          (element) => element.scrollWidth > element.clientWidth,
        ),
      )
    await expect.poll(listWideElements, { message: screenPath }).toBe(false)
  }
  await firstApp.close()

  const { app, page } = await start()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  expect(await page.evaluate(() => innerWidth)).toBe(640)
  await app.evaluate(({ Menu }) => {
    const lines = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? [])
    lines?.find(({ label }) => label === 'Actual size')?.click()
  })
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1280)
})

/** Compares the positions of elements in the rendered page with those of the prerendered first screen. */
const measureScreens = (page: Page) =>
  page.evaluate(async () => {
    const describeElement = (within: Element | null) =>
      [
        ...(within?.querySelectorAll('nav a, aside button, main h1, main footer button, section:first-of-type h2') ??
          []),
      ].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return [element.tagName === 'BUTTON' ? '' : element.textContent, ...[x, y, width, height].map(Math.round)].join(
          ' ',
        )
      })
    const root = document.getElementById('root')
    const window = describeElement(root)
    const servedPage = new DOMParser().parseFromString(await (await fetch('index.html')).text(), 'text/html')
    const screen = servedPage.getElementById('first-screen')
    root?.replaceWith(screen ?? '')
    const rows = screen?.querySelectorAll('section:first-of-type [role="status"] > div').length
    const { lang, dataset } = servedPage.documentElement
    return { window, first: describeElement(screen), isInert: screen?.inert, rows, lang, theme: dataset.theme }
  })

/** Largest layout shift. Fonts may move letters by less than a thousandth. */
const measureLargestShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const getMaxValue = (entries: PerformanceEntry[]) =>
          Math.max(0, ...entries.map((entry) => ('value' in entry ? Number(entry.value) : 0)))
        const observer = new PerformanceObserver((list) => resolve(getMaxValue(list.getEntries())))
        observer.observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(0), 200)
      }),
  )

test('the first screen is part of the page, matches the window that replaces it, and nothing moves', async ({
  start,
  machine,
}) => {
  const welcomePage = await start()
  expect(await measureLargestShift(welcomePage.page)).toBeLessThan(0.001)
  const { window, first, ...of } = await measureScreens(welcomePage.page)
  expect(first).toEqual(window)
  expect(first).toHaveLength(2)
  expect(of).toMatchObject({ isInert: true, lang: 'en', theme: undefined })
  await welcomePage.page.reload()
  await welcomePage.page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(welcomePage.page.locator('#root').getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await welcomePage.close()

  const windowAppWithoutData = await start()
  expect(await measureLargestShift(windowAppWithoutData.page)).toBeLessThan(0.001)
  const screensWithoutData = await measureScreens(windowAppWithoutData.page)
  expect(screensWithoutData.first).toEqual(screensWithoutData.window)
  expect(screensWithoutData.first.length).toBeGreaterThan(12)
  await windowAppWithoutData.close()

  const settingsPath = join(machine.dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(settingsPath, 'utf8'))
  writeFileSync(settingsPath, JSON.stringify({ ...settings, theme: 'dark', language: 'vi', railCollapsed: true }))
  for (const name of ['one', 'two', 'three'])
    await addPlan(machine, { name, gateway: 'https://gateway.example.com', key: `sk-${name}-0123456789abcdef` })
  const { page } = await start()
  expect(await measureLargestShift(page)).toBeLessThan(0.001)
  await expect(page.getByRole('listitem').filter({ hasText: 'gateway.example.com' })).toHaveCount(3)
  const { window: drawn, first: firstScreen, ...home } = await measureScreens(page)
  expect(firstScreen).toEqual(drawn)
  expect(home).toEqual({ isInert: true, rows: 3, lang: 'vi', theme: 'dark' })
})

test('a link that starts the app opens its page directly, without showing home', async ({ start }) => {
  const { page } = await start({ args: ['platform-companion://import'] })
  expect(await page.evaluate(() => location.hash)).toBe('#/handout/open')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})
