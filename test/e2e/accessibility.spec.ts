import type { Page } from '@playwright/test'
import { expect, test } from '../support/app'
import { listThemeViolations } from '../support/axe'
import { callMain } from '../support/desk'
import { labels } from '../support/labels'
import { installTools } from '../support/tools'

/** Pages of the main navigation, with their shortcut and heading. test/deep/e2e covers every screen. */
const pages: readonly (readonly [keys: string, heading: string])[] = [
  ['Control+1', labels.home],
  ['Control+2', labels.tools],
  ['Control+4', 'Plans'],
  ['Control+8', 'Sandbox'],
  ['Control+9', 'Connections'],
  ['Control+3', 'Profiles'],
  ['Control+5', 'Usage'],
  ['Control+,', 'Settings'],
]

const checkScreen = async (page: Page, screen: string): Promise<void> => {
  expect.soft(await listThemeViolations(page), screen).toEqual([])
  const overflowHeight = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  expect.soft(overflowHeight, `${screen}: the window itself scrolls`).toBe(0)
}

test('every page is accessible', async ({ start, machine }) => {
  test.setTimeout(120_000)
  installTools(machine)
  const { page } = await start()
  await checkScreen(page, 'welcome')
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  // Resolves when the sandbox runs, which takes long on a busy machine.
  await callMain(page, 'sandbox.open')
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  for (const [keys, heading] of pages) {
    await page.keyboard.press(keys)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await checkScreen(page, heading)
  }
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Help' })).toContainText('Sets language')
  await checkScreen(page, 'help')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+2')
  await page.getByRole('link', { name: 'Configure Claude Code', exact: true }).click()
  await expect(page.getByText('Claude Code will call')).toBeVisible()
  await checkScreen(page, 'setting up a tool')
})

test('a tool is configured with the keyboard alone', async ({ start, machine }) => {
  installTools(machine)
  const { page } = await start()
  await page.keyboard.press('Tab')
  for (let presses = 0; presses < 10; presses += 1) {
    if (
      await page
        .getByRole('button', { name: /Explore with the sandbox/ })
        .evaluate((node) => node === document.activeElement)
    )
      break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('configure claude')
  await expect(page.getByRole('option', { name: /Claude Code/ }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Claude Code will call')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
})
