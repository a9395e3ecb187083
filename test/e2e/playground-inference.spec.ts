import type { Locator, Page } from '@playwright/test'
import { failureCodes } from '../../src/renderer/i18n/en'
import { stubMessageBoxes } from '../support/app'
import { listFilesContaining, pageText } from '../support/canary'
import { expect, test } from '../support/coverage'
import { labels } from '../support/labels'
import { startModelServer } from '../support/model-server'
import { openForm, readClipboardText, writeClipboard } from '../support/platform-pages'
import {
  chatTarget,
  chooseTarget,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../support/playground'

const localTargetName = 'sandbox'

/** The button with the selected model, on the pages for completions and embeddings. */
const getTarget = (page: Page): Locator => page.getByRole('button', { name: /^Model:/ })

/** Creates a platform API key and copies it to the clipboard. */
async function copyNewApiKey(page: Page): Promise<void> {
  const form = await openForm(page, '/models/keys')
  await form.getByLabel(labels.name).fill('for-inference')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(form.getByText('for-inference is ready')).toBeVisible()
  const secrets = form.getByRole('region', { name: 'Secrets in the response' })
  await secrets.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByText('The clipboard is cleared in').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
}

async function runCompletion(page: Page, text: string): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill(text)
  await page.getByRole('button', { name: 'Complete', exact: true }).click()
  const result = page.getByRole('region', { name: 'Completion' })
  await expect(result.getByText(/^Done · 200$/)).toBeVisible()
  return result
}

async function requestEmbeddings(page: Page, inputs: readonly string[]): Promise<Locator> {
  const texts = page.getByRole('region', { name: 'Texts', exact: true })
  for (const [index, input] of inputs.entries()) {
    if (index > 0) await texts.getByRole('button', { name: 'Add text' }).click()
    await texts.getByRole('textbox', { name: `Text ${index + 1}`, exact: true }).fill(input)
  }
  await page.getByRole('button', { name: `Embed ${inputs.length} texts` }).click()
  const matrix = page.getByRole('table', { name: 'Cosine similarity' })
  await expect(matrix.getByRole('row')).toHaveCount(inputs.length + 1)
  return matrix
}

test('platform inference answers chats, completions and embeddings with IAM and with a saved platform API key', async ({
  harness,
}) => {
  const page = await harness.start()
  await harness.control('/timing', { asyncMs: 0 })
  await copyNewApiKey(page)
  const apiKey = await readClipboardText(harness.app())
  await openPlayground(page)
  await chooseTarget(chatTarget(page), {
    place: localTargetName,
    model: 'aurora-large',
    signIn: 'Connection’s IAM token',
  })
  await sendMessage(page, 'Count to 4')
  await expect(await waitForFullAnswer(page)).toContainText('1, 2, 3, 4')

  await startNewChat(page)
  await chatTarget(page).click()
  const form = page.getByRole('dialog', { name: 'Model' })
  await form.getByRole('combobox', { name: 'Authentication' }).click()
  await expect(page.getByRole('option')).toHaveCount(2)
  await page.getByRole('option', { name: 'Platform API key' }).click()
  await writeClipboard(harness.app(), 'sk-platform-key-of-nobody-0001')
  await form.getByRole('button', { name: 'Paste key' }).click()
  await expect(form.getByText('Saved for this connection.')).toBeVisible()
  await page.keyboard.press('Escape')
  await sendMessage(page, 'Count to 5')
  await expect(page.getByRole('alert')).toContainText(failureCodes.api.unauthorized.title)
  await chatTarget(page).click()
  await writeClipboard(harness.app(), apiKey)
  // The app copied this key itself, so it asks before it uses one from the clipboard.
  const dialogTexts = await stubMessageBoxes(harness.app(), 0)
  await form.getByRole('button', { name: 'Paste another' }).click()
  await expect(form.getByText(`...${apiKey.slice(-4)}`).first()).toBeVisible()
  expect(await dialogTexts()).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  await expect(await waitForFullAnswer(page)).toContainText('1, 2, 3, 4, 5')

  await openPlayground(page, 'Completion')
  await getTarget(page).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).click()
  const placeOptions = page.getByRole('option')
  await expect(placeOptions).toHaveText([/^sandbox.*Platform inference/, /^Local address/])
  await page.keyboard.press('Escape')
  await expect(placeOptions).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await chooseTarget(getTarget(page), { place: localTargetName, model: 'aurora-small', signIn: 'Platform API key' })
  await expect(await runCompletion(page, 'Once upon a time')).toContainText(/^Once upon a time.{20}/)

  await openPlayground(page, 'Embeddings')
  await chooseTarget(getTarget(page), {
    place: localTargetName,
    model: 'comet-embed',
    signIn: 'Connection’s IAM token',
  })
  const matrix = await requestEmbeddings(page, [
    'a small cat sleeps',
    'a little kitten is sleeping',
    'interest rates rose again',
  ])
  const cells = await matrix.getByRole('cell').allInnerTexts()
  const [alike, unlike] = [Number(cells[2]), Number(cells[3])]
  expect(Number(cells[1])).toBe(1)
  expect(alike).toBeGreaterThan(unlike)
  const visibleText = `${await pageText(page)}${await harness.bridgeText()}`
  expect(visibleText).not.toContain(apiKey)
  expect(listFilesContaining(harness.machine.dataDir, apiKey)).toEqual([])
})

test('a local address is called without a key, and a remote one is refused before anything is sent', {
  tag: '@deep',
}, async ({ harness }) => {
  const server = await startModelServer()
  const page = await harness.start()
  await openPlayground(page, 'Completion')
  const localTarget = { place: 'Local address', model: 'tiny' }
  await chooseTarget(getTarget(page), { ...localTarget, address: 'https://93.184.216.34/v1' })
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello')
  await page.getByRole('button', { name: 'Complete', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('is not on this computer or its network')
  await chooseTarget(getTarget(page), { address: server.url })
  await expect(await runCompletion(page, 'Say: ')).toContainText('Say: Hello from this computer.')
  await openPlayground(page, 'Embeddings')
  await chooseTarget(getTarget(page), { ...localTarget, address: server.url })
  const matrix = await requestEmbeddings(page, ['the same', 'the same', 'another'])
  const [, first, second, third] = await matrix.getByRole('cell').allInnerTexts()
  expect([first, second]).toEqual(['1.000', '1.000'])
  expect(Number(third)).toBeLessThan(1)
  expect(server.asked.map(({ path, headers, body }) => [path, headers.authorization, body.model])).toEqual([
    ['/v1/completions', undefined, 'tiny'],
    ['/v1/embeddings', undefined, 'tiny'],
  ])
  await server.stop()
})
