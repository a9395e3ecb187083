import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, pickFromMenu, test } from '../support/desk'
import { labels } from '../support/labels'
import { readClipboardText } from '../support/platform-pages'
import { chooseFiles, composer, openPlayground, waitForFullAnswer } from '../support/playground'
import { type WalkStep, walk } from '../support/walk'

const grid = (page: Page): Locator => page.getByRole('table', { name: 'Responses by column and test case' })
const cell = (page: Page, name: string): Locator => grid(page).getByRole('cell', { name, exact: true })

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function beginComparison(page: Page, template: string): Promise<void> {
  await openPlayground(page, 'Compare')
  await page.getByRole('button', { name: template }).click()
  await expect(grid(page)).toBeVisible()
}

/** Two versions of a prompt for the same model. */
async function compareWordings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New comparison' }).click()
  await page.getByRole('menuitem', { name: 'Several prompts, one model' }).click()
  await expect(grid(page).getByRole('columnheader', { name: 'Prompt A' })).toBeVisible()
  for (const [name, text] of [
    ['Prompt A', 'Count to 4'],
    ['Prompt B', 'Count to 6'],
  ] as const) {
    await grid(page).getByRole('columnheader', { name }).getByRole('button').first().click()
    const sheet = page.getByRole('dialog', { name })
    await sheet.getByRole('textbox', { name: 'Column prompt' }).fill(text)
    await sheet.getByRole('button', { name: 'Done' }).click()
  }
  await page.getByRole('button', { name: 'Run all 2' }).click()
  await expect(cell(page, 'Prompt A')).toContainText('1, 2, 3, 4')
  await expect(cell(page, 'Prompt B')).toContainText('1, 2, 3, 4, 5, 6')
  await expect(cell(page, 'Prompt A')).toContainText(/Done · 200/)
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'three models answer two pasted cases: run, stopped, run again, out of date, compared and exported; so are two wordings',
    async (harness, page) => {
      await beginComparison(page, 'Several models, one prompt')
      const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
      await prompt.fill('Count to {{number}}')
      await page.getByRole('button', { name: 'Paste table' }).click()
      const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
      await pasteDialog.getByRole('textbox', { name: 'Table' }).fill('number,note\n3,"small, quick"\n5,more,yet more')
      await expect(pasteDialog).toContainText('Row 3 can’t be read.')
      await pasteDialog.getByRole('textbox', { name: 'Table' }).fill('number,note\n3,"small, quick"\n5,more')
      await pasteDialog.getByRole('button', { name: 'Add 2 test cases' }).click()

      await page.getByRole('button', { name: 'Run all 6' }).click()
      const models = ['aurora-large', 'aurora-small', 'vega-coder']
      for (const model of models) {
        await expect(cell(page, `${model}, test case 1`)).toContainText('1, 2, 3')
        await expect(cell(page, `${model}, test case 2`)).toContainText('1, 2, 3, 4, 5')
      }
      await expect(grid(page).getByText('Done', { exact: true })).toHaveCount(6)

      await cell(page, 'aurora-large, test case 1')
        .getByRole('button', { name: 'Compare aurora-large, test case 1' })
        .click()
      await expect(page.getByText('aurora-large, test case 1 selected.')).toBeVisible()
      await cell(page, 'aurora-large, test case 2')
        .getByRole('button', { name: 'Compare aurora-large, test case 2' })
        .click()
      const diffDialog = page.getByRole('dialog', { name: 'Compare responses' })
      await expect(diffDialog).toContainText('1, 2, 3, 4, 5')
      await page.keyboard.press('Escape')

      await prompt.fill('Count to {{number}} and stop')
      await expect(grid(page).getByText('Outdated')).toHaveCount(6)
      await cell(page, 'vega-coder, test case 1')
        .getByRole('button', { name: 'Run vega-coder, test case 1 again' })
        .click()
      await expect(grid(page).getByText('Outdated')).toHaveCount(5)
      await expect(page.getByRole('button', { name: 'Run 5 remaining' })).toBeVisible()

      const csv = join(harness.machine.home, 'comparison.csv')
      await chooseFiles(harness.app(), csv)
      await pickFromMenu(page, 'More actions for Model comparison', 'Export as CSV…')
      await expect.poll(() => readText(csv)).toContain('1, 2, 3, 4, 5')
      expect(readText(csv)).toContain('small, quick')
      const json = join(harness.machine.home, 'comparison.json')
      await chooseFiles(harness.app(), json)
      await pickFromMenu(page, 'More actions for Model comparison', 'Export as JSON…')
      await expect.poll(() => readText(json)).toContain('platform-companion-comparison')
      expect(JSON.parse(readText(json)).cells).toHaveLength(6)

      await harness.control('/timing', { paceMs: 600 })
      await prompt.fill('Write 300 words about rivers, {{number}}')
      await page.getByRole('button', { name: 'Run all 6' }).click()
      await expect(grid(page).getByText('Running', { exact: true }).first()).toBeVisible()
      await page.getByRole('button', { name: 'Stop all' }).click()
      await expect(grid(page).getByText('Running', { exact: true })).toHaveCount(0)
      await expect(grid(page).getByText('Pending', { exact: true })).toHaveCount(0)
      await expect(grid(page).getByText('Stopped', { exact: true })).not.toHaveCount(0)

      await harness.control('/timing', { paceMs: 0 })
      await openPlayground(page, 'Compare')
      await compareWordings(page)
    },
  ],
  [
    'a prompt is kept with its versions and tags, used in a chat, exported and read again',
    async (harness, page) => {
      await openPlayground(page, 'Prompts')
      await page.getByRole('link', { name: 'New prompt' }).click()
      await page.getByRole('textbox', { name: labels.name }).fill('Counting')
      const tags = page.getByRole('combobox', { name: 'Tags' })
      await tags.fill('numbers,')
      await tags.fill('small')
      await tags.press('Enter')
      const text = page.getByRole('textbox', { name: 'Prompt', exact: true })
      await text.fill('Count to {{number}}')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Counting', level: 1 })).toBeVisible()
      await text.fill('Count to {{number}} and say why')
      await page.keyboard.press('Control+s')
      const versions = page.getByRole('complementary', { name: 'Versions' })
      await expect(versions).toContainText('Version 2')
      await versions.getByRole('button', { name: 'Changes in version 2' }).click()
      const diffDialog = page.getByRole('dialog', { name: 'Compare versions' })
      await expect(diffDialog).toContainText('and say why')
      await page.keyboard.press('Escape')
      await versions.getByRole('button', { name: /^Version 1/ }).click()
      await expect(diffDialog).toContainText('and say why')
      await page.keyboard.press('Escape')
      await versions.getByRole('button', { name: 'Restore version 1' }).click()
      await expect(versions).toContainText('Version 3')
      await expect(text).toHaveValue('Count to {{number}}')

      await page.getByRole('button', { name: 'Use in chat' }).click()
      const fillDialog = page.getByRole('dialog', { name: 'Fill in variables' })
      await fillDialog.getByRole('textbox', { name: 'number' }).fill('6')
      await fillDialog.getByRole('button', { name: 'Use in chat' }).click()
      await expect(composer(page)).toHaveValue('Count to 6')
      await composer(page).press('Enter')
      await expect(await waitForFullAnswer(page)).toContainText('1, 2, 3, 4, 5, 6')

      const path = join(harness.machine.home, 'prompts.json')
      await chooseFiles(harness.app(), path)
      await openPlayground(page, 'Prompts')
      await pickFromMenu(page, 'More actions for Counting', 'Export…')
      await expect.poll(() => readText(path)).toContain('platform-companion-prompts')
      await pickFromMenu(page, 'More actions for Counting', 'Copy text')
      await expect.poll(() => readClipboardText(harness.app())).toBe('Count to {{number}}')
      await pickFromMenu(page, 'More actions for Counting', 'Delete')
      await expect(page.getByText('No prompts yet')).toBeVisible()
      await page.getByRole('button', { name: 'Undo' }).click()
      const rows = page.getByRole('list', { name: 'Prompts' }).getByRole('listitem')
      await expect(rows).toHaveCount(1)
      await pickFromMenu(page, 'More library actions', 'Import…')
      await expect(rows).toHaveCount(2)
      for (const row of await rows.all()) await expect(row).toContainText(/Counting.*3 versions/)
    },
  ],
]

test('answers are compared side by side, and prompts are saved with their versions', async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await harness.start()
  await walk(harness, page, parts)
})
