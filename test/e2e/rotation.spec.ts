import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import type { Machine } from '../support/app'
import { pageText } from '../support/canary'
import { runCompanion, startCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { labels } from '../support/labels'
import { claudeFile, installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const run = promisify(execFile)
const plan = 'sandbox-pro'
const oldName = 'default-key'
const tools = ['Claude Code', 'OpenCode'] as const
const keyPrefix = 'sk-sandbox-'
const ids = ['claude-code', 'opencode'] as const

async function runSuccessfully(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCompanion(machine, args)
  expect(code, err).toBe(0)
  return out
}

/** Starts the app on a computer with two tools installed. */
async function openRotations({ machine, start }: AppHarness): Promise<Page> {
  installTools(machine)
  return start()
}

/** Configures both tools with the key to rotate and returns it. */
async function setUpTools({ machine, readKey: findKey, ask }: AppHarness): Promise<string> {
  for (const id of ids) await runSuccessfully(machine, 'configure', id, '--plan', plan)
  const oldKey = await findKey(plan, oldName)
  expect(await listToolKeys(machine)).toEqual([oldKey, oldKey])
  expect(await ask(oldKey)).toBe(200)
  return oldKey
}

/** The key that Claude Code's helper prints, and the one in the file that OpenCode reads. */
async function listToolKeys({ home, env }: Machine): Promise<string[]> {
  const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile({ home }), 'utf8'))
  const { stdout } = await run('/bin/sh', ['-c', apiKeyHelper], { env, cwd: '/' })
  const openCode = readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')
  const [, keyFile = ''] = /\{file:([^}]+)\}/.exec(openCode) ?? []
  return [stdout.trimEnd(), readFileSync(keyFile, 'utf8').trimEnd()]
}

/** Names and status of the plan's keys at the platform. */
async function readKeysOfHolder(harness: AppHarness): Promise<Record<string, string>> {
  const [planState] = await harness.plansCalled(plan)
  const remainingKeys = planState?.keys.filter(({ deleted }) => !deleted) ?? []
  return Object.fromEntries(remainingKeys.map(({ name, status }) => [name, status]))
}

/** Navigates from home to the rotation preview, as a new user. */
async function toPlannedSteps(page: Page): Promise<void> {
  await page.keyboard.press('Control+1')
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Rotate key' }).click()
  const rows = page.getByRole('list', { name: 'Keys that can be rotated' }).getByRole('listitem')
  const rotateLink = page.getByRole('link', { name: `Rotate key ${oldName} of ${plan}`, exact: true })
  await expect(rows.filter({ has: rotateLink })).toContainText('Claude Code')
  await rotateLink.click()
  await expect(page.getByRole('heading', { name: `Rotate ${oldName}`, level: 1 })).toBeVisible()
}

const chooseTime = (page: Page, time: string) =>
  page.getByRole('radiogroup', { name: 'Grace period' }).getByRole('radio', { name: time, exact: true }).click()

const getListItems = (page: Page, name: string) => page.getByRole('list', { name, exact: true }).getByRole('listitem')

const chooseDisableTime = (page: Page, when: string) =>
  page.getByRole('radiogroup', { name: 'Disable old key' }).getByRole('radio', { name: when, exact: true }).click()

/** Names the new key and starts the rotation. */
async function startRotation(page: Page, newName: string): Promise<void> {
  await page.getByLabel('New key name').fill(newName)
  await page.getByRole('button', { name: 'Start rotation' }).click()
}

/** Restores both tools' settings, so that no file contains a key. */
const restore = async (machine: Machine, toolIds: readonly string[] = ids): Promise<void> => {
  for (const id of toolIds) await runSuccessfully(machine, 'restore', id)
}

/** Gives the new key the old key's name, so that the next test step finds it. */
const renameToOldKeyName = (machine: Machine, name: string): Promise<string> =>
  runSuccessfully(machine, 'key', 'rename', plan, name, '--name', oldName)

