import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, type Machine, test } from '../support/app'
import { fileMode, listFilesContaining, pageText, watchBridge } from '../support/canary'
import { runCompanion } from '../support/companion'
import { labels } from '../support/labels'
import { installTools, writeUserFile } from '../support/tools'

const claudeSettings =
  '{\r\n\t"permissions": { "allow": ["Bash(npm test)"] },\r\n\t"mcpServers": {},\r\n\t"theme": "dark"\r\n}'
const openCodeSettings =
  '// mine\n{\n  "theme": "system", // keep\n  "provider": { "other": { "options": { "apiKey": "{env:OTHER}" } } },\n}\n'
const claudeFile = ({ home }: Machine): string => join(home, '.claude', 'settings.json')
const openCodeFile = ({ home }: Machine): string => join(home, '.config', 'opencode', 'opencode.jsonc')

async function openSandbox(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
}

async function configure(page: Page, tool: string): Promise<void> {
  await page.keyboard.press('Control+2')
  await page.getByRole('link', { name: `Configure ${tool}`, exact: true }).click()
  await expect(page.getByRole('heading', { name: tool, level: 1 })).toBeVisible()
  await expect(page.getByText(`${tool} will call`)).toBeVisible()
}

async function applyAndVerify(page: Page, tool: string): Promise<void> {
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByText(`${tool} is configured with sandbox-pro`).first()).toBeVisible()
  await page.getByRole('button', { name: 'Test', exact: true }).first().click()
  await expect(page.getByText('Test passed')).toBeVisible()
}

async function undoSetup(page: Page, tool: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${tool}` }).click()
  await page.getByRole('menuitem', { name: 'Undo…' }).click()
  await page.getByRole('button', { name: 'Undo configuration' }).click()
  await expect(page.getByText('Not configured')).toBeVisible()
  // The tool's page may open a second time when the undo call ends, so wait for its notice.
  await expect(page.getByText(`Configuration of ${tool} undone`)).toBeVisible()
}

test('from the first screen to two tools that use the sandbox, and back byte for byte', async ({ start, machine }) => {
  installTools(machine)
  writeUserFile(claudeFile(machine), claudeSettings)
  writeUserFile(openCodeFile(machine), openCodeSettings)
  const { app, page } = await start()
  const bridge = await watchBridge(app)
  await openSandbox(page)

  await configure(page, 'Claude Code')
  await expect(page.getByText(/ANTHROPIC_BASE_URL/).first()).toBeVisible()
  expect(readFileSync(claudeFile(machine), 'utf8')).toBe(claudeSettings)
  await applyAndVerify(page, 'Claude Code')
  const { gatewayPort } = JSON.parse(readFileSync(join(machine.dataDir, 'settings.json'), 'utf8')).sandbox
  const gateway = `http://127.0.0.1:${gatewayPort}`
  const claude = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
  expect(claude).toMatchObject({
    permissions: { allow: ['Bash(npm test)'] },
    env: {
      ANTHROPIC_BASE_URL: gateway,
      ANTHROPIC_AUTH_TOKEN: '',
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_MODEL: 'aurora-large',
    },
  })
  expect(claude.apiKeyHelper).toContain('key print --plan')

  await configure(page, 'OpenCode')
  await applyAndVerify(page, 'OpenCode')
  const openCode = readFileSync(openCodeFile(machine), 'utf8')
  expect(openCode).toContain(`"baseURL": "${gateway}/v1"`)
  expect(openCode).toContain('// keep')

  const key = (await runCompanion(machine, ['key', 'print', '--plan', 'sandbox-pro'])).out.trim()
  expect(key).toMatch(/^sk-sandbox-[0-9a-f]{40}$/)
  const holders = listFilesContaining(join(machine.home, '..'), key)
  expect(holders).toHaveLength(1)
  expect(holders[0]).toContain(join(machine.dataDir, 'key-files'))
  expect(fileMode(holders[0] ?? '')).toBe(0o600)
  expect(await pageText(page)).not.toContain(key)
  expect(await bridge.text()).toContain('sandbox-pro')
  expect(await bridge.text()).not.toContain(key)

  await page.keyboard.press('Control+8')
  await expect(page.getByRole('row', { name: /POST \/v1\/messages.*200/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /POST \/v1\/chat\/completions.*200/ })).toBeVisible()

  for (const tool of ['Claude Code', 'OpenCode']) {
    await page.keyboard.press('Control+2')
    await page.getByRole('main').getByRole('link', { name: tool, exact: true }).click()
    await undoSetup(page, tool)
  }
  expect(readFileSync(claudeFile(machine), 'utf8')).toBe(claudeSettings)
  expect(readFileSync(openCodeFile(machine), 'utf8')).toBe(openCodeSettings)
  expect(listFilesContaining(join(machine.home, '..'), key)).toEqual([])
})

test('undo deletes files that it created, with their folders', { tag: '@deep' }, async ({ start, machine }) => {
  installTools(machine)
  const { page } = await start()
  await openSandbox(page)
  await configure(page, 'OpenCode')
  await applyAndVerify(page, 'OpenCode')
  expect(existsSync(join(machine.home, '.config/opencode/opencode.json'))).toBe(true)
  await undoSetup(page, 'OpenCode')
  expect(existsSync(join(machine.home, '.config'))).toBe(false)
})
