import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, pickFromMenu, test } from '../support/desk'
import { chooseFiles, openPlayground } from '../support/playground'

const grid = (page: Page): Locator => page.getByRole('table', { name: 'Responses by column and test case' })
const cell = (page: Page, name: string): Locator => grid(page).getByRole('cell', { name, exact: true })

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Two test cases. The pattern of the second takes exponential time. */
const cases = 'number,check,expected\n3,equals,"1, 2, 3"\n40,regex,^(.+)+x$'

async function runComparison(page: Page): Promise<void> {
  await openPlayground(page, 'Compare')
  await page.getByRole('button', { name: 'Several models, one prompt' }).click()
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Count to {{number}}')
  await page.getByRole('button', { name: 'Paste table' }).click()
  const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
  await pasteDialog.getByRole('textbox', { name: 'Table' }).fill(cases)
  await pasteDialog.getByRole('button', { name: 'Add 2 test cases' }).click()
  await expect(page.getByText(/^≈ \d+ input tokens$/)).toBeVisible()
  await page.getByRole('button', { name: 'Run all 6' }).click()
  await expect(grid(page).getByText('Passed', { exact: true })).toHaveCount(3)
  await expect(grid(page).getByText('Not passed', { exact: true })).toHaveCount(3)
  await expect(grid(page).getByTitle('The regular expression takes too long.')).toHaveCount(3)
}

/** Rates all answers of a test case with the keyboard. */
async function rateRow(page: Page, number: number, marks: readonly string[]): Promise<void> {
  for (const [index, mark] of marks.entries()) {
    const name = `Response ${'ABC'[index]}, test case ${number}`
    await cell(page, name)
      .getByRole('group', { name: `Rate ${name}` })
      .getByRole('button')
      .first()
      .focus()
    await page.keyboard.press(mark)
    if (index < marks.length - 1) {
      await expect(cell(page, name).getByRole('button', { name: `${mark} stars` })).toHaveAttribute(
        'aria-pressed',
        'true',
      )
    }
  }
}

test('answers are checked, rated without model names, repeated, summed up, exported, imported and duplicated', async ({
  harness,
}) => {
  test.setTimeout(180_000)
  const page = await harness.start()
  await runComparison(page)
  const totals = page.getByRole('table', { name: 'Totals' })
  await expect(totals.getByRole('row', { name: 'aurora-large' })).toContainText('1 of 2')

  await page.getByRole('switch', { name: 'Blind rating' }).click()
  await expect(grid(page).getByRole('columnheader', { name: 'Response A' })).toBeVisible()
  await expect(page.getByText('Rate all responses to see the summary.')).toBeVisible()
  await expect(grid(page)).not.toContainText('aurora-large')
  await rateRow(page, 1, ['5', '4', '3'])
  await expect(cell(page, 'aurora-large, test case 1')).toContainText('aurora-large')
  await expect(page.getByText('3 of 6 rated')).toBeVisible()
  await rateRow(page, 2, ['2', '2', '2'])
  await expect(totals.getByRole('img', { name: /^Average rating/ })).toHaveCount(3)
  await page.getByRole('switch', { name: 'Blind rating' }).click()
  await page.getByRole('radio', { name: 'Prompt', exact: true }).click()
  await expect(totals.getByRole('row', { name: 'Count to {{number}}' })).toContainText('3 of 6')
  await expect(totals.getByRole('img', { name: 'Average rating 3' })).toBeVisible()

  await page.getByRole('combobox', { name: 'Runs per cell' }).click()
  await page.getByRole('option', { name: '2', exact: true }).click()
  await expect(page.getByText(/^≈ \d+ tokens$/)).toBeVisible()
  await page.getByRole('button', { name: 'Run 6 remaining' }).click()
  await expect(cell(page, 'aurora-large, test case 1, run 2').getByText('Passed')).toBeVisible()
  await expect(totals.getByRole('row', { name: 'Count to {{number}}' })).toContainText('6 of 12')

  const csv = join(harness.machine.home, 'scores.csv')
  await chooseFiles(harness.app(), csv)
  await pickFromMenu(page, 'More actions for Model comparison', 'Export as CSV…')
  await expect.poll(() => readText(csv)).toContain('aurora-large check,aurora-large rating')
  const json = join(harness.machine.home, 'scores.json')
  await chooseFiles(harness.app(), json)
  await pickFromMenu(page, 'More actions for Model comparison', 'Export as JSON…')
  await expect.poll(() => readText(json)).toContain('"column": "aurora-large"')

  await openPlayground(page, 'Compare')
  await page.getByRole('button', { name: 'Import…' }).click()
  await expect(totals.getByRole('img', { name: /^Average rating/ })).toHaveCount(3)
  await expect(grid(page).getByText('Outdated')).toHaveCount(0)

  await pickFromMenu(page, 'More actions for Model comparison', 'Duplicate')
  await expect(page.getByRole('heading', { name: 'Model comparison (copy)' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run all 12' })).toBeVisible()
  await page.getByRole('button', { name: 'Paste table' }).click()
  const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
  await pasteDialog.getByLabel('Open CSV file…').first().setInputFiles(csv)
  await pasteDialog.getByRole('button', { name: 'Add to existing' }).click()
  await expect(page.getByRole('textbox', { name: 'Expected value of test case 3' })).toHaveValue('1, 2, 3')
  await expect(page.getByRole('combobox', { name: 'Check of test case 4' })).toHaveText('Regex')
})