/** Ends the grace period of a waiting rotation by changing its times in the settings file. */
function expireGracePeriod({ dataDir }: Machine): void {
  const path = join(dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  for (const rotation of settings.rotations)
    if (rotation.deleteAt) rotation.deleteAt = new Date(Date.now() - 1000).toISOString()
  writeFileSync(path, JSON.stringify(settings))
}

/** User steps of a lead. */
const leadWalkPart: WalkStep = [
  'a lead finds the rotation, sees the steps with the tools by name, starts it, sees it stopped from outside, and undoes it',
  async (harness, page) => {
    const { machine } = harness
    const oldKey = await setUpTools(harness)
    const keysBefore = await readKeysOfHolder(harness)
    await toPlannedSteps(page)
    await expect(getListItems(page, 'Steps')).toContainText([
      /Create new key.*key 4 of 5/,
      'Save it to this computer',
      'Test new key',
      'Tools: Claude Code and OpenCode',
      'Test each tool',
      'Until then both keys work',
      '401',
      'The old key stays disabled for 1 day',
      'Delete old key',
    ])
    await expect(getListItems(page, 'Steps').nth(5)).toContainText(
      'If OpenCode is running, it keeps the old key in memory',
    )
    await chooseTime(page, '1 hour')
    await chooseDisableTime(page, 'Now')
    await expect(getListItems(page, 'Steps').nth(7)).toContainText('The old key stays disabled for 1 hour')
    expect(await readKeysOfHolder(harness)).toEqual(keysBefore)
    await startRotation(page, 'lead-key')

    await expect(page.getByText(`“${oldName}” is disabled and will be deleted`)).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('Restart if running: OpenCode')).toBeVisible()
    const steps = getListItems(page, 'Steps')
    await expect(steps).toHaveCount(9)
    for (const stepIndex of [0, 1, 2, 3, 4, 5, 6]) await expect(steps.nth(stepIndex)).toContainText('done')
    await expect(steps.nth(8)).toContainText('pending')
    for (const tool of tools)
      await expect(getListItems(page, 'Tools on this computer').filter({ hasText: tool })).toContainText(
        'new key, test passed',
      )
    const newKey = await harness.readKey(plan, 'lead-key')
    expect(newKey).not.toBe(oldKey)
    expect(await listToolKeys(machine)).toEqual([newKey, newKey])
    expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([401, 200])
    expect(await pageText(page)).not.toContain(keyPrefix)

    // The window shows the command's change immediately.
    await runSuccessfully(machine, 'rotate', 'stop')
    await expect(page.getByText('Rotation stopped', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Undo…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo rotation' }).click()
    await expect(page.getByText(`Undone: “${oldName}” is active again`)).toBeVisible({ timeout: 30_000 })
    expect(await listToolKeys(machine)).toEqual([oldKey, oldKey])
    expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([200, 401])
    expect(await readKeysOfHolder(harness)).toEqual(keysBefore)
    await restore(machine)
  },
]

/** User steps with commands in parallel and a holder of the old key. */
const concurrentSteps: readonly WalkStep[] = [
  [
    'a rotation from the command line shows its steps first, is told as JSON, and is seen live in the window',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      const keysBefore = await readKeysOfHolder(harness)
      await page.keyboard.press('Control+1')
      await page.getByRole('main').getByRole('link', { name: 'Rotate key' }).click()
      await page.getByRole('link', { name: 'Keys', exact: true }).first().click()
      await page.getByRole('tab', { name: /^Rotations/ }).click()
      await expect(page.getByText('No rotations yet')).toBeVisible()

      const rotateArguments = [
        'rotate',
        'start',
        '--plan',
        plan,
        '--key',
        oldName,
        '--grace',
        '1h',
        '--disable-by',
        'now',
        '--name',
        'lead-key',
      ]
      const unconfirmedStart = await runCompanion(machine, rotateArguments)
      expect(unconfirmedStart.code).not.toBe(0)
      expect(`${unconfirmedStart.out}${unconfirmedStart.err}`).toContain(`Rotating ${oldName} of ${plan}:`)
      expect(`${unconfirmedStart.out}${unconfirmedStart.err}`).toContain('Switch to it: Claude Code, OpenCode.')
      expect(`${unconfirmedStart.out}${unconfirmedStart.err}`).toContain('Restart OpenCode if it is running')
      expect(await readKeysOfHolder(harness)).toEqual(keysBefore)

      // Delays the first request with the new key, so that the progress is visible in the window.
      await harness.control('/faults', { faults: [{ operations: 'gateway.*', delayMs: 2_000, times: 1 }] })
      const startedRotation = startCompanion(machine, [...rotateArguments, '--yes'])
      const row = getListItems(page, 'Rotations').filter({ hasText: oldName })
      await expect(row).toContainText('In progress')
      const { err, code } = await startedRotation
      expect(code, err).toBe(0)
      for (const tool of tools) expect(err).toContain(tool)
      await expect(row).toContainText('Waiting')
      const status = await runSuccessfully(machine, 'rotate', 'status', '--json')
      expect(JSON.parse(status)).toMatchObject([
        {
          planName: plan,
          oldKeyName: oldName,
          newKeyName: 'lead-key',
          state: 'waiting',
          canUndo: true,
          tools: ids.map((toolId) => ({ toolId, state: 'verified' })),
        },
      ])
      const newKey = await harness.readKey(plan, 'lead-key')
      expect(await listToolKeys(machine)).toEqual([newKey, newKey])
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([401, 200])
      expect(`${err}${status}`).not.toContain(keyPrefix)

      await runSuccessfully(machine, 'rotate', 'undo', '--yes')
      await expect(row).toContainText('Undone')
      expect(await listToolKeys(machine)).toEqual([oldKey, oldKey])
      expect(await harness.ask(oldKey)).toBe(200)
      await restore(machine)
    },
  ],
  [
    'a key that somebody holds works until they have the new one, which the app itself uses from then on',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      await runSuccessfully(machine, 'register', 'set', plan, oldName, '--holder', 'Lan', '--purpose', 'shop')
      await toPlannedSteps(page)
      await expect(page.getByText('Other holder: Lan')).toBeVisible()
      await startRotation(page, 'lead-key')
      await expect(page.getByText(`“${oldName}” still works for its holders`)).toBeVisible({ timeout: 30_000 })
      const pendingItems = getListItems(page, 'Issue new keys')
      await expect(pendingItems).toContainText('To be issued')
      const newKey = await harness.readKey(plan, 'lead-key')
      expect(await listToolKeys(machine)).toEqual([newKey, newKey])
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([200, 200])

      await pendingItems.getByRole('link', { name: 'Issue lead-key to Lan' }).click()
      await expect(page.getByLabel(labels.name, { exact: true })).toHaveValue('Lan')
      await page.goBack()
      await page.getByRole('button', { name: 'Disable now…' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Disable key' }).click()
      await expect(page.getByText(`“${oldName}” is disabled and will be deleted`)).toBeVisible({ timeout: 30_000 })
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([401, 200])
      await runSuccessfully(machine, 'plan', 'check', plan)
      const keys = JSON.parse(await runSuccessfully(machine, 'key', 'list', plan, '--json'))
      expect(keys.find(({ name }: { name: string }) => name === 'lead-key').usedBy.toSorted()).toEqual([...ids])
      await runSuccessfully(machine, 'rotate', 'undo', '--yes')
      await runSuccessfully(machine, 'plan', 'check', plan)
      await runSuccessfully(machine, 'register', 'set', plan, oldName, '--nobody')
      await restore(machine)
    },
  ],
]

/** User steps without a grace period. */
const noGraceWalkParts: readonly WalkStep[] = [
  [
    'with no time to wait the old key is deleted at once, and the new one has its place',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      await toPlannedSteps(page)
      await chooseTime(page, 'None, delete immediately')
      await chooseDisableTime(page, 'Now')
      await expect(getListItems(page, 'Steps').nth(7)).toContainText('No grace period')
      await startRotation(page, 'lead-key')
      await expect(page.getByText(`“lead-key” replaced “${oldName}”`)).toBeVisible({ timeout: 30_000 })
      await expect(page.getByRole('button', { name: 'Undo…' })).toHaveCount(0)
      expect(Object.keys(await readKeysOfHolder(harness))).not.toContain(oldName)
      expect(await runCompanion(machine, ['key', 'print', '--plan', plan, '--key', oldName])).toMatchObject({ code: 1 })
      const newKey = await harness.readKey(plan, 'lead-key')
      expect(await listToolKeys(machine)).toEqual([newKey, newKey])
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([401, 200])
      for (const id of ids) await runSuccessfully(machine, 'verify', id)
      expect(await pageText(page)).not.toContain(keyPrefix)
      await restore(machine)
      await renameToOldKeyName(machine, 'lead-key')
    },
  ],
  [
    'at the key limit, a rotation starts only after the user deletes an unused key',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      for (const name of ['shop', 'spare']) await runSuccessfully(machine, 'key', 'add', plan, '--name', name)
      await runSuccessfully(machine, 'register', 'set', plan, 'shop', '--holder', 'the shop', '--kind', 'tool')
      const keysBefore = await readKeysOfHolder(harness)
      await toPlannedSteps(page)
      await expect(page.getByText(`Key limit reached: ${plan} already has 5 keys`)).toBeVisible()
      const startButton = page.getByRole('button', { name: 'Start rotation' })
      await expect(startButton).toBeDisabled()
      const unusedKeysList = getListItems(page, 'Keys not used on this computer')
      await expect(unusedKeysList).toHaveCount(3)
      for (const name of ['old-laptop', 'ci-runner', 'spare'])
        await expect(unusedKeysList.filter({ hasText: name })).toHaveCount(1)
      expect(await readKeysOfHolder(harness)).toEqual(keysBefore)

      await page.getByRole('button', { name: 'Delete key old-laptop' }).click()
      const confirmDialog = page.getByRole('alertdialog')
      const confirm = confirmDialog.getByRole('button', { name: 'Delete key' })
      await expect(confirm).toBeDisabled()
      await confirmDialog.getByRole('textbox').fill('old-laptop')
      await confirm.click()
      await expect(startButton).toBeEnabled()
      await expect(getListItems(page, 'Steps').first()).toContainText('key 5 of 5')
      await chooseTime(page, 'None, delete immediately')
      await chooseDisableTime(page, 'Now')
      await startRotation(page, 'lead-key')
      await expect(page.getByText(`“lead-key” replaced “${oldName}”`)).toBeVisible({ timeout: 30_000 })
      expect(Object.keys(await readKeysOfHolder(harness)).sort()).toEqual(['ci-runner', 'lead-key', 'shop', 'spare'])
      const newKey = await harness.readKey(plan, 'lead-key')
      expect(await listToolKeys(machine)).toEqual([newKey, newKey])
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([401, 200])
      await restore(machine)
    },
  ],
]

