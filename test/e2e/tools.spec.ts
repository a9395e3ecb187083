import { execFile } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import type { Machine } from '../support/app'
import { pageText } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { claudeFile, installTools, openTool, openToolsPage, readGatewayUrl, writeUserFile } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'
import { takeSnapshot } from '../tools/folder-snapshot'

const run = promisify(execFile)
const ownSettings = '{\n  "theme": "dark"\n}\n'
const otherAddress = 'https://elsewhere.example.com'

/** Configures Claude Code from the command line and opens its page. */
async function installClaudeCode({ machine }: AppHarness, page: Page): Promise<void> {
  writeUserFile(claudeFile(machine), ownSettings)
  await configure(machine, 'claude-code')
  await openTool(page, 'Claude Code')
  await expect(page.getByText('Claude Code calls')).toBeVisible()
}

async function configure(machine: Machine, ...args: readonly string[]): Promise<void> {
  const { code, err } = await runCompanion(machine, ['configure', ...args, '--plan', 'sandbox-pro'])
  expect(code, err).toBe(0)
}

const getRow = (page: Page, tool: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: tool, exact: true }) })

/** Replaces texts in a file like another program. */
function editManually(path: string, changes: Readonly<Record<string, string>>): void {
  let text = readFileSync(path, 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  writeFileSync(path, text)
}

const chooseDriftAction = (page: Page, setting: string, word: string) =>
  page
    .getByRole('radiogroup', { name: `Action for ${setting}` })
    .getByRole('radio', { name: word })
    .click()

/** Share of the window's height that shows the diff, between the first file and the sticky Apply bar. */
const measureChangesPosition = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const top = document.querySelector('article')?.getBoundingClientRect().top ?? Number.NaN
    const apply = document.querySelector('[aria-keyshortcuts^="Control+Enter"]')
    const bar = apply?.parentElement?.parentElement?.getBoundingClientRect().top ?? Number.NaN
    return (bar - top) / innerHeight
  })

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'the changes have half of the window before they are applied, in a low one too',
    async (harness, page) => {
      writeUserFile(claudeFile(harness.machine), ownSettings)
      const resize = (width: number, height: number) =>
        harness
          .app()
          .evaluate(({ BrowserWindow }, [x, y]) => BrowserWindow.getAllWindows()[0]?.setContentSize(x, y), [
            width,
            height,
          ] as const)
      const size = await page.evaluate(() => [innerWidth, innerHeight] as const)
      for (const [screenPath, apply] of [
        ['/tools/set-up', /^Configure \d/],
        ['/tools/claude-code', 'Apply'],
      ] as const) {
        await page.evaluate((path) => location.assign(`#${path}`), screenPath)
        await expect(page.getByRole('button', { name: apply, exact: true })).toBeEnabled()
        for (const [width, height] of [[1280, 800], [1024, 640], size] as const) {
          await resize(width, height)
          await page.waitForFunction((expectedHeight) => innerHeight === expectedHeight, height)
          expect(await measureChangesPosition(page), `${screenPath} at ${height}`).toBeGreaterThanOrEqual(0.5)
        }
      }
    },
  ],
  [
    'a change by hand is noticed at once and shown three ways; theirs is kept for one setting, ours for another',
    async (harness, page) => {
      const { machine } = harness
      await installClaudeCode(harness, page)
      const gateway = readGatewayUrl(machine)
      editManually(claudeFile(machine), {
        [`"ANTHROPIC_BASE_URL": "${gateway}"`]: `"ANTHROPIC_BASE_URL": "${otherAddress}"`,
        '"ANTHROPIC_MODEL": "aurora-large"': '"ANTHROPIC_MODEL": "their-model"',
      })
      await expect(page.getByText('These settings were modified')).toBeVisible()
      await expect(page.getByRole('list', { name: 'Modified settings' })).toHaveText(
        'env.ANTHROPIC_BASE_URLenv.ANTHROPIC_MODEL',
      )
      await page.getByRole('link', { name: 'Review' }).click()
      const driftTable = page.getByRole('table', { name: 'Modified settings' })
      await expect(driftTable.getByRole('columnheader')).toHaveText([
        'Written by this app',
        'Current',
        'Expected',
        'Action',
      ])
      const model = driftTable.locator('tbody').filter({ hasText: 'env.ANTHROPIC_MODEL' })
      await expect(model.getByRole('cell')).toContainText([/Keep current/, 'aurora-large', 'their-model', 'unchanged'])
      await expect(driftTable).toContainText(otherAddress)
      await expect(page.getByText('Address and key are kept or restored together')).toBeVisible()

      await chooseDriftAction(page, 'env.ANTHROPIC_MODEL', 'Keep current')
      await chooseDriftAction(page, 'env.ANTHROPIC_BASE_URL', 'Restore')
      await page.getByRole('button', { name: 'Apply' }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      const { env } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
      expect(env).toMatchObject({ ANTHROPIC_BASE_URL: gateway, ANTHROPIC_MODEL: 'their-model' })
      await openToolsPage(page)
      await expect(getRow(page, 'Claude Code')).toContainText('Configured')
    },
  ],
  [
    'a tool that keeps its settings to itself is set up by hand: values to copy, the key unseen, and a check',
    async (harness, page) => {
      const { machine } = harness
      const key = await harness.readKey('sandbox-pro')
      await openToolsPage(page)
      await page.getByRole('link', { name: 'Configure Cherry Studio' }).click()
      const fields = page.getByRole('table', { name: 'Values to enter' })
      await expect(fields.getByRole('row', { name: /API Host/ })).toContainText(readGatewayUrl(machine))
      await expect(fields.getByRole('row', { name: /Model ID/ })).toContainText('aurora-large')
      await expect(fields.getByRole('row', { name: /API Key/ })).toContainText(`...${key.slice(-4)}`)
      await expect(page.getByText(`${readGatewayUrl(machine)}/v1/chat/completions`)).toBeVisible()
      await page.getByRole('button', { name: 'Copy key' }).click()
      await expect.poll(() => harness.app().evaluate(({ clipboard }) => clipboard.readText())).toBe(key)
      expect(await pageText(page)).not.toContain(key)
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await expect(page.getByText('Test passed')).toBeVisible()
    },
  ],
  [
    'a tool that takes the key from a variable comes with the line for it, which prints the key in a real shell',
    async (harness, page) => {
      const { machine } = harness
      await openToolsPage(page)
      await page.getByRole('link', { name: 'Configure Factory Droid' }).click()
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(
        page.getByText('Factory Droid is configured with sandbox-pro. Finish the steps below.'),
      ).toBeVisible()
      const line = page
        .getByRole('listitem')
        .filter({ hasText: 'PLATFORM_COMPANION_DROID_KEY' })
        .getByRole('code')
        .last()
      await expect(line).toHaveText(/^export PLATFORM_COMPANION_DROID_KEY="\$\(.*\)"$/)
      await page.getByRole('button', { name: 'Copy line' }).click()
      const readCopiedText = () => harness.app().evaluate(({ clipboard }) => clipboard.readText())
      await expect.poll(readCopiedText).toBe(await line.textContent())
      const script = `${await readCopiedText()}\nprintf %s "$PLATFORM_COMPANION_DROID_KEY"`
      const { stdout } = await run('bash', ['--noprofile', '--norc', '-c', script], { env: machine.env, cwd: '/' })
      expect(stdout).toBe(await harness.readKey('sandbox-pro'))
    },
  ],
]

