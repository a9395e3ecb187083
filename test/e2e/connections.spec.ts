import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { expect, freePort, type Machine, stubMessageBoxes, test } from '../support/app'
import { listThemeViolations, violations } from '../support/axe'
import { listFilesContaining, pageText, watchBridge } from '../support/canary'
import { runCompanion, startCompanion } from '../support/companion'
import { labels } from '../support/labels'
import { startSandbox, type TestSandbox } from '../support/sandbox'

const parts = ['Sign-in', 'Console', 'Identity', 'Runtimes', 'Memory', 'Registry', 'Models and API keys', 'Inference']

const toSecret = ({ ready }: TestSandbox): string => ready.iam.clientSecret.expose()

/** Writes a connection file as users share it, without the secret, and with `/v1` after the gateway address. */
function writeConnection(machine: Machine, { ready }: TestSandbox, name = 'Lab'): string {
  const { tokenUrl, clientId } = ready.iam
  const tokenPlanUrl = `${ready.gatewayUrl}/v1/`
  const file = {
    name,
    ...ready.addresses,
    tokenPlanUrl,
    tokenSource: { kind: 'client-credentials', tokenUrl, clientId },
  }
  const path = join(machine.home, `${name}.json`)
  writeFileSync(path, JSON.stringify(file))
  return path
}

async function addConnection(machine: Machine, sandbox: TestSandbox, name = 'Lab'): Promise<void> {
  const args = ['connection', 'add', '--file', writeConnection(machine, sandbox, name), '--secret-stdin']
  expect(await runCompanion(machine, args, { input: toSecret(sandbox) })).toMatchObject({ code: 0 })
}

const copy = (app: ElectronApplication, text: string): Promise<void> =>
  app.evaluate(({ clipboard }, value) => clipboard.writeText(value), text)

const stubOpenDialog = (app: ElectronApplication, path: string): Promise<void> =>
  app.evaluate(({ dialog }, filePath) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [filePath] })
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)

async function toConnections(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await openConnectionList(page)
}

async function openConnectionList(page: Page): Promise<void> {
  await page.keyboard.press('Control+9')
  await expect(page.getByRole('heading', { name: 'Connections', level: 1 })).toBeVisible()
}

const getRow = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Services' }).getByRole('listitem').filter({ hasText: name })

const getConnectionSwitcher = (page: Page, name: string) =>
  page.getByRole('complementary').getByRole('button', { name })

