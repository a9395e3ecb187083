import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { z } from 'zod'
import { listFilesContaining, pageText } from '../support/canary'
import { type AppHarness, expect, shortDuration, test } from '../support/desk'
import { modelRequests, toCounts } from '../support/gateway-counts'
import { createChunkQueue, type ModelServer, startModelServer } from '../support/model-server'
import { buildPdf } from '../support/pdf'
import { readClipboardText } from '../support/platform-pages'
import {
  answers,
  chatTarget,
  chooseTarget,
  composer,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../support/playground'
import { type WalkStep, walk } from '../support/walk'

/** Begins a chat with a server on this computer. */
async function chooseLocalTarget(
  page: Page,
  { url }: ModelServer,
  standard: 'Chat completions' | 'Messages',
): Promise<void> {
  await startNewChat(page)
  const localTarget = { place: 'Local address', address: url, model: 'tiny' }
  await chooseTarget(chatTarget(page), { ...localTarget, standard })
}

/** The key and parts of it, none of which may be copied. */
const listParts = (key: string): string[] => [key, key.slice('sk-sandbox-'.length), key.slice(-12)]

const languages = [
  ['curl', /--header "authorization: Bearer \$PLAN_KEY"/],
  ['Python', /os\.environ\["PLAN_KEY"\]/],
  ['TypeScript', /process\.env\.PLAN_KEY/],
] as const

/**
 * Checks the details of a run: the masked header of its request, the raw response, and the request as code in three
 * languages.
 */
async function inspectAnswer(
  harness: AppHarness,
  answer: Locator,
  sentRequest: { readonly key: string; readonly requestId: string },
) {
  const page = answer.page()
  await answer.getByRole('button', { name: 'Inspector' }).click()
  const sheet = page.getByRole('dialog', { name: 'Inspector' })
  await expect(sheet.getByText(/^Bearer sk-\.\.\.\w{4}$/)).toBeVisible()
  await sheet.getByRole('tab', { name: 'Response' }).click()
  await expect(sheet.getByText('Status 200')).toBeVisible()
  await expect(sheet.getByText(sentRequest.requestId, { exact: true })).toBeVisible()
  await expect(sheet).toContainText(/data: \{.*" 2,"/)
  await sheet.getByRole('tab', { name: 'Code' }).click()
  for (const [language, variable] of languages) {
    await sheet.getByRole('combobox', { name: 'Language' }).click()
    await page.getByRole('option', { name: language }).click()
    await expect(sheet).toContainText(variable)
    await sheet.getByRole('button', { name: 'Copy code' }).click()
    await expect.poll(() => readClipboardText(harness.app())).toMatch(variable)
    const clipboardText = await readClipboardText(harness.app())
    expect(listParts(sentRequest.key).filter((keyPart) => clipboardText.includes(keyPart))).toEqual([])
  }
  await page.keyboard.press('Escape')
}

/** User steps in a chat with a model of a plan, by one API standard. */
const createPlanPart = (standard: 'Chat completions' | 'Messages'): WalkStep => [
  `a plan’s model answers by ${standard}, with figures that are the gateway’s, and its exchange to look into`,
  async (harness, page) => {
    const key = await harness.readKey('sandbox-pro')
    await openPlayground(page)
    // Slow the answer down, so that it has several chunks and thus a speed even on a busy machine.
    await harness.control('/timing', { paceMs: 60 })
    await startNewChat(page)
    await chooseTarget(chatTarget(page), { place: 'sandbox-pro', standard, model: 'aurora-small' })
    const countBefore = modelRequests(await harness.control('/requests?area=gateway')).length
    await sendMessage(page, 'Count to 7')
    const answer = await waitForFullAnswer(page)
    await expect(answer).toContainText('1, 2, 3, 4, 5, 6, 7')
    const { inputTokens, outputTokens } = toCounts(
      modelRequests(await harness.control('/requests?area=gateway')).slice(countBefore),
    )
    for (const tokenCountText of [`in ${inputTokens}`, `out ${outputTokens}`])
      await expect(answer).toContainText(tokenCountText)
    await expect(answer).toContainText(new RegExp(`first token ${shortDuration}`))
    await expect(answer).toContainText(/[\d.]+ tokens\/s/)
    await expect(answer).toContainText(/% of remaining quota/)
    await answer.getByRole('button', { name: 'Copy request ID' }).click()
    await expect.poll(() => readClipboardText(harness.app())).toMatch(/^req_/)
    await inspectAnswer(harness, answer, { key, requestId: await readClipboardText(harness.app()) })
    await harness.control('/timing', { paceMs: 12 })
    const visibleText = `${await pageText(page)}${await harness.bridgeText()}`
    expect(listParts(key).filter((keyPart) => visibleText.includes(keyPart))).toEqual([])
    expect(listParts(key).flatMap((keyPart) => listFilesContaining(join(harness.machine.home, '..'), keyPart))).toEqual(
      [],
    )
  },
]

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  createPlanPart('Messages'),
  [
    'an answer grows as it comes; Stop and Escape end it, and what had come is kept and marked',
    async (_desk, page) => {
      const server = await startModelServer()
      await openPlayground(page)
      const stopCases = [
        ['Chat completions', () => page.getByRole('button', { name: 'Stop', exact: true }).click()],
        ['Messages', () => page.keyboard.press('Escape')],
      ] as const
      for (const [standard, stop] of stopCases) {
        const { pieces, say } = createChunkQueue()
        server.answer(() => pieces)
        await chooseLocalTarget(page, server, standard)
        await sendMessage(page, 'Tell me a story')
        const answer = answers(page).last()
        await expect(answer).toHaveAttribute('aria-busy', 'true')
        for (const chunk of ['Once upon', ' a time', ' there was']) {
          say(chunk)
          await expect(answer).toContainText(chunk.trim())
        }
        await expect(answer).toContainText('Once upon a time there was')
        await stop()
        await expect(answer).toContainText('Stopped. The text received so far is saved.')
        await expect(answer).toContainText(/Stopped · 200/)
        await expect(answer).toContainText('Once upon a time there was')
        await startNewChat(page)
        await page
          .getByRole('link', { name: /^Tell me a story/ })
          .first()
          .click()
        await expect(answers(page).last()).toContainText('Once upon a time there was')
      }
      await server.stop()
    },
  ],
  [
    'only what is set is sent; broken JSON is refused in its place; files go along as parts',
    async (harness, page) => {
      const server = await startModelServer()
      await openPlayground(page)
      const captureSentBody = async (text: string) => {
        await sendMessage(page, text)
        await waitForFullAnswer(page)
        return SentBody.parse(server.asked.at(-1)?.body)
      }
      const messages = [{ role: 'user', content: 'Hello' }]

      await chooseLocalTarget(page, server, 'Messages')
      expect(await captureSentBody('Hello')).toEqual({ model: 'tiny', messages, max_tokens: 4096, stream: true })
      await chooseLocalTarget(page, server, 'Chat completions')
      const minimalBody = { model: 'tiny', messages, stream: true, stream_options: { include_usage: true } }
      expect(await captureSentBody('Hello')).toEqual(minimalBody)
      expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])

      await startNewChat(page)
      const setup = page.getByRole('complementary', { name: 'Run settings' })
      await setup.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.')
      await setup.getByRole('textbox', { name: 'Temperature' }).fill('0,3')
      await setup.getByRole('textbox', { name: 'Stop sequences' }).fill('END\nSTOP')
      await setup.getByRole('switch', { name: 'JSON mode' }).click()
      const tools = setup.getByRole('textbox', { name: 'Tools' })
      await tools.fill('[{"type": "function"')
      await expect(setup.getByText('Invalid JSON.')).toBeVisible()
      await composer(page).fill('Hello')
      await composer(page).press('Enter')
      await expect(page.getByText('Fix the JSON in the run settings first.')).toBeVisible()
      expect(server.asked).toHaveLength(2)
      await tools.fill('{}')
      await expect(setup.getByText('Enter a JSON array: [ … ]')).toBeVisible()
      const tool = { type: 'function', function: { name: 'now', parameters: { type: 'object' } } }
      await tools.fill(JSON.stringify([tool]))
      await setup.getByRole('textbox', { name: 'More parameters' }).fill('{"logprobs": true}')
      expect(await captureSentBody('Hello')).toEqual({
        ...minimalBody,
        messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
        temperature: 0.3,
        stop: ['END', 'STOP'],
        logprobs: true,
        response_format: { type: 'json_object' },
        tools: [tool],
      })

      await startNewChat(page)
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
      const imageFile = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') }
      await page
        .locator('input[type=file]')
        .setInputFiles([
          { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\nThe word is “kumquat”.\n') },
          imageFile,
        ])
      const attachmentItems = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
      await expect(attachmentItems.filter({ hasText: 'notes.md' })).toContainText(/\d+ tokens/)
      await expect(attachmentItems.filter({ hasText: 'dot.png' })).toContainText(/\d+ B|KB/)
      const { content } = (await captureSentBody('What is this?')).messages.at(-1) ?? {}
      expect(content).toEqual([
        { type: 'text', text: expect.stringContaining('kumquat') },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        expect.anything(),
      ])
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'scan.pdf', mimeType: 'application/pdf', buffer: buildPdf('') })
      await expect(page.getByRole('alert')).toHaveText(/^scan\.pdf contains no text\./)
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'report.pdf', mimeType: 'application/pdf', buffer: buildPdf('Fruit', 'It is quince.') })
      await expect(attachmentItems.filter({ hasText: 'report.pdf' })).toContainText(/\d+ tokens/)
      await expect(page.getByRole('alert')).toHaveCount(0)
      const pdfMessage = (await captureSentBody('Which fruit?')).messages.at(-1)
      expect(JSON.stringify(pdfMessage)).toContain('[Page 2]\\nIt is quince.')
      await server.stop()

      const zeroUsage = { tokensUsed: 0, requestsUsed: 0 }
      await harness.control('/models', { planId: 'plan-sandbox-pro', modelCode: 'nova-vision', ...zeroUsage })
      await startNewChat(page)
      await chooseTarget(chatTarget(page), { place: 'sandbox-pro', standard: 'Messages', model: 'nova-vision' })
      await page.locator('input[type=file]').setInputFiles(imageFile)
      await expect(attachmentItems).toHaveCount(1)
      await sendMessage(page, 'What is this?')
      await (await waitForFullAnswer(page)).getByRole('button', { name: 'Inspector' }).click()
      await expect(page.getByRole('dialog', { name: 'Inspector' })).toContainText('"media_type": "image/png"')
    },
  ],
  [
    'editing begins a branch, asking again keeps the old answer, and one goes back and forth between them',
    async (_desk, page) => {
      await openPlayground(page)
      await startNewChat(page)
      await chooseTarget(chatTarget(page), {
        place: 'sandbox-pro',
        standard: 'Chat completions',
        model: 'aurora-small',
      })
      await sendMessage(page, 'Count to 3')
      await waitForFullAnswer(page)
      await sendMessage(page, 'Count to 4')
      await expect(await waitForFullAnswer(page)).toContainText('1, 2, 3, 4')
      const log = page.getByRole('log')
      const firstMessage = page.getByRole('article', { name: 'You', exact: true }).first()

      await firstMessage.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Edit message' }).fill('Count to 5')
      await page.getByRole('button', { name: 'Send', exact: true }).first().click()
      await expect(await waitForFullAnswer(page)).toContainText('1, 2, 3, 4, 5')
      await expect(log).not.toContainText('Count to 4')
      await expect(firstMessage).toContainText('Branch 2 of 2')
      await firstMessage.getByRole('button', { name: 'Previous branch' }).click()
      await expect(log).toContainText('Count to 3')
      await expect(log).toContainText('Count to 4')
      await firstMessage.getByRole('button', { name: 'Next branch' }).click()
      await expect(log).toContainText('Count to 5')

      await chooseTarget(chatTarget(page), { model: 'aurora-large' })
      await answers(page).last().getByRole('button', { name: 'Regenerate' }).click()
      const regeneratedAnswer = page.getByRole('article', { name: 'Response of aurora-large' })
      await expect(regeneratedAnswer.getByText(/^Done · 200$/)).toBeVisible()
      await expect(regeneratedAnswer).toContainText('Branch 2 of 2')
      await regeneratedAnswer.getByRole('button', { name: 'Previous branch' }).click()
      await expect(answers(page)).toHaveAccessibleName('Response of aurora-small')
      await expect(answers(page)).toContainText('1, 2, 3, 4, 5')
    },
  ],
]

test('a chat with a plan and with a server on this computer', async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await harness.start()
  await walk(harness, page, parts)
})

test('a chat with a plan by the other standard', { tag: '@deep' }, async ({ harness }) => {
  await walk(harness, await harness.start(), [createPlanPart('Chat completions')])
})

const SentBody = z.looseObject({ messages: z.array(z.looseObject({ content: z.unknown() })) })
