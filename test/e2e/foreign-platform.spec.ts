import type { Page } from '@playwright/test'
import { expect, test } from '../support/app'
import { foreignRows, startForeignPlatform } from '../support/foreign-platform'
import { labels } from '../support/labels'
import { getTableRows, openScreen, writeClipboard } from '../support/platform-pages'

/** Leaf values of a JSON value, each with its path. */
function listLeaves(value: unknown, path: string): readonly (readonly [at: string, text: string])[] {
  if (Array.isArray(value)) return [[path, value.join(', ')]]
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, inner]) => listLeaves(inner, `${path}/${name}`))
}

/** Expects the page to show all fields of a response with their values. Expands nested fields first. */
async function expectFields(page: Page, row: object, parentPath = ''): Promise<void> {
  const leaves = listLeaves(row, parentPath)
  await expect(page.locator(`[title="${leaves[0]?.[0]}"]`).last()).toBeVisible()
  const closedDetails = page.locator('details:not([open]) > summary:visible')
  while ((await closedDetails.count()) > 0) await closedDetails.first().click()
  for (const [path, text] of leaves) {
    const field = page.getByRole('listitem').filter({ has: page.locator(`[title="${path}"]`) })
    await expect(field.last(), path).toContainText(text)
  }
}

/** A row without a known identifier has no page, so all its fields show in a panel over the list. */
async function expectSheet(page: Page, name: string, row: object): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await expectFields(page, row)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test('a platform with different field names can be browsed, and a service without an address says so', {
  tag: '@deep',
}, async ({ start }) => {
  const platform = await startForeignPlatform()
  const { app, page } = await start()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await openScreen(page, '/identities/agents', 'Identities')
  await expect(page.getByText('No active connection')).toBeVisible()
  await openScreen(page, '/connections?new', 'Add connection')
  await page.getByRole('textbox', { name: labels.name, exact: true }).fill('Elsewhere')
  for (const [label, path] of [
    ['Identity', '/identity'],
    ['Memory', '/memory'],
    ['Registry', '/registry'],
    ['Runtimes', '/runtime'],
  ] as const) {
    await page.getByRole('textbox', { name: label, exact: true }).fill(`${platform.url}${path}`)
  }
  await page.getByRole('radio', { name: /Pasted token/ }).click()
  await writeClipboard(app, platform.token)
  await page.getByRole('button', { name: 'Paste from clipboard' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Elsewhere', level: 1 })).toBeVisible()

  await openScreen(page, '/identities/agents', 'Identities')
  await expect(getTableRows(page, 'Agent identities')).toHaveCount(2)
  await expectSheet(page, 'amber', foreignRows.identity)

  await openScreen(page, '/registry/repositories', 'Registry')
  await getTableRows(page, 'Repositories').getByRole('link').click()
  await expectFields(page, foreignRows.repository, '/found')
  await expectSheet(page, 'spring-build', foreignRows.image)

  await openScreen(page, '/memory', 'Memory')
  await getTableRows(page, 'Memory').getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'm-77', level: 1 })).toBeVisible()
  await openScreen(page, '/memory/m-77/details', 'm-77')
  await expectFields(page, foreignRows.memory, '/box')

  await openScreen(page, '/runtimes', 'Runtimes')
  await expectSheet(page, 'amber-live', foreignRows.runtime)

  await openScreen(page, '/models/list', 'Models & API keys')
  await expect(page.getByText('“Elsewhere” has no address for this service')).toBeVisible()
  await page.getByRole('link', { name: 'Add address' }).click()
  await expect(page.getByLabel('Models and API keys', { exact: true })).toBeFocused()
  await platform.stop()
})
