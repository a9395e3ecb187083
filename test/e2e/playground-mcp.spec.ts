import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { expect, stubMessageBoxes, test } from '../support/app'
import { answers, openLocalChat, sendMessage, waitForFullAnswer } from '../support/playground'

const script = resolve(import.meta.dirname, '../support/mcp-server.mjs')

test('a chat offers the tools of an MCP server, and calls them after consent', async ({ machine, start }) => {
  const mcpServers = { weather: { command: process.execPath, args: [script], env: { UNIT: '°F' } } }
  writeFileSync(join(machine.home, '.claude.json'), JSON.stringify({ mcpServers }))
  const server = new LLMock({ port: 0, chunkSize: 5 })
  const toolCalls = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Huế"}' }]
  server.onToolResult('call_1', { content: 'It is warm in Huế.' })
  server.onMessage('weather', { content: 'Let me look it up.', toolCalls })
  await server.start()
  const { app, page } = await start()
  await openLocalChat(page, server.url)

  const setup = page.getByRole('complementary', { name: 'Run settings' })
  const dialog = page.getByRole('dialog', { name: 'Add tools from an MCP server' })
  const countDialogs = await stubMessageBoxes(app, 0)
  await setup.getByRole('button', { name: 'Add tools from MCP servers…' }).click()
  await expect(dialog.getByRole('button', { name: 'Add tools' })).toBeDisabled()
  await dialog.getByRole('combobox', { name: 'MCP server' }).click()
  await page.getByRole('option', { name: /^weather/ }).click()
  await dialog.getByRole('button', { name: 'Show tools…' }).click()
  await dialog.getByRole('checkbox', { name: 'drop' }).click()
  await dialog.getByRole('button', { name: 'Add 2 tools' }).click()
  await expect(setup.getByRole('textbox', { name: 'Tools' })).toHaveValue(/"name": "get_weather"/)

  await sendMessage(page, 'What is the weather?')
  const call = await waitForFullAnswer(page)
  await call.getByRole('button', { name: 'Run on weather…' }).click()
  await expect(call.getByRole('textbox', { name: 'Result of get_weather' })).toHaveValue('31 °F in Huế')
  expect(await countDialogs()).toBe(2)
  await call.getByRole('button', { name: 'Send result' }).click()
  await expect(answers(page).last()).toContainText('It is warm in Huế.')
  await server.stop()
})
