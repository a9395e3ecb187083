import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { z } from 'zod'
import { listFilesContaining } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, pickFromMenu, test } from '../support/desk'
import { modelRequests, toCounts } from '../support/gateway-counts'
import { claudeFile, openTool, readGatewayUrl, writeUserFile } from '../support/tools'

const Counts = z.object({
  requests: z.number(),
  errors: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheTokens: z.number(),
})

const plan = 'sandbox-pro'

/** Routes Claude Code through the relay, in the window. */
async function routeThroughRelay(page: Page): Promise<void> {
  await openTool(page, 'Claude Code')
  await page.getByRole('button', { name: 'Change settings' }).click()
  await page.getByRole('radio', { name: /Via local relay/ }).check()
  await expect(page.getByText(/\/t\/claude-code\/v1\/messages|\/t\/claude-code/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('heading', { name: 'Claude Code Configured', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Relay on' })).toBeVisible()
}

interface UsageRequest {
  readonly model: string
  readonly prompt: string
  readonly isStream?: boolean
}

/** Sends requests with the address and token of the tool's own settings. */
async function createToolClient({ machine }: AppHarness): Promise<(question: UsageRequest) => Promise<number>> {
  const { env } = z
    .object({ env: z.object({ ANTHROPIC_BASE_URL: z.string() }) })
    .parse(JSON.parse(readFileSync(claudeFile(machine), 'utf8')))
  const token = (await runCompanion(machine, ['key', 'print', '--relay', 'claude-code'])).out.trim()
  return async ({ model, prompt, isStream = false }) => {
    const response = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: isStream, max_tokens: 400, messages: [{ role: 'user', content: prompt }] }),
    })
    await response.text()
    return response.status
  }
}

const readUsage = async ({ machine }: AppHarness, ...args: string[]) =>
  z.array(Counts).parse(JSON.parse((await runCompanion(machine, ['--json', 'usage', '--by', 'plan', ...args])).out))

/** Request and token counts that the sandbox's gateway recorded. */
const countRequests = async (harness: AppHarness) =>
  toCounts(modelRequests(await harness.control('/requests?area=gateway')))

test("relay requests of a tool match the gateway's count, with details and export, until the tool uses its plan directly", async ({
  harness,
}) => {
  test.setTimeout(120_000)
  writeUserFile(claudeFile(harness.machine), '{ "theme": "dark" }\n')
  const page = await harness.start()
  await routeThroughRelay(page)
  const sendPrompt = await createToolClient(harness)
  const usageRequests: readonly UsageRequest[] = [
    { model: 'aurora-large', prompt: 'Say hello.' },
    { model: 'aurora-large', prompt: 'Say hello again, and longer. '.repeat(40), isStream: true },
    { model: 'aurora-small', prompt: 'Say hello.', isStream: true },
    { model: 'not-in-the-plan', prompt: 'Say hello.' },
  ]
  const statuses: number[] = []
  for (const usageRequest of usageRequests) statuses.push(await sendPrompt(usageRequest))
  expect(statuses).toEqual([200, 200, 200, 403])
  await expect(async () =>
    expect(await readUsage(harness, '--source', 'relay')).toEqual([await countRequests(harness)]),
  ).toPass()
  const { requests, errors } = await countRequests(harness)
  expect([requests, errors]).toEqual([4, 1])

  await page.keyboard.press('Control+5')
  await expect(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible()
  // Select this computer as source, because the console includes the usage of other machines.
  await page.getByRole('combobox', { name: 'Source' }).click()
  await page.getByRole('option', { name: /^This computer/ }).click()
  const mainRegion = page.getByRole('main')
  await expect(mainRegion).toContainText('25% of requests')
  await exportChart(harness, page, 'Tokens over time')
  for (const chart of ['Tokens by plan, model and tool', 'Tokens per day, last 12 months'])
    await saveChart(harness, page, chart, 'svg')
  await page.getByRole('link', { name: 'Requests' }).first().click()
  await expect(page.getByRole('row', { name: /not-in-the-plan/ })).toContainText('403')
  await expect(page.getByRole('row', { name: /aurora-/ })).toHaveCount(3)
  await page.getByRole('switch', { name: 'Errors only' }).click()
  await expect(page.getByRole('row', { name: /aurora-/ })).toHaveCount(0)

  const path = join(harness.machine.home, 'exports', 'requests.csv')
  mkdirSync(dirname(path), { recursive: true })
  await harness.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
  await page.getByRole('switch', { name: 'Errors only' }).click()
  await pickFromMenu(page, 'Export', 'Requests as CSV')
  await expect.poll(() => readLines(path)).toHaveLength(5)
  expect(readLines(path)[0]).toMatch(/model/i)
  await test.step('shows the remaining quota', () => viewQuota(harness, page))
  await test.step('without the relay, its tool is pointed back at its plan', () => stopRelay(harness, page, sendPrompt))
})

/** A session of Claude Code with one response per working directory. */
function writeClaudeSession(harness: AppHarness, name: string, workingDirectories: readonly string[]): void {
  const lines = workingDirectories.map((cwd, index) =>
    JSON.stringify({
      type: 'assistant',
      timestamp: new Date(Date.now() - 60_000 * (index + 1)).toISOString(),
      requestId: `req_${name}_${index}`,
      cwd,
      message: {
        id: `msg_${name}_${index}`,
        model: 'aurora-large',
        usage: { input_tokens: 1000, output_tokens: 10 * (index + 1) },
      },
    }),
  )
  const folder = join(harness.machine.home, '.claude', 'projects', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'session.jsonl'), `${lines.join('\n')}\n`)
}

