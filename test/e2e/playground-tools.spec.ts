import { LLMock } from '@copilotkit/aimock'
import { expect, test } from '../support/app'
import { answers, composer, openLocalChat, sendMessage, startNewChat, waitForFullAnswer } from '../support/playground'

const tools = '[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]'

test('a tool call gets its result, and the conversation is edited, branched, searched and shortened', async ({
  start,
}) => {
  const server = new LLMock({ port: 0, chunkSize: 5 })
  const toolCalls = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Hà Nội"}' }]
  server.onToolResult('call_1', { content: 'It is 31 °C in Hà Nội.' })
  server.onMessage('weather', { content: 'Let me look it up.', toolCalls })
  server.onMessage('thanks', { content: 'You are welcome.' })
  await server.start()
  const { page } = await start()
  await openLocalChat(page, server.url)
  const setup = page.getByRole('complementary', { name: 'Run settings' })
  await setup.getByRole('textbox', { name: 'Tools' }).fill(tools)

  await sendMessage(page, 'What is the weather?')
  const call = await waitForFullAnswer(page)
  await expect(call.getByText('"city": "Hà Nội"')).toBeVisible()
  await call.getByRole('textbox', { name: 'Result of get_weather' }).fill('{"celsius": 31}')
  await call.getByRole('button', { name: 'Send result' }).click()
  await expect(answers(page)).toHaveCount(2)
  await expect(answers(page).last()).toContainText('It is 31 °C in Hà Nội.')
  await expect(page.getByRole('article', { name: 'You' }).last()).toContainText('Result of get_weather')

  await answers(page).last().getByRole('button', { name: 'Response actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('It is 13 °C in Hà Nội.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(answers(page).last()).toContainText('13 °C')
  await expect(answers(page).last()).toContainText('Edited')

  await page.getByRole('button', { name: 'Branches' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /It is 31 °C/ })
    .click()
  await expect(answers(page).last()).toContainText('31 °C')

  await sendMessage(page, 'thanks')
  await expect(answers(page).last()).toContainText('You are welcome.')
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find in chat' }).fill('ha noi')
  await expect(page.getByText('1 of 1')).toBeVisible()
  await page.keyboard.press('Escape')

  const userMessage = page.getByRole('article', { name: 'You' }).last()
  await userMessage.hover()
  await userMessage.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(2)

  await answers(page).first().hover()
  await answers(page).first().getByRole('button', { name: 'Response actions' }).click()
  await page.getByRole('menuitem', { name: 'Branch into new chat' }).click()
  await expect(answers(page)).toHaveCount(1)
  await startNewChat(page)
  await expect(composer(page)).toBeVisible()
  await expect(setup.getByRole('textbox', { name: 'Tools' })).toHaveValue('')
  await server.stop()
})