/** User steps with a tool that other programs changed. */
const otherParts: readonly WalkStep[] = [
  [
    'a changed tool can be let go: its file stays as it is, and the app forgets it',
    async (harness, page) => {
      const { machine } = harness
      await installClaudeCode(harness, page)
      editManually(claudeFile(machine), { '"ANTHROPIC_MODEL": "aurora-large"': '"ANTHROPIC_MODEL": "their-model"' })
      const remote = readFileSync(claudeFile(machine), 'utf8')
      await openToolsPage(page)
      await expect(getRow(page, 'Claude Code')).toContainText('Modified')
      await page.getByRole('link', { name: 'Fix Claude Code' }).click()
      await page.getByRole('button', { name: 'Keep all current' }).click()
      await expect(page.getByText(/The app stops managing Claude Code/)).toBeVisible()
      await page.getByRole('button', { name: 'Stop managing' }).click()
      await expect(page.getByText('Claude Code is no longer managed')).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe(remote)
      expect(existsSync(join(machine.dataDir, 'tools/claude-code.json'))).toBe(false)
      await openToolsPage(page)
      await expect(getRow(page, 'Claude Code')).toContainText('Not managed')
    },
  ],
  [
    'a tool that was pointed elsewhere by hand is shown so; setting it up replaces that, and undo brings it back',
    async (harness, page) => {
      const { machine } = harness
      const remote = `{ "env": { "ANTHROPIC_BASE_URL": "${otherAddress}", "ANTHROPIC_AUTH_TOKEN": "sk-theirs-0123456789abcdef", "ANTHROPIC_MODEL": "their-model" } }`
      writeUserFile(claudeFile(machine), remote)
      await openToolsPage(page)
      await expect(getRow(page, 'Claude Code')).toContainText('Not managed')
      await expect(getRow(page, 'Claude Code')).toContainText(otherAddress)
      await page.getByRole('link', { name: 'Configure Claude Code' }).click()
      await expect(page.getByText('Claude Code already uses another gateway')).toBeVisible()
      await expect(page.getByRole('list', { name: 'Before you apply' })).toContainText('env.ANTHROPIC_BASE_URL')
      expect(await pageText(page)).not.toContain('sk-theirs-0123456789abcdef')
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      expect(JSON.parse(readFileSync(claudeFile(machine), 'utf8')).env).toMatchObject({
        ANTHROPIC_BASE_URL: readGatewayUrl(machine),
        ANTHROPIC_AUTH_TOKEN: '',
        ANTHROPIC_MODEL: 'aurora-large',
      })
      await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
      await page.getByRole('menuitem', { name: 'Undo…' }).click()
      await page.getByRole('button', { name: 'Undo configuration' }).click()
      await expect(page.getByText('Configuration of Claude Code undone')).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe(remote)
      await openToolsPage(page)
      await expect(getRow(page, 'Claude Code')).toContainText('Not managed')
    },
  ],
]

