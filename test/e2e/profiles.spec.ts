import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { type Machine, startApp } from '../support/app'
import { listFilesContaining } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { labels } from '../support/labels'
import { claudeFile, installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const plan = ['--plan', 'sandbox-pro'] as const
const bothTools = ['claude-code', 'crush'] as const

const claudeModel = (machine: Machine): string =>
  JSON.parse(readFileSync(claudeFile(machine), 'utf8')).env.ANTHROPIC_MODEL

async function run(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCompanion(machine, args)
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
  return out
}

/** Starts the app on a computer with two tools installed. */
async function openStartPage({ start, machine }: AppHarness): Promise<Page> {
  installTools(machine, ['claude', 'crush'])
  return start()
}

async function toProfiles(page: Page): Promise<void> {
  await page.keyboard.press('Control+3')
  await expect(page.getByRole('heading', { name: 'Profiles', level: 1 })).toBeVisible()
}

const card = (page: Page, name: string): Locator =>
  page
    .getByRole('list', { name: 'Profiles' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, level: 2, exact: true }) })

/** The Switch button of the page. Notifications may contain another button with the same name. */
const switchButton = (page: Page): Locator =>
  page.getByRole('main').getByRole('button', { name: 'Switch', exact: true })

/** Creates two profiles of both tools, `work` with the large model and the active `client A` with the small one. */
async function saveTwoProfiles(machine: Machine): Promise<void> {
  await run(machine, 'configure', ...bothTools, ...plan, '--model', 'aurora-large')
  await run(machine, 'profile', 'save', 'work')
  await run(machine, 'configure', ...bothTools, ...plan, '--model', 'aurora-small')
  await run(machine, 'profile', 'save', 'client A')
}

const stubFileDialogs = (app: ElectronApplication, path: string): Promise<void> =>
  app.evaluate(({ dialog }, chosen) => {
    Object.assign(dialog, {
      showOpenDialog: async () => ({ canceled: false, filePaths: [chosen] }),
      showSaveDialog: async () => ({ canceled: false, filePath: chosen }),
    })
  }, path)

