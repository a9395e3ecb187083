import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { pageText } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/coverage'
import { labels } from '../support/labels'
import {
  confirmWithName,
  getAlert,
  getField,
  getRow,
  getTableRows,
  openForm,
  openScreen,
  pickOption,
  readClipboardText,
  runCommand,
  writeClipboard,
} from '../support/platform-pages'
import type { WalkStep } from '../support/walk'

const rule = '1 to 50 characters: letters, digits, - and _.'

const getSubmitButton = (page: Page, name = 'Create') =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

const chooseIdentity = async (page: Page, identity: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('combobox', { name: 'Agent identity' }).click()
  await page.getByRole('option', { name: identity }).click()
}

/** Copies and saves a returned secret, which never enters the window. */
async function copyAndSaveSecret(page: Page, harness: AppHarness, name: string): Promise<string> {
  const sheet = page.getByRole('dialog')
  const secrets = sheet.getByRole('region', { name: 'Secrets in the response' })
  await secrets.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByText('The clipboard is cleared in').first()).toBeVisible()
  const secret = await readClipboardText(harness.app())
  await secrets.getByRole('button', { name: 'Save to keychain' }).click()
  const saveDialog = page.getByRole('dialog', { name: 'Save to keychain' })
  await saveDialog.getByLabel(labels.name).fill(name)
  await saveDialog.getByRole('button', { name: 'Save to keychain' }).click()
  await expect(secrets).toContainText(`Saved in the keychain as “${name}”.`)
  expect((await runCompanion(harness.machine, ['secret', 'print', name])).out.trimEnd()).toBe(secret)
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(sheet).toHaveCount(0)
  return secret
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'static, delegated and OAuth2 providers give keys and tokens that never enter the window',
    async (harness, page) => {
      const storedKey = 'weather-key-7f3a9c21d0'
      const form = await openForm(page, '/identities/static-providers')
      await form.getByLabel(labels.name).fill('weather-2')
      await getSubmitButton(page).click()
      await expect(form.getByText('Required')).toBeVisible()
      await writeClipboard(harness.app(), storedKey)
      await form.getByRole('button', { name: 'Paste', exact: true }).click()
      await expect(form.getByText('Pasted. The value is sent')).toBeVisible()
      await getSubmitButton(page).click()
      await expect(page.getByText('Provider weather-2 created')).toBeVisible()
      await getRow(page, 'Static keys', 'weather-2').getByRole('link', { name: 'weather-2' }).click()
      await page.getByRole('button', { name: 'Get key' }).click()
      await chooseIdentity(page, 'support-agent')
      await getSubmitButton(page, 'Get key').click()
      expect(await copyAndSaveSecret(page, harness, 'weather')).toBe(storedKey)
      const rotatedKey = 'weather-key-b81e55ff42'
      await page.getByRole('button', { name: 'Rotate key' }).click()
      await expect(form).toContainText('Editing weather-2 rotates its key.')
      await writeClipboard(harness.app(), rotatedKey)
      await form.getByRole('button', { name: 'Paste', exact: true }).click()
      await expect(form.getByText('Pasted. The value is sent')).toBeVisible()
      await getSubmitButton(page, 'Rotate key').click()
      await expect(page.getByText('Key of weather-2 rotated')).toBeVisible()
      await expect(getField(page, 'apiKeyHint')).toContainText(rotatedKey.slice(-4))
      await pickOption(page, 'weather-2', 'Delete')
      await confirmWithName(page, 'weather-2', 'Delete')
      await expect(getRow(page, 'Static keys', 'weather-2')).toHaveCount(0)

      await openForm(page, '/identities/delegated-providers')
      await form.getByLabel(labels.name).fill('issue-tracker')
      await getSubmitButton(page).click()
      await getRow(page, 'Delegated keys', 'issue-tracker').getByRole('link', { name: 'issue-tracker' }).click()
      await expect(page.getByRole('button', { name: 'Request key' })).toBeVisible()
      await expect(page.getByRole('button', { name: /^(Edit|Rotate)/ })).toHaveCount(0)
      await page.getByRole('button', { name: 'Request key' }).click()
      await chooseIdentity(page, 'code-reviewer')
      await getSubmitButton(page, 'Request key').click()
      const delegatedKey = await copyAndSaveSecret(page, harness, 'tracker key')
      await pickOption(page, 'issue-tracker', 'Delete')
      await confirmWithName(page, 'issue-tracker', 'Delete')
      await expect(getRow(page, 'Delegated keys', 'issue-tracker')).toHaveCount(0)

      const clientSecret = 'crm-client-secret-51c07e'
      await openForm(page, '/identities/oauth2-providers')
      await form.getByLabel(labels.name).fill('crm')
      await form.getByLabel('Client ID').fill('companion')
      await writeClipboard(harness.app(), clientSecret)
      await form.getByRole('button', { name: 'Paste', exact: true }).click()
      await expect(form.getByText('Pasted. The value is sent')).toBeVisible()
      await form.getByLabel('Token URL').fill('crm.example.com')
      await getSubmitButton(page).click()
      await expect(getAlert(form, 'A URL that starts with https:// or http://.')).toBeVisible()
      await form.getByLabel('Token URL').fill('')
      await getSubmitButton(page).click()
      await expect(form).toContainText('The platform rejected the request')
      await expect(form).toContainText('Server message: ')
      await expect(form).toContainText('tokenUrl')
      await form.getByLabel('Token URL').fill('https://crm.example.com/token')
      await form.getByLabel('Scopes').fill('orders.read\ncustomers.read')
      await getSubmitButton(page).click()
      await getRow(page, 'OAuth2', 'crm').getByRole('link', { name: 'crm', exact: true }).click()
      await expect(getField(page, 'scopes')).toContainText('orders.read, customers.read')
      await page.getByRole('button', { name: 'Machine token' }).click()
      await chooseIdentity(page, 'support-agent')
      await getSubmitButton(page, 'Get token').click()
      const machineToken = await copyAndSaveSecret(page, harness, 'crm machine')
      await page.getByRole('button', { name: 'User token' }).click()
      await chooseIdentity(page, 'support-agent')
      await form.getByLabel('More fields (JSON)').fill('{ "userId": "lan" }')
      await getSubmitButton(page, 'Get token').click()
      const userToken = await copyAndSaveSecret(page, harness, 'crm user')
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await form.getByLabel('Client ID').fill('companion-2')
      await getSubmitButton(page, 'Save').click()
      await expect(getField(page, 'clientId')).toContainText('companion-2')
      await pickOption(page, 'crm', 'Delete')
      await confirmWithName(page, 'crm', 'Delete')
      await expect(getRow(page, 'OAuth2', 'companion-2')).toHaveCount(0)

      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
      await page.getByRole('tab', { name: 'Audit log' }).click()
      const trail = page.getByRole('list', { name: 'Audit log, newest first' }).getByRole('listitem')
      for (const line of [
        /Secret copied to the clipboard.*Provider key · weather-2 \/ support-agent · sandbox.*in the window/,
        /Secret saved to the keychain.*Provider key · tracker key · sandbox.*in the window/,
        /Secret copied to the clipboard.*Token · crm \/ support-agent · sandbox.*in the window/,
        /Secret printed in a terminal.*Token · crm user · sandbox.*on the command line/,
      ]) {
        await expect(trail.filter({ hasText: line }).first()).toBeVisible()
      }
      await expect(trail).toHaveCount(12)

      const auditText = readFileSync(join(harness.machine.dataDir, 'audit.jsonl'), 'utf8')
      const visibleText = [await pageText(page), await harness.bridgeText(), auditText].join('\n')
      for (const secret of [storedKey, rotatedKey, delegatedKey, clientSecret, machineToken, userToken]) {
        expect(secret.length).toBeGreaterThan(15)
        expect(visibleText).not.toContain(secret)
      }
    },
  ],
  [
    'identities are created by the rule, shown with every field, changed and deleted',
    async (harness, page) => {
      await runCommand(page, 'Create identity')
      const form = page.getByRole('dialog')
      await form.getByLabel(labels.name).fill('no spaces')
      await getSubmitButton(page).click()
      await expect(getAlert(form, rule)).toBeVisible()
      await form.getByLabel(labels.name).fill('search-agent')
      await expect(getAlert(form, rule)).toHaveCount(0)
      await form.getByLabel('More fields (JSON)').fill('{ "name": "no spaces either" }')
      await getSubmitButton(page).click()
      await expect(getAlert(form, rule)).toBeVisible()
      expect(JSON.stringify(await harness.control('/requests?area=platform'))).not.toContain('agentIdentities.create')
      await form.getByLabel('Description').fill('Finds things')
      await form.getByLabel('More fields (JSON)').fill('{ "labels": { "team": "search" } ')
      await getSubmitButton(page).click()
      await expect(form.getByText('Enter a JSON object')).toBeVisible()
      await form.getByLabel('More fields (JSON)').fill('{ "labels": { "team": "search" } }')
      await getSubmitButton(page).click()
      await expect(page.getByText('Identity search-agent created')).toBeVisible()

      await getRow(page, 'Agent identities', 'search-agent').getByRole('link', { name: 'search-agent' }).click()
      await expect(page.getByRole('heading', { name: 'search-agent', level: 1 })).toBeVisible()
      await expect(getField(page, 'description')).toContainText('Finds things')
      await expect(page.locator('[title="/labels/team"]')).toBeVisible()
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await expect(form.getByLabel('More fields (JSON)')).toHaveValue(/"team": "search"/)
      await form.getByLabel('Description').fill('Finds everything')
      await getSubmitButton(page, 'Save').click()
      await expect(getField(page, 'description')).toContainText('Finds everything')
      await expect(page.locator('[title="/labels/team"]')).toBeVisible()

      await pickOption(page, 'search-agent', 'Delete')
      await expect(page.getByRole('alertdialog')).toContainText(
        'Agents with identity search-agent can no longer get keys',
      )
      await confirmWithName(page, 'search-agent', 'Delete')
      await expect(page.getByRole('heading', { name: 'Identities', level: 1 })).toBeVisible()
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(5)
      await expect(getRow(page, 'Agent identities', 'search-agent')).toHaveCount(0)
    },
  ],
]

