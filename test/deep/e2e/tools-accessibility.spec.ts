import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violations } from '../../support/axe'
import { runCompanion } from '../../support/companion'
import { type AppHarness, expect, test } from '../../support/desk'
import { claudeFile, installTools, openTool, openToolsPage, readGatewayUrl, writeUserFile } from '../../support/tools'

/** Every page of the tools, each with data. */
const screens: readonly (readonly [name: string, show: (page: Page, harness: AppHarness) => Promise<void>])[] = [
  [
    'list',
    async (page) => {
      await openToolsPage(page)
      await page.getByRole('button', { name: /more, not installed/ }).click()
      await expect(page.getByRole('row', { name: /Not installed/ }).first()).toBeVisible()
    },
  ],
  [
    'chosen',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Select Claude Code', exact: true }).click()
      await expect(page.getByRole('region', { name: '1 tool selected' })).toBeVisible()
    },
  ],
  [
    'several at once',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Select Factory Droid', exact: true }).click()
      await page.getByRole('link', { name: 'Configure 2 tools' }).click()
      await expect(page.getByRole('button', { name: 'Configure 2 tools' })).toBeEnabled()
    },
  ],
  [
    'one tool, with warnings',
    async (page) => {
      await openToolsPage(page)
      await page.getByRole('link', { name: 'Configure Qwen Code', exact: true }).click()
      await expect(page.getByText('Qwen Code will call')).toBeVisible()
    },
  ],
  [
    'a file that is no JSON',
    async (page) => {
      await openToolsPage(page)
      await page.getByRole('link', { name: 'Configure Aider', exact: true }).click()
      await expect(page.getByText('Aider will call')).toBeVisible()
    },
  ],
  [
    'a tool in use, changed since',
    async (page, { machine }) => {
      const text = readFileSync(claudeFile(machine), 'utf8')
      writeFileSync(
        claudeFile(machine),
        text.replace(`"${readGatewayUrl(machine)}"`, '"https://elsewhere.example.com"'),
      )
      await openTool(page, 'Claude Code')
      await expect(page.getByText('These settings were modified')).toBeVisible()
    },
  ],
  [
    'three ways',
    async (page) => {
      await page.getByRole('link', { name: 'Review' }).click()
      await expect(page.getByRole('table', { name: 'Modified settings' })).toBeVisible()
      await expect(page.getByText('Claude Code will call')).toBeVisible()
    },
  ],
  [
    'undo',
    async (page) => {
      await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
      await page.getByRole('menuitem', { name: 'Undo…' }).click()
      await expect(page.getByRole('button', { name: 'Undo configuration' })).toBeEnabled()
    },
  ],
  [
    'by hand',
    async (page) => {
      await openTool(page, 'Cherry Studio')
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await expect(page.getByText('Test passed')).toBeVisible()
    },
  ],
  [
    'by the relay only',
    async (page) => {
      await openTool(page, 'Codex CLI')
      await expect(page.getByText('The relay starts with this change')).toBeVisible()
    },
  ],
  [
    'removing everything',
    async (page) => {
      await openToolsPage(page)
      await page.getByRole('button', { name: 'More tool actions' }).click()
      await page.getByRole('menuitem', { name: 'Remove all configurations…' }).click()
      await expect(page.getByRole('button', { name: 'Remove all' })).toBeEnabled()
    },
  ],
  [
    'removing everything, asked',
    async (page) => {
      await page.getByRole('button', { name: 'Remove all' }).click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  ],
]

for (const theme of ['light', 'dark'] as const) {
  test(`the pages of the tools are accessible, ${theme}`, async ({ harness }) => {
    test.setTimeout(120_000)
    const { machine } = harness
    installTools(machine, ['aider', 'claude', 'codex', 'droid', 'opencode', 'qwen'])
    mkdirSync(`${machine.home}/.config/CherryStudio`, { recursive: true })
    writeUserFile(`${machine.home}/.qwen/settings.json`, '{ "security": { "auth": { "enforcedType": "qwen-oauth" } } }')
    writeUserFile(`${machine.home}/.aider.conf.yml`, 'openai-api-base: https://elsewhere.example.com/v1 # mine\n')
    const page = await harness.start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const args = ['configure', 'claude-code', '--plan', 'sandbox-pro']
    expect(await runCompanion(machine, args)).toMatchObject({ code: 0 })
    for (const [name, show] of screens) {
      await show(page, harness)
      expect.soft(await violations(page), name).toEqual([])
    }
  })
}