/** Records the items of the tray menu and returns functions to read and click them. */
async function watchTray(
  app: ElectronApplication,
): Promise<{ lines(): Promise<string[]>; press(...labels: string[]): Promise<void> }> {
  await app.evaluate(({ Menu }) => {
    const build = Menu.buildFromTemplate.bind(Menu)
    Menu.buildFromTemplate = (template) => {
      const menu = build(template)
      Object.assign(globalThis, { trayMenu: menu })
      return menu
    }
  })
  type TrayState = { trayMenu?: Electron.Menu }
  return {
    lines: () =>
      app.evaluate(() =>
        ((globalThis as unknown as TrayState).trayMenu?.items ?? []).map(({ type, label, checked }) =>
          type === 'checkbox' ? `${checked ? '(x)' : '( )'} ${label}` : label,
        ),
      ),
    press: (...labels) =>
      app.evaluate((_, path) => {
        let menu = (globalThis as unknown as TrayState).trayMenu
        for (const label of path) {
          const item = menu?.items.find(
            (menuItem) => menuItem.label === label || menuItem.label.startsWith(`${label} · `),
          )
          if (item?.submenu) menu = item.submenu
          else item?.click()
        }
      }, labels),
  }
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'the present setup is kept as a profile, and one press after a preview brings it back',
    async (harness, page) => {
      const { machine } = harness
      await toProfiles(page)
      await expect(page.getByText('No profiles yet')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Configure a tool' })).toBeVisible()
      await run(machine, 'configure', ...bothTools, ...plan, '--model', 'aurora-large')
      await page.getByRole('button', { name: 'Save as profile' }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByRole('list', { name: labels.tools }).getByRole('listitem')).toHaveCount(2)
      await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
      await dialog.getByLabel(labels.name).fill('  work ')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('work was saved')).toBeVisible()
      await expect(card(page, 'work')).toContainText('Active')

      await run(machine, 'configure', 'claude-code', ...plan, '--model', 'vega-coder')
      await expect(card(page, 'work')).not.toContainText('Active')
      await page.getByRole('button', { name: 'Save as profile' }).click()
      await dialog.getByLabel(labels.name).fill('Work')
      await expect(dialog).toContainText('Another profile has this name.')
      await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
      await page.keyboard.press('Escape')

      await card(page, 'work').getByRole('link', { name: 'Switch work' }).click()
      await expect(page.getByRole('heading', { name: 'Switch to work', level: 1 })).toBeVisible()
      await expect(page.getByText('No change').first()).toBeVisible()
      await expect(page.getByText('"ANTHROPIC_MODEL": "vega-coder"').first()).toBeVisible()
      await expect(page.getByText('"ANTHROPIC_MODEL": "aurora-large"').first()).toBeVisible()
      expect(claudeModel(machine)).toBe('vega-coder')
      await switchButton(page).click()
      await expect(page.getByText('Switched to work')).toBeVisible()
      await expect(card(page, 'work')).toContainText('Active')
      expect(claudeModel(machine)).toBe('aurora-large')

      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect(card(page, 'work')).not.toContainText('Active')
      expect(claudeModel(machine)).toBe('vega-coder')
    },
  ],
  [
    'the window sees at once what the command line switches to',
    async (harness, page) => {
      const { machine } = harness
      await saveTwoProfiles(machine)
      await toProfiles(page)
      await expect(card(page, 'client A')).toContainText('Active')
      expect(await run(machine, 'use', 'work')).toContain('Switched to work.')
      await expect(card(page, 'work')).toContainText('Active')
      await expect(card(page, 'client A')).not.toContainText('Active')
      await expect(page.getByText('Active: work')).toBeVisible()
      await run(machine, 'profile', 'remove', 'client A', '--yes')
      await expect(card(page, 'client A')).toHaveCount(0)
    },
  ],
  [
    'the tray names what is set up, and switches at once',
    async (harness) => {
      const { machine } = harness
      const tray = await watchTray(harness.app())
      await saveTwoProfiles(machine)
      await expect
        .poll(async () => (await tray.lines()).filter((line) => !/left|quota/.test(line)))
        .toEqual([
          'Open Platform Companion',
          '',
          'Tools',
          'Claude Code · aurora-small',
          'Crush · aurora-small',
          '',
          'Profiles',
          '( ) work',
          '(x) client A',
          '',
          'Quit',
        ])
      await tray.press('Claude Code', 'vega-coder')
      await expect.poll(() => claudeModel(machine)).toBe('vega-coder')
      await expect.poll(tray.lines).toContain('Claude Code · vega-coder')
      await tray.press('work')
      await expect.poll(() => claudeModel(machine)).toBe('aurora-large')
      await expect.poll(tray.lines).toContain('(x) work')
    },
  ],
]