/** User steps in a list of several pages. */
const listWalkParts: readonly WalkStep[] = [
  [
    'lists are paged from 0, searched, refreshed, reached by address, and fail in words',
    async (harness, page) => {
      const names = Array.from({ length: 6 }, (_, index) => `agent-${index}`)
      for (const name of names) {
        const create = ['api', 'call', 'identity.agentIdentities.create', '--body', JSON.stringify({ name })]
        expect(await runCompanion(harness.machine, create)).toMatchObject({ code: 0 })
      }
      // Reload, because the window may still have the list from before the change.
      await page.reload()
      await openScreen(page, '/identities/agents?size=10', 'Identities')
      await expect(page.getByText('1–10 of 11 · page 1 of 2')).toBeVisible()
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(10)
      const firstRows = await getTableRows(page, 'Agent identities').allTextContents()
      await page.getByRole('button', { name: 'Next page' }).click()
      await expect(page.getByText('11–11 of 11 · page 2 of 2')).toBeVisible()
      expect(page.url()).toContain('page=1')
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(1)
      const secondRows = await getTableRows(page, 'Agent identities').allTextContents()
      expect(new Set([...firstRows, ...secondRows]).size).toBe(11)
      await page.getByRole('button', { name: 'Copy as API call' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Copy as curl' }).press('Enter')
      await expect(page.getByText('Copied as curl')).toBeVisible()
      expect(await readClipboardText(harness.app())).toMatch(/^curl .*\/agent-identities.*Bearer \$/s)
      await page.getByRole('searchbox', { name: 'Search this page' }).fill('support')
      await expect(page.getByText('The search covers this page only.')).toBeVisible()
      await page.getByRole('button', { name: 'Show all rows' }).click()
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(1)
      await page.getByRole('combobox', { name: 'Rows per page' }).click()
      await page.getByRole('option', { name: '20 per page' }).click()
      await expect(page.getByText('1–11 of 11 · page 1 of 1')).toBeVisible()
      await openScreen(page, '/identities/agents?page=7', 'Identities')
      await expect(page.getByText('No rows on this page')).toBeVisible()
      await page.getByRole('button', { name: 'Go to first page' }).click()
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(11)

      await harness.control('/faults', { faults: [{ operations: 'identity.*', status: 500 }] })
      await page.getByRole('button', { name: 'Refresh' }).press('Enter')
      await expect(page.getByRole('alert')).toContainText('Platform error')
      await expect(getTableRows(page, 'Agent identities')).toHaveCount(11)
      await harness.control('/faults', { faults: [{ operations: 'identity.*', status: 401 }] })
      await page.getByRole('button', { name: 'Refresh' }).press('Enter')
      await expect(page.getByRole('alert')).toContainText('The platform rejected the token')
      await harness.control('/faults', { faults: [] })
      await page.getByRole('button', { name: 'Refresh' }).press('Enter')
      await expect(page.getByRole('alert')).toHaveCount(0)
      await openScreen(page, '/identities/agents/nobody', 'nobody')
      await expect(page.getByRole('alert')).toContainText('There is no agent identity named')
    },
  ],
]

test('identities and their providers are created, listed, used and deleted', async ({ harness }) => {
  test.setTimeout(150_000)
  const page = await harness.start()
  for (const [name, runPart] of parts) await test.step(name, () => runPart(harness, page))
})

test('lists are paged, searched and linkable, and explain failures', { tag: '@deep' }, async ({ harness }) => {
  const page = await harness.start()
  for (const [name, runPart] of listWalkParts) await test.step(name, () => runPart(harness, page))
})
