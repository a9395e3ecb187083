import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { root } from '../support/app'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { installTools } from '../support/tools'

const size = { width: 1280, height: 800 }

/** Opens a page of the window and waits until it has loaded. */
async function openPath(page: Page, path: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, path)
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** Saves the page in both themes and languages. */
async function pictures(page: Page, name: string, harness: AppHarness, isReady: () => Promise<void>): Promise<void> {
  for (const language of ['en', 'vi'])
    for (const theme of ['light', 'dark']) {
      await page.evaluate(
        (input) =>
          (globalThis as unknown as { companion: { call(name: string, input: unknown): unknown } }).companion.call(
            'settings.update',
            input,
          ),
        { language, theme },
      )
      await page.reload()
      await page.mouse.move(0, 0)
      await isReady()
      const file = `${language === 'vi' ? 'vi/' : ''}${name}${theme === 'dark' ? '-dark' : ''}.png`
      await takePicture(page, join(root, 'docs/images', file), harness)
    }
}

async function takePicture(page: Page, path: string, { machine }: AppHarness): Promise<void> {
  // Replace the paths of temporary folders, which differ in each run.
  await page.evaluate(
    ([home = '', data = '']) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { nodeValue } = texts.currentNode
        const displayedText = nodeValue
          ?.replaceAll(data, '/home/you/.config/platform-companion')
          .replaceAll(home, '/home/you')
        texts.currentNode.nodeValue = displayedText ?? ''
      }
    },
    [machine.home, machine.dataDir],
  )
  // Hides notifications.
  await page.addStyleTag({ content: '[data-sonner-toaster] { display: none }' })
  await page.screenshot({ path })
}

/** Counts all calls from the window to main, and those without a response yet. */
async function countCalls(
  harness: AppHarness,
): Promise<() => Promise<{ readonly asked: number; readonly open: number }>> {
  await harness.app().evaluate(({ ipcMain }) => {
    const calls = { asked: 0, open: 0 }
    Object.assign(globalThis, { calls })
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => Promise<unknown>> })
      ._invokeHandlers
    for (const [channel, handler] of handlers) {
      handlers.set(channel, async (...args) => {
        calls.asked++
        calls.open++
        try {
          return await handler(...args)
        } finally {
          calls.open--
        }
      })
    }
  })
  return () => harness.app().evaluate(() => (globalThis as unknown as { calls: { asked: number; open: number } }).calls)
}

/** Waits until every call is answered and two consecutive screenshots are equal. */
async function waitUntilSettled(page: Page, calls: Awaited<ReturnType<typeof countCalls>>): Promise<void> {
  let lastHtml = ''
  await expect(async () => {
    const htmlBefore = lastHtml
    const { asked, open } = await calls()
    lastHtml = `${asked} ${(await page.screenshot()).toString('base64')}`
    expect(open).toBe(0)
    expect(lastHtml === htmlBefore).toBe(true)
  }).toPass()
}

async function run({ machine }: AppHarness, ...args: string[]): Promise<void> {
  expect(await runCompanion(machine, args), args.join(' ')).toMatchObject({ code: 0 })
}

test('the pictures of the documents', async ({ harness }) => {
  installTools(harness.machine)
  const page = await harness.start()
  await harness.app().evaluate(({ BrowserWindow }, { width, height }) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(width, height)
  }, size)
  const calls = await countCalls(harness)
  const createVisibleCheck = (text: Locator) => async (): Promise<void> => {
    await expect(text.first()).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await waitUntilSettled(page, calls)
  }
  await openPath(page, '/tools')
  await page.getByRole('link', { name: /Configure Claude Code/ }).click()
  await pictures(page, 'tool', harness, createVisibleCheck(page.getByText('ANTHROPIC_BASE_URL')))
  await run(harness, 'configure', 'claude-code', '--plan', 'sandbox-pro')
  await openPath(page, '/')
  await pictures(page, 'home', harness, createVisibleCheck(page.getByText(/^(Configured|Đã cấu hình)$/)))
  await openPath(page, '/usage')
  await pictures(page, 'usage', harness, createVisibleCheck(page.locator('.recharts-surface')))
  await openPath(page, '/register')
  await pictures(page, 'keys', harness, createVisibleCheck(page.getByRole('table')))
})