test('a connection is added from a file and tested, switched, saved and removed', async ({ start, machine }) => {
  test.setTimeout(180_000)
  const sandbox = await startSandbox()
  const { app, page } = await start()
  await toConnections(page)
  await test.step('a connection from a file reaches all services, and its secret never enters the window', async () => {
    const secret = toSecret(sandbox)
    const bridge = await watchBridge(app)
    await stubOpenDialog(app, writeConnection(machine, sandbox))
    await page.getByRole('button', { name: 'From a file…' }).click()
    await expect(page.getByText('Corrected: Gateway (path removed')).toBeVisible()

    await copy(app, `${secret}\n`)
    await page.getByRole('button', { name: 'Paste from clipboard' }).click()
    await expect(page.getByText(`...${secret.slice(-4)}`).first()).toBeVisible()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Lab', level: 1 })).toBeVisible()
    await expect(page.getByText('Secret in keychain')).toBeVisible()

    await page.getByRole('button', { name: 'Test Memory' }).click()
    await expect(getRow(page, 'Memory')).toContainText('OK, ')
    await page.getByRole('button', { name: 'Test all' }).click()
    await expect(page.getByText('All 9 tests passed')).toBeVisible()
    for (const part of parts) await expect(getRow(page, part).first(), part).toContainText('OK, ')
    await expect(getRow(page, 'Gateway')).toContainText('not verified')

    expect(listFilesContaining(join(machine.home, '..'), secret)).toEqual([])
    expect(await pageText(page)).not.toContain(secret)
    expect(await bridge.text()).toContain(secret.slice(-4))
    expect(await bridge.text()).not.toContain(secret)
  })
  await test.step('operations started by the command line appear in the sidebar until they finish', async () => {
    const rail = page.getByRole('complementary')
    await expect(rail.getByRole('button', { name: /task/ })).toHaveCount(0)
    const create = ['api', 'call', 'aip.apiKeys.create', '--body', '{"name":"ci-runner"}', '--connection', 'Lab']
    const createProcess = startCompanion(machine, create)
    await expect(rail.getByRole('button', { name: /1 task (running|done)/ })).toBeVisible()
    expect(await createProcess).toMatchObject({ code: 0 })
    await rail.getByRole('button', { name: /1 task done/ }).click()
    await expect(page.getByRole('dialog', { name: 'Background tasks' })).toContainText('API key ci-runner is ready')
    expect(await violations(page, '[role=dialog]')).toEqual([])
    await page.getByRole('button', { name: 'Clear finished' }).click()
    await expect(rail.getByRole('button', { name: /task/ })).toHaveCount(0)
  })
  await test.step('connections are switched, saved as a file and removed', async () => {
    await addConnection(machine, sandbox, 'Production')
    await openConnectionList(page)
    await expect(page.getByRole('list', { name: 'All connections' })).toContainText('Production')
    await expect(getConnectionSwitcher(page, 'Lab')).toBeVisible()

    await getConnectionSwitcher(page, 'Lab').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitemcheckbox', { name: 'Lab' })).toBeChecked()
    await expect(page.getByRole('menuitemcheckbox', { name: 'Lab' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitemcheckbox', { name: 'Production' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(getConnectionSwitcher(page, 'Production')).toBeVisible()
    expect(JSON.parse((await runCompanion(machine, ['connection', 'list', '--json'])).out)).toMatchObject([
      { name: 'Lab', isActive: false },
      { name: 'Production', isActive: true },
    ])

    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('switch lab')
    await page.keyboard.press('Enter')
    await expect(getConnectionSwitcher(page, 'Lab')).toBeVisible()
    await runCompanion(machine, ['connection', 'use', 'Production'])
    await expect(getConnectionSwitcher(page, 'Production')).toBeVisible()

    const path = join(machine.home, 'handed-on.json')
    await stubOpenDialog(app, path)
    await page.getByRole('button', { name: 'Actions for Production' }).click()
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await expect(page.getByText('Production exported')).toBeVisible()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ name: 'Production', ...sandbox.ready.addresses })
    expect(readFileSync(path, 'utf8')).not.toContain(toSecret(sandbox))

    await page.getByRole('button', { name: 'Actions for Production' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByLabel('Type Production to confirm').fill('Production')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('list', { name: 'All connections' })).not.toContainText('Production')
    expect(JSON.parse((await runCompanion(machine, ['connection', 'list', '--json'])).out)).toMatchObject([
      { name: 'Lab' },
    ])
  })
  await sandbox.stop()
})

test('a test reports the problem, and a slow one can be cancelled', { tag: '@deep' }, async ({ start, machine }) => {
  test.setTimeout(90_000)
  const sandbox = await startSandbox()
  await addConnection(machine, sandbox)
  const { app, page } = await start()
  await toConnections(page)
  const unresponsiveServer = createServer(() => undefined).listen(0, '127.0.0.1')
  await page.getByRole('link', { name: 'Lab', exact: true }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page
    .getByRole('textbox', { name: 'Runtimes' })
    .fill(`http://127.0.0.1:${(unresponsiveServer.address() as AddressInfo).port}/`)
  await page.getByRole('textbox', { name: 'Registry', exact: true }).fill(`http://127.0.0.1:${await freePort()}`)
  const declinedDialogs = await stubMessageBoxes(app, 1)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('You declined the confirmation, so nothing was changed.')).toBeVisible()
  expect(await declinedDialogs()).toBe(1)
  // A changed address is looked up immediately, without debounce.
  await page.getByRole('textbox', { name: 'Registry', exact: true }).fill(`http://127.0.0.1:${await freePort()}`)
  const acceptedDialogs = await stubMessageBoxes(app, 0)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Corrected: Runtimes (trailing slash removed)')).toBeVisible()
  expect(await acceptedDialogs()).toBe(1)

  await page.getByRole('button', { name: 'Test all' }).click()
  await expect(page.getByText('8 of 9 tested')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel test of Runtimes' }).click()
  await expect(getRow(page, 'Runtimes')).toContainText('Not tested')
  await expect(getRow(page, 'Registry').first()).toContainText('Connection refused')
  await page.getByRole('button', { name: 'Fix address' }).click()
  await expect(page.getByLabel('Registry', { exact: true })).toBeFocused()

  await page.getByRole('link', { name: 'Lab', exact: true }).click()
  await copy(app, 'not-the-secret-0123456789')
  await page.getByRole('button', { name: 'Paste another' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Paste from clipboard' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Secret of Lab saved')).toBeVisible()
  await page.getByRole('button', { name: 'Test Sign-in' }).click()
  await expect(page.getByRole('alert')).toContainText('Credentials rejected')
  unresponsiveServer.closeAllConnections()
  unresponsiveServer.close()
  await sandbox.stop()
})

test('the built-in sandbox is a connection that can be tested, but not changed or removed', {
  tag: '@deep',
}, async ({ start }) => {
  test.setTimeout(90_000)
  const { page } = await start()
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await expect(getConnectionSwitcher(page, 'sandbox')).toBeVisible()
  await page.keyboard.press('Control+9')
  await page.getByRole('list', { name: 'All connections' }).getByRole('link', { name: 'sandbox' }).click()
  await page.getByRole('button', { name: 'Test all' }).click()
  await expect(page.getByText('All 9 tests passed')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Open sandbox' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.keyboard.press('Control+9')
  await page.getByRole('list', { name: 'All connections' }).getByRole('link', { name: 'sandbox' }).click()
  await expect(page.getByText('Sandbox is not running')).toBeVisible()
  await page.getByRole('button', { name: 'Test Memory' }).click()
  await page.getByRole('button', { name: 'Start sandbox' }).click()
  await expect(getRow(page, 'Memory')).toContainText('OK, ')
})

test('connections and operations are accessible', { tag: '@deep' }, async ({ start, machine }) => {
  test.setTimeout(120_000)
  const sandbox = await startSandbox()
  await addConnection(machine, sandbox)
  await addConnection(machine, sandbox, 'Production')
  const { page } = await start()
  await toConnections(page)
  const violations: Record<string, string[]> = { list: await listThemeViolations(page) }
  await getConnectionSwitcher(page, 'Lab').click()
  await expect(page.getByRole('menuitem', { name: 'Manage connections' })).toBeVisible()
  violations.switcher = await listThemeViolations(page, '[role=menu]')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Lab', exact: true }).click()
  await sandbox.stop()
  await page.getByRole('button', { name: 'Test all' }).click()
  await expect(page.getByText('9 of 9 tests failed')).toBeVisible()
  violations.failing = await listThemeViolations(page)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: labels.name }).fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Enter a name.')).toBeVisible()
  violations.form = await listThemeViolations(page)
  for (const kind of [/^Command/, /Pasted token/, /No sign-in/]) {
    await page.getByRole('radio', { name: kind }).click()
    violations[`form ${kind.source}`] = await listThemeViolations(page)
  }
  await page.keyboard.press('Control+b')
  await expect(page.getByRole('button', { name: 'Lab. Switch connection' })).toBeVisible()
  violations.collapsed = await listThemeViolations(page)
  expect(Object.fromEntries(Object.entries(violations).filter(([, list]) => list.length > 0))).toEqual({})
})
