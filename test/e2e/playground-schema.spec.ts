import { LLMock } from '@copilotkit/aimock'
import { expect, test } from '../support/app'
import { openLocalChat, sendMessage, waitForFullAnswer } from '../support/playground'

const schema = '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}'

test('answers are checked against a schema and show the first violation', async ({ start }) => {
  const server = new LLMock({ port: 0, chunkSize: 5 })
  server.onMessage('right', { content: '{"age":3}' })
  server.onMessage('wrong', { content: '{"age":"three"}' })
  await server.start()
  const { page } = await start()
  await openLocalChat(page, server.url)
  const setup = page.getByRole('complementary', { name: 'Run settings' })
  await setup.getByRole('textbox', { name: 'Response schema' }).fill(schema)
  await sendMessage(page, 'right')
  const validAnswer = await waitForFullAnswer(page)
  await expect(validAnswer).toContainText('Valid JSON')
  await expect(validAnswer.getByText('"age": 3')).toBeVisible()
  await sendMessage(page, 'wrong')
  const invalidAnswer = await waitForFullAnswer(page)
  await expect(invalidAnswer).toContainText('Invalid JSON')
  await expect(invalidAnswer).toContainText('/age must be integer')
  await server.stop()
})