/** User steps with several keys and a manual tool. */
const failureParts: readonly WalkStep[] = [
  [
    'several are rotated from the register with a report that names the one that was not; at the end of its grace period the old key is deleted',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      await runSuccessfully(machine, 'key', 'add', plan, '--name', 'second')
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
      for (const name of [oldName, 'second'])
        await page.getByRole('checkbox', { name: `Select ${name} of ${plan}`, exact: true }).click()
      await expect(page.getByRole('region', { name: '2 keys selected' })).not.toContainText('can be rotated')
      await page.getByRole('button', { name: 'Rotate…', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Rotate keys', level: 1 })).toBeVisible()
      await expect(page.getByText(`Key limit: ${plan} has room for 1 of 5 keys, and you selected 2`)).toBeVisible()
      await expect(page.getByText('Restart after the rotation if running: OpenCode')).toBeVisible()
      await chooseTime(page, '1 hour')
      await chooseDisableTime(page, 'Now')
      await page.getByRole('button', { name: 'Rotate 2 keys' }).click()

      await expect(page.getByText('1 of 2 rotated. The others need attention')).toBeVisible({ timeout: 30_000 })
      await expect(page.getByText('Restart if running: OpenCode')).toBeVisible()
      const report = getListItems(page, 'Report')
      await expect(report.filter({ hasText: oldName })).toContainText('Waiting')
      await expect(report.filter({ hasText: 'second' })).toContainText('Key limit reached')
      expect(await readKeysOfHolder(harness)).toMatchObject({ [oldName]: 'DISABLED', second: 'ACTIVE' })
      const [newKey] = await listToolKeys(machine)
      expect(newKey).not.toBe(oldKey)

      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
      await page.getByRole('tab', { name: /^Rotations/ }).click()
      const row = getListItems(page, 'Rotations').filter({ hasText: oldName })
      await expect(row).toContainText('old key deleted')
      expireGracePeriod(machine)
      await expect(row).toContainText('Done', { timeout: 30_000 })
      expect(Object.keys(await readKeysOfHolder(harness))).not.toContain(oldName)
      expect(await runCompanion(machine, ['key', 'print', '--plan', plan, '--key', oldName])).toMatchObject({ code: 1 })
      expect(await listToolKeys(machine)).toEqual([newKey, newKey])
      await restore(machine)
      await runSuccessfully(machine, 'key', 'delete', plan, 'second', '--yes')
      const extraKeys = ['old-laptop', 'ci-runner']
      const [newName = ''] = Object.keys(await readKeysOfHolder(harness)).filter((name) => !extraKeys.includes(name))
      await renameToOldKeyName(machine, newName)
    },
  ],
  [
    'a tool whose file was changed by hand is named and left alone, and both keys stay alive',
    async (harness, page) => {
      const { machine } = harness
      const oldKey = await setUpTools(harness)
      const otherSettings = readFileSync(claudeFile(machine), 'utf8').replace('"aurora-large"', '"their-model"')
      writeFileSync(claudeFile(machine), otherSettings)
      await toPlannedSteps(page)
      await startRotation(page, 'lead-key')

      await expect(page.getByText('Both keys still work')).toBeVisible({ timeout: 30_000 })
      await expect(page.getByText('Not switched to the new key: Claude Code.')).toBeVisible()
      const remainingTools = getListItems(page, 'Tools on this computer').filter({ hasText: 'Claude Code' })
      await expect(remainingTools).toContainText('not updated')
      await expect(remainingTools.getByRole('link', { name: 'Open Claude Code' })).toBeVisible()
      expect(readFileSync(claudeFile(machine), 'utf8')).toBe(otherSettings)
      const newKey = await harness.readKey(plan, 'lead-key')
      expect(await listToolKeys(machine)).toEqual([oldKey, newKey])
      expect([await harness.ask(oldKey), await harness.ask(newKey)]).toEqual([200, 200])
      expect(await readKeysOfHolder(harness)).toMatchObject({ [oldName]: 'ACTIVE', 'lead-key': 'ACTIVE' })
      expect(await pageText(page)).not.toContain(keyPrefix)
      await page.keyboard.press('Control+1')
      await expect(page.getByRole('list', { name: 'Needs attention' })).toContainText(
        `Rotation of ${oldName} is incomplete`,
      )
      await restore(machine, ['opencode'])
    },
  ],
]

test('a rotation is started, shown live, and undone while it waits', async ({ harness }) => {
  test.setTimeout(180_000)
  await walk(harness, await openRotations(harness), [leadWalkPart])
})

test('a rotation from the command line is shown live, and a held key works until the holder has the new one', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  await walk(harness, await openRotations(harness), concurrentSteps)
})

test('a rotation is done immediately, even if a slot must be freed first', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(180_000)
  await walk(harness, await openRotations(harness), noGraceWalkParts)
})

test('a failed one of several rotations is named, and so is a tool that was edited manually', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  await walk(harness, await openRotations(harness), failureParts)
})

test('a rotation is scheduled in the window, listed by the command line, and its schedule is removed', async ({
  harness,
}) => {
  const page = await harness.start()
  await page.evaluate(() => {
    location.hash = '/rotate'
  })
  await page.getByRole('link', { name: `Rotate key ${oldName} of ${plan}`, exact: true }).click()
  await page.getByRole('radiogroup', { name: 'Start' }).getByRole('radio', { name: 'Regularly' }).click()
  await page.getByLabel('Every … days').fill('30')
  await page.getByRole('button', { name: 'Schedule rotation' }).click()
  await expect(getListItems(page, 'Scheduled rotations')).toContainText('every 30 days')
  expect(await runSuccessfully(harness.machine, 'rotate', 'schedules')).toMatch(/default-key .* 30 days/)
  await page.getByRole('button', { name: `Remove schedule of ${oldName}` }).click()
  await expect(page.getByRole('list', { name: 'Scheduled rotations' })).toHaveCount(0)
})