const programs = ['claude', 'opencode', 'droid'] as const

test('a tool that was changed, configured manually or by a variable is fixed on its page', async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine, programs)
  mkdirSync(join(harness.machine.home, '.config/CherryStudio'), { recursive: true })
  const page = await harness.start()
  await walk(harness, page, parts)
})

test('a changed tool is released, and a redirected one gets its earlier target back', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine, programs)
  const page = await harness.start()
  await walk(harness, page, otherParts)
})

/** Every path under a folder with its bytes and modification time. */
function readStamps(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const readModifiedTime = (path: string): string => `${lstatSync(join(folder, path)).mtimeMs}`
  return {
    ...takeSnapshot(folder),
    ...Object.fromEntries(paths.map((path) => [`${path} written`, readModifiedTime(path)])),
  }
}

test("a start undoes and reports an interrupted write, and otherwise writes to no tool's file or record", {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(120_000)
  const { machine } = harness
  installTools(machine, ['claude', 'opencode', 'crush'])
  writeUserFile(claudeFile(machine), ownSettings)
  await harness.start()
  await harness.quit()
  const snapshotBefore = takeSnapshot(machine.home)
  await configure(machine, 'claude-code', 'crush')
  simulateKillAtSecondFile(machine)
  expect(takeSnapshot(machine.home)).not.toEqual(snapshotBefore)

  await test.step('a write interrupted by a kill is undone, reported in the window, and listed in the history', async () => {
    const page = await harness.start()
    await expect(page.getByText('The last change was interrupted and rolled back')).toBeVisible()
    await expect(page.getByText(/change to Claude Code and Crush was complete/)).toBeVisible()
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
    await page.getByRole('link', { name: 'Show change history' }).click()
    const entry = page.getByRole('list', { name: 'Today' }).getByRole('listitem')
    await expect(entry).toHaveCount(1)
    await expect(entry).toContainText('Interrupted')
    await expect(entry).toContainText('The files are unchanged.')
    await expect(page.getByRole('link', { name: /^Revert to before this change/ })).toHaveCount(0)
    await expect(page.getByText('The last change was interrupted and rolled back')).toHaveCount(0)
    await openToolsPage(page)
    await expect(getRow(page, 'Claude Code')).toContainText('Not configured')
  })

  await configure(machine, 'claude-code', 'crush')
  await configure(machine, 'opencode', '--delivery', 'env')
  await harness.quit()
  editManually(claudeFile(machine), { '"ANTHROPIC_MODEL": "aurora-large"': '"ANTHROPIC_MODEL": "their-model"' })
  editManually(join(machine.home, '.config/crush/crush.json'), { '"openai-compat"': '"anthropic"' })
  const folders = [machine.home, join(machine.dataDir, 'tools')]
  const folderStamps = folders.map(readStamps)

  await test.step('a start writes nothing', async () => {
    const page = await harness.start()
    await openToolsPage(page)
    for (const [tool, state] of Object.entries({
      'Claude Code': 'Modified',
      Crush: 'Modified',
      OpenCode: 'Configured',
    }))
      await expect(getRow(page, tool)).toContainText(state)
    await openTool(page, 'Claude Code')
    await expect(page.getByText('These settings were modified')).toBeVisible()
    await harness.quit()
    expect(folders.map(readStamps)).toEqual(folderStamps)
  })
})

/** Creates the state in which a write to two tools is left if it is killed after the first one. */
function simulateKillAtSecondFile({ home, dataDir }: Machine): void {
  const history = join(dataDir, 'tools/history')
  const [name = ''] = readdirSync(history)
  const entry = JSON.parse(readFileSync(join(history, name), 'utf8'))
  const noProcess = 2 ** 22 + 1
  writeFileSync(join(history, name), JSON.stringify({ ...entry, state: 'begun', pid: noProcess }))
  rmSync(join(home, '.config'), { recursive: true })
  rmSync(join(dataDir, 'tools/crush.json'))
}
