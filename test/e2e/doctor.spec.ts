import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { Machine } from '../support/app'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, shortDuration, test } from '../support/desk'
import { startHoldingProxy } from '../support/holding-proxy'
import { claudeFile, installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const plan = ['--plan', 'sandbox-pro'] as const

const crushFile = ({ home }: Machine): string => join(home, '.config/crush/crush.json')

async function run(machine: Machine, ...args: readonly string[]): Promise<void> {
  const { code, out, err } = await runCompanion(machine, args)
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
}

/** Starts the app on a computer with Claude Code and Crush installed. */
async function openDoctorPage({ start, machine }: AppHarness): Promise<Page> {
  machine.env.SHELL = '/bin/bash'
  installTools(machine, ['claude', 'crush'])
  return start()
}

/** Configures Claude Code and Crush, both with a helper command. */
async function setUp({ machine }: AppHarness, page: Page): Promise<void> {
  await run(machine, 'configure', 'claude-code', 'crush', ...plan)
  await expect(page.getByRole('main').getByRole('row').getByText('Configured', { exact: true })).toHaveCount(2)
}

/** The app with Claude Code and Crush configured. */
async function openStartPage(harness: AppHarness): Promise<Page> {
  const page = await openDoctorPage(harness)
  await setUp(harness, page)
  return page
}

/** Opens the diagnosis of Claude Code, which starts automatically, and waits for it. */
async function openDoctor(page: Page): Promise<void> {
  await page.keyboard.press('Control+2')
  await page.getByRole('main').getByRole('link', { name: 'Claude Code', exact: true }).click()
  // Wait for the tool's page, because the list has a button of the same name.
  await expect(page.getByRole('heading', { name: /^Claude Code/, level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
  await page.getByRole('menuitem', { name: 'Diagnose…' }).click()
  await expect(page.getByRole('heading', { name: 'Diagnose Claude Code', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Diagnose again' })).toBeEnabled()
}

async function repeatDiagnosis(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Diagnose again' }).click()
  await expect(page.getByRole('list', { name: 'Checks' })).toBeVisible()
}

/** The row of a check on the diagnosis page. */
const check = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Checks' }).getByRole('listitem').filter({ hasText: name })

const corruptFile = (path: string, from: string | RegExp, to: string): void => {
  const text = readFileSync(path, 'utf8')
  expect(text).toMatch(from)
  writeFileSync(path, text.replace(from, to))
}

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'all tools are examined one after the other, and those that fail stand open',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      corruptFile(crushFile(machine), /("base_url": "http:[^"]+)\/v1"/, '$1"')
      await page.keyboard.press('Control+2')
      await page.getByRole('button', { name: 'More tool actions' }).click()
      await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
      await expect(page.getByRole('heading', { name: 'Diagnostics', level: 1 })).toBeVisible()
      const tools = page.getByRole('list', { name: 'Configured tools' })
      await expect(tools.getByText('Not run')).toHaveCount(2)
      await page.getByRole('button', { name: 'Diagnose all' }).click()
      await expect(page.getByText('1 of 2 failed')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Results for Claude Code' })).toHaveAttribute(
        'aria-expanded',
        'false',
      )
      await expect(page.getByRole('button', { name: 'Results for Crush' })).toHaveAttribute('aria-expanded', 'true')
      await expect(tools).toContainText('Wrong base URL suffix')
      await run(machine, 'configure', 'crush', ...plan)
      await page.getByRole('button', { name: 'Diagnose Crush' }).click()
      await expect(page.getByText('All 2 tools passed')).toBeVisible()

      await harness.control('/faults', { faults: [{ operations: '*', delayMs: 60_000 }] })
      await page.getByRole('button', { name: 'Diagnose all' }).click()
      await expect(tools.getByText('Pending')).toHaveCount(1)
      await expect(page.getByText('0 of 2')).toBeVisible()
      await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
      await expect(tools.getByText('Not run')).toHaveCount(2)
      await harness.control('/faults', { faults: [] })
    },
  ],
  [
    'an address with the wrong ending, written by hand, is named with the right one and put right; then every check passes, at a price that is told',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      corruptFile(claudeFile(machine), /("ANTHROPIC_BASE_URL": "http:[^"]+)"/, '$1/v1"')
      await openDoctor(page)
      await expect(check(page, 'Settings unchanged')).toContainText('env.ANTHROPIC_BASE_URL')
      const suffix = check(page, 'Base URL suffix is correct')
      await expect(suffix).toContainText('/v1/v1/messages')
      await expect(suffix).toContainText('Wrong base URL suffix')
      await suffix.getByText('Details').click()
      await expect(suffix).toContainText(/Its base address must be http:\/\/127\.0\.0\.1:\d+,/)
      await suffix.getByRole('link', { name: 'Restore settings…' }).click()
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).not.toContain('/v1"')
      await openDoctor(page)
      await repeatDiagnosis(page)
      await expect(page.getByText('All checks passed')).toBeVisible()
      const rows = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
      await expect(rows).toHaveCount(9)
      await expect(rows.filter({ hasText: 'Passed' })).toHaveCount(9)
      await expect(check(page, 'Live request succeeds')).toContainText(
        new RegExp(String.raw`http:\S+/v1/messages${shortDuration}\d+ tokens used \(\d+ in, \d+ out\)`),
      )
    },
  ],
  [
    'a key that the gateway refuses is told in its words, with a button that replaces it',
    async (harness, page) => {
      await setUp(harness, page)
      await harness.control('/keys/key-pro-default', { status: 'DISABLED' })
      await openDoctor(page)
      await expect(page.getByText('Some checks failed')).toBeVisible()
      const key = check(page, 'Gateway accepts the key')
      await expect(key).toContainText('Failed')
      await expect(key).toContainText('The gateway rejected the key')
      await expect(key).toContainText('Check that the key is ACTIVE in the console')
      await expect(check(page, 'Plan includes the model')).toContainText('An earlier check failed.')
      await key.getByRole('link', { name: 'Replace key' }).click()
      await expect(page.getByRole('heading', { name: 'sandbox-pro', level: 1 })).toBeVisible()
      await expect(page.getByRole('tab', { name: 'Keys', selected: true })).toBeVisible()
      await harness.control('/keys/key-pro-default', { status: 'ACTIVE' })
    },
  ],
]

/** Tests of other causes of failures and their fixes. */
const otherCauseWalkParts: readonly WalkStep[] = [
  [
    'a program for the key that is gone is written again by the button',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      const program = join(machine.dataDir, 'bin/companion')
      rmSync(program)
      await openDoctor(page)
      const helper = check(page, 'Tool gets its key')
      await expect(helper).toContainText('Claude Code couldn’t get the key')
      await helper.getByRole('link', { name: 'Restore settings…' }).click()
      await expect(page.getByTitle(program)).toBeVisible()
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      await openDoctor(page)
      await repeatDiagnosis(page)
      await expect(page.getByText('All checks passed')).toBeVisible()
    },
  ],
  [
    'a settings file with a mistake is named with its line, and shown',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      const validSettings = readFileSync(claudeFile(machine), 'utf8')
      writeFileSync(claudeFile(machine), validSettings.replace(/,\n/, '\n'))
      await openDoctor(page)
      const file = check(page, 'Settings files are readable')
      await expect(file).toContainText('Settings file has a syntax error')
      await expect(file).toContainText(/has a syntax error (at|in|on) line \d+/)
      await harness.app().evaluate(({ shell }) => {
        shell.showItemInFolder = (path) => void Object.assign(globalThis, { shown: path })
      })
      await file.getByRole('button', { name: 'Show the file' }).click()
      await expect
        .poll(() => harness.app().evaluate(() => (globalThis as unknown as { shown?: string }).shown))
        .toBe(claudeFile(machine))
      writeFileSync(claudeFile(machine), validSettings)
      await repeatDiagnosis(page)
      await expect(page.getByText('All checks passed')).toBeVisible()
    },
  ],
  [
    'a variable of the shell that wins is named, with the line that takes it out',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      const profile = join(machine.home, '.profile')
      writeFileSync(profile, '. "$HOME/.bashrc"\n')
      writeFileSync(join(machine.home, '.bashrc'), 'export CLAUDE_CODE_USE_BEDROCK=1\n')
      await openDoctor(page)
      await expect(page.getByText('It works, with warnings')).toBeVisible()
      const conflictCheckRow = check(page, 'No conflicting settings')
      await expect(conflictCheckRow).toContainText('CLAUDE_CODE_USE_BEDROCK')
      await expect(conflictCheckRow).toContainText('Another setting overrides the app’s settings')
      await conflictCheckRow.getByRole('button', { name: 'Copy line' }).click()
      await expect
        .poll(() => harness.app().evaluate(({ clipboard }) => clipboard.readText()))
        .toBe('unset CLAUDE_CODE_USE_BEDROCK')
      rmSync(join(machine.home, '.bashrc'))
      writeFileSync(profile, '')
      await repeatDiagnosis(page)
      await expect(page.getByText('All checks passed')).toBeVisible()
    },
  ],
  [
    'a plan that has ended and a model without quota are told in the gateway’s words, with a button that does something about it',
    async (harness, page) => {
      await setUp(harness, page)
      const { machine } = harness
      await harness.control('/plans/plan-sandbox-pro', { status: 'EXPIRED' })
      await openDoctor(page)
      await repeatDiagnosis(page)
      const key = check(page, 'Gateway accepts the key')
      await expect(key).toContainText('The plan has expired')
      await key.getByRole('link', { name: 'Choose another key' }).click()
      await expect(page.getByRole('heading', { name: 'Claude Code', level: 1 })).toBeVisible()
      await expect(page.getByLabel('Plan', { exact: true })).toBeVisible()
      await harness.control('/plans/plan-sandbox-pro', { status: 'ACTIVE' })

      for (const [model, name, text] of [
        ['not-in-this-plan', 'Plan includes the model', 'The plan does not include this model'],
        ['nova-vision', 'Live request succeeds', 'Quota used up for this model'],
      ] as const) {
        await run(machine, 'configure', 'claude-code', ...plan, '--model', model)
        await openDoctor(page)
        await repeatDiagnosis(page)
        await expect(check(page, name)).toContainText(text)
        await check(page, name).getByRole('link', { name: 'Choose another model' }).click()
        await expect(page.getByText('Claude Code will call')).toBeVisible()
      }
      // A model with quota is selected instead of the configured one.
      await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText('aurora-large')
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
      await openDoctor(page)
      await repeatDiagnosis(page)
      await expect(page.getByText('All checks passed')).toBeVisible()
    },
  ],
  [
    'a gateway that is gone can be tried again when it is back',
    async (harness, page) => {
      await setUp(harness, page)
      await page.keyboard.press('Control+8')
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sandbox' }).click()
      await expect(page.getByRole('button', { name: 'Start sandbox' })).toBeVisible()
      await openDoctor(page)
      const key = check(page, 'Gateway accepts the key')
      await expect(key).toContainText('The sandbox is not running')
      await page.keyboard.press('Control+8')
      await page.getByRole('button', { name: 'Start sandbox' }).click()
      await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
      await openDoctor(page)
      await key.getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByText('All checks passed')).toBeVisible()
    },
  ],
]

