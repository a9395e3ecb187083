import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violations } from '../support/axe'
import { companion } from '../support/companion'
import { type Desk, expect, test } from '../support/desk'
import { claudeFile, gatewayOf, installTools, openTool, toTools, writeOwn } from '../support/tools'

for (const theme of ['light', 'dark'] as const) {
  test(`every page can be used by everybody, ${theme}`, async ({ start, machine }) => {
    test.setTimeout(120_000)
    installTools(machine)
    const { page } = await start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: Record<string, string[]> = { welcome: await violations(page) }
    await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
    await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
    const pages = {
      home: ['Control+1', 'Home'],
      tools: ['Control+2', 'Tools'],
      plans: ['Control+3', 'Plans'],
      sandbox: ['Control+4', 'Sandbox'],
      connections: ['Control+5', 'Connections'],
      settings: ['Control+,', 'Settings'],
    } as const
    for (const [name, [keys, heading]] of Object.entries(pages)) {
      await page.keyboard.press(keys)
      await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
      found[name] = await violations(page)
    }
    await page.keyboard.press('Control+2')
    await page.getByRole('link', { name: 'Set up Claude Code', exact: true }).click()
    await expect(page.getByText('Claude Code will call')).toBeVisible()
    found.configure = await violations(page)
    expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({})
  })
}

test('a tool is configured with the keyboard alone', async ({ start, machine }) => {
  installTools(machine)
  const { page } = await start()
  await page.keyboard.press('Tab')
  for (let presses = 0; presses < 10; presses += 1) {
    if (
      await page
        .getByRole('button', { name: /Explore with the sandbox/ })
        .evaluate((node) => node === document.activeElement)
    )
      break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('configure claude')
  await expect(page.getByRole('option', { name: /Claude Code/ }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Claude Code will call')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Claude Code is set up with sandbox-pro').first()).toBeVisible()
})

/** Every page of the tools, each in a state worth looking at. */
const screens: readonly (readonly [name: string, show: (page: Page, desk: Desk) => Promise<void>])[] = [
  [
    'list',
    async (page) => {
      await toTools(page)
      await page.getByRole('button', { name: /more that are not installed/ }).click()
      await expect(page.getByRole('row', { name: /Not installed/ }).first()).toBeVisible()
    },
  ],
  [
    'chosen',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Choose Claude Code', exact: true }).click()
      await expect(page.getByRole('region', { name: '1 tool chosen' })).toBeVisible()
    },
  ],
  [
    'several at once',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Choose Factory Droid', exact: true }).click()
      await page.getByRole('link', { name: 'Set up 2 tools' }).click()
      await expect(page.getByRole('button', { name: 'Set up 2 tools' })).toBeEnabled()
    },
  ],
  [
    'one tool, with warnings',
    async (page) => {
      await toTools(page)
      await page.getByRole('link', { name: 'Set up Qwen Code', exact: true }).click()
      await expect(page.getByText('Qwen Code will call')).toBeVisible()
    },
  ],
  [
    'a file that is no JSON',
    async (page) => {
      await toTools(page)
      await page.getByRole('link', { name: 'Set up Aider', exact: true }).click()
      await expect(page.getByText('Aider will call')).toBeVisible()
    },
  ],
  [
    'a tool in use, changed since',
    async (page, { machine }) => {
      const text = readFileSync(claudeFile(machine), 'utf8')
      writeFileSync(claudeFile(machine), text.replace(`"${gatewayOf(machine)}"`, '"https://elsewhere.example.com"'))
      await openTool(page, 'Claude Code')
      await expect(page.getByText('These settings changed since they were written')).toBeVisible()
    },
  ],
  [
    'three ways',
    async (page) => {
      await page.getByRole('link', { name: 'Review' }).click()
      await expect(page.getByRole('table', { name: 'Changed settings' })).toBeVisible()
      await expect(page.getByText('Claude Code will call')).toBeVisible()
    },
  ],
  [
    'undo',
    async (page) => {
      await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
      await page.getByRole('menuitem', { name: 'Undo…' }).click()
      await expect(page.getByRole('button', { name: 'Undo now' })).toBeEnabled()
    },
  ],
  [
    'by hand',
    async (page) => {
      await openTool(page, 'Cherry Studio')
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await expect(page.getByText('It works')).toBeVisible()
    },
  ],
  [
    'by the relay only',
    async (page) => {
      await openTool(page, 'Codex CLI')
      await expect(page.getByText('The relay is off. It starts with this change')).toBeVisible()
    },
  ],
  [
    'removing everything',
    async (page) => {
      await toTools(page)
      await page.getByRole('button', { name: 'More about tools' }).click()
      await page.getByRole('menuitem', { name: 'Remove everything this app ever wrote…' }).click()
      await expect(page.getByRole('button', { name: 'Remove everything' })).toBeEnabled()
    },
  ],
  [
    'removing everything, asked',
    async (page) => {
      await page.getByRole('button', { name: 'Remove everything' }).click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  ],
]

for (const theme of ['light', 'dark'] as const) {
  test(`the pages of the tools can be used by everybody, ${theme}`, async ({ desk }) => {
    test.setTimeout(120_000)
    const { machine } = desk
    installTools(machine, ['aider', 'claude', 'codex', 'droid', 'opencode', 'qwen'])
    mkdirSync(`${machine.home}/.config/CherryStudio`, { recursive: true })
    writeOwn(`${machine.home}/.qwen/settings.json`, '{ "security": { "auth": { "enforcedType": "qwen-oauth" } } }')
    writeOwn(`${machine.home}/.aider.conf.yml`, 'openai-api-base: https://elsewhere.example.com/v1 # mine\n')
    const page = await desk.start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const args = ['configure', 'claude-code', '--plan', 'sandbox-pro']
    expect(await companion(machine, args)).toMatchObject({ code: 0 })
    for (const [name, show] of screens) {
      await show(page, desk)
      expect.soft(await violations(page), name).toEqual([])
    }
  })
}
