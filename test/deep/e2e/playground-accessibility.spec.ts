import type { Page } from '@playwright/test'
import { violations } from '../../support/axe'
import { expect, test } from '../../support/desk'
import { labels } from '../../support/labels'
import {
  answers,
  chatTarget,
  chooseTarget,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../../support/playground'

/** Every page of the playground, each with data. */
const screens: readonly (readonly [name: string, show: (page: Page) => Promise<void>])[] = [
  ['a new chat', (page) => openPlayground(page)],
  [
    'what answers',
    async (page) => {
      await chatTarget(page).click()
      await expect(page.getByRole('dialog', { name: 'Model' })).toBeVisible()
    },
  ],
  [
    'an answer with code, a table and figures',
    async (page) => {
      await page.keyboard.press('Escape')
      await chooseTarget(chatTarget(page), { place: 'sandbox-pro', model: 'aurora-large' })
      await sendMessage(page, 'A table of cities')
      await waitForFullAnswer(page)
      await sendMessage(page, 'Write a TypeScript function')
      await waitForFullAnswer(page)
    },
  ],
  [
    'the inspector',
    async (page) => {
      await answers(page).last().getByRole('button', { name: 'Inspector' }).click()
      await expect(page.getByText(/^Bearer sk-/)).toBeVisible()
    },
  ],
  [
    'an answer that failed, beside a broken parameter',
    async (page) => {
      await page.keyboard.press('Escape')
      await startNewChat(page)
      await page.getByRole('textbox', { name: 'Temperature' }).fill('9')
      await chooseTarget(chatTarget(page), { model: 'nova-vision' })
      await sendMessage(page, 'Say hello')
      await expect(page.getByText('Try another model of this plan:')).toBeVisible()
    },
  ],
  [
    'a comparison that ran',
    async (page) => {
      await openPlayground(page, 'Compare')
      await page.getByRole('button', { name: 'Several models, one prompt' }).click()
      await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Count to {{number}}')
      await page.getByRole('button', { name: 'Paste table' }).click()
      const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
      await pasteDialog.getByRole('textbox', { name: 'Table' }).fill('number\n3\n4')
      await pasteDialog.getByRole('button', { name: 'Add 2 test cases' }).click()
      await page.getByRole('button', { name: 'Run all 6' }).click()
      await expect(page.getByRole('table').getByText('Done', { exact: true })).toHaveCount(6)
    },
  ],
  [
    'a column of it',
    async (page) => {
      await page.getByRole('columnheader', { name: 'aurora-large' }).getByRole('button').first().click()
      await expect(page.getByRole('dialog', { name: 'aurora-large' })).toBeVisible()
    },
  ],
  [
    'the comparisons',
    async (page) => {
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await openPlayground(page, 'Compare')
    },
  ],
  [
    'a prompt',
    async (page) => {
      await openPlayground(page, 'Prompts')
      await page.getByRole('link', { name: 'New prompt' }).click()
      await page.getByRole('textbox', { name: labels.name }).fill('Counting')
      await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Count to {{number}}')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByRole('complementary', { name: 'Versions' })).toContainText('Version 1')
    },
  ],
  ['the prompts', (page) => openPlayground(page, 'Prompts')],
  ['completion', (page) => openPlayground(page, 'Completion')],
  ['embeddings', (page) => openPlayground(page, 'Embeddings')],
]

for (const theme of ['light', 'dark'] as const) {
  test(`the pages of the playground are accessible, ${theme}`, async ({ harness }) => {
    test.setTimeout(120_000)
    const page = await harness.start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const [name, show] of screens) {
      await show(page)
      expect.soft(await violations(page), name).toEqual([])
    }
  })
}
