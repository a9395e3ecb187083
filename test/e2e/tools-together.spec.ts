import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Machine } from '../support/app'
import { fileMode } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { labels } from '../support/labels'
import {
  chooseFolder,
  claudeFile,
  installTools,
  openToolsPage,
  readGatewayUrl,
  writeFileBeforeCall,
  writeUserFile,
} from '../support/tools'
import { type WalkStep, walk } from '../support/walk'
import { takeSnapshot } from '../tools/folder-snapshot'

const names = ['Claude Code', 'OpenCode', 'Qwen Code', 'pi', 'Factory Droid'] as const
const ids = ['claude-code', 'opencode', 'qwen-code', 'pi', 'droid'] as const
const claudeSettings = '{\r\n\t"permissions": { "allow": ["Bash(npm test)"] },\r\n\t"theme": "dark"\r\n}'
const qwenSettings = '{\n  // mine\n  "$version": 4,\n  "ui": { "theme": "Ayu", },\n}\n'
const piSettings = '{ "defaultProvider": "anthropic", "theme": "light" }'

const droidVariable = 'PLATFORM_COMPANION_DROID_KEY'

const qwenFile = ({ home }: Machine): string => join(home, '.qwen/settings.json')
const readHomeFile = (machine: Machine, path: string): string => readFileSync(join(machine.home, path), 'utf8')

/** Existing settings for three of the five tools. */
function setUpFiveTools({ machine }: AppHarness): Record<string, string> {
  writeUserFile(claudeFile(machine), claudeSettings)
  writeUserFile(qwenFile(machine), qwenSettings)
  writeUserFile(join(machine.home, '.pi/agent/settings.json'), piSettings)
  return takeSnapshot(machine.home)
}

/** Selects tools and opens the preview. */
async function selectToolsForBulk(page: Page): Promise<void> {
  await openToolsPage(page)
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
  await page.getByRole('link', { name: 'Configure 5 tools' }).click()
  await expect(page.getByRole('heading', { name: 'Configure several tools', level: 1 })).toBeVisible()
  await expect(setUp(page)).toBeEnabled()
}

const setUp = (page: Page) => page.getByRole('button', { name: 'Configure 5 tools' })

async function openHistory(page: Page): Promise<void> {
  await openToolsPage(page)
  await page.getByRole('button', { name: 'More tool actions' }).click()
  await page.getByRole('menuitem', { name: 'Change history' }).click()
  await expect(page.getByRole('heading', { name: 'Change history', level: 1 })).toBeVisible()
}

const listWriteEntries = (page: Page) => page.getByRole('list', { name: 'Today' }).locator('> li')