test('a broken tool is diagnosed, and its cause is named and fixed', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  const page = await openDoctorPage(harness)
  await walk(harness, page, parts)
})

test('a faulty program, file, variable, plan, model or gateway is named and fixed', { tag: '@deep' }, async ({
  harness,
}) => {
  test.setTimeout(180_000)
  const page = await openDoctorPage(harness)
  await walk(harness, page, otherCauseWalkParts)
})

test('a missing keychain is reported as the cause, not the program that uses it', { tag: '@deep' }, async ({
  harness,
}) => {
  const { machine } = harness
  await openStartPage(harness)
  await harness.quit()
  const address = machine.env.DBUS_SESSION_BUS_ADDRESS
  machine.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(machine.home, 'no-bus')}`
  const page = await harness.start()
  await openDoctor(page)
  const helper = check(page, 'Tool gets its key')
  await expect(helper).toContainText('Failed')
  await expect(helper).toContainText(/keychain/i)
  await helper.getByRole('button', { name: 'Check keychain again' }).click()
  await expect(helper).toContainText('Failed')
  if (address !== undefined) machine.env.DBUS_SESSION_BUS_ADDRESS = address
})

test('a diagnosis can be cancelled while the gateway delays its answer', { tag: '@deep' }, async ({ harness }) => {
  const { machine } = harness
  const page = await openStartPage(harness)
  const key = await harness.readKey('sandbox-pro')
  const [{ gatewayUrl }] = JSON.parse((await runCompanion(machine, ['plan', 'list', '--json'])).out).filter(
    ({ name, gatewayUrl: url }: { name: string; gatewayUrl?: string }) => name === 'sandbox-pro' && url,
  )
  const proxy = await startHoldingProxy(gatewayUrl)
  const addPlanArgs = [
    'plan',
    'add',
    '--name',
    'slow',
    '--gateway',
    proxy.url,
    '--key-stdin',
    '--model',
    'aurora-small',
  ]
  expect(await runCompanion(machine, addPlanArgs, { input: key })).toMatchObject({ code: 0 })
  await run(machine, 'configure', 'claude-code', '--plan', 'slow')
  proxy.hold('POST /v1/messages')
  await page.keyboard.press('Control+2')
  await page.getByRole('main').getByRole('link', { name: 'Claude Code', exact: true }).click()
  // Wait for the tool's page, because the list has a button of the same name.
  await expect(page.getByRole('heading', { name: /^Claude Code/, level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
  await page.getByRole('menuitem', { name: 'Diagnose…' }).click()
  await expect.poll(() => proxy.held()).toBe(1)
  await expect(page.getByText('Diagnosing Claude Code…')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(page.getByText('Not run')).toHaveCount(9)
  await page.getByRole('button', { name: 'Diagnose', exact: true }).click()
  await expect(page.getByText('All checks passed')).toBeVisible()
  await run(machine, 'configure', 'claude-code', ...plan)
  await proxy.close()
})
