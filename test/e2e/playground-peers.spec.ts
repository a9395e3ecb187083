import { LLMock } from '@copilotkit/aimock'
import { expect, test } from '../support/app'
import { labels } from '../support/labels'
import {
  answers,
  chatTarget,
  chooseTarget,
  openPlayground,
  sendMessage,
  startNewChat,
  waitForFullAnswer,
} from '../support/playground'

const text = 'Hà Nội: 31 °C, "mưa rào" 🌧️.\n\n```ts\nconst sky = `grey`\n```\n'
const call = { id: 'call_1', name: 'get_weather', arguments: '{"location":"Hà Nội","days":[1,2]}' }

const tools = {
  'Chat completions': '[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]',
  Messages: '[{"name":"get_weather","input_schema":{"type":"object"}}]',
} as const

test('a third-party server answers in both standards, with reasoning and tool calls, even if it breaks off', {
  tag: '@deep',
}, async ({ start }) => {
  const server = new LLMock({ port: 0, chunkSize: 5 })
  server.onMessage('weather', { content: text, toolCalls: [call], reasoning: 'Which city? Hà Nội.' })
  server.onMessage(
    'story',
    { content: 'Once upon a time there was a server.' },
    { truncateAfterChunks: 4, latency: 20 },
  )
  await server.start()
  const { page } = await start()
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await openPlayground(page)
  const setup = page.getByRole('complementary', { name: 'Run settings' })
  for (const apiStandard of ['Chat completions', 'Messages'] as const) {
    await startNewChat(page)
    const localTarget = { place: 'Local address', address: `${server.url}/v1`, model: 'gw-large' }
    await chooseTarget(chatTarget(page), { ...localTarget, standard: apiStandard })
    await setup.getByRole('textbox', { name: 'Tools' }).fill(tools[apiStandard])
    await sendMessage(page, 'What is the weather?')
    const answer = await waitForFullAnswer(page)
    await expect(answer).toContainText('Hà Nội: 31 °C, "mưa rào" 🌧️.')
    await expect(answer.getByRole('code').filter({ hasText: 'const sky = `grey`' })).toBeVisible()
    await answer.getByText('Thinking', { exact: true }).click()
    await expect(answer.getByText('Which city? Hà Nội.')).toBeVisible()
    await expect(answer.getByText('"location": "Hà Nội"')).toBeVisible()
    await expect(answer).toContainText(/in [\d,]+.*out [\d,]+/)

    await startNewChat(page)
    await sendMessage(page, 'Tell me a story')
    const interruptedAnswer = answers(page).last()
    await expect(interruptedAnswer.getByText('Response interrupted')).toBeVisible()
    await expect(interruptedAnswer).toContainText('Once')
  }
  await server.stop()
})