/** User steps with changed, removed and incomplete profiles. */
const otherParts: readonly WalkStep[] = [
  [
    'a profile is renamed, edited, taken away and brought back; its tools stay as they are',
    async (harness, page) => {
      const { machine } = harness
      await saveTwoProfiles(machine)
      await toProfiles(page)
      const pickMenuItem = async (item: string): Promise<void> => {
        await page.getByRole('button', { name: /^More actions for (work|office)$/ }).click()
        await page.getByRole('menuitem', { name: item }).click()
      }
      await pickMenuItem('Rename…')
      await page.getByRole('dialog').getByLabel(labels.name).fill('office')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await expect(card(page, 'office')).toBeVisible()
      await pickMenuItem('Edit')
      await expect(page.getByRole('heading', { name: 'office', level: 1 })).toBeVisible()
      await page.getByRole('button', { name: 'Remove Crush from this profile' }).click()
      await page.getByRole('group', { name: 'Claude Code' }).getByLabel('Model').click()
      await page.getByRole('option', { name: 'vega-coder' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('office was saved')).toBeVisible()
      await expect(page.getByText('Your tools are not changed yet.')).toBeVisible()
      expect(claudeModel(machine)).toBe('aurora-small')
      expect(await run(machine, 'profile', 'list')).toMatch(/\noffice +- +claude-code +sandbox-pro\n/)
      await toProfiles(page)
      await pickMenuItem('Remove')
      await expect(card(page, 'office')).toHaveCount(0)
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect(card(page, 'office')).toBeVisible()
      expect(claudeModel(machine)).toBe('aurora-small')
    },
  ],
  [
    'a profile whose plan is gone names it, cannot be switched to, and works again with another',
    async (harness, page) => {
      const { machine } = harness
      const key = await harness.readKey('sandbox-pro')
      const [{ gatewayUrl }] = JSON.parse(await run(machine, 'plan', 'list', '--json')).filter(
        ({ name, gatewayUrl: url }: { name: string; gatewayUrl?: string }) => name === 'sandbox-pro' && url,
      )
      const addPlanArgs = [
        'plan',
        'add',
        '--name',
        'client-plan',
        '--gateway',
        gatewayUrl,
        '--key-stdin',
        '--model',
        'aurora-small',
      ]
      expect(await runCompanion(machine, addPlanArgs, { input: key })).toMatchObject({ code: 0 })
      await run(machine, 'configure', 'claude-code', '--plan', 'client-plan')
      await run(machine, 'profile', 'save', 'client A')
      await run(machine, 'configure', 'claude-code', ...plan)
      await run(machine, 'plan', 'remove', 'client-plan')
      await toProfiles(page)
      await expect(card(page, 'client A')).toContainText('No longer on this computer: client-plan.')
      await expect(card(page, 'client A').getByRole('link', { name: 'Switch client A' })).toHaveCount(0)
      await page.getByRole('button', { name: 'More actions for client A' }).click()
      await expect(page.getByRole('menuitem', { name: 'Switch…' })).toBeDisabled()
      await page.keyboard.press('Escape')
      await card(page, 'client A').getByRole('link', { name: 'Choose another' }).click()
      await expect(page.getByText('client-plan is no longer on this computer. Choose another plan.')).toBeVisible()
      await page.getByRole('group', { name: 'Claude Code' }).getByLabel('Plan').click()
      await page.getByRole('option', { name: /sandbox-pro/ }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('client A was saved')).toBeVisible()
      await page.getByRole('link', { name: 'Switch', exact: true }).click()
      await switchButton(page).click()
      await expect(page.getByText('Switched to client A')).toBeVisible()
      expect(claudeModel(machine)).toBe('aurora-small')
    },
  ],
  [
    'the tray opens the window where something has to be asked or told',
    async (harness, page) => {
      const { machine } = harness
      const tray = await watchTray(harness.app())
      await saveTwoProfiles(machine)
      await run(machine, 'configure', 'claude-code', ...plan, '--delivery', 'plain')
      await run(machine, 'profile', 'save', 'plain')
      await run(machine, 'use', 'work')
      await expect.poll(tray.lines).toContain('( ) plain')
      await tray.press('plain')
      await expect(page.getByRole('heading', { name: 'Switch to plain', level: 1 })).toBeVisible()
      const applyButton = switchButton(page)
      await expect(applyButton).toBeDisabled()
      await expect(page.getByText('Allow plain text above first.')).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).toContain('apiKeyHelper')
      await page.getByRole('switch', { name: 'Write the key as plain text into the settings of Claude Code' }).click()
      await applyButton.click()
      await expect(page.getByText('Switched to plain')).toBeVisible()
      const key = await harness.readKey('sandbox-pro')
      expect(readFileSync(claudeFile(machine), 'utf8')).toContain(key)

      await tray.press('work')
      await expect.poll(() => listFilesContaining(machine.home, key)).toEqual([])
      await expect.poll(tray.lines).toContain('(x) work')
      const validSettings = readFileSync(claudeFile(machine), 'utf8')
      writeFileSync(claudeFile(machine), '{ "theme": ')
      // Retry, because the tray menu ignores clicks while a switch is running.
      await expect(async () => {
        await tray.press('client A')
        await expect(page.getByRole('heading', { name: 'Switch to client A', level: 1 })).toBeVisible({ timeout: 1000 })
      }).toPass()
      await expect(page.getByText('Skipped')).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe('{ "theme": ')
      await tray.press('Claude Code', 'aurora-small')
      await tray.press('Claude Code', 'Needs attention. Open…')
      await expect(page.getByRole('heading', { name: 'Claude Code', level: 1 })).toBeVisible()
      writeFileSync(claudeFile(machine), validSettings)
    },
  ],
  [
    'a profile goes to a teammate without a key; a plan with its gateway is found, else its key is added',
    async (harness, page) => {
      const { machine } = harness
      await saveTwoProfiles(machine)
      const key = await harness.readKey('sandbox-pro')
      const file = join(machine.home, 'for-an.json')
      await stubFileDialogs(harness.app(), file)
      await toProfiles(page)
      await page.getByRole('button', { name: 'More actions for client A' }).click()
      await page.getByRole('menuitem', { name: 'Export for a teammate…' }).click()
      await expect(page.getByText('client A exported')).toBeVisible()
      const text = readFileSync(file, 'utf8')
      expect(JSON.parse(text)).toMatchObject({ name: 'client A', plans: [{ name: 'sandbox-pro' }] })
      expect(text).not.toContain('sk-')
      expect(text).not.toContain(machine.home)
      await run(machine, 'restore', '--all', '--yes')
      const { plans } = JSON.parse(text)
      const gateway: string = plans[0].gatewayUrl

      const colleagueMachine: Machine = { ...machine, dataDir: join(machine.home, '../mate') }
      mkdirSync(colleagueMachine.dataDir)
      const { app, page: remote, kill } = await startApp(colleagueMachine)
      try {
        await stubFileDialogs(app, file)
        await remote.getByRole('button', { name: 'Skip for now' }).click()
        await expect(remote.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
        await toProfiles(remote)
        await remote.getByRole('button', { name: 'Import…' }).click()
        await expect(remote.getByRole('heading', { name: 'Import a profile', level: 1 })).toBeVisible()
        await expect(remote.getByText('No plan yet')).toBeVisible()
        const saveButton = remote.getByRole('button', { name: 'Save profile' })
        await expect(saveButton).toBeDisabled()
        await expect(remote.getByText('Choose a plan for each, or add its key.')).toBeVisible()
        await app.evaluate(({ clipboard }, value) => clipboard.writeText(value), key)
        await remote.getByRole('button', { name: 'Add the key of sandbox-pro' }).click()
        const dialog = remote.getByRole('dialog')
        await expect(dialog).toContainText(gateway)
        await dialog.getByRole('button', { name: /Paste key/ }).click()
        await dialog.getByLabel(labels.name).fill('mine')
        await dialog.getByRole('button', { name: 'Test and add' }).click()
        await expect(remote.getByText('Plan mine was added')).toBeVisible()
        await expect(remote.getByText('Same gateway')).toBeVisible()
        await saveButton.click()
        await expect(remote.getByText('client A was added')).toBeVisible()

        await remote.getByRole('button', { name: 'Import…' }).click()
        await expect(remote.getByText('Same gateway')).toBeVisible()
        await expect(remote.getByText('Another profile has this name.')).toBeVisible()
        await remote.getByLabel(labels.name).fill('again')
        await saveButton.click()
        await expect(card(remote, 'again')).toBeVisible()
        await card(remote, 'client A').getByRole('link', { name: 'Switch client A' }).click()
        await switchButton(remote).click()
        await expect(remote.getByText('Switched to client A')).toBeVisible()
        expect(claudeModel(machine)).toBe('aurora-small')
        expect(await run(colleagueMachine, 'verify', 'claude-code')).toContain('aurora-small responded')
      } finally {
        await kill()
      }
      expect(listFilesContaining(join(machine.home, '..'), key)).toEqual([])
    },
  ],
]

test('profiles are saved and switched from the window, the command line and the tray', { tag: '@deep' }, async ({
  harness,
}) => {
  test.setTimeout(180_000)
  const page = await openStartPage(harness)
  await walk(harness, page, parts)
})

test('profiles are changed, repaired and shared with a teammate, and the window asks when the tray cannot', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await openStartPage(harness)
  await walk(harness, page, otherParts)
})
