import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { root } from '../support/app'
import { companion } from '../support/companion'
import { type Desk, expect, test } from '../support/desk'
import { installTools } from '../support/tools'

const size = { width: 1280, height: 800 }

/** Opens a place of the window and waits until it has stopped loading. */
async function open(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, path)
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

async function picture(page: Page, name: string, { machine }: Desk): Promise<void> {
  // The folders of a test are those that nobody else has.
  await page.evaluate(
    ([home = '', data = '']) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { nodeValue } = texts.currentNode
        const shown = nodeValue?.replaceAll(data, '/home/you/.config/platform-companion').replaceAll(home, '/home/you')
        texts.currentNode.nodeValue = shown ?? ''
      }
    },
    [machine.home, machine.dataDir],
  )
  // Notices come and go; a document shows the page.
  await page.addStyleTag({ content: '[data-sonner-toaster] { display: none }' })
  await page.screenshot({ path: join(root, `docs/images/${name}.png`) })
}

async function run({ machine }: Desk, ...args: string[]): Promise<void> {
  expect(await companion(machine, args), args.join(' ')).toMatchObject({ code: 0 })
}

test('the pictures of the documents', async ({ desk }) => {
  installTools(desk.machine)
  const page = await desk.start()
  await desk.app().evaluate(({ BrowserWindow }, { width, height }) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(width, height)
  }, size)
  await open(page, '/tools')
  await page.getByRole('link', { name: /(Set up|Configure) Claude Code/ }).click()
  await expect(page.getByText('ANTHROPIC_BASE_URL').first()).toBeVisible()
  await picture(page, 'tool', desk)
  await run(desk, 'configure', 'claude-code', '--plan', 'sandbox-pro')
  await open(page, '/')
  await expect(page.getByRole('list', { name: 'My tools' })).toContainText('Configured')
  await picture(page, 'home', desk)
  await open(page, '/usage')
  await expect(page.locator('.recharts-surface').first()).toBeVisible()
  await picture(page, 'usage', desk)
  await open(page, '/register')
  await expect(page.getByRole('table').first()).toBeVisible()
  await picture(page, 'keys', desk)
})
