import type { ElectronApplication, Page } from '@playwright/test'
import { expect, stubMessageBoxes, test } from '../../support/app'
import { labels } from '../../support/labels'
import { startModelServer } from '../../support/model-server'
import {
  answers,
  chooseTarget,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../../support/playground'
import { attacks, listDangers } from '../../support/xss'

const link = 'https://example.com/?a=1&b=2#c'
const otherLink = 'https://example.com/other'
const links = `[A way out](${link}) and [another](${otherLink})\n\n`

/** Every attack in a separate block, after two links. */
const attackText = [links, ...attacks.map(({ text }, index) => `${index}\n\n${text}\n\n`)].join('')

/** Records loads of the page, policy violations, and links opened outside. */
async function recordNavigation(app: ElectronApplication, page: Page) {
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  await page.evaluate(() => {
    const blockedUris: string[] = []
    Object.assign(globalThis, { refusedByPolicy: blockedUris })
    document.addEventListener('securitypolicyviolation', ({ blockedURI }) => blockedUris.push(blockedURI))
  })
  await app.evaluate(({ shell }) => {
    const openedUrls: string[] = []
    Object.assign(globalThis, { openedOutside: openedUrls })
    shell.openExternal = async (url) => {
      openedUrls.push(url)
    }
  })
  return {
    opened: (): Promise<string[]> => app.evaluate(() => Reflect.get(globalThis, 'openedOutside')),
    async loaded(): Promise<string[]> {
      const blockedUris: string[] = await page.evaluate(() => Reflect.get(globalThis, 'refusedByPolicy'))
      return [...requestedUrls.filter((url) => !url.startsWith('app://companion/')), ...blockedUris]
    },
  }
}

const hasScriptRun = (page: Page): Promise<boolean> => page.evaluate(() => '__ran' in globalThis)

const createLocalTarget = (address: string) => ({ place: 'Local address', address, model: 'tiny' })

/** Opens the playground of an app without a plan, where a local address can be selected. */
async function startConversation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await openPlayground(page)
}

test('attacks in the cells of a comparison, in a chat and in the inspector do nothing, and links ask first', async ({
  start,
}) => {
  test.setTimeout(180_000)
  const server = await startModelServer()
  const { app, page } = await start()
  await startConversation(page)
  const navigationWatch = await recordNavigation(app, page)
  await test.step('each attack alone does nothing in a cell of a comparison', async () => {
    const countBefore = server.asked.length
    server.answer(({ body }) => {
      const attackIndex = /attack (\d+)/.exec(JSON.stringify(body))?.[1]
      return [attacks[Number(attackIndex)]?.text ?? '', '\n\n', 'The end.']
    })
    await openPlayground(page, 'Compare')
    await page.getByRole('button', { name: 'Several prompts, one model' }).click()
    await page.getByRole('button', { name: 'More actions for Prompt B' }).click()
    await page.getByRole('menuitem', { name: 'Delete column' }).click()
    const grid = page.getByRole('table', { name: 'Responses by column and test case' })
    await grid.getByRole('columnheader', { name: 'Prompt A' }).getByRole('button').first().click()
    const sheet = page.getByRole('dialog', { name: 'Prompt A' })
    await chooseTarget(sheet.getByRole('button', { name: /^Model:/ }), createLocalTarget(server.url))
    await sheet.getByRole('textbox', { name: 'Column prompt' }).fill('attack {{number}}')
    await sheet.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Paste table' }).click()
    const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
    await pasteDialog.getByRole('textbox', { name: 'Table' }).fill(['number', ...attacks.keys()].join('\n'))
    await pasteDialog.getByRole('button', { name: `Add ${attacks.length} test cases` }).click()
    await page.getByRole('button', { name: `Run all ${attacks.length}` }).click()
    await page.getByRole('button', { name: `Send ${attacks.length} requests` }).click()
    await expect(page.getByRole('button', { name: 'Stop all' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Stop all' })).toHaveCount(0, { timeout: 60_000 })
    expect(server.asked.length - countBefore).toBe(attacks.length)

    for (const [index, { text }] of attacks.entries()) {
      const cell = grid.getByRole('cell', { name: `Prompt A, test case ${index + 1}`, exact: true })
      if ((await cell.count()) === 0)
        await grid
          .getByRole('cell')
          .last()
          .evaluate((element) => element.scrollIntoView())
      await expect(cell, text).toContainText('The end.')
      // The only element that no response may have is the field set of the stars below it.
      expect(await cell.evaluate(listDangers), text).toEqual(['fieldset'])
    }
    expect([await hasScriptRun(page), await navigationWatch.loaded(), await navigationWatch.opened()]).toEqual([
      false,
      [],
      [],
    ])
  })
  await test.step('an answer made of attacks does nothing in a chat and in the inspector, and its links ask first', async () => {
    await openPlayground(page)
    server.answer(() => attackText.match(/[\s\S]{1,97}/g) ?? [])
    const button = page.getByRole('button', { name: /^Use local address:/ })
    await chooseTarget(button, createLocalTarget(server.url))
    await sendMessage(page, attacks[0]?.text ?? '')
    const answer = await waitForFullAnswer(page)
    expect(await answer.evaluate(listDangers)).toEqual([])

    const declinedDialogs = await stubMessageBoxes(app, 1)
    for (const mouseButton of ['left', 'middle'] as const)
      await answer.getByRole('link', { name: 'A way out' }).click({ button: mouseButton })
    await expect.poll(declinedDialogs).toBe(1)
    expect(await navigationWatch.opened()).toEqual([])
    const acceptedDialogs = await stubMessageBoxes(app, 0)
    await answer.getByRole('link', { name: 'another', exact: true }).click()
    await expect.poll(navigationWatch.opened).toEqual([otherLink])
    expect(await acceptedDialogs()).toBe(1)

    await answers(page).last().getByRole('button', { name: 'Inspector' }).click()
    const sheet = page.getByRole('dialog', { name: 'Inspector' })
    await sheet.getByRole('tab', { name: 'Response' }).click()
    await expect(sheet.getByText('Status 200')).toBeVisible()
    const rawView = sheet.locator('pre').last()
    await expect(rawView).toContainText('window.__ran')
    expect(await rawView.evaluate((element) => element.childElementCount)).toBe(0)
    expect([await hasScriptRun(page), await navigationWatch.loaded(), app.windows().length]).toEqual([false, [], 1])
  })
  await test.step('an answer too deep to be rendered is shown as text, and its conversation can be reopened', async () => {
    await page.keyboard.press('Escape')
    await startNewChat(page)
    server.answer(() => [`${'>'.repeat(2500)}deep`, `\n\n${'- '.repeat(1900)}deeper\n\n`, 'Then **bold**.'])
    await sendMessage(page, 'Nest')
    await expect(await waitForFullAnswer(page)).toContainText('>>>deep')
    await page.reload()
    await openPlayground(page)
    await page.getByRole('link', { name: 'Nest' }).click()
    await expect(answers(page).last()).toContainText('>>>deep')
    await expect(answers(page).last()).toContainText('- - deeper')
    await expect(answers(page).last().locator('strong')).toHaveText('bold')
  })
  await server.stop()
})
