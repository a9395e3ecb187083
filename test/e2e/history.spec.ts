import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { Machine } from '../support/app'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { claudeFile, installTools, openTool, openToolsPage, readGatewayUrl, writeUserFile } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'
import { takeSnapshot } from '../tools/folder-snapshot'

const plan = ['--plan', 'sandbox-pro'] as const
const ownSettings = '{\n  "theme": "dark"\n}\n'

async function run(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCompanion(machine, args)
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
  return out
}

/** Settings files of the tested tools in the home folder. */
function parseSettings({ home }: Machine): Record<string, string> {
  const allFiles = Object.entries(takeSnapshot(home))
  return Object.fromEntries(allFiles.filter(([path]) => /^\.(claude|config\/crush|pi)(\/|$)/.test(path)))
}

async function openStartPage({ start, machine }: AppHarness): Promise<Page> {
  installTools(machine, ['claude', 'crush', 'pi'])
  writeUserFile(claudeFile(machine), ownSettings)
  return start()
}

async function openHistory(page: Page): Promise<void> {
  await openToolsPage(page)
  await page.getByRole('button', { name: 'More tool actions' }).click()
  await page.getByRole('menuitem', { name: 'Change history' }).click()
  await expect(page.getByRole('heading', { name: 'Change history', level: 1 })).toBeVisible()
}

const entries = (page: Page): Locator => page.getByRole('list', { name: 'Today' }).getByRole('listitem')

/** Restores the state before a write, from the history. */
async function undoWrite(page: Page, write: string): Promise<void> {
  await page
    .getByRole('link', { name: `Revert to before this change: ${write}` })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: 'Revert to before this change', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Revert', exact: true }).click()
  await expect(page.getByText('Files reverted').first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Change history', level: 1 })).toBeVisible()
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'every write is told, found, and gone back before, each file to the byte',
    async (harness, page) => {
      const { machine } = harness
      await openHistory(page)
      await expect(page.getByText('No changes yet')).toBeVisible()
      const states = [parseSettings(machine)]
      for (const args of [
        ['configure', 'claude-code', ...plan],
        ['configure', 'claude-code', 'crush', 'pi', ...plan, '--model', 'vega-coder'],
        ['restore', 'crush'],
      ]) {
        await run(machine, ...args)
        states.push(parseSettings(machine))
      }
      const configuredTitle = 'Configured Claude Code, Crush, and pi with sandbox-pro.'
      await expect(entries(page)).toHaveCount(3)
      await expect(entries(page).first()).toContainText('Undid the configuration of Crush.')
      await expect(entries(page).nth(1)).toContainText(configuredTitle)
      await page.getByRole('button', { name: `Details: ${configuredTitle}` }).click()
      await expect(entries(page).nth(1)).toContainText(claudeFile(machine))
      await expect(entries(page).nth(1)).toContainText('Helper command')

      const search = page.getByLabel('Search by tool, plan, model or file')
      await search.fill('crush vega')
      await expect(page.getByText('2 of 3')).toBeVisible()
      await search.fill('nothing like it')
      await expect(page.getByText('No matching changes')).toBeVisible()
      await page.getByRole('button', { name: 'Show all' }).click()
      await page.getByRole('combobox', { name: 'Tool' }).click()
      await page.getByRole('option', { name: 'pi', exact: true }).click()
      await expect(page.getByText('1 of 3')).toBeVisible()
      await page.getByRole('combobox', { name: 'Tool' }).click()
      await page.getByRole('option', { name: 'All tools' }).click()

      await undoWrite(page, 'Undid the configuration of Crush.')
      expect(parseSettings(machine)).toEqual(states[2])
      await undoWrite(page, configuredTitle)
      expect(parseSettings(machine)).toEqual(states[1])
      await undoWrite(page, 'Configured Claude Code with sandbox-pro.')
      expect(parseSettings(machine)).toEqual(states[0])
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe(ownSettings)
      await expect(entries(page).first()).toContainText('Reverted Claude Code.')

      // Click the first Undo. If several notifications overlap, the newest comes first in the page.
      await page.getByRole('button', { name: 'Undo', exact: true }).first().click()
      await expect.poll(() => parseSettings(machine)).toEqual(states[1])
    },
  ],
]

/** User steps for project and other sites. */
const projectParts: readonly WalkStep[] = [
  [
    'a write to a project is told with its folder, and goes back there',
    async (harness, page) => {
      const { machine } = harness
      const project = join(machine.home, 'work/shop')
      mkdirSync(project, { recursive: true })
      await run(machine, 'configure', 'claude-code', ...plan, '--project', project)
      await openHistory(page)
      await expect(entries(page).first()).toContainText('shop')
      await undoWrite(page, 'Configured Claude Code with sandbox-pro.')
      expect(existsSync(join(project, '.claude'))).toBe(false)
    },
  ],
  [
    'a configuration is copied as text for everywhere, with a variable in the place of the key',
    async (harness, page) => {
      const { machine } = harness
      await run(machine, 'configure', 'claude-code', ...plan, '--model', 'vega-coder')
      await openTool(page, 'Claude Code')
      await expect(page.getByRole('button', { name: 'Test', exact: true })).toBeVisible()
      await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
      await page.getByRole('menuitem', { name: 'Copy as snippet…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Copy as snippet' })
      const gateway = readGatewayUrl(machine)
      const clipboard = () => harness.app().evaluate(({ clipboard: board }) => board.readText())
      for (const [tab, parts] of [
        ['File', ['"ANTHROPIC_BASE_URL"', gateway, 'vega-coder']],
        ['Shell', [`export ANTHROPIC_BASE_URL=${gateway}`, 'export ANTHROPIC_MODEL=vega-coder']],
        ['PowerShell', ['$env:ANTHROPIC_BASE_URL', gateway]],
        ['Dev container', ['"remoteEnv"', '"ANTHROPIC_BASE_URL"', '${localEnv:']],
        ['CI', ['ANTHROPIC_BASE_URL', gateway, 'secrets.']],
      ] as const) {
        await dialog.getByRole('tab', { name: tab, exact: true }).click()
        const panel = dialog.getByRole('tabpanel')
        for (const expectedWord of parts) await expect(panel).toContainText(expectedWord)
        const shownDiff = await panel.locator('pre').first().textContent()
        await panel.getByRole('button', { name: 'Copy snippet' }).first().click()
        // Poll, because the clipboard may still contain the same text from the previous tab.
        await expect.poll(clipboard).toBe(shownDiff)
        expect(shownDiff).toContain(parts[0])
        expect(shownDiff).not.toContain('sk-')
      }
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    },
  ],
]

test('every write is listed, searchable and can be reverted', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await openStartPage(harness)
  await walk(harness, page, parts)
})

test('a write to a project can be reverted, and a configuration can be copied as text', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await openStartPage(harness)
  await walk(harness, page, projectParts)
})