test('usage by project folder comes from a tool log, without full paths, in table, chart, filter, CSV and command line', async ({
  harness,
}) => {
  writeClaudeSession(harness, '-home-an-client-a-api', [
    '/home/an/client-a/api',
    '/home/an/client-a/api/src',
    '/home/an/client-a/api',
  ])
  writeClaudeSession(harness, '-home-an-client-b-web', ['/home/an/client-b/web'])
  const page = await harness.start()
  await page.evaluate(() => location.assign('#/usage/sources'))
  await page.getByRole('switch', { name: 'Read logs of Claude Code' }).click()
  await expect(page.getByRole('main')).toContainText('4 requests')
  await page.evaluate(() => location.assign('#/usage?scope=machine'))
  await page.getByRole('radiogroup', { name: 'Breakdown by' }).getByRole('radio', { name: 'Project' }).click()
  await expect(page.getByRole('row', { name: /^api/ })).toContainText('3,060')
  await expect(page.getByRole('row', { name: /^web/ })).toContainText('1,010')
  await page.getByRole('radiogroup', { name: 'Split tokens by' }).getByRole('radio', { name: 'Project' }).click()
  await expect(page.getByRole('slider', { name: /^Tokens over time\./ })).toBeVisible()
  await page.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'web' }).click()
  await expect(page.getByRole('row', { name: /^api/ })).toHaveCount(0)
  await page.getByRole('link', { name: 'Requests' }).first().click()
  await expect(page.getByRole('row', { name: /aurora-large/ })).toHaveCount(1)
  const path = join(harness.machine.home, 'requests.csv')
  await harness.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
  await pickFromMenu(page, 'Export', 'Requests as CSV')
  await expect.poll(() => readLines(path)).toHaveLength(2)
  expect(readLines(path).join('\n')).toMatch(/,Project,.*\n.*,web,/)

  const runUsage = async (...args: string[]) => (await runCompanion(harness.machine, ['usage', ...args])).out
  expect(await runUsage('--by', 'project')).toMatch(/^PROJECT .*\napi +3 .*\nweb +1 /)
  expect(await runUsage('--by', 'project', '--csv')).toMatch(/\nweb,[\da-f]{12}\/web,1,/)
  expect(await runUsage('--by', 'model', '--project', 'api')).toMatch(/aurora-large +3 /)
  await harness.quit()
  expect(listFilesContaining(harness.machine.dataDir, '/home/an/client-a')).toEqual([])
})

/** Saves a chart as a file. */
async function saveChart(harness: AppHarness, page: Page, chart: string, format: 'svg' | 'png'): Promise<void> {
  const file = join(harness.machine.home, `${chart}.${format}`)
  await harness.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, file)
  await pickFromMenu(page, `Export ${chart}`, `Save as ${format.toUpperCase()}…`)
  await expect.poll(() => readLines(file)[0]).toMatch(format === 'svg' ? /^<svg/ : /^.PNG/)
  if (format === 'svg') expect(readLines(file).join()).toContain(chart)
}

/** Saves a chart as SVG and PNG, and copies it. */
async function exportChart(harness: AppHarness, page: Page, chart: string): Promise<void> {
  for (const format of ['svg', 'png'] as const) await saveChart(harness, page, chart, format)
  await pickFromMenu(page, `Export ${chart}`, 'Copy image')
  await expect.poll(() => harness.app().evaluate(({ clipboard }) => clipboard.has('image/png'))).toBe(true)
  await harness.app().evaluate(({ clipboard }) => clipboard.clear())
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split(/\r?\n/)
  } catch {
    return []
  }
}

/** Checks remaining quota and forecast per model. */
async function viewQuota(harness: AppHarness, page: Page): Promise<void> {
  await page.keyboard.press('Control+5')
  await page.getByRole('tab', { name: 'Quota' }).click()
  const modelList = page.getByRole('list', { name: `Models of ${plan}` })
  await expect(modelList).toContainText('Nova Vision')
  await expect(modelList).toContainText(/requests to this model are paused until the next cycle/)
  await expect(modelList).toContainText(/Lasts: about \d+ to \d+% used at renewal|Lasts/)
  // A shell prompt calls this line often. The command waits at most 1.5 s for the console.
  const line = async () => (await runCompanion(harness.machine, ['usage', '--line'])).out
  await expect.poll(line).toMatch(/^sandbox-pro · nova-vision/)
}

/** Stops the relay. The confirmation lists its tools, and one preview switches them back to their plan. */
async function stopRelay(
  harness: AppHarness,
  page: Page,
  sendQuestion: (question: UsageRequest) => Promise<number>,
): Promise<void> {
  await page.getByRole('link', { name: 'Relay on' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText('Paused: all requests are rejected')).toBeVisible()
  await expect.poll(() => sendQuestion({ model: 'aurora-small', prompt: 'Say hello.' })).toBe(503)
  await page.getByRole('button', { name: 'Resume' }).first().click()
  await expect.poll(() => sendQuestion({ model: 'aurora-small', prompt: 'Say hello.' })).toBe(200)
  await page.getByRole('button', { name: 'Stop' }).click()
  const confirmDialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(confirmDialog).toContainText('Claude Code')
  await confirmDialog.getByRole('button', { name: 'Stop the relay' }).click()
  await expect(page.getByText('Claude Code is offline because the relay is off')).toBeVisible()
  await page
    .getByRole('link', { name: 'Switch to direct connection…' })
    .or(page.getByRole('button', { name: 'Switch to direct connection…' }))
    .first()
    .click()
  await page.getByRole('button', { name: 'Connect 1 tool directly' }).click()
  await expect
    .poll(() => JSON.parse(readFileSync(claudeFile(harness.machine), 'utf8')).env.ANTHROPIC_BASE_URL)
    .toBe(readGatewayUrl(harness.machine))
  expect((await runCompanion(harness.machine, ['verify', 'claude-code'])).code).toBe(0)
}
