import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Database } from '../../src/main/core/sqlite/database'
import { test as alone, startApp } from '../support/app'
import { fileMode, listFilesContaining } from '../support/canary'
import { expect, pickFromMenu, test } from '../support/desk'
import { labels } from '../support/labels'
import { createChunkQueue, startModelServer } from '../support/model-server'
import {
  answers,
  chooseFiles,
  chooseTarget,
  composer,
  conversationRow,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../support/playground'

const ExportedFile = z.object({
  format: z.string(),
  messages: z.array(z.object({ role: z.string(), text: z.string() })),
})

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

test('a conversation is found without diacritics, renamed, pinned, deleted and restored, exported and imported, and a cut answer is kept', {
  tag: '@deep',
}, async ({ harness }) => {
  const page = await harness.start()
  await openPlayground(page)
  await sendMessage(page, 'List 3 rivers')
  await expect((await waitForFullAnswer(page)).getByRole('listitem')).toHaveCount(3)
  for (const text of ['Count to 3', 'Viết một câu về Đà Nẵng']) {
    await startNewChat(page)
    await sendMessage(page, text)
    await waitForFullAnswer(page)
  }
  const search = page.getByRole('searchbox', { name: 'Search chats' })
  await search.fill('nang')
  await expect(page.getByRole('list', { name: 'Chats' }).getByRole('listitem')).toHaveCount(1)
  await expect(conversationRow(page, 'Viết một câu').locator('mark')).toHaveText('Nẵng')
  await search.fill('nowhere at all')
  await expect(page.getByText('No matching chats')).toBeVisible()
  await search.fill('')

  await pickFromMenu(page, 'Actions for “Count to 3”', 'Rename')
  await page.getByRole('textbox', { name: 'Chat name' }).fill('Numbers')
  await page.keyboard.press('Enter')
  const rows = page.getByRole('list', { name: 'Chats' }).getByRole('listitem')
  await expect(rows.nth(1)).toContainText('Numbers')
  await pickFromMenu(page, 'Actions for “Numbers”', 'Pin')
  await expect(rows.first()).toContainText('Numbers')
  await expect(rows.first().getByLabel('Pinned')).toBeVisible()

  const folder = join(harness.machine.home, 'exports')
  const files = { markdown: `${folder}.md`, json: `${folder}.json` }
  await chooseFiles(harness.app(), files.markdown)
  await pickFromMenu(page, 'Actions for “Numbers”', 'Export as Markdown')
  await expect.poll(() => readText(files.markdown)).toContain('1, 2, 3')
  expect(readText(files.markdown)).toContain('# Numbers')
  await chooseFiles(harness.app(), files.json)
  await pickFromMenu(page, 'Actions for “Numbers”', 'Export as JSON')
  await expect.poll(() => readText(files.json)).toContain('platform-companion-conversation')
  expect(ExportedFile.parse(JSON.parse(readText(files.json))).messages).toEqual([
    { role: 'user', text: 'Count to 3' },
    { role: 'assistant', text: '1, 2, 3' },
  ])
  expect(fileMode(files.json)).toBe(0o600)

  await pickFromMenu(page, 'Actions for “Numbers”', 'Delete')
  await expect(conversationRow(page, 'Numbers')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(conversationRow(page, 'Numbers')).toHaveCount(1)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(conversationRow(page, 'Numbers')).toHaveCount(2)
  await expect(answers(page)).toContainText('1, 2, 3')

  await startNewChat(page)
  await harness.control('/faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: 1500, times: 1 }] })
  await sendMessage(page, 'Count to 30')
  const answer = answers(page).last()
  await expect(answer.getByText('Response interrupted')).toBeVisible()
  await expect(answer).toContainText(/^[\w-]+1, 2,/)
  await expect(answer).not.toContainText('29, 30')
  await answer.getByRole('button', { name: 'Retry' }).click()
  await expect(await waitForFullAnswer(page)).toContainText('29, 30')
  await answers(page).last().getByRole('button', { name: 'Previous branch' }).click()
  await expect(answers(page).last().getByText('Response interrupted')).toBeVisible()

  const database = new Database(join(harness.machine.dataDir, 'playground.sqlite'))
  const invalidUtf8Sql = "CAST(x'526564ff' AS TEXT)"
  database.run(`UPDATE conversations SET title = ${invalidUtf8Sql} WHERE title LIKE 'Count to 30%'`)
  database.run(`UPDATE conversations SET setup = ${invalidUtf8Sql} WHERE title LIKE 'Vi%'`)
  database.close()
  await page.reload()
  await conversationRow(page, 'Viết một câu').getByRole('link').click()
  await expect(page.getByRole('alert')).toContainText('Can’t open the Playground file')
  await conversationRow(page, 'Red\uFFFD').getByRole('link').click()
  await expect(answers(page).last().getByText('Response interrupted')).toBeVisible()
})

alone(
  'what had come and what was typed is there after the app was killed',
  { tag: '@deep' },
  async ({ machine, start }) => {
    const server = await startModelServer()
    const { pieces, say } = createChunkQueue()
    server.answer(() => pieces)
    const { app, page } = await start()
    await page.getByRole('button', { name: 'Skip for now' }).click()
    await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
    await openPlayground(page)
    const localTargetButton = page.getByRole('button', { name: /^Use local address:/ })
    await chooseTarget(localTargetButton, { place: 'Local address', address: server.url, model: 'tiny' })
    await sendMessage(page, 'Tell me everything')
    say('Half of an answer that never ends')
    await expect(answers(page).last()).toContainText('Half of an answer')
    await composer(page).fill('Typed and not sent yet')
    for (const text of ['Half of an answer that never ends', 'Typed and not sent yet'])
      await expect.poll(() => listFilesContaining(machine.dataDir, text)).not.toEqual([])
    const closePromise = app.waitForEvent('close')
    app.process().kill('SIGKILL')
    await closePromise

    const restartedApp = await startApp(machine)
    await openPlayground(restartedApp.page)
    await conversationRow(restartedApp.page, 'Tell me everything').getByRole('link').click()
    const answer = answers(restartedApp.page).last()
    await expect(answer).toContainText('Half of an answer that never ends')
    await expect(answer.getByText('Response interrupted')).toBeVisible()
    await expect(composer(restartedApp.page)).toHaveValue('Typed and not sent yet')
    server.answer(() => ['All of it this time.'])
    await answer.getByRole('button', { name: 'Retry' }).click()
    await expect(await waitForFullAnswer(restartedApp.page)).toContainText('All of it this time.')
    await restartedApp.close()
    await server.stop()
  },
)
