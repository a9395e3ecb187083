import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { z } from 'zod'
import { root } from '../support/app'
import { violations } from '../support/axe'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, pickFromMenu, test } from '../support/coverage'
import { labels } from '../support/labels'
import { writeClipboard } from '../support/platform-pages'
import type { WalkStep } from '../support/walk'

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) })
const Operations = z.array(z.object({ id: z.string(), service: z.string(), method: z.string(), path: z.string() }))

const toRuntimes = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Runtimes', exact: true }).first().click()
  await expect(page.getByRole('heading', { name: 'Runtimes', level: 1 })).toBeVisible()
}

const tab = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('tab', { name, exact: true }).click()
  await expect(page.getByRole('tab', { name, exact: true })).toHaveAttribute('aria-selected', 'true')
}

const chooseOption = async (page: Page, select: Locator, option: string | RegExp): Promise<void> => {
  await select.click()
  await page.getByRole('option', { name: option }).click()
}

const openRuntime = async (page: Page, name: string): Promise<void> => {
  await toRuntimes(page)
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name: new RegExp(name), level: 1 })).toBeVisible()
}

/** Runtime operations of the spec that the sandbox has received. */
async function listRequestedOperations(harness: AppHarness): Promise<readonly string[]> {
  const { requests } = Requests.parse(await harness.control('/requests?area=platform'))
  const knownOperations = Operations.parse(
    JSON.parse(readFileSync(join(root, 'test/fixtures/operations.json'), 'utf8')),
  )
  return knownOperations
    .filter(({ service }) => service === 'runtime')
    .filter(({ method, path }) => {
      const pattern = new RegExp(`^/runtime${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return requests.some((request) => request.method === method && pattern.test(request.path))
    })
    .map(({ id }) => id)
    .toSorted()
}

const apiToken = 'parcel-token-5d81c07e42'

async function createRuntime(harness: AppHarness, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create runtime' }).first().click()
  const sheet = page.getByRole('dialog', { name: 'Create runtime' })
  await sheet.getByRole('textbox', { name: labels.name }).fill('parcel-agent')
  await sheet.getByRole('button', { name: 'Choose from registry…' }).click()
  await page.getByRole('dialog', { name: 'Choose an image' }).getByLabel('Search').fill('invoice')
  await page.getByRole('button', { name: 'agents/invoice-reader' }).click()
  await page.getByRole('list', { name: 'Tags' }).getByRole('button', { name: '1.0.3' }).click()
  await expect(sheet.getByRole('textbox', { name: 'Image' })).toHaveValue(/agents\/invoice-reader:1\.0\.3$/)
  await sheet.getByRole('textbox', { name: 'Image' }).fill('agents/parcel-agent:1.0.0')
  await chooseOption(page, sheet.getByRole('combobox', { name: 'Flavor' }), /Small · 1 vCPU · 2 GiB/)
  await sheet.getByRole('textbox', { name: 'Replicas' }).fill('11')
  await sheet.getByRole('textbox', { name: 'CPU threshold' }).fill('80')
  await sheet.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(sheet.getByRole('alert').filter({ hasText: 'A whole number from 1 to 10.' })).toBeVisible()
  await expect(sheet.getByRole('alert').filter({ hasText: 'A number from 25 to 75 percent.' })).toBeVisible()
  await sheet.getByRole('textbox', { name: 'Replicas' }).fill('2')
  await sheet.getByRole('textbox', { name: 'CPU threshold' }).fill('60')
  await sheet.getByRole('button', { name: 'Add variable' }).click()
  const first = sheet.getByRole('group', { name: 'Environment variables 1' })
  await first.getByRole('textbox', { name: 'Value' }).fill('debug')
  await sheet.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(sheet.getByRole('alert').filter({ hasText: 'Fill in the required values' })).toBeVisible()
  await first.getByRole('textbox', { name: labels.name }).fill('LOG_LEVEL')
  await sheet.getByRole('button', { name: 'Add variable' }).click()
  const second = sheet.getByRole('group', { name: 'Environment variables 2' })
  await second.getByRole('textbox', { name: labels.name }).fill('API_TOKEN')
  await writeClipboard(harness.app(), apiToken)
  await second.getByRole('button', { name: 'Paste a secret from the clipboard' }).click()
  await expect(second).toContainText(apiToken.slice(-4))
  await sheet.getByRole('textbox', { name: 'More fields (JSON)' }).fill('{"description":"Follows parcels"}')
  await sheet.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(sheet).toBeHidden()
}

/** Checks that an update keeps a secret variable that the window never saw. */
async function expectEnvironment(harness: AppHarness): Promise<void> {
  const ask = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await runCompanion(harness.machine, ['api', 'call', ...args])).out)
  const Runtimes = z.object({ listData: z.array(z.object({ id: z.string(), name: z.string() })) })
  const { listData } = Runtimes.parse(await ask('runtime.agentRuntimes.list', '--query', 'size=100'))
  const id = listData.find(({ name }) => name === 'parcel-agent')?.id ?? ''
  expect(await ask('runtime.agentRuntimes.get', '--path', `id=${id}`)).toMatchObject({
    environment: { LOG_LEVEL: 'info', API_TOKEN: apiToken },
  })
}

async function updateRuntime(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Update', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Update parcel-agent' })
  await expect(sheet).toContainText('Creates a new version.')
  await expect(sheet.getByRole('textbox', { name: 'Replicas' })).toHaveValue('2')
  await expect(sheet.getByRole('combobox', { name: 'Flavor' })).toContainText('Small')
  await sheet.getByRole('textbox', { name: 'Image' }).fill('agents/parcel-agent:1.1.0')
  const level = sheet.getByRole('group', { name: 'Environment variables 1' })
  await level.getByRole('textbox', { name: 'Value' }).fill('info')
  await expect(sheet.getByRole('group', { name: 'Environment variables 2' })).toContainText(apiToken.slice(-4))
  await sheet.getByRole('button', { name: 'Create version' }).click()
  await expect(sheet).toBeHidden()
}

const endpointRow = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'Endpoints' }).getByRole('row').filter({ hasText: name })

async function moveEndpoint(page: Page): Promise<void> {
  await tab(page, 'Endpoints')
  await page.getByRole('button', { name: 'Create endpoint' }).first().click()
  const endpointDialog = page.getByRole('dialog', { name: 'Create endpoint' })
  await endpointDialog.getByRole('textbox', { name: labels.name }).fill('live')
  await endpointDialog.getByRole('textbox', { name: 'Version' }).fill('1')
  await endpointDialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(endpointRow(page, 'live')).toContainText(/live1/)
  await pickFromMenu(page, 'Actions for live', 'Change version')
  const sheet = page.getByRole('dialog', { name: 'Change version of live' })
  await chooseOption(page, sheet.getByRole('combobox', { name: 'Version' }), 'Version 2 (latest)')
  await sheet.getByRole('button', { name: 'Change version' }).click()
  await expect(endpointRow(page, 'live')).toContainText(/live2/)
  await tab(page, 'Versions')
  await pickFromMenu(page, 'Actions for 1', 'Roll back to this version')
  const confirmDialog = page.getByRole('alertdialog', { name: 'Roll live back to version 1?' })
  await expect(confirmDialog.getByRole('list', { name: 'Changes' })).toContainText(
    /parcel-agent:1.1.0.*parcel-agent:1.0.0/,
  )
  await confirmDialog.getByRole('button', { name: 'Roll back' }).click()
  await tab(page, 'Endpoints')
  await expect(endpointRow(page, 'live')).toContainText(/live1/)
}

async function resetAccount(page: Page): Promise<void> {
  await tab(page, 'Overview')
  await page.getByRole('button', { name: 'Reset service account' }).click()
  const confirmDialog = page.getByRole('alertdialog')
  await expect(confirmDialog).toContainText('They can’t get new tokens until you restart them')
  await expect(confirmDialog.getByRole('button', { name: 'Reset', exact: true })).toBeDisabled()
  await confirmDialog.getByRole('textbox').fill('parcel-agent')
  await confirmDialog.getByRole('button', { name: 'Reset', exact: true }).click()
  const secretDialog = page.getByRole('dialog', { name: 'New secret for parcel-agent created' })
  await expect(secretDialog.getByRole('region', { name: 'Secrets in the response' })).toContainText('Client secret')
  await secretDialog.getByRole('button', { name: 'Save to keychain' }).click()
  await page.getByRole('dialog', { name: 'Save to keychain' }).getByRole('button', { name: 'Save to keychain' }).click()
  await expect(secretDialog).toContainText('Saved in the keychain as “parcel-agent”.')
  await secretDialog.getByRole('button', { name: 'Close' }).last().click()
}

/** Runs a container on its own port during the test. */
async function runWithContainer(
  answer: RequestListener,
  host: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const finding = (page: Page, findingText: string): Locator =>
  page.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: findingText })

async function check(page: Page, url: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Container address' }).fill(url)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

/** Creates an endpoint with an address, as the platform may report it, and calls it. */
async function callEndpoint(page: Page): Promise<void> {
  await runWithContainer(
    (request, response) => {
      const { url, headers } = request
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { authorization = 'none', 'x-platform-agent-user-id': user } = headers
        response.end(`${url} ${user} ${authorization} ${body}`)
      })
    },
    '127.0.0.1',
    async (url) => {
      await page.getByRole('button', { name: 'Create endpoint' }).first().click()
      const sheet = page.getByRole('dialog', { name: 'Create endpoint' })
      await sheet.getByRole('textbox', { name: labels.name }).fill('test')
      await sheet.getByRole('textbox', { name: 'More fields (JSON)' }).fill(JSON.stringify({ url }))
      await sheet.getByRole('button', { name: 'Create', exact: true }).click()
      await expect(sheet).toBeHidden()
      await pickFromMenu(page, 'Actions for test', 'Test call…')
      const callSheet = page.getByRole('dialog', { name: 'Test call to test' })
      await expect(callSheet).toContainText('without credentials')
      await callSheet.getByRole('textbox', { name: 'Request body' }).fill('{"prompt":"Where is it?"}')
      await callSheet.getByRole('textbox', { name: 'User ID' }).fill('user-7')
      await callSheet.getByRole('button', { name: 'Send' }).click()
      const answer = callSheet.getByRole('region', { name: 'Response' })
      await expect(answer).toContainText('200')
      await expect(answer).toContainText('/invocations user-7 none {"prompt":"Where is it?"}')
      await callSheet.getByRole('button', { name: 'Close' }).last().click()
    },
  )
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'a runtime is made, changed, pointed at, rolled back, looked into, reset and deleted; every operation was asked for',
    async (harness, page) => {
      await toRuntimes(page)
      await createRuntime(harness, page)
      await page.getByRole('link', { name: 'parcel-agent', exact: true }).click()
      await expect(page.getByRole('heading', { name: /parcel-agent/, level: 1 })).toContainText('Active')
      await expect(page.getByText('Follows parcels')).toBeVisible()
      await updateRuntime(page)
      await expectEnvironment(harness)

      await tab(page, 'Versions')
      const diffTable = page.getByRole('table').first()
      await expect(diffTable).toContainText('agents/parcel-agent:1.0.0')
      await expect(diffTable).toContainText('agents/parcel-agent:1.1.0')
      await chooseOption(page, page.getByRole('combobox', { name: 'After' }), 'Version 1')
      await expect(page.getByRole('combobox', { name: 'After' })).toContainText('Version 1')
      await pickFromMenu(page, 'Actions for 1', 'Compare with latest')
      await expect(page.getByRole('combobox', { name: 'After' })).toContainText('Version 2')

      await moveEndpoint(page)
      await pickFromMenu(page, 'Actions for live', 'Logs')
      await expect(page.getByRole('log')).toContainText('listening on 0.0.0.0:8080')
      await chooseOption(page, page.getByRole('combobox', { name: 'Log source' }), 'Runtime parcel-agent')
      await expect(page.getByRole('log', { name: 'Log of parcel-agent', exact: true })).toContainText(
        'starting version 2',
      )
      await tab(page, 'Metrics')
      await expect(page.getByText('CPU', { exact: true }).first()).toBeVisible()
      await resetAccount(page)

      await tab(page, 'Endpoints')
      await pickFromMenu(page, 'Actions for live', 'Delete')
      await page.getByRole('alertdialog').getByRole('textbox').fill('live')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByText('No endpoints yet')).toBeVisible()
      await pickFromMenu(page, 'Actions for parcel-agent', 'Delete')
      await expect(page.getByRole('alertdialog')).toContainText('Its service account is deleted')
      await page.getByRole('alertdialog').getByRole('textbox').fill('parcel-agent')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByRole('heading', { name: 'Runtimes', level: 1 })).toBeVisible()
      await expect(page.getByRole('link', { name: 'parcel-agent', exact: true })).toHaveCount(0)
      await expect(page.getByRole('list', { name: 'Saved in the keychain' })).toContainText('parcel-agent')

      const knownOperations = Operations.parse(
        JSON.parse(readFileSync(join(root, 'test/fixtures/operations.json'), 'utf8')),
      )
      const runtimeIds = knownOperations.filter(({ service }) => service === 'runtime').map(({ id }) => id)
      expect(runtimeIds).toHaveLength(15)
      expect(await listRequestedOperations(harness)).toEqual(runtimeIds.toSorted())
    },
  ],
  [
    'a log is loaded in parts within its limits, followed while it is seen, searched and saved',
    async (harness, page) => {
      await openRuntime(page, 'support-agent')
      await tab(page, 'Logs')
      await expect(page.getByText('200 lines loaded')).toBeVisible()
      const requestsBefore = (await listRequestedOperations(harness)).length
      await page.getByRole('textbox', { name: 'From' }).fill('5001')
      await page.getByRole('textbox', { name: 'Lines' }).fill('1001')
      await page.getByRole('button', { name: 'Load', exact: true }).click()
      await expect(page.getByText('A whole number from 0 to 5000.')).toBeVisible()
      await expect(page.getByText('A whole number from 1 to 1000.')).toBeVisible()
      expect(await listRequestedOperations(harness)).toHaveLength(requestsBefore)
      await page.getByRole('textbox', { name: 'From' }).fill('0')
      await page.getByRole('textbox', { name: 'Lines' }).fill('1000')
      await page.getByRole('button', { name: 'Load', exact: true }).click()
      await expect(page.getByText('1,000 lines loaded')).toBeVisible()
      expect(await page.getByRole('log').locator('[data-index]').count()).toBeLessThan(100)

      await page.getByRole('switch', { name: 'Follow' }).click()
      await expect(page.getByText('refreshes every 3 s')).toBeVisible()
      await harness.control('/clock', { advanceMs: 60_000 })
      await page.getByRole('log').evaluate((frame) => frame.scrollTo({ top: 0 }))
      await page.getByRole('button', { name: 'Jump to latest' }).click()
      await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden()
      const lastLine = page.getByRole('log').locator('[data-index]').last()
      await expect(lastLine).toBeInViewport()
      await page.getByRole('switch', { name: 'Follow' }).click()

      await page.getByRole('searchbox', { name: 'Search loaded lines' }).fill('ToolError')
      await expect(page.getByRole('log')).toContainText('ERROR')
      await expect(page.getByText(/\d+ of 1,000 loaded lines/)).toBeVisible()
      const path = join(harness.machine.home, 'errors.log')
      await harness.app().evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath })
      }, path)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText(/lines? saved/)).toBeVisible()
      const lines = readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .filter((line) => line.includes(' ERROR '))
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.every((line) => line.includes('ToolError'))).toBe(true)
      expect(await violations(page, 'main')).toEqual([])
    },
  ],
  [
    'an endpoint is called without credentials, with the headers of the contract',
    async (_, page) => {
      await openRuntime(page, 'support-agent')
      await tab(page, 'Endpoints')
      await callEndpoint(page)
      expect(await violations(page, 'main')).toEqual([])
    },
  ],
  [
    'metrics can fail, come back and be paused',
    async (harness, page) => {
      await harness.control('/faults', { faults: [{ operations: 'runtime.endpoints.metrics', status: 503 }] })
      await openRuntime(page, 'support-agent')
      await tab(page, 'Metrics')
      await expect(page.getByRole('alert')).toBeVisible()
      await harness.control('/faults', { faults: [] })
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByText('CPU', { exact: true }).first()).toBeVisible()
      await page.getByRole('button', { name: 'Pause' }).click()
      await expect(page.getByText('Paused.')).toBeVisible()
      expect(await violations(page, 'main')).toEqual([])
    },
  ],
  [
    'a container is checked from outside: what is right is seen, what is wrong is said with what to do',
    async (_, page) => {
      await toRuntimes(page)
      await tab(page, 'Container check')
      await expect(page.getByRole('textbox', { name: 'Container address' })).toHaveValue('http://127.0.0.1:8080')
      await page.getByRole('textbox', { name: 'User ID' }).fill('user-7')
      await page.getByRole('textbox', { name: 'Session ID' }).fill('thread 9')
      await page.getByRole('textbox', { name: 'Sample path' }).fill('/chat')
      await runWithContainer(
        ({ method, url, headers }, response) => {
          const forwardedHeaders = ['x-platform-agent-user-id', 'x-platform-agent-session-id'].map(
            (name) => headers[name],
          )
          response.writeHead(url === '/health' || (method === 'POST' && url === '/chat') ? 200 : 404)
          response.end(method === 'POST' ? JSON.stringify({ told: forwardedHeaders }) : 'ok')
        },
        '0.0.0.0',
        async (url) => {
          await check(page, url)
          for (const findingText of [
            'GET /health returns 200',
            'Responds to a request',
            'Receives the user ID',
            'Receives the session ID',
          ])
            await expect(finding(page, findingText)).toContainText('Passed')
          await expect(page.getByText('X-Platform-Agent-User-Id: user-7', { exact: false }).first()).toBeVisible()
          await expect(
            page.getByText(`companion contract check ${url} --path /chat --user user-7 --session 'thread 9'`),
          ).toBeVisible()
        },
      )
      await runWithContainer(
        ({ url }, response) => response.writeHead(url === '/health' ? 302 : 500, { location: '/' }).end(),
        '127.0.0.1',
        async (url) => {
          await check(page, url)
          await expect(finding(page, 'GET /health returns 200')).toContainText('Failed')
          await expect(finding(page, 'GET /health returns 200')).toContainText('without sign-in or redirects')
          await expect(finding(page, 'Responds to a request')).toContainText('POST /chat returned 500.')
          await expect(finding(page, 'Binds to 0.0.0.0')).not.toContainText('Passed')
        },
      )
      await runWithContainer(
        ({ url }, response) => (url === '/health' ? response.writeHead(200).end() : undefined),
        '0.0.0.0',
        async (url) => {
          await check(page, url)
          await page.getByRole('button', { name: 'Cancel' }).click()
          await expect(page.getByText('Check canceled.')).toBeVisible()
        },
      )
      await check(page, 'https://example.com')
      await expect(page.getByRole('alert')).toBeVisible()
      await tab(page, 'Runtimes')
      await tab(page, 'Container check')
      await expect(page.getByRole('textbox', { name: 'User ID' })).toHaveValue('user-7')
      await expect(page.getByText('PLATFORM_AGENT_IDENTITY')).toBeVisible()
      expect(await violations(page, 'main')).toEqual([])
    },
  ],
]

test('a runtime is created, changed, aliased, rolled back, inspected, reset and deleted in one window', async ({
  harness,
}) => {
  test.setTimeout(150_000)
  const page = await harness.start()
  for (const [name, runPart] of parts) await test.step(name, () => runPart(harness, page))
})