function expectToolsSetUp(machine: Machine): void {
  const gateway = readGatewayUrl(machine)
  expect(JSON.parse(readFileSync(claudeFile(machine), 'utf8'))).toMatchObject({
    permissions: { allow: ['Bash(npm test)'] },
    apiKeyHelper: expect.stringContaining('key print --plan'),
    env: {
      ANTHROPIC_BASE_URL: gateway,
      ANTHROPIC_MODEL: 'aurora-large',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'aurora-small',
    },
  })
  expect(JSON.parse(readHomeFile(machine, '.config/opencode/opencode.json'))).toMatchObject({
    model: 'platform-companion/aurora-large',
    small_model: 'platform-companion/aurora-small',
    provider: {
      'platform-companion': { options: { baseURL: `${gateway}/v1`, apiKey: expect.stringMatching(/^\{file:.*\}$/) } },
    },
  })
  const qwenSettingsText = readFileSync(qwenFile(machine), 'utf8')
  expect(qwenSettingsText).toContain('// mine\n  "$version": 4,')
  expect(qwenSettingsText).toContain(`"baseUrl": "${gateway}/v1"`)
  expect(readHomeFile(machine, '.qwen/.env')).toMatch(/^COMPANION_QWEN_KEY=/)
  expect(fileMode(join(machine.home, '.qwen/.env'))).toBe(0o600)
  expect(JSON.parse(readHomeFile(machine, '.pi/agent/settings.json'))).toMatchObject({
    defaultProvider: 'platform-companion',
    defaultModel: 'aurora-large',
    theme: 'light',
  })
  expect(JSON.parse(readHomeFile(machine, '.pi/agent/models.json'))).toMatchObject({
    providers: { 'platform-companion': { baseUrl: `${gateway}/v1` } },
  })
  const droid = JSON.parse(readHomeFile(machine, '.factory/settings.json'))
  expect(droid.sessionDefaultSettings.model).toBe(droid.customModels[0].id)
  expect(droid.customModels[0]).toMatchObject({
    model: 'aurora-large',
    baseUrl: `${gateway}/v1`,
    apiKey: expect.stringContaining(droidVariable),
  })
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'five tools are set up in one go after one diff, and one step in the history brings every byte back',
    async (harness, page) => {
      const { machine } = harness
      const snapshotBefore = setUpFiveTools(harness)
      const gateway = readGatewayUrl(machine)
      await selectToolsForBulk(page)

      const countChanges = (name: string) => page.getByRole('region', { name, exact: true })
      await expect(countChanges('Claude Code')).toContainText(`POST ${gateway}/v1/messages`)
      for (const name of names.slice(1))
        await expect(countChanges(name)).toContainText(`POST ${gateway}/v1/chat/completions`)
      await page.getByRole('button', { name: 'Expand all' }).click()
      await expect(countChanges('Claude Code')).toContainText('"ANTHROPIC_BASE_URL"')
      await expect(countChanges('pi')).toContainText('"defaultProvider": "platform-companion"')
      await expect(countChanges('Qwen Code').getByRole('article')).toHaveCount(2)
      await expect(countChanges('Factory Droid')).toContainText(droidVariable)
      expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)

      await setUp(page).click()
      await expect(page.getByText('5 tools are configured with sandbox-pro')).toBeVisible()
      const toolList = page.getByRole('list', { name: labels.tools, exact: true })
      await expect(toolList.getByRole('listitem').filter({ hasText: 'Configured' })).toHaveCount(5)
      expectToolsSetUp(machine)
      await page.getByRole('button', { name: 'Test all' }).click()
      await expect(toolList.getByRole('listitem').filter({ hasText: 'Test passed in' })).toHaveCount(5)
      for (const id of ids) expect(await runCompanion(machine, ['verify', id])).toMatchObject({ code: 0 })

      await page.getByRole('link', { name: 'Undo in change history…' }).click()
      await expect(listWriteEntries(page)).toHaveCount(1)
      await expect(listWriteEntries(page)).toContainText(
        'Configured Claude Code, OpenCode, Qwen Code, pi, and Factory Droid with sandbox-pro.',
      )
      await page.getByRole('link', { name: /^Revert to before this change/ }).click()
      await page.getByRole('button', { name: 'Revert', exact: true }).click()
      await expect(page.getByText('Files reverted')).toBeVisible()
      expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
      await expect(listWriteEntries(page)).toHaveCount(2)
      await openToolsPage(page)
      await expect(page.getByRole('table').getByText('Not configured')).toHaveCount(5)
    },
  ],
  [
    'everything this app ever wrote can be removed: home and projects are byte for byte as before',
    async (harness, page) => {
      const { machine } = harness
      setUpFiveTools(harness)
      const project = join(machine.home, 'project')
      writeUserFile(join(project, '.claude/settings.local.json'), '{}')
      const snapshotBefore = takeSnapshot(machine.home)
      await selectToolsForBulk(page)
      await setUp(page).click()
      await expect(page.getByText('5 tools are configured with sandbox-pro')).toBeVisible()
      for (const args of [
        ['--project', project],
        ['--model', 'aurora-small'],
      ])
        expect(
          await runCompanion(machine, ['configure', 'claude-code', '--plan', 'sandbox-pro', ...args]),
        ).toMatchObject({
          code: 0,
        })

      await openToolsPage(page)
      await page.getByRole('button', { name: 'More tool actions' }).click()
      await page.getByRole('menuitem', { name: 'Remove all configurations…' }).click()
      await expect(page.getByText('6 configurations will be removed.')).toBeVisible()
      await expect(page.getByRole('region', { name: 'Claude Code', exact: true })).toHaveCount(1)
      await expect(page.getByRole('region', { name: /Claude Code.*Project project/ })).toHaveCount(1)
      await page.getByRole('button', { name: 'Remove all' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove all' }).click()
      await expect(page.getByText('All configurations removed')).toBeVisible()
      expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
      expect(JSON.parse((await runCompanion(machine, ['tools', '--json'])).out)).not.toContainEqual(
        expect.objectContaining({ applied: expect.anything() }),
      )
    },
  ],
]

/** User steps with failures and project sites. */
const otherParts: readonly WalkStep[] = [
  [
    'when the third of five files cannot be written, the first two are taken back and the reason is told',
    async (harness, page) => {
      const { machine } = harness
      setUpFiveTools(harness)
      chmodSync(qwenFile(machine), 0o444)
      const snapshotBefore = takeSnapshot(machine.home)
      await selectToolsForBulk(page)
      await setUp(page).click()
      const failureAlert = page.getByRole('alert')
      await expect(failureAlert).toContainText('Can’t write the file')
      await expect(failureAlert).toContainText(qwenFile(machine))
      await expect(page.getByText('Nothing was changed. Files already written were restored.')).toBeVisible()
      expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
      await openHistory(page)
      await expect(page.getByText('No changes yet')).toBeVisible()
      chmodSync(qwenFile(machine), 0o644)
    },
  ],
  [
    'when a file changes between the diff and the write, nothing is written and the new diff comes by itself',
    async (harness, page) => {
      const { machine } = harness
      setUpFiveTools(harness)
      await selectToolsForBulk(page)
      const text = piSettings.replace('light', 'dark')
      await writeFileBeforeCall(harness.app(), 'tools.applyMany', {
        path: join(machine.home, '.pi/agent/settings.json'),
        text,
      })
      const snapshotBefore = takeSnapshot(machine.home)
      await setUp(page).click()
      await expect(page.getByText('File changed since the preview')).toBeVisible()
      await expect(page.getByText('Nothing was written. The preview now shows the current file.')).toBeVisible()
      const snapshotAfter = takeSnapshot(machine.home)
      expect(snapshotAfter['.pi/agent/settings.json']).not.toBe(snapshotBefore['.pi/agent/settings.json'])
      expect({ ...snapshotAfter, '.pi/agent/settings.json': '' }).toEqual({
        ...snapshotBefore,
        '.pi/agent/settings.json': '',
      })

      await page.getByRole('button', { name: 'Expand all' }).click()
      await expect(page.getByRole('region', { name: 'pi', exact: true })).toContainText('"theme": "dark"')
      await setUp(page).click()
      await expect(page.getByText('5 tools are configured with sandbox-pro')).toBeVisible()
      expect(JSON.parse(readHomeFile(machine, '.pi/agent/settings.json'))).toMatchObject({
        theme: 'dark',
        defaultProvider: 'platform-companion',
      })
      expect(await runCompanion(machine, ['restore', '--all', '--yes'])).toMatchObject({ code: 0 })
      expect(takeSnapshot(machine.home)).toEqual(snapshotAfter)
    },
  ],
  [
    'a setup of a project folder stays in that folder, is listed, and is undone there',
    async (harness, page) => {
      const { machine } = harness
      const project = join(machine.home, 'work/client-a')
      writeUserFile(join(project, 'README.md'), 'theirs\n')
      writeUserFile(claudeFile(machine), claudeSettings)
      const snapshotBefore = takeSnapshot(machine.home)
      await chooseFolder(harness.app(), project)
      await openToolsPage(page)
      await page.getByRole('link', { name: 'Configure Claude Code' }).click()
      await page.getByRole('button', { name: 'Change settings' }).click()
      await page.getByRole('combobox', { name: 'Scope' }).click()
      await page.getByRole('option', { name: 'Choose a project folder…' }).click()
      await expect(page.getByText('Project client-a').first()).toBeVisible()
      await expect(page.getByRole('article', { name: /settings\.local\.json/ })).toBeVisible()
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      expect(JSON.parse(readFileSync(join(project, '.claude/settings.local.json'), 'utf8'))).toMatchObject({
        env: { ANTHROPIC_BASE_URL: readGatewayUrl(machine) },
      })
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe(claudeSettings)

      await openToolsPage(page)
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Claude Code', exact: true }) })
      await expect(row).toContainText('Project client-a')
      await row.getByRole('link', { name: 'Claude Code', exact: true }).click()
      // Wait for the tool's page, because the list has a button of the same name.
      await expect(page.getByRole('heading', { name: /^Claude Code/, level: 1 })).toBeVisible()
      await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
      await page.getByRole('menuitem', { name: 'Undo…' }).click()
      await page.getByRole('button', { name: 'Undo configuration' }).click()
      await expect(page.getByText('Configuration of Claude Code undone')).toBeVisible()
      expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
    },
  ],
]

const programs = ['claude', 'opencode', 'qwen', 'pi', 'droid'] as const

test('several tools are configured and undone together, in the home and in a project', { tag: '@deep' }, async ({
  harness,
}) => {
  test.setTimeout(180_000)
  installTools(harness.machine, programs)
  const page = await harness.start()
  await walk(harness, page, parts)
})

test('an unwritable or changed file stops all of them, and a project is configured separately', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine, programs)
  const page = await harness.start()
  await walk(harness, page, otherParts)
})
