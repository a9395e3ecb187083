import { stubMessageBoxes } from '../support/app'
import { expect, test } from '../support/cli-desk'
import { labels } from '../support/labels'
import { readPrometheus, sumOfSamples } from '../support/prometheus-text'
import { routeThroughRelay } from '../support/through-relay'

test('a budget created in the window stops a tool at its limit and appears in its metrics', async ({
  harness,
  start,
}) => {
  const sendRelayRequest = await routeThroughRelay(harness)
  const { app, page } = await start()
  await expect.poll(sendRelayRequest).toBe(200)
  await page.evaluate(() => {
    location.hash = '/usage/budgets'
  })
  await page.getByRole('button', { name: 'Add budget' }).click()
  const sheet = page.getByRole('dialog', { name: 'Add budget' })
  await sheet.getByLabel(labels.name).fill('Night shift')
  await sheet.getByRole('button', { name: 'Save' }).click()
  await expect(sheet.getByText('Choose what the budget applies to.')).toBeVisible()
  await sheet.getByRole('combobox', { name: 'Tool', exact: true }).click()
  await page.getByRole('option', { name: 'Claude Code' }).click()
  await sheet.getByLabel('Limit').fill('3')
  await sheet.getByRole('combobox', { name: 'Unit' }).click()
  await page.getByRole('option', { name: 'Requests' }).click()
  await sheet.getByRole('radio', { name: /Reject requests/ }).click()
  await sheet.getByRole('button', { name: 'Save' }).click()
  await expect(sheet).toBeHidden()
  const row = page.getByRole('row', { name: /Night shift/ })
  // Requests from before the budget was created count too.
  await expect(row).toContainText('1 of 3 requests')
  expect([await sendRelayRequest(), await sendRelayRequest(), await sendRelayRequest()]).toEqual([200, 200, 429])
  await expect(row).toContainText('3 of 3 requests')
  await expect(row).toContainText('Rejecting')
  const acceptedDialogs = await stubMessageBoxes(app, 0)
  await harness.succeed('budget', 'set', 'Night shift', '--limit', '4')
  await expect.poll(sendRelayRequest).toBe(200)
  await expect(row).toContainText('4 of 4 requests')

  await page.evaluate(() => {
    location.hash = '/settings'
  })
  await page.getByRole('switch', { name: /Serve metrics for Prometheus/ }).click()
  const address = await page.getByText(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/).textContent()
  const headers = { authorization: `Bearer ${(await harness.succeed('metrics', 'token')).trim()}` }
  const scrapeMetrics = async () => (await fetch(address ?? '', { headers })).text()
  await expect.poll(async () => (await fetch(address ?? '', { headers })).status).toBe(200)
  const samples = readPrometheus(await scrapeMetrics())
  expect(sumOfSamples(samples, 'companion_relay_requests_total', { companion_plan: 'team-plan' })).toBe(4)
  expect(sumOfSamples(samples, 'companion_relay_requests_total', { error_type: 'budget' })).toBeGreaterThan(0)
  const countedUsage = JSON.parse(await harness.succeed('usage', '--source', 'relay', '--json'))
  for (const type of ['input', 'output'])
    expect(sumOfSamples(samples, 'companion_relay_tokens_total', { gen_ai_token_type: type })).toBe(
      countedUsage.totals[`${type}Tokens`],
    )
  await page.getByRole('button', { name: 'Set collector…' }).click()
  await page.getByLabel('Collector address').fill('http://collector.example.com:4318')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog').getByRole('alert').first()).toBeVisible()
  await page.getByLabel('Collector address').fill('http://127.0.0.1:9')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Metrics only')).toBeVisible()
  expect(await acceptedDialogs()).toBe(1)
})
