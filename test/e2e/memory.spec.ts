import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { z } from 'zod'
import { violations } from '../support/axe'
import { expect, test } from '../support/coverage'
import { labels } from '../support/labels'

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.number() })) })
const Records = z.array(z.looseObject({ content: z.string() }))

const openMemoryPage = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Memory', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Memory', level: 1 })).toBeVisible()
}

const tab = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('tab', { name, exact: true }).click()
  await expect(page.getByRole('tab', { name, exact: true })).toHaveAttribute('aria-selected', 'true')
}

const saveAs = (app: ElectronApplication, path: string): Promise<void> =>
  app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)

async function createMemory(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New memory' }).first().click()
  const sheet = page.getByRole('dialog')
  const field = sheet.getByRole('textbox', { name: labels.name })
  await field.fill('not a name')
  await sheet.getByRole('textbox', { name: 'Event retention in days' }).fill('366')
  await sheet.getByRole('button', { name: 'Create memory' }).click()
  await expect(sheet.getByText('Up to 50 characters: letters, digits, ., - and _.')).toBeVisible()
  await expect(sheet.getByText('A whole number from 1 to 365 days.')).toBeVisible()
  await field.fill(name)
  await sheet.getByRole('textbox', { name: 'Event retention in days' }).fill('30')
  await sheet.getByRole('button', { name: 'Add strategy' }).click()
  const strategy = sheet.getByRole('group', { name: 'Strategies 1' })
  await strategy.getByRole('textbox', { name: labels.name, exact: true }).fill('parcel facts')
  await strategy.getByRole('combobox', { name: 'Type' }).fill('SEMANTIC')
  await sheet.getByRole('button', { name: 'Create memory' }).click()
  await expect(sheet).toBeHidden()
}

async function append(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Append event' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('textbox', { name: 'Content' }).fill(text)
  await sheet.getByRole('button', { name: 'Append', exact: true }).click()
  await expect(sheet).toBeHidden()
  await expect(timeline(page).getByRole('button', { name: text })).toBeVisible()
}

const timeline = (page: Page): Locator => page.getByRole('table', { name: 'Events' })

test('a memory is created, filled, converted to searchable records, exported and deleted', async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await harness.start()
  await openMemoryPage(page)
  await createMemory(page, 'field-notes')
  await page.getByRole('combobox', { name: 'Rows per page' }).click()
  await page.getByRole('option', { name: '100 per page' }).click()
  await page.getByRole('link', { name: 'field-notes' }).click()
  await expect(page.getByRole('heading', { name: /field-notes/, level: 1 })).toBeVisible()
  await expect(page.getByText('No actors yet')).toBeVisible()
  await page
    .getByRole('textbox', { name: 'Actor' })
    .or(page.getByRole('combobox', { name: 'Actor' }))
    .fill('ada')
  await page.getByRole('combobox', { name: 'Session' }).fill('first-day')
  await page.getByRole('button', { name: 'Open session' }).click()
  await expect(page.getByText('No events in this session')).toBeVisible()
  await append(page, 'I live in Da Nang and I work as a nurse.')
  await append(page, 'My favourite fruit is the mango from the garden.')
  await expect(page.getByText('Events 1–2 of 2')).toBeVisible()

  await page.getByRole('searchbox', { name: 'Search loaded events' }).fill('mango')
  await expect(page.getByText('1 of 2', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Clear the search' }).click()

  await tab(page, 'Actors & sessions')
  await expect(page.getByRole('list', { name: 'Actors' })).toContainText('2 events')
  await expect(page.getByRole('list', { name: 'Sessions' })).toContainText('first-day')
  await tab(page, 'Strategies')
  await expect(page.getByRole('table', { name: 'Strategies' })).toContainText('SEMANTIC')
  await expect(page.getByRole('table', { name: 'Strategies' })).toContainText('parcel facts')

  await tab(page, 'Actors & sessions')
  await page.getByRole('button', { name: 'Generate records from first-day' }).click()
  await page.getByRole('button', { name: 'Generate records', exact: true }).click()
  await expect(page.getByRole('heading', { name: /\d new records?/ })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Records before and after' })).toContainText('Da Nang')
  await page.getByRole('button', { name: 'Generate records', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'No new records' })).toBeVisible()
  await page.getByRole('link', { name: 'View in list' }).click()
  const records = page.getByRole('table', { name: 'Records' })
  await expect(records).toContainText('Da Nang')
  await records.getByRole('button', { name: /Da Nang/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open session' }).click()
  await expect(page.getByText('Events 1–2 of 2')).toBeVisible()
  await page.goBack()

  const path = join(harness.machine.home, 'records.json')
  await saveAs(harness.app(), path)
  await records.getByRole('checkbox', { name: 'Select record 1' }).click()
  await expect(page.getByText('1 record selected')).toBeVisible()
  await page.getByRole('button', { name: 'Export as JSON' }).click()
  await expect.poll(() => Records.safeParse(readJson(path)).data?.length).toBe(1)

  await page.getByRole('radio', { name: 'Search' }).click()
  const limit = page.getByRole('textbox', { name: 'Maximum' })
  await page.getByRole('textbox', { name: 'Search text' }).fill('where does the user live')
  await limit.fill('4')
  await expect(page.getByText('A whole number from 5 to 200.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeDisabled()
  await limit.fill('5')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  const searchList = page.getByRole('list', { name: 'Semantic search' })
  await expect(searchList.getByRole('listitem').first()).toContainText('Da Nang')
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Actions for field-notes' }).click()
  await page.getByRole('menuitem', { name: 'Delete memory' }).click()
  const confirmDialog = page.getByRole('alertdialog')
  await expect(confirmDialog).toContainText('2 events')
  await expect(confirmDialog).toContainText('1 session')
  await expect(confirmDialog.getByRole('button', { name: 'Delete memory' })).toBeDisabled()
  await confirmDialog.getByRole('textbox').fill('field-notes')
  await confirmDialog.getByRole('button', { name: 'Delete memory' }).click()
  await expect(page.getByRole('heading', { name: 'Memory', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: 'field-notes' })).toBeHidden()

  const { requests } = Requests.parse(await harness.control('/requests?area=platform'))
  const id = /memories\/([^/]+)\/actors\/ada/.exec(requests.map((request) => request.path).join(' '))?.[1] ?? ''
  const requestedOperations = new Set(
    requests
      .filter(({ path: requestPath }) => requestPath.startsWith('/memory/'))
      .map(
        ({ method, path: requestPath }) =>
          `${method} ${requestPath.replace(/\?.*/, '').replace('/memory', '').replace(id, '{id}')}`,
      ),
  )
  for (const operation of operations) expect(requestedOperations).toContain(operation)
})

const session = '/memories/{id}/actors/ada/sessions/first-day/events'

/** The eleven operations of the memory service. */
const operations = [
  'POST /memories',
  'GET /memories',
  'GET /memories/{id}',
  'DELETE /memories/{id}',
  'GET /memories/{id}/long-term-memory-strategies',
  `POST ${session}`,
  `GET ${session}`,
  'GET /memories/{id}/actors',
  'GET /memories/{id}/memory-records',
  'POST /memories/{id}/memory-records:search',
  'POST /memories/{id}/memory-records:generate-from-session',
]

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
