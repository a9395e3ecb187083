import { LLMock } from '@copilotkit/aimock'
import type { Locator, Page } from '@playwright/test'
import { stubMessageBoxes } from '../../support/app'
import { callMain, expect, test } from '../../support/desk'
import { writeClipboard } from '../../support/platform-pages'
import { chatTarget, chooseTarget, openPlayground, sendMessage, waitForFullAnswer } from '../../support/playground'
import { readPrometheus, sumOfSamples } from '../../support/prometheus-text'
import { createStepTimer } from '../../support/walk'
import { startAnsweringServer } from '../../unit/main/gateway/answering-server'

const countTo = (last: number): string => Array.from({ length: last }, (_, index) => index + 1).join(', ')
const testCases = Array.from({ length: 10 }, (_, index) => `${index + 3},equals,"${countTo(index + 3)}"`)
const caseTable = ['number,check,expected', ...testCases].join('\n')

const weatherTool = '[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]'
const ageSchema = '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}'

/** A server whose model calls a tool, and answers with JSON. */
async function startLocalServer(): Promise<LLMock> {
  const server = new LLMock({ port: 0, chunkSize: 5 })
  const toolCalls = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Hà Nội"}' }]
  server.onToolResult('call_1', { content: 'It is 31 °C in Hà Nội.' })
  server.onMessage('weather', { content: '', toolCalls })
  server.onMessage('age', { content: '{"age":31}' })
  await server.start()
  return server
}

const getSetup = (page: Page): Locator => page.getByRole('complementary', { name: 'Run settings' })

test('an engineer compares models with test cases, continues a tool call and checks a schema', async ({ harness }) => {
  test.setTimeout(180_000)
  const server = await startLocalServer()
  const page = await harness.start()
  const { step, clicks, report } = await createStepTimer(page)

  await step('ten test cases are answered by three models and checked', async () => {
    const clicksBefore = await clicks()
    await openPlayground(page, 'Compare')
    await page.getByRole('button', { name: 'Several models, one prompt' }).click()
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Count to {{number}}')
    await page.getByRole('button', { name: 'Paste table' }).click()
    const pasteDialog = page.getByRole('dialog', { name: 'Paste test cases' })
    await pasteDialog.getByRole('textbox', { name: 'Table' }).fill(caseTable)
    await pasteDialog.getByRole('button', { name: 'Add 10 test cases' }).click()
    await page.getByRole('button', { name: 'Run all 30' }).click()
    await page.getByRole('button', { name: 'Send 30 requests' }).click()
    const totals = page.getByRole('table', { name: 'Totals' })
    for (const model of ['aurora-large', 'aurora-small', 'vega-coder'])
      await expect(totals.getByRole('row', { name: model })).toContainText('10 of 10', { timeout: 60_000 })
    expect((await clicks()) - clicksBefore).toBe(6)
  })

  await openPlayground(page)
  const target = {
    place: 'Local address',
    address: `${server.url}/v1`,
    model: 'gw',
    standard: 'Chat completions',
  } as const
  await chooseTarget(chatTarget(page), target)
  await step('a tool call gets its result', async () => {
    const clicksBefore = await clicks()
    await getSetup(page).getByRole('textbox', { name: 'Tools' }).fill(weatherTool)
    await sendMessage(page, 'What is the weather?')
    const call = await waitForFullAnswer(page)
    await call.getByRole('textbox', { name: 'Result of get_weather' }).fill('{"celsius": 31}')
    await call.getByRole('button', { name: 'Send result' }).click()
    await expect(page.getByText('It is 31 °C in Hà Nội.')).toBeVisible()
    expect((await clicks()) - clicksBefore).toBe(1)
  })

  await step('an answer is checked against a schema', async () => {
    const clicksBefore = await clicks()
    await getSetup(page).getByRole('textbox', { name: 'Response schema' }).fill(ageSchema)
    await sendMessage(page, 'What is the age?')
    await expect(page.getByText('Valid JSON').last()).toBeVisible()
    expect((await clicks()) - clicksBefore).toBe(0)
  })
  report()
  await server.stop()
})

test('a watcher gets an alert by webhook and a gauge of what remains in Prometheus', async ({ harness }) => {
  test.setTimeout(180_000)
  const receiver = await startAnsweringServer((_, response) => void response.writeHead(204).end())
  const page = await harness.start()
  const app = harness.app()
  const { step, clicks, report } = await createStepTimer(page)
  await stubMessageBoxes(app, 0)
  const usedUpModel = { planId: 'plan-sandbox-pro', modelCode: 'aurora-large', tokensUsed: 9_000_000_000 }
  await harness.control('/models', usedUpModel)
  await callMain(page, 'quota.refresh')

  await step('alerts are sent to a webhook', async () => {
    const clicksBefore = await clicks()
    await writeClipboard(app, `${receiver.url}/hooks/watch`)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('button', { name: 'Set webhook…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Webhook' })
    await dialog.getByRole('combobox', { name: 'Format' }).click()
    await page.getByRole('option', { name: 'JSON (other services)' }).click()
    await dialog.getByRole('button', { name: 'Paste' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    expect((await clicks()) - clicksBefore).toBe(6)
    const countUsedUp = (): number =>
      receiver.received
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ model, percent }) => model === 'aurora-large' && percent === 100).length
    await expect.poll(countUsedUp).toBe(1)
  })

  await step('Prometheus reads what remains of the quota', async () => {
    const clicksBefore = await clicks()
    await page.getByRole('link', { name: 'Relay off' }).click()
    await page.getByRole('button', { name: 'Start the relay' }).click()
    await expect(page.getByRole('link', { name: 'Relay on' })).toBeVisible()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('switch', { name: 'Serve metrics for Prometheus' }).click()
    const address = await page.getByText(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/).innerText()
    await page.getByRole('button', { name: 'Copy token' }).click()
    const token = await app.evaluate(({ clipboard }) => clipboard.readText())
    const scrape = async () => {
      const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
      return readPrometheus(await response.text())
    }
    const labels = { companion_plan: 'sandbox-pro', gen_ai_request_model: 'aurora-large' }
    await expect
      .poll(async () => {
        const samples = await scrape()
        const sum = (name: string): number => sumOfSamples(samples, `companion_quota_${name}_tokens`, labels)
        return { hasLimit: sum('limit') > 0, remaining: sum('remaining') }
      })
      .toEqual({ hasLimit: true, remaining: 0 })
    expect((await clicks()) - clicksBefore).toBe(5)
  })
  report()
  await receiver.close()
})
